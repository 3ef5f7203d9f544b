/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <gst/app/app.h>
#include "gstfaspcommon.h"
#include "relaypackets.h"
#include "relayprotocol.h"
#include "relayprotocolend.h"
#include "relaytimer.h"

/* An input that receives nothing for this long counts as interrupted. */
#define SILENCE G_USEC_PER_SEC
/* The latency is queried again after this time, as it can change. */
#define ASK_EACH G_USEC_PER_SEC
/* A datagram that is not full leaves after this time, which is less than players buffer; from 105
 * kbit/s on, seven packets fill it sooner. */
#define GATHER (100 * GST_MSECOND)
#define NEVER G_MININT64

#define RELAY_TYPE_PROTOCOL_END (relay_protocol_end_get_type ())
G_DECLARE_FINAL_TYPE (RelayProtocolEnd, relay_protocol_end, RELAY, PROTOCOL_END, GstBin)

struct _RelayProtocolEnd
{
  GstBin parent;

  RelayProtocolUri *protocol_uri;
  GstElement *gate;      /* appsrc of an input, appsink of an output */
  GstClockTime latency;  /* of the elements upstream; this and the next are used by the sending
                            thread */
  gint64 asked;          /* when the latency was last queried: g_get_monotonic_time, µs */
  GMutex gathering;      /* guards the next two, of an output; taken before `lock' */
  GstClockID timer;      /* when a datagram that is not full leaves; NULL: none runs */
  RelayPackets *packets; /* of an input, under `lock'; NULL: not started, or it plays a file */
  GMutex lock;           /* guards the rest */
  RelayProtocolPipeline *pipeline; /* NULL: not started */
  gint64 heard;                    /* when data last came: g_get_monotonic_time, µs */
  guint64 bytes;                   /* passed on */
  guint64 dropped;                 /* bytes dropped, as the end could not take them in time */
  guint64 stray;                   /* bytes that were in no MPEG-TS packet */
};

G_DEFINE_TYPE (RelayProtocolEnd, relay_protocol_end, GST_TYPE_BIN)

enum
{
  PROP_URI = 1,
  PROP_STATS,
};

enum
{
  CHECK_SETTINGS,
  CALLER_CONNECTING,
  CALLER_ASKED,
  SIGNALS,
};

static guint signals[SIGNALS];

static guint64
get_limit (RelayProtocolEnd *self)
{
  return relay_protocol_uri_get_uint (self->protocol_uri, "buffer-size", RELAY_BUFFER_NORMAL);
}

/* Must stray bytes be counted? Not for an input that gives only whole packets. */
static gboolean
looks_for_packets (RelayProtocolEnd *self)
{
  return self->protocol_uri->sends || !self->protocol_uri->protocol->whole_packets;
}

static void
count (RelayProtocolEnd *self, gsize size, gboolean passed)
{
  g_mutex_lock (&self->lock);
  if (passed)
    self->bytes += size;
  else
    self->dropped += size;
  g_mutex_unlock (&self->lock);
}

/* --- an output ---------------------------------------------------------------------------- */

/* Sends packets that wait. Under the lock `gathering', as the next functions. */
static void
send_packets (RelayProtocolEnd *self, gboolean last)
{
  GstBuffer *buffer;

  while ((buffer = relay_packets_pop (self->packets, last)) != NULL) {
    gsize size = gst_buffer_get_size (buffer);

    /* the pipeline counts the buffers that it takes */
    if (!relay_protocol_pipeline_send (self->pipeline, buffer, get_limit (self)))
      count (self, size, FALSE);
  }
  g_mutex_lock (&self->lock);
  self->stray = relay_packets_get_stray (self->packets);
  g_mutex_unlock (&self->lock);
}

static gboolean on_timer (GstClock *clock, GstClockTime time, GstClockID id, gpointer data);

static void
start_timer (RelayProtocolEnd *self)
{
  self->timer = relay_timer_start (relay_packets_get_since (self->packets) + GATHER, on_timer,
      gst_object_ref (self), gst_object_unref);
}

/* Sends packets that have waited for GATHER. Called in a thread of the clock. */
static gboolean
on_timer (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  RelayProtocolEnd *self = data;

  g_mutex_lock (&self->gathering);
  if (self->timer == id) {
    relay_timer_stop (&self->timer);
    if (relay_packets_wait (self->packets)
        && relay_packets_get_since (self->packets) + GATHER > relay_timer_get_time ())
      start_timer (self);
    else
      send_packets (self, TRUE);
  }
  g_mutex_unlock (&self->gathering);
  return TRUE;
}

/* Adds @buffer to the waiting packets, and sends full datagrams. */
static void
gather (RelayProtocolEnd *self, GstBuffer *buffer)
{
  g_mutex_lock (&self->gathering);
  relay_packets_push (self->packets, buffer, relay_timer_get_time ());
  send_packets (self, FALSE);
  if (self->timer == NULL && relay_packets_wait (self->packets))
    start_timer (self);
  g_mutex_unlock (&self->gathering);
}

static void
send_rest (RelayProtocolEnd *self)
{
  g_mutex_lock (&self->gathering);
  relay_timer_stop (&self->timer);
  send_packets (self, TRUE);
  g_mutex_unlock (&self->gathering);
}

/* Returns the latency of the elements upstream, which is queried once a second. */
static GstClockTime
get_latency (RelayProtocolEnd *self)
{
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GstQuery) query = NULL;
  g_autoptr (GstPad) pad = NULL;

  if (now - self->asked < ASK_EACH)
    return self->latency;
  query = gst_query_new_latency ();
  pad = gst_element_get_static_pad (self->gate, "sink");
  if (gst_pad_peer_query (pad, query))
    gst_query_parse_latency (query, NULL, &self->latency, NULL);
  self->asked = now;
  return self->latency;
}

/* Returns @buffer with its play time, converted to the running time of the protocol's pipeline.
 * Takes the reference. */
static GstBuffer *
set_departure (RelayProtocolEnd *self, GstBuffer *buffer, const GstSegment *segment)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (self->gate);
  GstClockTime running = segment->format == GST_FORMAT_TIME ?
      gst_segment_to_running_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer)) :
      GST_CLOCK_TIME_NONE;
  GstClockTime at = relay_timer_get_time (), now, due;

  if (clock != NULL && GST_CLOCK_TIME_IS_VALID (running)) {
    now = gst_clock_get_time (clock);
    due = gst_element_get_base_time (self->gate) + running + get_latency (self);
    at += due > now ? due - now : 0;
  }
  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_PTS (buffer) = at;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  return buffer;
}

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer data)
{
  RelayProtocolEnd *self = data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer = sample != NULL ? gst_sample_get_buffer (sample) : NULL;

  if (buffer == NULL)
    return GST_FLOW_OK;
  buffer = gst_buffer_ref (buffer);
  if (relay_protocol_uri_is_timed (self->protocol_uri))
    buffer = set_departure (self, buffer, gst_sample_get_segment (sample));
  gather (self, buffer);
  return GST_FLOW_OK;
}

static void
on_eos (GstAppSink *sink, gpointer self)
{
  send_rest (self);
}

/* --- an input ------------------------------------------------------------------------------ */

/* Counts the bytes that belong to no packet, which are passed on, too. With `lock' held. */
static void
look_for_packets (RelayProtocolEnd *self, GstBuffer *buffer)
{
  GstBuffer *piece;

  if (self->packets == NULL)
    return;
  relay_packets_push (self->packets, gst_buffer_ref (buffer), 0);
  while ((piece = relay_packets_pop (self->packets, FALSE)) != NULL)
    gst_buffer_unref (piece);
  self->stray = relay_packets_get_stray (self->packets);
}

static void
on_received (GstBuffer *buffer, gpointer data)
{
  RelayProtocolEnd *self = data;
  GstAppSrc *source = GST_APP_SRC (self->gate);
  gsize size = gst_buffer_get_size (buffer);
  gboolean room = gst_app_src_get_current_level_bytes (source) + size <= get_limit (self);

  g_mutex_lock (&self->lock);
  self->heard = g_get_monotonic_time ();
  look_for_packets (self, buffer);
  g_mutex_unlock (&self->lock);
  if (room) {
    /* the timestamps are of the protocol's pipeline: without any, the source stamps the buffer on
     * arrival */
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
    room = gst_app_src_push_buffer (source, buffer) == GST_FLOW_OK;
  } else {
    gst_buffer_unref (buffer);
  }
  count (self, size, room);
}

/* --- both ----------------------------------------------------------------------------------- */

/* Returns the details of a fault, with the address of the peer if that is one that is dialled. */
static GstStructure *
describe_fault (const RelayProtocolUri *protocol_uri, const gchar *why)
{
  GstStructure *fault = gst_structure_new ("end-failed", "why", G_TYPE_STRING, why, NULL);
  g_autofree gchar *peer = relay_host_with_port (protocol_uri->host, protocol_uri->port);

  if (relay_protocol_uri_dials (protocol_uri))
    gst_structure_set (fault, "address-string", G_TYPE_STRING, peer, NULL);
  return fault;
}

static void
on_tell (const gchar *text, const gchar *why, gpointer data)
{
  RelayProtocolEnd *self = data;
  g_autoptr (GError) error =
      g_error_new_literal (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, text);

  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_warning_with_details (GST_OBJECT (self), error, NULL,
          describe_fault (self->protocol_uri, why)));
}

static void
on_warn (const gchar *text, gpointer self)
{
  g_autoptr (GError) error =
      g_error_new_literal (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, text);

  gst_element_post_message (self, gst_message_new_warning (self, error, NULL));
}

/* Makes the warning that a peer was refused. Takes @peer. */
static GstMessage *
make_refusal (GstObject *self, GstStructure *peer)
{
  const gchar *known = gst_structure_get_string (peer, "address-string");
  const gchar *address = known != NULL ? known : "a peer";
  const gchar *reason = gst_structure_get_string (peer, "reason");
  const gchar *port = strrchr (address, ':');
  g_autoptr (GError) error = g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY,
      "Not connected: %s was refused: %s.", address, reason);
  /* it may come from another port each time */
  g_autofree gchar *host = port != NULL ? g_strndup (address, port - address) : g_strdup (address);
  g_autofree gchar *why = g_strdup_printf ("%s: %s", host, reason);

  gst_structure_set (peer, "why", G_TYPE_STRING, why, NULL);
  return gst_message_new_warning_with_details (self, error, NULL, peer);
}

static void
on_visit (GstStructure *peer, gpointer self)
{
  gst_element_post_message (self,
      gst_structure_has_name (peer, "connection-refused") ? make_refusal (self, peer) :
                                                            gst_message_new_element (self, peer));
}

static gboolean
on_calls (GSocketAddress *address, const gchar *streamid, gpointer self)
{
  gboolean good = TRUE;

  g_signal_emit (self, signals[CALLER_CONNECTING], 0, address, streamid, &good);
  return good;
}

static gboolean
on_asks (const gchar *address, const gchar *streamid, guint64 caller, gpointer self)
{
  g_autofree gchar *ticket = g_strdup_printf ("%" G_GUINT64_FORMAT, caller);
  gboolean later = FALSE;

  g_signal_emit (self, signals[CALLER_ASKED], 0, address, streamid, NULL, NULL, ticket, &later);
  return later;
}

static const RelayProtocolPipelineFuncs functions = { on_received, on_tell, on_warn, on_visit,
  on_calls, on_asks };

static gboolean
start (RelayProtocolEnd *self)
{
  g_autoptr (GError) error = NULL;
  gboolean good;

  self->asked = -ASK_EACH;
  g_mutex_lock (&self->lock);
  if (looks_for_packets (self))
    self->packets = relay_packets_new ();
  self->heard = NEVER;
  self->pipeline =
      relay_protocol_pipeline_new (self->protocol_uri, &functions, G_OBJECT (self), &error);
  good = self->pipeline != NULL;
  g_mutex_unlock (&self->lock);
  if (!good)
    GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
        ("No thread can be started: allow the relay more of them (ulimit -u, TasksMax= of systemd)."),
        ("%s", error->message));
  return good;
}

/* A stream calls all its outputs off before it waits for the first one. */
static void
call_off (RelayProtocolEnd *self)
{
  send_rest (self);
  relay_protocol_pipeline_call_off (self->pipeline);
}

static void
stop (RelayProtocolEnd *self)
{
  RelayProtocolPipelineStats last;
  RelayProtocolPipeline *pipeline;

  if (self->packets != NULL && self->protocol_uri->sends)
    send_rest (self);
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->packets, relay_packets_free);
  pipeline = g_steal_pointer (&self->pipeline);
  g_mutex_unlock (&self->lock);
  if (pipeline == NULL)
    return;
  relay_protocol_pipeline_end (pipeline, &last);
  g_free (last.error);
  g_mutex_lock (&self->lock);
  self->bytes += last.sent;
  self->dropped += last.failed;
  g_mutex_unlock (&self->lock);
}

/* An output starts before it plays, and so sends all media. An input starts when its source has the
 * clock and the base time: with the clock alone, the source would stamp buffers with the time of
 * the clock instead of the running time. */
static GstStateChangeReturn
relay_protocol_end_change_state (GstElement *element, GstStateChange change)
{
  RelayProtocolEnd *self = RELAY_PROTOCOL_END (element);
  gboolean sends = self->protocol_uri->sends;
  gboolean starts =
      change == (sends ? GST_STATE_CHANGE_READY_TO_PAUSED : GST_STATE_CHANGE_PAUSED_TO_PLAYING);
  gboolean stops =
      change == (sends ? GST_STATE_CHANGE_PAUSED_TO_READY : GST_STATE_CHANGE_PLAYING_TO_PAUSED);
  GstStateChangeReturn result = GST_STATE_CHANGE_FAILURE;

  if (!starts || !sends || start (self))
    result = GST_ELEMENT_CLASS (relay_protocol_end_parent_class)->change_state (element, change);
  if (starts && !sends && result != GST_STATE_CHANGE_FAILURE && !start (self))
    result = GST_STATE_CHANGE_FAILURE;
  if (stops || (starts && result == GST_STATE_CHANGE_FAILURE))
    stop (self);
  else if (change == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    call_off (self);
  return result;
}

/* --- statistics ------------------------------------------------------------------------------- */

/* Sets the field `callers', as faspsrc and faspsink have it. An input uses one sender, of which
 * perhaps no more is known than whether it is heard. @known: something was heard before. */
static void
take_peers (GstStructure *stats, GPtrArray *peers, gboolean sends, gboolean known, gboolean heard)
{
  if (!sends && known && peers->len == 0)
    g_ptr_array_add (peers, gst_structure_new_empty (RELAY_PEER));
  for (guint i = 0; i < peers->len; i++)
    if (!gst_structure_has_field (g_ptr_array_index (peers, i), "interrupted"))
      gst_structure_set (g_ptr_array_index (peers, i), "interrupted", G_TYPE_BOOLEAN,
          !sends && !heard, NULL);
  if (peers->len > 0)
    gst_fasp_structure_take_structures (stats, "callers", peers);
  else
    g_ptr_array_unref (peers);
}

static GstStructure *
make_stats (RelayProtocolEnd *self)
{
  GstStructure *stats = gst_structure_new_empty ("application/x-relay-end");
  RelayProtocolPipelineStats pipeline = { 0 };
  const RelayProtocol *protocol = self->protocol_uri->protocol;
  GPtrArray *peers = g_ptr_array_new ();
  RelayProtocolPipeline *its;
  guint64 bytes, dropped, stray;
  gint64 last;
  gboolean known, heard;

  g_mutex_lock (&self->lock);
  its = self->pipeline != NULL ? relay_protocol_pipeline_ref (self->pipeline) : NULL;
  bytes = self->bytes;
  dropped = self->dropped;
  stray = self->stray;
  last = self->heard;
  g_mutex_unlock (&self->lock);
  /* without the lock, as elements may take long to answer, and each buffer needs it */
  if (its != NULL)
    relay_protocol_pipeline_get_stats (its, &pipeline);
  known = last != NEVER;
  heard = known && g_get_monotonic_time () - last < SILENCE;
  if (!self->protocol_uri->sends || protocol->does == NULL)
    gst_structure_set (stats, "connected-callers", G_TYPE_UINT,
        self->protocol_uri->sends ? pipeline.callers : (guint) heard, NULL);
  gst_structure_set (stats, self->protocol_uri->sends ? "bytes-sent-total" : "bytes-received-total",
      G_TYPE_UINT64, bytes + pipeline.sent, "bytes-dropped-total", G_TYPE_UINT64,
      dropped + pipeline.failed, "buffer-level", G_TYPE_UINT64, pipeline.level, "buffer-size",
      G_TYPE_UINT64, get_limit (self), "callers-misdirected", G_TYPE_UINT64,
      pipeline.counts[RELAY_CALLERS_REFUSED], "end-restarts", G_TYPE_UINT64, pipeline.restarts,
      "end-error", G_TYPE_STRING, pipeline.error, NULL);
  if (looks_for_packets (self))
    gst_structure_set (stats, "bytes-not-ts", G_TYPE_UINT64, stray, NULL);
  if (its != NULL)
    relay_protocol_pipeline_add_figures (its, stats, peers);
  g_clear_pointer (&its, relay_protocol_pipeline_unref);
  take_peers (stats, peers, self->protocol_uri->sends, known, heard);
  g_free (pipeline.error);
  return stats;
}

static void
relay_protocol_end_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  RelayProtocolEnd *self = RELAY_PROTOCOL_END (object);

  switch (id) {
    case PROP_URI:
      g_value_take_string (value, relay_protocol_uri_describe (self->protocol_uri));
      break;
    case PROP_STATS:
      g_value_take_boxed (value, make_stats (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

/* NULL: there is none. */
static RelayProtocolPipeline *
ref_pipeline (RelayProtocolEnd *self)
{
  RelayProtocolPipeline *pipeline;

  g_mutex_lock (&self->lock);
  pipeline = self->pipeline != NULL ? relay_protocol_pipeline_ref (self->pipeline) : NULL;
  g_mutex_unlock (&self->lock);
  return pipeline;
}

RelayState
relay_protocol_end_get_state (GstElement *end)
{
  RelayProtocolPipelineStats stats = { .state = RELAY_STARTING };
  RelayProtocolPipeline *pipeline;

  if (!RELAY_IS_PROTOCOL_END (end))
    return RELAY_RUNNING;
  pipeline = ref_pipeline (RELAY_PROTOCOL_END (end));
  if (pipeline != NULL)
    relay_protocol_pipeline_get_stats (pipeline, &stats);
  g_clear_pointer (&pipeline, relay_protocol_pipeline_unref);
  g_free (stats.error);
  return stats.state;
}

GstFaspMonitor *
relay_protocol_end_copy_monitor (GstElement *end)
{
  GstFaspMonitor *copy = NULL;
  RelayProtocolPipeline *pipeline;

  if (!RELAY_IS_PROTOCOL_END (end))
    return NULL;
  pipeline = ref_pipeline (RELAY_PROTOCOL_END (end));
  if (pipeline != NULL)
    copy = relay_protocol_pipeline_copy_monitor (pipeline);
  g_clear_pointer (&pipeline, relay_protocol_pipeline_unref);
  return copy;
}

/* --- the type ---------------------------------------------------------------------------------- */

/* Returns why this end would not start; NULL: it would. */
static gchar *
check_settings (RelayProtocolEnd *self)
{
  g_autoptr (GError) error = NULL;
  GstElement *chain = relay_chain_make (self->protocol_uri, NULL, &error);

  if (chain == NULL)
    return g_strdup (error->message);
  gst_object_unref (gst_object_ref_sink (chain));
  return NULL;
}

/* Accepts each caller, unless another handler of the signal has refused it. */
static gboolean
accept (RelayProtocolEnd *self, GSocketAddress *address, const gchar *streamid)
{
  return TRUE;
}

/* The protocols tell callers nothing. */
static gboolean
decide (RelayProtocolEnd *self, const gchar *ticket, gboolean accept, const gchar *reason,
    const gchar *for_caller, gboolean again)
{
  const gchar *refusal = reason != NULL ? reason : "it is not let in";
  guint64 caller;

  if (self->protocol_uri->protocol->decide == NULL
      || !g_ascii_string_to_unsigned (ticket, 10, 1, G_MAXUINT64, &caller, NULL))
    return FALSE;
  self->protocol_uri->protocol->decide (caller, accept ? NULL : refusal);
  return TRUE;
}

static void
relay_protocol_end_finalize (GObject *object)
{
  RelayProtocolEnd *self = RELAY_PROTOCOL_END (object);

  g_clear_pointer (&self->protocol_uri, relay_protocol_uri_free);
  g_mutex_clear (&self->lock);
  g_mutex_clear (&self->gathering);
  G_OBJECT_CLASS (relay_protocol_end_parent_class)->finalize (object);
}

static void
relay_protocol_end_init (RelayProtocolEnd *self)
{
  g_mutex_init (&self->gathering);
  g_mutex_init (&self->lock);
  self->heard = NEVER;
}

static void
relay_protocol_end_class_init (RelayProtocolEndClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = relay_protocol_end_get_property;
  object_class->finalize = relay_protocol_end_finalize;
  GST_ELEMENT_CLASS (klass)->change_state = relay_protocol_end_change_state;
  g_object_class_install_property (object_class, PROP_URI,
      g_param_spec_string ("uri", "URI", "The URI without secrets", NULL,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "What passed", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  signals[CHECK_SETTINGS] = g_signal_new_class_handler ("check-settings", RELAY_TYPE_PROTOCOL_END,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (check_settings), NULL, NULL, NULL,
      G_TYPE_STRING, 0);
  signals[CALLER_CONNECTING] =
      g_signal_new_class_handler ("caller-connecting", RELAY_TYPE_PROTOCOL_END, G_SIGNAL_RUN_LAST,
          G_CALLBACK (accept), g_signal_accumulator_first_wins, NULL, NULL, G_TYPE_BOOLEAN, 2,
          G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING);
  /* as those of faspsrc and faspsink */
  signals[CALLER_ASKED] = g_signal_new ("caller-asked", RELAY_TYPE_PROTOCOL_END, G_SIGNAL_RUN_LAST,
      0, g_signal_accumulator_true_handled, NULL, NULL, G_TYPE_BOOLEAN, 5, G_TYPE_STRING,
      G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
  g_signal_new_class_handler ("decide-caller", RELAY_TYPE_PROTOCOL_END,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (decide), NULL, NULL, NULL, G_TYPE_BOOLEAN, 5,
      G_TYPE_STRING, G_TYPE_BOOLEAN, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_BOOLEAN);
}

/* Makes the element that the stream's other ends are linked to. */
static gboolean
make_gate (RelayProtocolEnd *self, GError **error)
{
  gboolean sends = self->protocol_uri->sends;
  const gchar *name = sends ? "sink" : "src";
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample, .eos = on_eos };
  g_autoptr (GstPad) pad = NULL;

  self->gate = relay_chain_make_app (sends ? NULL : RELAY_MEDIA, error);
  if (self->gate == NULL)
    return FALSE;
  if (sends)
    gst_app_sink_set_callbacks (GST_APP_SINK (self->gate), &callbacks, self, NULL);
  gst_bin_add (GST_BIN (self), self->gate);
  pad = gst_element_get_static_pad (self->gate, name);
  return gst_element_add_pad (GST_ELEMENT (self), gst_ghost_pad_new (name, pad));
}

GstElement *
relay_protocol_end_new (const gchar *uri, gboolean sends, const gchar *passphrase,
    const gchar *name, GError **error)
{
  RelayProtocolEnd *self;
  RelayProtocolUri *protocol_uri = relay_protocol_uri_parse (uri, sends, passphrase, error);

  if (protocol_uri == NULL)
    return NULL;
  self = g_object_new (RELAY_TYPE_PROTOCOL_END, "name", name, NULL);
  self->protocol_uri = protocol_uri;
  if (make_gate (self, error)
      && relay_selection_add (GST_ELEMENT (self),
          relay_protocol_uri_get (protocol_uri, "programme"),
          relay_protocol_uri_get (protocol_uri, "pids"), error))
    return GST_ELEMENT (self);
  gst_object_unref (gst_object_ref_sink (self));
  return NULL;
}

void
relay_protocol_end_set_up (GstElement *end, GPtrArray *allowed, gboolean monitored)
{
  RelayProtocolUri *protocol_uri = RELAY_PROTOCOL_END (end)->protocol_uri;

  protocol_uri->allowed = allowed != NULL ? g_ptr_array_ref (allowed) : NULL;
  protocol_uri->monitored = monitored;
}
