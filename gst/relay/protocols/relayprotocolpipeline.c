/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <net/if.h>
#include <string.h>
#include <gst/app/app.h>
#include "gstfaspmonitor.h"
#include "relayaddress.h"
#include "relaygroup.h"
#include "relayguard.h"
#include "relaylog.h"
#include "relayprotocol.h"
#include "relayretry.h"
#include "relaywatch.h"

#define REFUSALS_MAX 10 /* reported in a second; the stream reports fewer */
/* How long an output may go on sending waiting data when it ends. */
#define DRAIN (500 * GST_MSECOND)
#define END G_TIME_SPAN_SECOND /* how long the end waits for the thread before it abandons it */

struct _RelayProtocolPipeline
{
  gint users; /* the owner, the thread, and threads that read statistics; atomic */
  const RelayProtocolUri *protocol_uri;
  const RelayProtocolPipelineFuncs *funcs;
  GObject *owner;
  gpointer kept;             /* of the protocol (relayprotocol.h); used in the thread alone */
  GCancellable *cancellable; /* of look-ups in the thread; cancelled when it has to end */
  /* Held while the bytes that were sent are read, or moved from the element to the total, and by
   * other threads while they have a reference of the element: the last one is the pipeline's, as
   * what its end writes is for its thread. Taken before the next, and by no callback of an element.
   */
  GMutex counting;
  GMutex lock; /* guards the rest */
  GCond wake;
  gboolean ending, ended;
  gint64 until;      /* when the thread is abandoned, if it is ending: g_get_monotonic_time, µs */
  GstBus *bus;       /* of the pipeline that plays; NULL: none does, as of the end */
  GstElement *end;   /* the element that talks to the network */
  GstAppSrc *source; /* of an output that plays, or is built: media wait in it; NULL: none does */
  guint64 pushed;    /* bytes that the source was given */
  guint64 failed;    /* bytes that this pipeline did not send, at the last look */
  guint64 handled;   /* of these, what an output with connections has sent or dropped */
  gboolean worked;   /* the last pipeline has reached its network */
  RelayLogBudget refusals;          /* that are reported */
  RelayProtocolPipelineStats stats; /* without the level, and without bytes of this pipeline */
  GstFaspMonitor *monitor;          /* of the data received, or taken to be sent; NULL: there were
                                       none, or it is not set */
  /* the rest is used in the thread alone; the watch also where relaywatch.h allows it */
  RelayWatch *watch;     /* of the pipeline that plays */
  gpointer opened;       /* what the protocol has opened (relayprotocol.h); NULL: nothing */
  RelayAddress *address; /* of the host */
  gboolean looked; /* the last pipeline was ended because a look found a fault of its network */
};

/* --- data --------------------------------------------------------------------------------- */

/* Call this with the lock held. */
static void
measure (RelayProtocolPipeline *self, GstBuffer *buffer)
{
  if (!self->protocol_uri->monitored)
    return;
  if (self->monitor == NULL)
    self->monitor = gst_fasp_monitor_new ();
  gst_fasp_monitor_push (self->monitor, buffer, gst_fasp_monitor_get_time ());
}

gboolean
relay_protocol_pipeline_send (RelayProtocolPipeline *self, GstBuffer *buffer, guint64 most)
{
  gsize size = gst_buffer_get_size (buffer);
  gboolean room;

  g_mutex_lock (&self->lock);
  room = self->source != NULL && gst_app_src_get_current_level_bytes (self->source) + size <= most;
  if (room) {
    measure (self, buffer);
    room = gst_app_src_push_buffer (self->source, buffer) == GST_FLOW_OK;
  } else {
    gst_buffer_unref (buffer);
  }
  self->pushed += room ? size : 0;
  g_mutex_unlock (&self->lock);
  return room;
}

static GstFlowReturn
on_received (GstAppSink *sink, gpointer data)
{
  RelayProtocolPipeline *self = data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer = sample != NULL ? gst_sample_get_buffer (sample) : NULL;

  if (buffer == NULL)
    return GST_FLOW_OK;
  relay_watch_note_received (self->watch);
  g_mutex_lock (&self->lock);
  if (self->protocol_uri->protocol->has_connections && GST_BUFFER_IS_DISCONT (buffer))
    gst_fasp_monitor_begin (self->monitor); /* of another caller */
  measure (self, buffer);
  g_mutex_unlock (&self->lock);
  self->funcs->received (gst_buffer_ref (buffer), self->owner);
  return GST_FLOW_OK;
}

/* --- for the protocol ------------------------------------------------------------------------ */

const RelayProtocolUri *
relay_protocol_pipeline_get_uri (RelayProtocolPipeline *self)
{
  return self->protocol_uri;
}

void
relay_protocol_pipeline_count (RelayProtocolPipeline *self, RelayProtocolPipelineCount which)
{
  g_mutex_lock (&self->lock);
  self->stats.counts[which]++;
  g_mutex_unlock (&self->lock);
}

guint64
relay_protocol_pipeline_get_count (RelayProtocolPipeline *self, RelayProtocolPipelineCount which)
{
  guint64 count;

  g_mutex_lock (&self->lock);
  count = self->stats.counts[which];
  g_mutex_unlock (&self->lock);
  return count;
}

/* @event: the name of a message, as of `visit' in relayprotocolpipeline.h. @address, @streamid,
 * @reason: NULL: not known. The bytes of a streamid are the peer's, and perhaps no UTF-8, which a
 * structure does not take. */
static GstStructure *
make_visit (const gchar *event, const gchar *address, const gchar *streamid, const gchar *reason)
{
  g_autofree gchar *valid = streamid != NULL ? g_utf8_make_valid (streamid, -1) : NULL;

  return gst_structure_new (event, "address-string", G_TYPE_STRING, address, "streamid",
      G_TYPE_STRING, valid, "reason", G_TYPE_STRING, reason, NULL);
}

static gchar *
name_address (GSocketAddress *address)
{
  return address != NULL ? g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address)) : NULL;
}

void
relay_protocol_pipeline_note_refusal (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid, const gchar *reason, guint port)
{
  g_autofree gchar *name = NULL;
  GstStructure *peer;
  guint missed;
  gboolean may;

  g_mutex_lock (&self->lock);
  may = relay_log_may (&self->refusals, g_get_monotonic_time (), &missed);
  g_mutex_unlock (&self->lock);
  if (!may)
    return;
  name = name_address (address);
  peer = make_visit ("connection-refused", name, streamid, reason);
  if (port != 0)
    gst_structure_set (peer, RELAY_STRAY_PORT, G_TYPE_UINT, port, NULL);
  self->funcs->visit (peer, self->owner);
}

void
relay_protocol_pipeline_refuse (RelayProtocolPipeline *self, RelayProtocolPipelineCount which,
    GSocketAddress *address, const gchar *streamid, const gchar *reason)
{
  relay_protocol_pipeline_count (self, which);
  relay_protocol_pipeline_note_refusal (self, address, streamid, reason, 0);
}

void
relay_protocol_pipeline_note_work (RelayProtocolPipeline *self)
{
  g_mutex_lock (&self->lock);
  self->worked = TRUE;
  g_clear_pointer (&self->stats.error, g_free);
  g_mutex_unlock (&self->lock);
}

void
relay_protocol_pipeline_note_report (RelayProtocolPipeline *self)
{
  relay_watch_note_received (self->watch);
}

gboolean
relay_protocol_pipeline_admits (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid)
{
  return self->funcs->calls (address, streamid, self->owner);
}

gboolean
relay_protocol_pipeline_asks (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid, guint64 caller)
{
  g_autofree gchar *name = name_address (address);
  g_autofree gchar *valid = g_utf8_make_valid (streamid, -1);

  return self->funcs->asks (name, valid, caller, self->owner);
}

void
relay_protocol_pipeline_note_caller (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid, gboolean connected, const gchar *reason)
{
  g_autofree gchar *name = name_address (address);

  g_mutex_lock (&self->lock);
  self->stats.callers += connected ? 1 : -1;
  g_mutex_unlock (&self->lock);
  if (connected)
    relay_protocol_pipeline_note_work (self);
  self->funcs->visit (make_visit (connected ? "connection-added" : "connection-removed", name,
                          streamid, reason),
      self->owner);
}

void
relay_protocol_pipeline_note_takeover (RelayProtocolPipeline *self, GSocketAddress *address,
    const gchar *streamid)
{
  g_autofree gchar *name = name_address (address);

  relay_protocol_pipeline_count (self, RELAY_SOURCE_CHANGES);
  self->funcs->visit (make_visit ("connection-used", name, streamid,
                          "the sender before it has gone, or is silent"),
      self->owner);
}

void
relay_protocol_pipeline_note_piece (RelayProtocolPipeline *self, const gchar *path)
{
  self->funcs->visit (gst_structure_new ("piece-finished", "path", G_TYPE_STRING, path, NULL),
      self->owner);
}

void
relay_protocol_pipeline_note_sent (RelayProtocolPipeline *self, gsize handled, guint64 sent,
    guint64 failed)
{
  g_mutex_lock (&self->lock);
  self->handled += handled;
  self->stats.sent += sent;
  self->stats.failed += failed;
  g_mutex_unlock (&self->lock);
}

/* --- the pipeline --------------------------------------------------------------------------- */

/* Do the interfaces of the URI exist? If not, GStreamer's elements would use others. Not part of
 * --check, as the interface may come later. A leg of an input joins its group then. */
static gboolean
has_interfaces (const RelayProtocolUri *protocol_uri, GError **error)
{
  if (!protocol_uri->sends && protocol_uri->second != NULL)
    return TRUE;
  for (const RelayProtocolUri *leg = protocol_uri; leg != NULL; leg = leg->second) {
    const gchar *interface = relay_protocol_uri_get (leg, "interface");

    if (interface != NULL && if_nametoindex (interface) == 0) {
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
          "there is no network interface %s: name one that \"ip link\" lists.", interface);
      return FALSE;
    }
  }
  return TRUE;
}

/* Opens what the protocol has instead of elements; this may note that it works. */
static gboolean
open_end (RelayProtocolPipeline *self, GError **error)
{
  RelayProtocolUri protocol_uri = *self->protocol_uri;

  g_mutex_lock (&self->lock);
  self->worked = FALSE;
  g_mutex_unlock (&self->lock);
  protocol_uri.host = (gchar *) relay_address_get (self->address);
  if (protocol_uri.protocol->open == NULL)
    return TRUE;
  self->opened = protocol_uri.protocol->open (self, &protocol_uri, self->cancellable, error);
  return self->opened != NULL;
}

static void
on_stranger (GSocketAddress *from, gpointer self)
{
  relay_protocol_pipeline_refuse (self, RELAY_DATAGRAMS_REFUSED, from, NULL, RELAY_NOT_ALLOWED);
}

static gboolean
join_groups (RelayProtocolPipeline *self, GstElement *end, GError **error)
{
  for (const RelayProtocolUri *leg = self->protocol_uri; leg != NULL; leg = leg->second)
    if (relay_group_is_heard (leg) && !relay_group_join (leg, end, error))
      return FALSE;
  return TRUE;
}

static GstElement *
make_chain (RelayProtocolPipeline *self, GError **error)
{
  g_autoptr (GstElement) end = NULL;
  RelayProtocolUri protocol_uri = *self->protocol_uri;
  GstElement *chain;

  protocol_uri.host = (gchar *) relay_address_get (self->address);
  chain = relay_chain_make (&protocol_uri, &end, error);
  if (chain == NULL)
    return NULL;
  if (!join_groups (self, end, error)) {
    gst_object_unref (gst_object_ref_sink (chain));
    return NULL;
  }
  relay_guard_add (self->protocol_uri, end, on_stranger, self);
  if (protocol_uri.protocol->watch != NULL)
    protocol_uri.protocol->watch (end, self, &self->kept);
  self->watch = relay_watch_new (self->protocol_uri, protocol_uri.host, end);
  g_mutex_lock (&self->lock);
  self->end = g_steal_pointer (&end);
  g_mutex_unlock (&self->lock);
  return chain;
}

/* Makes the appsink of an input's media.  A floating reference. */
static GstElement *
make_gate (RelayProtocolPipeline *self, GError **error)
{
  GstElement *gate = relay_chain_make_app (NULL, error);
  GstAppSinkCallbacks functions = { .new_sample = on_received };

  if (gate != NULL)
    gst_app_sink_set_callbacks (GST_APP_SINK (gate), &functions, self, NULL);
  return gate;
}

/* Returns the source of an output; if there is none, makes one. */
static GstElement *
open_source (RelayProtocolPipeline *self, GError **error)
{
  GstElement *source;

  if (self->source != NULL)
    return GST_ELEMENT (self->source);
  source = relay_chain_make_app (RELAY_WHOLE_PACKETS, error);
  if (source == NULL)
    return NULL;
  g_object_set (source, "do-timestamp", !relay_protocol_uri_is_timed (self->protocol_uri), NULL);
  g_mutex_lock (&self->lock);
  self->source = GST_APP_SRC (gst_object_ref_sink (source));
  g_mutex_unlock (&self->lock);
  return source;
}

/* Adds the bytes that the pipeline has sent, and failed to send, to the totals, and takes its
 * source away. */
static void
settle (RelayProtocolPipeline *self)
{
  const RelayProtocol *protocol = self->protocol_uri->protocol;
  gboolean counts = relay_watch_counts (self->protocol_uri);
  guint64 sent = 0, failed = 0, left;
  GstAppSrc *source;
  GstElement *end;

  /* from here on, it handles no more data */
  if (self->opened != NULL)
    protocol->close (g_steal_pointer (&self->opened));
  g_mutex_lock (&self->counting);
  if (counts && self->end != NULL) {
    sent = relay_watch_get_sent (self->protocol_uri, self->end);
    failed = MAX (self->failed, relay_watch_get_failed (self->watch));
  }
  g_mutex_lock (&self->lock);
  left = self->source != NULL ? gst_app_src_get_current_level_bytes (self->source) : 0;
  if (protocol->has_connections)
    left = self->pushed - self->handled;
  self->stats.state = RELAY_STARTING;
  gst_fasp_monitor_begin (self->monitor); /* what comes next does not follow on this */
  self->stats.sent += counts ? sent : self->pushed - left;
  self->stats.failed += failed + left;
  self->pushed = self->handled = self->failed = 0;
  source = g_steal_pointer (&self->source);
  end = g_steal_pointer (&self->end);
  gst_clear_object (&self->bus);
  g_mutex_unlock (&self->lock);
  g_mutex_unlock (&self->counting);
  gst_clear_object (&source);
  gst_clear_object (&end);
}

/* Makes running times those of the system's clock, so that the source stamps buffers alike before
 * and after the pipeline has told it the base time. */
static void
use_clock_as_it_is (GstElement *pipeline)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();

  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  gst_element_set_start_time (pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (pipeline, 0);
}

static GstElement *
build (RelayProtocolPipeline *self, GError **error)
{
  g_autoptr (GstElement) gate = NULL;
  GstElement *chain, *pipeline;
  GstBus *bus;

  /* this takes seconds where a name server is down, or a peer: no media wait for that */
  if (!has_interfaces (self->protocol_uri, error)
      || !relay_address_choose (self->address, self->worked, error) || !open_end (self, error))
    return NULL;
  gate = self->protocol_uri->sends ? open_source (self, error) : make_gate (self, error);
  if (gate == NULL)
    return NULL;
  gst_object_ref_sink (gate);
  chain = make_chain (self, error);
  if (chain == NULL)
    return NULL;
  pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  if (self->protocol_uri->sends)
    use_clock_as_it_is (pipeline);
  gst_bin_add_many (GST_BIN (pipeline), gate, chain, NULL);
  if (self->protocol_uri->sends)
    gst_element_link (gate, chain);
  else
    gst_element_link (chain, gate);
  bus = gst_element_get_bus (pipeline);
  g_mutex_lock (&self->lock);
  self->bus = bus;
  g_mutex_unlock (&self->lock);
  return pipeline;
}

/* Describes an error or a warning by the element's sentence and the last line of its details, which
 * has the system's reason. */
static gchar *
describe (GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *details = NULL;
  const gchar *last;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &details);
  else
    gst_message_parse_warning (message, &error, &details);
  last = details != NULL ? strrchr (details, '\n') : NULL;
  return last != NULL ? g_strdup_printf ("%s (%s).", error->message, last + 1) :
                        g_strdup (error->message);
}

/* TRUE: the pipeline has ended.  *text: the error; NULL: there was none. */
static gboolean
take_message (RelayProtocolPipeline *self, GstElement *pipeline, GstMessage *message, gchar **text)
{
  g_autofree gchar *warning = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (pipeline));
      return FALSE;
    case GST_MESSAGE_WARNING:
      warning = describe (message);
      if (!relay_watch_takes (self->watch, message, warning))
        self->funcs->warn (warning, self->owner);
      return FALSE;
    case GST_MESSAGE_ERROR:
      *text = describe (message);
      return TRUE;
    default:
      return TRUE;
  }
}

/* Shows a fault of an output that goes on sending, and says so once.  FALSE: there is none. */
static gboolean
note_fault (RelayProtocolPipeline *self)
{
  const gchar *fault = relay_watch_get_fault (self->watch);
  gboolean told;

  g_mutex_lock (&self->lock);
  told = self->stats.state == RELAY_STARTING;
  self->stats.state = fault != NULL ? RELAY_STARTING : RELAY_RUNNING;
  if (fault != NULL) {
    g_free (self->stats.error);
    self->stats.error = g_strdup (fault);
    self->worked = TRUE;
  }
  g_mutex_unlock (&self->lock);
  if (fault != NULL && !told)
    self->funcs->tell (fault, fault, self->owner);
  return fault != NULL;
}

/* Checks whether the media still reach the network; returns as take_message(). */
static gboolean
look (RelayProtocolPipeline *self, gchar **text)
{
  gboolean works;

  if (relay_watch_may_have_failed (self->watch)) {
    guint64 failed = relay_watch_get_failed (self->watch);

    g_mutex_lock (&self->lock);
    self->failed = MAX (self->failed, failed);
    g_mutex_unlock (&self->lock);
  }
  *text = relay_watch_look (self->watch, &works);
  works &= !note_fault (self);
  /* an output whose bytes are not counted here says itself that it works, as does an end that dials
   */
  if (works && !relay_protocol_uri_dials (self->protocol_uri)
      && (!self->protocol_uri->sends || relay_watch_counts (self->protocol_uri)))
    relay_protocol_pipeline_note_work (self);
  self->looked = *text != NULL;
  return *text != NULL
      || (relay_watch_sends_datagrams (self->protocol_uri)
          && relay_address_has_moved (self->address));
}

/* Waits until the pipeline has ended. Returns the error; NULL: there was none. */
static gchar *
wait_for_end (RelayProtocolPipeline *self, GstElement *pipeline, GstBus *bus)
{
  GstMessageType types = GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS
      | GST_MESSAGE_LATENCY | GST_MESSAGE_APPLICATION;
  gint64 next = g_get_monotonic_time () + RELAY_WATCH_EACH;
  gboolean over = FALSE;
  gchar *text = NULL;

  while (!over) {
    gint64 left = MAX (next - g_get_monotonic_time (), 0);
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus, left * GST_USECOND, types);

    if (message != NULL)
      over = take_message (self, pipeline, message, &text);
    if (!over && g_get_monotonic_time () >= next) {
      over = look (self, &text);
      next = g_get_monotonic_time () + RELAY_WATCH_EACH;
    }
  }
  return text;
}

static gboolean
is_ending (RelayProtocolPipeline *self)
{
  gboolean ending;

  g_mutex_lock (&self->lock);
  ending = self->ending;
  g_mutex_unlock (&self->lock);
  return ending;
}

/* Sends the data that still wait, if the end is closing. */
static void
drain (RelayProtocolPipeline *self, GstBus *bus)
{
  g_autoptr (GstMessage) last = NULL;

  if (!self->protocol_uri->sends || !is_ending (self))
    return;
  gst_app_src_end_of_stream (self->source);
  last = gst_bus_timed_pop_filtered (bus, DRAIN, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
}

/* Returns why the pipeline could not start. */
static gchar *
explain (GstBus *bus)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  return message != NULL ? describe (message) : g_strdup ("it could not be started.");
}

/* Returns why the pipeline could not start; NULL: it has. */
static gchar *
start (RelayProtocolPipeline *self, GstElement *pipeline, GstBus *bus)
{
  const RelayProtocol *protocol = self->protocol_uri->protocol;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_READY); /* the bus takes messages now */
  if (protocol->start != NULL && !protocol->start (self->opened, self->end, &error))
    return g_strdup (error->message);
  return gst_element_set_state (pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE ?
      explain (bus) :
      NULL;
}

/* Runs a pipeline until it has ended. Returns the error; NULL: there was none. */
static gchar *
run_once (RelayProtocolPipeline *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = NULL;
  GstElement *pipeline = build (self, &error);
  gchar *text = NULL;

  self->looked = FALSE;
  if (pipeline == NULL) {
    settle (self);
    return g_strdup (error->message);
  }
  bus = gst_element_get_bus (pipeline);
  text = start (self, pipeline, bus);
  if (text == NULL) {
    g_mutex_lock (&self->lock);
    self->stats.state = RELAY_RUNNING;
    g_mutex_unlock (&self->lock);
    if (!self->protocol_uri->sends && !relay_protocol_uri_dials (self->protocol_uri))
      relay_protocol_pipeline_note_work (self);
    if (!is_ending (self))
      text = wait_for_end (self, pipeline, bus);
    if (text == NULL)
      drain (self, bus);
  }
  settle (self);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_clear_pointer (&self->watch, relay_watch_free);
  return text;
}

/* --- the thread ------------------------------------------------------------------------------ */

static void
wait_for (RelayProtocolPipeline *self, guint delay)
{
  gint64 until = g_get_monotonic_time () + delay * G_TIME_SPAN_MILLISECOND;

  g_mutex_lock (&self->lock);
  self->stats.state = RELAY_IDLE;
  while (!self->ending && g_cond_wait_until (&self->wake, &self->lock, until))
    ;
  self->stats.state = RELAY_STARTING;
  g_mutex_unlock (&self->lock);
}

static void
note_failure (RelayProtocolPipeline *self, gchar *text, guint delay)
{
  /* many messages of GStreamer and of the system have no full stop */
  g_autofree gchar *why = g_strdup (text);
  g_autofree gchar *line = g_strdup_printf ("%s%s It starts again in %.1f s.", text,
      g_str_has_suffix (text, ".") ? "" : ".", delay / 1e3);

  g_mutex_lock (&self->lock);
  g_free (self->stats.error);
  self->stats.error = text;
  self->stats.restarts++;
  g_mutex_unlock (&self->lock);
  self->funcs->tell (line, why, self->owner);
}

RelayProtocolPipeline *
relay_protocol_pipeline_ref (RelayProtocolPipeline *self)
{
  g_atomic_int_inc (&self->users);
  return self;
}

void
relay_protocol_pipeline_unref (RelayProtocolPipeline *self)
{
  if (!g_atomic_int_dec_and_test (&self->users))
    return;
  if (self->kept != NULL)
    self->protocol_uri->protocol->free_kept (self->kept);
  gst_clear_object (&self->source);
  g_free (self->stats.error);
  gst_fasp_monitor_free (self->monitor);
  relay_address_free (self->address);
  g_object_unref (self->owner); /* the owner holds the URI */
  g_object_unref (self->cancellable);
  g_cond_clear (&self->wake);
  g_mutex_clear (&self->lock);
  g_mutex_clear (&self->counting);
  g_free (self);
}

static gpointer
run (gpointer data)
{
  RelayProtocolPipeline *self = data;
  guint delay = 0;

  while (!is_ending (self)) {
    gint64 begun = g_get_monotonic_time ();
    gchar *text = run_once (self);
    /* the pipeline worked until a look found the fault, so the delay begins anew, as the network
     * may be back */
    gboolean lasted = self->looked || g_get_monotonic_time () - begun >= RELAY_RETRY_LASTED;

    /* without an error, starts again at once, unless it ran for less than a second: a file from its
     * beginning, a RIST input for another sender, an output for another address */
    if (text == NULL && g_get_monotonic_time () - begun >= G_USEC_PER_SEC)
      continue;
    delay = relay_retry_next (delay, lasted);
    if (text != NULL && is_ending (self))
      g_free (text);
    else if (text != NULL)
      note_failure (self, text, delay);
    wait_for (self, delay);
  }
  g_mutex_lock (&self->lock);
  self->ended = TRUE;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  relay_protocol_pipeline_unref (self);
  return NULL;
}

RelayProtocolPipeline *
relay_protocol_pipeline_new (const RelayProtocolUri *protocol_uri,
    const RelayProtocolPipelineFuncs *funcs, GObject *owner, GError **error)
{
  RelayProtocolPipeline *self = g_new0 (RelayProtocolPipeline, 1);
  GThread *thread;

  self->users = 2;
  self->stats.state = RELAY_STARTING;
  self->protocol_uri = protocol_uri;
  self->funcs = funcs;
  self->owner = g_object_ref (owner);
  self->refusals = (RelayLogBudget) { .most = REFUSALS_MAX, .time = G_USEC_PER_SEC };
  self->cancellable = g_cancellable_new ();
  self->address = relay_address_new (protocol_uri->host, self->cancellable);
  g_mutex_init (&self->counting);
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  /* Media may come before the thread has built the pipeline. If this fails, the thread reports why.
   */
  if (protocol_uri->sends && !relay_address_is_name (protocol_uri->host)
      && !relay_protocol_uri_dials (protocol_uri))
    open_source (self, NULL);
  thread = g_thread_try_new ("end", run, self, error);
  if (thread == NULL) {
    self->users = 1;
    relay_protocol_pipeline_unref (self);
    return NULL;
  }
  g_thread_unref (thread);
  return self;
}

void
relay_protocol_pipeline_call_off (RelayProtocolPipeline *self)
{
  g_mutex_lock (&self->lock);
  if (!self->ending)
    self->until = g_get_monotonic_time () + END;
  self->ending = TRUE;
  if (self->bus != NULL)
    gst_bus_post (self->bus, gst_message_new_application (NULL, gst_structure_new_empty ("end")));
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  g_cancellable_cancel (self->cancellable);
}

void
relay_protocol_pipeline_end (RelayProtocolPipeline *self, RelayProtocolPipelineStats *stats)
{
  relay_protocol_pipeline_call_off (self);
  g_mutex_lock (&self->lock);
  while (!self->ended && g_cond_wait_until (&self->wake, &self->lock, self->until))
    ;
  g_mutex_unlock (&self->lock);
  relay_protocol_pipeline_get_stats (self, stats);
  /* the thread sends none of these in time: it has built no pipeline, or still writes to a disk
   * that does not answer */
  stats->failed += stats->level;
  relay_protocol_pipeline_unref (self);
}

void
relay_protocol_pipeline_get_stats (RelayProtocolPipeline *self, RelayProtocolPipelineStats *stats)
{
  GstElement *end;

  g_mutex_lock (&self->counting);
  g_mutex_lock (&self->lock);
  end = self->end != NULL ? gst_object_ref (self->end) : NULL;
  *stats = self->stats;
  stats->error = g_strdup (self->stats.error);
  stats->level = self->source != NULL ? gst_app_src_get_current_level_bytes (self->source) : 0;
  stats->sent += relay_watch_counts (self->protocol_uri) ? 0 : self->pushed - stats->level;
  stats->failed += self->failed;
  g_mutex_unlock (&self->lock);
  /* without the lock, as the element may call back */
  if (end != NULL) {
    stats->sent += relay_watch_get_sent (self->protocol_uri, end);
    if (relay_protocol_uri_dials (self->protocol_uri) && stats->callers == 0
        && stats->state == RELAY_RUNNING)
      stats->state = RELAY_STARTING;
  }
  gst_clear_object (&end);
  g_mutex_unlock (&self->counting);
}

GstFaspMonitor *
relay_protocol_pipeline_copy_monitor (RelayProtocolPipeline *self)
{
  GstFaspMonitor *copy;

  g_mutex_lock (&self->lock);
  copy = gst_fasp_monitor_copy (self->monitor, gst_fasp_monitor_get_time ());
  g_mutex_unlock (&self->lock);
  return copy;
}

void
relay_protocol_pipeline_add_figures (RelayProtocolPipeline *self, GstStructure *stats,
    GPtrArray *peers)
{
  g_autoptr (GstFaspMonitor) monitor = NULL;
  GstElement *end;

  g_mutex_lock (&self->counting);
  g_mutex_lock (&self->lock);
  monitor = gst_fasp_monitor_copy (self->monitor, gst_fasp_monitor_get_time ());
  end = self->end != NULL ? gst_object_ref (self->end) : NULL;
  g_mutex_unlock (&self->lock);
  /* without the lock, as above */
  gst_fasp_monitor_add_figures (monitor, stats);
  if (self->protocol_uri->protocol->add_figures != NULL)
    self->protocol_uri->protocol->add_figures (self, end, stats, peers);
  gst_clear_object (&end);
  g_mutex_unlock (&self->counting);
}
