/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaybackups.h"
#include <gio/gio.h>
#include "gstfaspcommon.h"
#include "gstfaspmonitor.h"
#include "relaychain.h"
#include "relaycue.h"
#include "relayedit.h"
#include "relayfailover.h"
#include "relaypackets.h"
#include "relayplayer.h"
#include "relaysourcestats.h"
#include "tssplice.h"

#define RELAY_TYPE_BACKUPS (relay_backups_get_type ())
G_DECLARE_FINAL_TYPE (RelayBackups, relay_backups, RELAY, BACKUPS, GstBin)

/* Do the next packets of a source follow on those that went on? */
typedef enum
{
  SOURCE_FOLLOWS,
  SOURCE_DOUBTED, /* it was silent */
  SOURCE_BREAKS,
} SourceOrder;

typedef struct
{
  RelayBackups *owner;
  guint number;
  GstElement *element;
  gchar *name; /* its URI, without secrets */
  RelayPlayer *player;
  GstPad *pad; /* takes its media; the rest is used in the thread that brings these */
  GstSegment segment;
  RelayPackets *packets;
  RelayCue cue;
  SourceOrder order;
} Source;

struct _RelayBackups
{
  GstBin parent;

  guint n;
  Source sources[RELAY_SOURCES_MAX];
  GstPad *pad;
  GMutex pushing;   /* held while a buffer goes on; taken before `lock'. Guards the next two */
  gboolean begun;   /* the stream's first events have gone on */
  TsSplice *splice; /* makes one stream of those of the sources */
  GMutex lock;      /* guards the rest */
  RelayFailover failover;
  guint64 bytes;                   /* that went on, of all sources */
  guint64 used[RELAY_SOURCES_MAX]; /* of each */
  GstFaspMonitor *monitor;         /* of what goes on; NULL: not set */
};

G_DEFINE_TYPE (RelayBackups, relay_backups, GST_TYPE_BIN)

enum
{
  PROP_STATS = 1,
};

enum
{
  SWITCH_SOURCE,
  SIGNALS,
};

static guint signals[SIGNALS];

/* --- media --------------------------------------------------------------------------------- */

/* Has @piece a packet that is no null packet?  A multiplexer may go on sending these when its
 * encoder is gone. */
static gboolean
has_media (GstBuffer *piece)
{
  gsize size = gst_buffer_get_size (piece);
  guint8 head[3];

  for (gsize at = 0; at + TS_PACKET <= size; at += TS_PACKET) {
    gst_buffer_extract (piece, at, head, sizeof head);
    if (((head[1] & 0x1f) << 8 | head[2]) != TS_NULL_PID)
      return TRUE;
  }
  return FALSE;
}

/* Sends the events that the stream begins with. */
static void
begin_stream (RelayBackups *self)
{
  g_autofree gchar *id = gst_pad_create_stream_id (self->pad, GST_ELEMENT (self), NULL);
  g_autoptr (GstCaps) caps = gst_caps_from_string (RELAY_MEDIA);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->pad, gst_event_new_stream_start (id));
  gst_pad_push_event (self->pad, gst_event_new_caps (caps));
  gst_pad_push_event (self->pad, gst_event_new_segment (&segment));
  self->begun = TRUE;
}

/* Says which source is used from now on, and why. */
static void
tell (RelayBackups *self, const Source *source, const gchar *cause, const gchar *why,
    gboolean failed)
{
  g_autoptr (GError) error = g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      "source %u (%s) is used from now on: %s.", source->number, source->name, why);
  GstStructure *details =
      gst_structure_new ("stream-source", "event", G_TYPE_STRING, "stream-source", "address-string",
          G_TYPE_STRING, source->name, "cause", G_TYPE_STRING, cause, NULL);

  gst_element_post_message (GST_ELEMENT (self),
      failed ? gst_message_new_warning_with_details (GST_OBJECT (self), error, NULL, details) :
               gst_message_new_info_with_details (GST_OBJECT (self), error, NULL, details));
}

/* Has the source take over. FALSE: it is not its turn any more. */
static gboolean
take_over (Source *source, gint64 now)
{
  RelayBackups *self = source->owner;
  RelayFailover *f = &self->failover;
  g_autofree gchar *why = NULL;
  const gchar *cause;
  gboolean good, failed;

  g_mutex_lock (&self->lock);
  good = f->cued == (gint) source->number;
  failed = f->active >= 0
      && (f->sources[f->active].state == RELAY_SOURCE_STALLED
          || f->sources[f->active].fault != RELAY_RULE_NONE);
  if (good)
    relay_failover_take_over (f, now);
  why = g_strdup (f->sources[source->number].why);
  cause = f->sources[source->number].cause;
  g_mutex_unlock (&self->lock);
  if (!good)
    return FALSE;
  source->order = SOURCE_BREAKS;
  tell (self, source, cause, why, failed);
  return TRUE;
}

/* Returns the packets that go on for those of @buffer. Takes the reference. NULL: none do. */
static GstBuffer *
splice (RelayBackups *self, GstBuffer *buffer)
{
  GByteArray *out = g_byte_array_sized_new (gst_buffer_get_size (buffer));
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    for (gsize at = 0; at + TS_PACKET <= map.size; at += TS_PACKET)
      ts_splice_take (self->splice, map.data + at, out);
    gst_buffer_unmap (buffer, &map);
  }
  gst_buffer_unref (buffer);
  if (out->len > 0)
    return relay_packets_wrap (out);
  g_byte_array_unref (out);
  return NULL;
}

/* Pushes a buffer of packets with this time. Takes the reference. */
static GstFlowReturn
push (RelayBackups *self, GstBuffer *buffer, GstClockTime time, gboolean begins)
{
  GST_BUFFER_PTS (buffer) = time;
  if (begins)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (!self->begun)
    begin_stream (self);
  return gst_pad_push (self->pad, buffer);
}

/* Gives the stream a buffer of whole packets, if the source is in use. Takes the reference. */
static GstFlowReturn
forward (Source *source, GstBuffer *buffer, GstClockTime time, gboolean takes_over, gint64 now)
{
  RelayBackups *self = source->owner;
  gsize size = gst_buffer_get_size (buffer);
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean good;

  g_mutex_lock (&self->pushing);
  good = !takes_over || take_over (source, now);
  g_mutex_lock (&self->lock);
  good = good && self->failover.active == (gint) source->number;
  if (good) {
    if (source->order == SOURCE_BREAKS)
      ts_splice_begin (self->splice);
    else if (source->order == SOURCE_DOUBTED)
      ts_splice_doubt (self->splice);
    source->order = SOURCE_FOLLOWS;
    self->bytes += size;
    self->used[source->number] += size;
    relay_failover_hold (&self->failover, source->number, TRUE, now);
    buffer = splice (self, buffer);
    if (self->monitor != NULL && buffer != NULL)
      gst_fasp_monitor_push (self->monitor, buffer, gst_fasp_monitor_get_time ());
  }
  g_mutex_unlock (&self->lock);
  if (good) {
    if (buffer != NULL)
      ret = push (self, g_steal_pointer (&buffer), time, takes_over);
    g_mutex_lock (&self->lock);
    relay_failover_hold (&self->failover, source->number, FALSE, g_get_monotonic_time ());
    g_mutex_unlock (&self->lock);
  }
  g_mutex_unlock (&self->pushing);
  gst_clear_buffer (&buffer);
  return ret;
}

/* Looks in @piece for the place where the cued source can take over. Takes the reference. */
static GstFlowReturn
look_for_begin (Source *source, GstBuffer *piece, GstClockTime time, gboolean first, gint64 now)
{
  GstMapInfo map;
  gboolean found;

  /* there is nothing yet that it has to follow */
  if (first)
    return forward (source, piece, time, TRUE, now);
  if (source->cue.held == NULL)
    relay_cue_begin (&source->cue, now);
  if (!gst_buffer_map (piece, &map, GST_MAP_READ)) {
    gst_buffer_unref (piece);
    return GST_FLOW_OK;
  }
  found = relay_cue_push (&source->cue, map.data, map.size, now);
  gst_buffer_unmap (piece, &map);
  gst_buffer_unref (piece);
  if (!found)
    return GST_FLOW_OK;
  piece = relay_packets_wrap (g_steal_pointer (&source->cue.held));
  return forward (source, piece, time, TRUE, now);
}

/* Handles whole packets of a source. Takes the reference. */
static GstFlowReturn
take (Source *source, GstBuffer *piece, GstClockTime time)
{
  RelayBackups *self = source->owner;
  gint64 now = g_get_monotonic_time ();
  RelaySourceState state;
  gboolean first;
  guint64 changes;

  g_mutex_lock (&self->lock);
  changes = self->failover.sources[source->number].changes;
  if (has_media (piece))
    relay_failover_note (&self->failover, source->number, now);
  state = self->failover.sources[source->number].state;
  if (changes != self->failover.sources[source->number].changes)
    source->order = MAX (source->order, SOURCE_DOUBTED);
  first = self->failover.active < 0;
  g_mutex_unlock (&self->lock);
  if (state == RELAY_SOURCE_CUED)
    return look_for_begin (source, piece, time, first, now);
  relay_cue_clear (&source->cue);
  if (state == RELAY_SOURCE_ACTIVE || state == RELAY_SOURCE_STALLED)
    return forward (source, piece, time, FALSE, now);
  gst_buffer_unref (piece);
  return GST_FLOW_OK;
}

static GstFlowReturn
on_buffer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Source *source = gst_pad_get_element_private (pad);
  GstClockTime time = GST_CLOCK_TIME_NONE;
  GstFlowReturn ret = GST_FLOW_OK;

  if (source->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_running_time (&source->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  relay_packets_push (source->packets, buffer, 0);
  while (ret == GST_FLOW_OK && (buffer = relay_packets_pop (source->packets, TRUE)) != NULL)
    ret = take (source, buffer, time);
  return ret;
}

/* Events stay here: the stream has its own, and goes on when a source ends. */
static gboolean
on_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Source *source = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    relay_packets_free (source->packets);
    source->packets = relay_packets_new ();
    /* its element was started again: the next packets do not follow on those that are held */
    relay_cue_clear (&source->cue);
    source->order = SOURCE_BREAKS;
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (event, &source->segment);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    relay_player_note_over (source->player, FALSE);
  }
  gst_event_unref (event);
  return TRUE;
}

/* Answers the latency of the source that has the most. */
static gboolean
on_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  RelayBackups *self = RELAY_BACKUPS (parent);
  GstClockTime most = 0, latency;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  for (guint i = 0; i < self->n; i++) {
    g_autoptr (GstQuery) its = gst_query_new_latency ();

    if (!gst_pad_peer_query (self->sources[i].pad, its))
      continue;
    gst_query_parse_latency (its, NULL, &latency, NULL);
    most = MAX (most, latency);
  }
  gst_query_set_latency (query, TRUE, most, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* --- the sources' elements ----------------------------------------------------------------- */

static gboolean
start (RelayBackups *self)
{
  GstClockTime base_time = gst_element_get_base_time (GST_ELEMENT (self));

  for (guint i = 0; i < self->n; i++) {
    g_autoptr (GError) error = NULL;

    if (!relay_player_start (self->sources[i].player, base_time, &error)) {
      GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
          ("No thread can be started: allow the relay more of them (ulimit -u, TasksMax= of systemd)."),
          ("%s", error->message));
      return FALSE;
    }
  }
  return TRUE;
}

static void
stop (RelayBackups *self)
{
  for (guint i = 0; i < self->n; i++)
    relay_player_call_off (self->sources[i].player);
  for (guint i = 0; i < self->n; i++)
    relay_player_join (self->sources[i].player);
}

/* The sources start when the clock and the base time are known.  They stop when the elements behind
 * have, which could else hold up their threads. */
static GstStateChangeReturn
relay_backups_change_state (GstElement *element, GstStateChange change)
{
  RelayBackups *self = RELAY_BACKUPS (element);
  GstStateChangeReturn result =
      GST_ELEMENT_CLASS (relay_backups_parent_class)->change_state (element, change);

  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) {
    stop (self);
    self->begun = FALSE;
  }
  if (result == GST_STATE_CHANGE_FAILURE)
    return result;
  if (change == GST_STATE_CHANGE_PAUSED_TO_PLAYING && !start (self)) {
    stop (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  /* they are live */
  return change == GST_STATE_CHANGE_READY_TO_PAUSED
          || change == GST_STATE_CHANGE_PLAYING_TO_PAUSED ?
      GST_STATE_CHANGE_NO_PREROLL :
      result;
}

static Source *
find_source (RelayBackups *self, GstObject *from)
{
  for (guint i = 0; from != NULL && i < self->n; i++)
    if (from == GST_OBJECT (self->sources[i].element)
        || gst_object_has_as_ancestor (from, GST_OBJECT (self->sources[i].element)))
      return &self->sources[i];
  return NULL;
}

/* Makes a warning of an error of a source, which is started again. */
static void
relay_backups_handle_message (GstBin *bin, GstMessage *message)
{
  RelayBackups *self = RELAY_BACKUPS (bin);
  Source *source = find_source (self, GST_MESSAGE_SRC (message));
  g_autoptr (GError) error = NULL;

  if (source == NULL || GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR) {
    GST_BIN_CLASS (relay_backups_parent_class)->handle_message (bin, message);
    return;
  }
  gst_message_parse_error (message, &error, NULL);
  gst_message_unref (message);
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_warning_with_details (GST_OBJECT (source->element), error, NULL,
          gst_structure_new ("end-failed", "why", G_TYPE_STRING, error->message, NULL)));
  relay_player_note_over (source->player, TRUE);
}

/* --- statistics ---------------------------------------------------------------------------- */

static GstStructure *
make_stats (RelayBackups *self)
{
  GstStructure *stats = gst_structure_new_empty ("application/x-relay-backups");
  GPtrArray *callers = g_ptr_array_new (), *sources = g_ptr_array_new ();
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GstFaspMonitor) monitor = NULL;
  guint heard = 0;

  g_mutex_lock (&self->lock);
  relay_failover_look (&self->failover, now);
  for (guint i = 0; i < self->n; i++)
    g_ptr_array_add (sources,
        relay_source_stats_describe (&self->failover, i, self->sources[i].name, self->used[i],
            now));
  relay_source_stats_set_lead (stats, &self->failover, now);
  gst_structure_set (stats, "bytes-received-total", G_TYPE_UINT64, self->bytes, NULL);
  monitor = gst_fasp_monitor_copy (self->monitor, gst_fasp_monitor_get_time ());
  g_mutex_unlock (&self->lock);
  gst_fasp_monitor_add_figures (monitor, stats);
  for (guint i = 0; i < self->n; i++) {
    g_autoptr (GstStructure) its = relay_end_get_stats (self->sources[i].element);

    if (its != NULL)
      heard += relay_source_stats_add (stats, g_ptr_array_index (sources, i), callers, its);
  }
  gst_structure_set (stats, "connected-callers", G_TYPE_UINT, heard, NULL);
  gst_fasp_structure_take_structures (stats, "callers", callers);
  gst_fasp_structure_take_structures (stats, "source-list", sources);
  return stats;
}

static void
relay_backups_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (RELAY_BACKUPS (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* --- the type -------------------------------------------------------------------------------- */

static gboolean
switch_source (RelayBackups *self, guint source)
{
  gboolean good;

  g_mutex_lock (&self->lock);
  good = relay_failover_ask (&self->failover, source, g_get_monotonic_time ());
  g_mutex_unlock (&self->lock);
  return good;
}

static void
relay_backups_finalize (GObject *object)
{
  RelayBackups *self = RELAY_BACKUPS (object);

  for (guint i = 0; i < self->n; i++) {
    Source *source = &self->sources[i];

    gst_pad_set_active (source->pad, FALSE);
    gst_object_unref (source->pad);
    relay_player_free (source->player);
    gst_object_unref (source->element);
    relay_packets_free (source->packets);
    relay_cue_clear (&source->cue);
    g_free (source->name);
  }
  relay_failover_clear (&self->failover);
  gst_fasp_monitor_free (self->monitor);
  ts_splice_free (self->splice);
  g_mutex_clear (&self->pushing);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (relay_backups_parent_class)->finalize (object);
}

static void
relay_backups_init (RelayBackups *self)
{
  g_mutex_init (&self->pushing);
  g_mutex_init (&self->lock);
  self->splice = ts_splice_new ();
  self->pad = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_query_function (self->pad, on_query);
  gst_element_add_pad (GST_ELEMENT (self), self->pad);
}

static void
relay_backups_class_init (RelayBackupsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = relay_backups_get_property;
  object_class->finalize = relay_backups_finalize;
  GST_ELEMENT_CLASS (klass)->change_state = relay_backups_change_state;
  GST_BIN_CLASS (klass)->handle_message = relay_backups_handle_message;
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "What passed", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  signals[SWITCH_SOURCE] = g_signal_new_class_handler ("switch-source", RELAY_TYPE_BACKUPS,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (switch_source), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 1, G_TYPE_UINT);
}

/* Adds the element of a source, and the pad that takes its media. The pad has no parent, as the bin
 * is no neighbour of the element. */
static gboolean
add_source (RelayBackups *self, const RelayEnd *end, const gchar *name, GError **error)
{
  g_autofree gchar *its = name != NULL ? g_strdup_printf ("%s-%u", name, self->n) : NULL;
  GstElement *element = relay_end_make (end, its, error);
  Source *source = &self->sources[self->n];
  g_autoptr (GstPad) from = NULL;

  if (element == NULL)
    return FALSE;
  *source = (Source) { .owner = self, .number = self->n++ };
  source->element = gst_object_ref_sink (element);
  source->player = relay_player_new (element, relay_end_has_passphrase (end));
  source->packets = relay_packets_new ();
  gst_segment_init (&source->segment, GST_FORMAT_UNDEFINED);
  source->name = relay_edit_hide (end->uri);
  source->pad = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK));
  gst_pad_set_element_private (source->pad, source);
  gst_pad_set_chain_function (source->pad, on_buffer);
  gst_pad_set_event_function (source->pad, on_event);
  gst_pad_set_active (source->pad, TRUE);
  gst_element_set_locked_state (element, TRUE);
  gst_bin_add (GST_BIN (self), element);
  from = gst_element_get_static_pad (element, "src");
  return gst_pad_link_full (from, source->pad, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK;
}

GstElement *
relay_backups_new (const RelayEnd *end, const gchar *name, GError **error)
{
  RelayBackups *self = g_object_new (RELAY_TYPE_BACKUPS, "name", name, NULL);
  gboolean good = add_source (self, end, name, error);

  for (guint i = 0; good && i < end->backups->len; i++)
    good = add_source (self, g_ptr_array_index (end->backups, i), name, error);
  if (!good) {
    gst_object_unref (gst_object_ref_sink (self));
    return NULL;
  }
  relay_failover_init (&self->failover, self->n);
  if (end->monitored)
    self->monitor = gst_fasp_monitor_new ();
  relay_backups_set_times (GST_ELEMENT (self), end);
  return GST_ELEMENT (self);
}

void
relay_backups_foreach (GstElement *element, GFunc func, gpointer data)
{
  if (!RELAY_IS_BACKUPS (element)) {
    func (element, data);
    return;
  }
  for (guint i = 0; i < RELAY_BACKUPS (element)->n; i++)
    func (RELAY_BACKUPS (element)->sources[i].element, data);
}

void
relay_backups_set_times (GstElement *element, const RelayEnd *end)
{
  RelayBackups *self = RELAY_BACKUPS (element);

  g_mutex_lock (&self->lock);
  relay_failover_set_times (&self->failover, end->switch_after, end->wait_to_restore);
  g_mutex_unlock (&self->lock);
}

gboolean
relay_backups_shows (GstElement *element, guint i)
{
  RelayBackups *self = RELAY_BACKUPS (element);
  gint64 now = g_get_monotonic_time ();
  gboolean shows;

  g_mutex_lock (&self->lock);
  relay_failover_look (&self->failover, now);
  shows = relay_failover_shows (&self->failover, i, now);
  g_mutex_unlock (&self->lock);
  return shows;
}

void
relay_backups_judge (GstElement *element, guint i, gint fault, gint64 judged, gint64 faulty)
{
  RelayBackups *self = RELAY_BACKUPS (element);
  const Source *source = &self->sources[i];
  g_autofree gchar *why = NULL, *text = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_new;

  g_mutex_lock (&self->lock);
  is_new =
      relay_failover_judge (&self->failover, i, fault, judged, faulty, g_get_monotonic_time ());
  why = relay_failover_say_fault (&self->failover, i);
  g_mutex_unlock (&self->lock);
  if (!is_new)
    return;
  text = why != NULL ? g_strdup_printf ("%s (%s).", why, source->name) :
                       g_strdup_printf ("source %u (%s) is good again.", i, source->name);
  error = g_error_new_literal (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, text);
  gst_element_post_message (element,
      gst_message_new_info_with_details (GST_OBJECT (self), error, NULL,
          gst_structure_new ("source-judged", "address-string", G_TYPE_STRING, source->name,
              "cause", G_TYPE_STRING, fault != RELAY_RULE_NONE ? relay_rule_rows[fault].name : NULL,
              NULL)));
}
