/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspsink.c: the element that sends.
 */

/**
 * SECTION:element-faspsink
 * @title: faspsink
 * @see_also: faspsrc
 *
 * faspsink sends any byte stream over UDP to one or many faspsrc elements.  Every
 * byte arrives, in order, whatever the network loses on the way.  Repairs stay
 * within the channel rate (#faspsink:max-bitrate) and never slow the stream down.
 *
 * With a host in its URI, faspsink dials a listening faspsrc.  Without one it
 * listens, and serves every faspsrc that dials, each at its own pace, from the
 * moment it joins.
 *
 * faspsink posts EOS when the last byte is acknowledged, or an error if it cannot
 * be.  It sends data as it comes: #GstBaseSink:sync is off by default, because a
 * live source has its own pace, and waiting for timestamps would only add delay.
 * Set it to play a file in real time.
 *
 * An encoder can adapt to the bit rate that the path has room for.  faspsink tells
 * it, in bit/s of the stream, by the property #faspsink:available-bitrate (with
 * notify), the message fasp-available-bitrate and an upstream event of that name;
 * the message and the event have a field "bitrate".  While no receiver is there, the
 * property is 0; no message or event tells that.  With #faspsink:max-encoder-bitrate,
 * faspsink sets the rate of the encoder itself.  When a receiver joins, or goes on
 * behind a gap, faspsink asks upstream for a key frame.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=I420 ! x264enc tune=zerolatency bitrate=4000 ! mpegtsmux ! faspsink uri=fasp://127.0.0.1:7001 max-bitrate=8000000
 * ]| Sends a live programme to a faspsrc listening on the same machine.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=I420 ! x264enc tune=zerolatency bitrate=4000 ! mpegtsmux ! faspsink uri=fasp://:7001 max-bitrate=8000000 wait-for-connection=false
 * ]| Serves it to every faspsrc that dials.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=I420 ! x264enc tune=zerolatency ! mpegtsmux ! faspsink uri=fasp://127.0.0.1:7001 max-encoder-bitrate=6000000
 * ]| The encoder makes what the line has room for, 6 Mbit/s at most.
 *
 * Since: 1.0
 */
#include <gst/base/gstbasesink.h>
#include "gstfaspcapture.h"
#include "gstfaspconnection.h"
#include "gstfaspelements.h"
#include "gstfaspevents.h"
#include "gstfaspframing.h"
#include "gstfaspheader.h"
#include "gstfaspoffset.h"
#include "gstfaspshared.h"
#include "gstfaspupstream.h"
#include "gstfaspwatch.h"

/* The most memories that are written at a time. */
#define PIECES 64
/* A property of GstBaseSink, overridden here. */
#define PROP_ASYNC (GST_FASP_PROP_TTL_MC + 1)
#define ASYNC_AS_SYNC -1

#define GST_TYPE_FASP_SINK (gst_fasp_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstFaspSink, gst_fasp_sink, GST, FASP_SINK, GstBaseSink);

struct _GstFaspSink
{
  GstBaseSink parent;

  GstFaspConnection connection;
  GstFaspUpstream upstream;
  GstFaspHeader header;
  GstFaspCapture *capture;     /* NULL: send-reference-timestamps is off */
  const gchar *framing_advice; /* the last advice given for this stream; NULL: none */
  gboolean changed;            /* the stream does not come from a faspsrc, or was changed */
  gchar *origin;               /* origin of the stream that a faspsrc announced last; NULL: none */
  gboolean ended;              /* the end of the stream was sent */
  gint pausing;                /* a change from PLAYING to PAUSED is going on; atomic */
  gboolean paused;             /* the streaming thread waits for PLAYING; preroll lock */
  gint async;                  /* value set by the application, else ASYNC_AS_SYNC; atomic */
  gint needs_header;           /* GQuark of the caps' name, if the stream cannot be decoded without
                                  its beginning and has no header that could be repeated; else 0;
                                  atomic */
  gint64 slow_warned, needs_header_warned; /* used by the I/O thread only; µs */
  GstFaspWatch watch;
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

G_DEFINE_TYPE_WITH_CODE (GstFaspSink, gst_fasp_sink, GST_TYPE_BASE_SINK,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_fasp_connection_init_uri_handler);
    GST_FASP_DEBUG_INIT);
GST_ELEMENT_REGISTER_DEFINE (faspsink, "faspsink", GST_RANK_PRIMARY, GST_TYPE_FASP_SINK);

/* --- the stream ------------------------------------------------------------------ */

/* The time of the pipeline's clock, with which bytes are stamped when they arrive; the receiver's
 * timestamps follow it. The running time would not do, as it stands still in a pause and begins
 * anew after a flush, while the receiver's goes on. */
static FaspTime
now (GstFaspSink *self)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT (self));

  return clock != NULL ? gst_clock_get_time (clock) / GST_USECOND :
                         (GstClockTime) g_get_monotonic_time ();
}

/* Mapped memories of a buffer or list, to be written together. */
typedef struct
{
  FaspIoPiece pieces[PIECES];
  GstMapInfo maps[PIECES]; /* maps of the memories that are copied */
  guint n;
} Gathered;

/* Waits until the stream may go on.  Call it with the preroll lock held.  A step does not flush
 * here: the buffer would be sent from its beginning again, and a part of it has been sent. */
static GstFlowReturn
wait_to_go_on (GstFaspSink *self)
{
  GstBaseSink *sink = GST_BASE_SINK (self);

  do {
    if (gst_base_sink_wait_preroll (sink) == GST_FLOW_CUSTOM_ERROR)
      return GST_FLOW_OK; /* a step */
  } while (self->paused && !sink->flushing);
  return sink->flushing ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

/* If the element goes to PLAYING and at once back to PAUSED, GstBaseSink lets a buffer through that
 * waited for PLAYING. Makes it wait on. */
static GstFlowReturn
wait_for_play (GstFaspSink *self)
{
  return self->paused ? wait_to_go_on (self) : GST_FLOW_OK;
}

/* A stream that is passed on keeps the capture times of its first sender. */
static void
stamp (GstFaspSink *self, Gathered *g, FaspTime media_time)
{
  FaspCapture capture = gst_fasp_capture_get (self->capture, GST_ELEMENT (self), media_time);

  for (guint i = 0; i < g->n; i++)
    if (!g->pieces[i].position.known)
      g->pieces[i].capture = capture;
}

/* What was to be written or sent is not, or not yet: @result says why.  GST_FLOW_OK: go on. */
static GstFlowReturn
go_on (GstFaspSink *self, FaspIoResult result, GstFaspWatchStream stream, const FaspEvent *event)
{
  switch (result) {
    case FASP_IO_FLUSHING:
      return wait_to_go_on (self);
    case FASP_IO_WAITING:
      gst_fasp_watch_look (&self->watch, GST_ELEMENT (self), self->connection.io, stream);
      return GST_FLOW_OK;
    default:
      return gst_fasp_connection_fail (&self->connection, event);
  }
}

static GstFlowReturn
write_gathered (GstFaspSink *self, Gathered *g)
{
  FaspTime media_time = now (self);
  GstFlowReturn ret = GST_FLOW_OK;
  FaspIoResult result;
  gsize done = 0;
  FaspEvent event;

  if (self->capture != NULL)
    stamp (self, g, media_time);
  gst_fasp_watch_look (&self->watch, GST_ELEMENT (self), self->connection.io,
      GST_FASP_WATCH_PASSES);
  if (self->ended) {
    GST_ELEMENT_ERROR (self, STREAM, FAILED,
        ("The stream has ended. Set the pipeline to READY and back to PLAYING to send another."),
        (NULL));
    return GST_FASP_FLOW_POSTED;
  }
  do {
    gint64 before = g_get_monotonic_time ();

    /* interrupted, it goes on behind the bytes that were taken already */
    result = fasp_io_write (self->connection.io, media_time, g->pieces, g->n, &done, &event);
    gst_fasp_watch_held (&self->watch, g_get_monotonic_time () - before);
  } while (result != FASP_IO_OK
      && (ret = go_on (self, result, GST_FASP_WATCH_WAITS, &event)) == GST_FLOW_OK);
  return ret;
}

static GstFlowReturn
flush_gathered (GstFaspSink *self, Gathered *g)
{
  GstFlowReturn ret = g->n > 0 ? write_gathered (self, g) : GST_FLOW_OK;

  for (guint i = 0; i < g->n; i++) {
    if (g->pieces[i].memory != NULL)
      fasp_memory_unref (g->pieces[i].memory);
    else
      gst_memory_unmap (g->maps[i].memory, &g->maps[i]);
  }
  g->n = 0;
  return ret;
}

static gboolean
map_memory (GstBuffer *buffer, guint i, gboolean constant, FaspIoPiece *piece, GstMapInfo *map)
{
  *piece = (FaspIoPiece) { NULL };
  if (gst_fasp_shared_is_worth (buffer, i, constant)) {
    piece->memory = gst_fasp_shared_new (buffer, i, &piece->data, &piece->size);
    return piece->memory != NULL;
  }
  if (!gst_memory_map (gst_buffer_peek_memory (buffer, i), map, GST_MAP_READ))
    return FALSE;
  piece->data = map->data;
  piece->size = map->size;
  return TRUE;
}

/* Is the buffer unchanged since a faspsrc pushed it? An element in between that cuts or copies some
 * buffers makes another stream, to which all later buffers belong until a new stream begins
 * upstream. */
static gboolean
is_relayed (GstFaspSink *self, GstBuffer *buffer, FaspStreamOffset *position, FaspTime *media_time,
    FaspCapture *capture)
{
  self->changed |= !gst_fasp_offset_get (buffer, position, media_time, capture);
  if (self->changed) {
    *position = (FaspStreamOffset) { 0 };
    *capture = (FaspCapture) { 0 }; /* it belongs to media times that are not passed on */
  }
  return !self->changed;
}

/* Writes the stream's header, which precedes the next buffer. */
static GstFlowReturn
write_header (GstFaspSink *self, GBytes *header)
{
  Gathered gathered;

  gathered.pieces[0] = (FaspIoPiece) { NULL };
  gathered.pieces[0].data = g_bytes_get_data (header, &gathered.pieces[0].size);
  gathered.n = 1;
  return write_gathered (self, &gathered);
}

/* Adds the buffer to the gathered ones. The caller must keep it until flush_gathered(). */
static GstFlowReturn
gather (GstFaspSink *self, Gathered *g, GstBuffer *buffer)
{
  GstFlowReturn ret = GST_FLOW_OK;
  guint n = gst_buffer_n_memory (buffer);
  FaspStreamOffset position = { 0 };
  FaspCapture capture = { 0 };
  FaspTime media_time = 0;
  gboolean relayed;
  GBytes *header;
  FaspIoKey key;

  /* an empty buffer begins nothing: neither the stream nor a key frame */
  if (gst_buffer_get_size (buffer) == 0)
    return GST_FLOW_OK;
  /* the core sends headers to the receivers that need them */
  if (gst_fasp_offset_is_header (buffer) && !self->changed) {
    gst_fasp_header_pass (&self->header);
    return GST_FLOW_OK;
  }
  relayed = is_relayed (self, buffer, &position, &media_time, &capture);
  if (self->capture != NULL && !relayed
      && !gst_fasp_capture_note (self->capture, GST_ELEMENT (self), buffer, now (self)))
    GST_WARNING_OBJECT (self,
        "a reference timestamp is ignored: it lies ahead, or a minute back, or "
        "cannot be compared with the clock here");
  if (self->header.changed)
    ret = flush_gathered (self, g);
  header = gst_fasp_header_begin (&self->header, self->connection.io, buffer, relayed);
  if (header != NULL && ret == GST_FLOW_OK)
    ret = flush_gathered (self, g);
  if (header != NULL && ret == GST_FLOW_OK)
    ret = write_header (self, header);
  key = gst_fasp_header_get_key (&self->header, buffer, relayed);
  for (guint i = 0; ret == GST_FLOW_OK && i < n; i++) {
    FaspIoPiece *piece = &g->pieces[g->n];

    if (!map_memory (buffer, i, relayed, piece, &g->maps[g->n])) {
      flush_gathered (self, g);
      GST_ELEMENT_ERROR (self, RESOURCE, READ,
          ("A buffer cannot be read: put an element before faspsink that "
           "brings it into system memory."),
          (NULL));
      return GST_FASP_FLOW_POSTED;
    }
    piece->key = key;
    if (piece->size > 0) /* the first memory with bytes begins the buffer */
      key = FASP_IO_NO_KEY;
    piece->position = position;
    piece->media_time = media_time;
    piece->capture = capture;
    if (position.offset != FASP_OFFSET_UNKNOWN)
      position.offset += piece->size;
    if (++g->n == PIECES)
      ret = flush_gathered (self, g);
  }
  return ret;
}

static GstFlowReturn
gst_fasp_sink_render (GstBaseSink *sink, GstBuffer *buffer)
{
  GstFaspSink *self = GST_FASP_SINK (sink);
  Gathered gathered;
  GstFlowReturn ret = wait_for_play (self);

  gst_fasp_upstream_stream_began (&self->upstream, GST_ELEMENT (sink));
  gathered.n = 0;
  if (ret == GST_FLOW_OK)
    ret = gather (self, &gathered, buffer);
  return ret == GST_FLOW_OK ? flush_gathered (self, &gathered) : ret;
}

static GstFlowReturn
gst_fasp_sink_render_list (GstBaseSink *sink, GstBufferList *list)
{
  GstFaspSink *self = GST_FASP_SINK (sink);
  guint n = gst_buffer_list_length (list);
  GstFlowReturn ret = wait_for_play (self);
  Gathered gathered;

  gst_fasp_upstream_stream_began (&self->upstream, GST_ELEMENT (sink));
  gathered.n = 0;
  for (guint i = 0; ret == GST_FLOW_OK && i < n; i++)
    ret = gather (self, &gathered, gst_buffer_list_get (list, i));
  return ret == GST_FLOW_OK ? flush_gathered (self, &gathered) : ret;
}

/* Have other receivers the whole stream, so that with this slow-policy the loss of one is no
 * error? */
static gboolean
has_others (GstFaspSink *self)
{
  FaspEndpointStats stats;
  gboolean waits;

  GST_OBJECT_LOCK (self);
  waits = self->connection.settings.sending.slow_policy == FASP_SLOW_WAIT;
  GST_OBJECT_UNLOCK (self);
  fasp_endpoint_get_stats (fasp_io_lock (self->connection.io), &stats);
  fasp_io_unlock (self->connection.io, FALSE);
  return !waits && stats.whole > 0;
}

/* A receiver went away before it confirmed the last @lost bytes. */
static GstFlowReturn
note_lost (GstFaspSink *self, guint64 lost)
{
  if (has_others (self)) {
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("A receiver went away before it confirmed the last %" G_GUINT64_FORMAT
         " bytes of the stream; the others have all "
         "of it. With slow-policy=wait, faspsink would wait for it "
         "for resume-timeout, and then post an error.",
            lost),
        (NULL));
    return GST_FLOW_OK;
  }
  GST_ELEMENT_ERROR (self, RESOURCE, WRITE,
      ("A receiver went away before it confirmed the last %" G_GUINT64_FORMAT
       " bytes of the stream. What it has may end there: "
       "send the stream again. If the network was down for long, raise "
       "resume-timeout.",
          lost),
      (NULL));
  return GST_FASP_FLOW_POSTED;
}

static GstFlowReturn
drain (GstFaspSink *self)
{
  GstFlowReturn ret = GST_FLOW_OK;
  FaspIoResult result;
  FaspEvent event;
  guint64 lost;

  do {
    result = fasp_io_drain (self->connection.io, &lost, &event);
    /* the end is not written yet while it waits for a receiver */
    self->ended = fasp_endpoint_has_finished (fasp_io_lock (self->connection.io));
    fasp_io_unlock (self->connection.io, FALSE);
  } while (result != FASP_IO_OK
      && (ret = go_on (self, result, GST_FASP_WATCH_ENDS, &event)) == GST_FLOW_OK);
  return result == FASP_IO_OK && lost > 0 ? note_lost (self, lost) : ret;
}

/* Does the event announce another stream, rather than another header of the same one? */
static gboolean
is_of_another (GstFaspSink *self, GstEvent *event)
{
  const gchar *origin = gst_structure_get_string (gst_event_get_structure (event), "origin");

  if (g_strcmp0 (origin, self->origin) == 0)
    return FALSE;
  g_free (self->origin);
  self->origin = g_strdup (origin);
  return TRUE;
}

static gboolean
gst_fasp_sink_event (GstBaseSink *sink, GstEvent *event)
{
  GstFaspSink *self = GST_FASP_SINK (sink);

  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    gst_fasp_upstream_stream_began (&self->upstream, GST_ELEMENT (sink));
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START
      || (gst_event_has_name (event, GST_FASP_OFFSET_EVENT) && is_of_another (self, event)))
    self->changed = FALSE;
  if (gst_event_has_name (event, GST_FASP_OFFSET_EVENT))
    gst_fasp_header_set_event (&self->header, event);
  return GST_BASE_SINK_CLASS (gst_fasp_sink_parent_class)->event (sink, event);
}

static GstFlowReturn
gst_fasp_sink_wait_event (GstBaseSink *sink, GstEvent *event)
{
  GstFaspSink *self = GST_FASP_SINK (sink);
  GstFlowReturn ret = GST_BASE_SINK_CLASS (gst_fasp_sink_parent_class)->wait_event (sink, event);

  if (ret != GST_FLOW_OK || GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return ret;
  ret = wait_for_play (self);
  return ret == GST_FLOW_OK ? drain (self) : ret;
}

/* --- events of the connection -------------------------------------------------------------- */

/* Warns about a slow receiver, at most once a minute. */
static void
warn_slow (GstFaspSink *self, const FaspEvent *event, const gchar *what)
{
  g_autofree gchar *peer = gst_fasp_events_peer (event);

  if (!gst_fasp_events_is_due (&self->slow_warned))
    return;
  GST_ELEMENT_WARNING_WITH_DETAILS (self, RESOURCE, BUSY,
      ("%s does not keep up with the "
       "stream: %s. Check that its line, and max-bitrate, have room for more "
       "than the stream; raise buffer-size if it only stands still for a while "
       "now and then.",
          peer, what),
      (NULL), GST_FASP_PEER ("receiver-slow", peer));
}

/* Warns that a receiver lacks the beginning that the stream needs, at most once a minute. */
static void
warn_in_the_middle (GstFaspSink *self, const FaspEvent *event)
{
  GQuark needs_header = g_atomic_int_get (&self->needs_header);
  g_autofree gchar *peer = gst_fasp_events_peer (event);

  if (needs_header == 0 || !gst_fasp_events_is_due (&self->needs_header_warned))
    return;
  GST_ELEMENT_WARNING_WITH_DETAILS (self, STREAM, FORMAT,
      ("%s joins in the middle of %s, "
       "which cannot be read without its beginning. Put a muxer in front of "
       "faspsink whose stream can be joined anywhere, such as mpegtsmux; or "
       "keep the beginning (history, join-at=back), or hold the stream for "
       "the first receiver (wait-for-connection=true).",
          peer, g_quark_to_string (needs_header)),
      (NULL), GST_FASP_PEER ("stream-joined", peer));
}

static void
handle_event (GstElement *element, guint source, const FaspEvent *event)
{
  GstFaspSink *self = GST_FASP_SINK (element);

  if (event->type == FASP_EVENT_CONNECTED && event->start.in_the_middle)
    warn_in_the_middle (self, event);
  if (event->type == FASP_EVENT_BITRATE)
    gst_fasp_upstream_announce_bitrate (&self->upstream, element, event->bitrate);
  else if (event->type == FASP_EVENT_KEY_FRAME)
    gst_fasp_upstream_ask_for_key_frame (&self->upstream, element);
  else if (event->type == FASP_EVENT_SKIPPED)
    warn_slow (self, event, "it goes on behind a gap (slow-policy=skip)");
  else if (event->type == FASP_EVENT_REMOVED && event->reason == FASP_REASON_TOO_SLOW)
    warn_slow (self, event, "it was disconnected (slow-policy=drop-receiver)");
}

/* --- states -------------------------------------------------------------------------- */

/* Chooses GstBaseSink's `async'. A sink that does not synchronise needs no preroll, as it shows no
 * first picture. A preroll could block other sinks: the data that they wait for may be behind the
 * buffer that this sink holds, or depend on what it sends.  A sink that synchronises needs the
 * preroll: after a seek, running time begins anew with it. */
static void
choose_async (GstFaspSink *self)
{
  GstBaseSink *sink = GST_BASE_SINK (self);
  gint async = g_atomic_int_get (&self->async);

  gst_base_sink_set_async_enabled (sink,
      async != ASYNC_AS_SYNC ? async : gst_base_sink_get_sync (sink));
}

/* The change from PAUSED to PLAYING needs the preroll lock. The streaming thread may hold it while
 * it waits for a receiver, because GstBaseSink lets a first buffer through as soon as PLAYING is
 * the target. The flush ends that wait. */
static GstStateChangeReturn
play (GstFaspSink *self)
{
  GstBaseSink *sink = GST_BASE_SINK (self);
  GstStateChangeReturn ret;

  gst_fasp_connection_flush (&self->connection, TRUE);
  ret = GST_ELEMENT_CLASS (gst_fasp_sink_parent_class)
            ->change_state (GST_ELEMENT (self), GST_STATE_CHANGE_PAUSED_TO_PLAYING);
  GST_BASE_SINK_PREROLL_LOCK (sink);
  gst_fasp_connection_flush (&self->connection, FALSE);
  /* the target may be PAUSED again: GstBaseSink changes to PLAYING in the streaming thread if it
   * comes from READY, and meanwhile another thread may have set PAUSED */
  GST_OBJECT_LOCK (self);
  self->paused &= GST_STATE_TARGET (self) != GST_STATE_PLAYING;
  GST_OBJECT_UNLOCK (self);
  GST_BASE_SINK_PREROLL_BROADCAST (sink);
  GST_BASE_SINK_PREROLL_UNLOCK (sink);
  return ret;
}

/* GstBaseSink starts in READY already.  We open the socket on the way to PAUSED,
 * so that properties which are set in READY take effect. */
static GstStateChangeReturn
gst_fasp_sink_change_state (GstElement *element, GstStateChange transition)
{
  GstFaspSink *self = GST_FASP_SINK (element);
  GstStateChangeReturn ret;
  gboolean reference;

  gst_fasp_connection_follow (&self->connection, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      && !gst_fasp_connection_may_close (&self->connection))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    choose_async (self);
    self->changed = FALSE;
    g_clear_pointer (&self->origin, g_free);
    gst_fasp_header_clear (&self->header);
    self->framing_advice = NULL;
    gst_fasp_upstream_begin (&self->upstream);
    self->ended = FALSE;
    self->slow_warned = self->needs_header_warned = 0;
    g_atomic_int_set (&self->needs_header, 0);
    self->watch = (GstFaspWatch) { 0 };
    GST_OBJECT_LOCK (self);
    reference = self->connection.settings.sending.send_reference_timestamps;
    GST_OBJECT_UNLOCK (self);
    g_clear_pointer (&self->capture, g_free);
    if (reference)
      self->capture = gst_fasp_capture_new ();
    if (!gst_fasp_connection_open (&self->connection))
      return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    return play (self);
  g_atomic_int_set (&self->pausing, transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED);
  ret = GST_ELEMENT_CLASS (gst_fasp_sink_parent_class)->change_state (element, transition);
  g_atomic_int_set (&self->pausing, FALSE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && ret == GST_STATE_CHANGE_FAILURE)) {
    gst_fasp_connection_close (&self->connection);
    gst_fasp_upstream_announce_bitrate (&self->upstream, element, 0);
  }
  return ret;
}

/* GstBaseSink calls this before it takes the preroll lock, which the streaming thread holds while
 * it waits for a receiver. */
static gboolean
gst_fasp_sink_unlock (GstBaseSink *sink)
{
  gst_fasp_connection_flush (&GST_FASP_SINK (sink)->connection, TRUE);
  return TRUE;
}

/* GstBaseSink calls this with the preroll lock held. */
static gboolean
gst_fasp_sink_unlock_stop (GstBaseSink *sink)
{
  GstFaspSink *self = GST_FASP_SINK (sink);

  gst_fasp_connection_flush (&self->connection, FALSE);
  self->paused = g_atomic_int_get (&self->pausing) && sink->have_preroll;
  return TRUE;
}

/* --- GObject ---------------------------------------------------------------------------- */

static void
gst_fasp_sink_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  /* GstBaseSink's own setter would wait as long as the stream is held */
  if (id == PROP_ASYNC)
    g_atomic_int_set (&GST_FASP_SINK (object)->async, g_value_get_boolean (value));
  else
    gst_fasp_connection_set_property (&GST_FASP_SINK (object)->connection, id, value, pspec);
  if (id == GST_FASP_PROP_MAX_ENCODER_BITRATE)
    gst_fasp_upstream_repeat_bitrate (&GST_FASP_SINK (object)->upstream, GST_ELEMENT (object));
}

static void
gst_fasp_sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_ASYNC) {
    gint async = g_atomic_int_get (&GST_FASP_SINK (object)->async);

    g_value_set_boolean (value,
        async != ASYNC_AS_SYNC ? async : gst_base_sink_is_async_enabled (GST_BASE_SINK (object)));
    return;
  }
  if (id == GST_FASP_PROP_AVAILABLE_BITRATE) {
    g_value_set_uint64 (value,
        gst_fasp_upstream_get_bitrate (&GST_FASP_SINK (object)->upstream, GST_ELEMENT (object)));
    return;
  }
  gst_fasp_connection_get_property (&GST_FASP_SINK (object)->connection, id, value, pspec);
}

static void
gst_fasp_sink_finalize (GObject *object)
{
  gst_fasp_connection_clear (&GST_FASP_SINK (object)->connection);
  gst_fasp_header_clear (&GST_FASP_SINK (object)->header);
  g_free (GST_FASP_SINK (object)->origin);
  g_free (GST_FASP_SINK (object)->capture);
  G_OBJECT_CLASS (gst_fasp_sink_parent_class)->finalize (object);
}

/* Warns if the receiver cannot find the bounds of buffers. Not an error, as it may know them by
 * other means. Not repeated with each change of the caps. */
static void
warn_of_framing (GstFaspSink *self, const GstCaps *caps, const GstStructure *s)
{
  const gchar *advice = gst_fasp_framing_advise (caps);

  if (advice == self->framing_advice)
    return;
  self->framing_advice = advice;
  if (advice != NULL)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("A byte stream does not keep the bounds of buffers, and the receiver "
         "cannot find them in %s. %s",
            gst_structure_get_name (s), advice),
        (NULL));
}

/* Gives the core the size of MPEG-TS packets, so that after a gap the stream begins with a whole
 * packet. */
static gboolean
gst_fasp_sink_set_caps (GstBaseSink *sink, GstCaps *caps)
{
  GstFaspSink *self = GST_FASP_SINK (sink);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  guint64 buffer;
  gint size = 0;

  warn_of_framing (self, caps, s);
  GST_OBJECT_LOCK (self);
  buffer = self->connection.settings.buffer_size;
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->needs_header,
      !gst_fasp_header_set_caps (&self->header, caps, buffer)
              && gst_fasp_framing_needs_header (caps) ?
          gst_structure_get_name_id (s) :
          0);
  if (!gst_structure_get_int (s, "packetsize", &size) || size < 0)
    size = gst_structure_has_name (s, "video/mpegts") ? 188 : 0;
  fasp_endpoint_set_packet_size (fasp_io_lock (self->connection.io), size);
  fasp_io_unlock (self->connection.io, FALSE);
  return TRUE;
}

static void
gst_fasp_sink_class_init (GstFaspSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  object_class->set_property = gst_fasp_sink_set_property;
  object_class->get_property = gst_fasp_sink_get_property;
  object_class->finalize = gst_fasp_sink_finalize;
  gst_fasp_settings_install (object_class, FASP_ROLE_SENDER);
  g_object_class_override_property (object_class, PROP_ASYNC, "async");
  gst_fasp_events_install (object_class);
  gst_fasp_connection_install_check (object_class);
  /**
   * GstFaspSink::decide-caller:
   * @sink: a faspsink
   * @ticket: that of #GstFaspSink::caller-asked
   * @accept: %FALSE: the caller is turned away
   * @reason: why, for messages and the log at this end: UTF-8 without control characters, of at
   * most 200 bytes; %NULL: it is not known
   * @for_caller: the reason that the caller gets, of the same kind; %NULL: only that it was
   * refused, or that nothing is decided yet
   * @again: %TRUE: the caller may call again by itself, as nothing is decided yet
   *
   * Answers a question whose answer a handler has put off.
   *
   * Returns: %FALSE: @ticket names no question, or one that was answered, or whose caller has gone,
   * as it has five seconds after it
   *
   * Since: 1.0
   */
  g_signal_new_class_handler ("decide-caller", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (gst_fasp_connection_decide), NULL, NULL,
      NULL, G_TYPE_BOOLEAN, 5, G_TYPE_STRING, G_TYPE_BOOLEAN, G_TYPE_STRING, G_TYPE_STRING,
      G_TYPE_BOOLEAN);
  /**
   * GstFaspSink::drop-caller:
   * @sink: a faspsink
   * @address: the receiver's, as "caller-address-string" in the statistics
   *
   * Disconnects a receiver.  It is told that it was refused, and does not call again by itself.
   *
   * Returns: %FALSE: there is no such receiver
   *
   * Since: 1.0
   */
  g_signal_new_class_handler ("drop-caller", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (gst_fasp_connection_drop), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 1, G_TYPE_STRING);

  element_class->change_state = gst_fasp_sink_change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "fasp sink", "Sink/Network",
      "Sends a stream, whole and in order, over networks that lose packets. "
      "Set first: uri, latency, passphrase, max-bitrate, wait-for-connection",
      "The gst-fasp developers");

  sink_class->set_caps = gst_fasp_sink_set_caps;
  sink_class->unlock = gst_fasp_sink_unlock;
  sink_class->unlock_stop = gst_fasp_sink_unlock_stop;
  sink_class->render = gst_fasp_sink_render;
  sink_class->render_list = gst_fasp_sink_render_list;
  sink_class->event = gst_fasp_sink_event;
  sink_class->wait_event = gst_fasp_sink_wait_event;
}

static void
gst_fasp_sink_init (GstFaspSink *self)
{
  gst_fasp_connection_init (&self->connection, GST_ELEMENT (self), FASP_ROLE_SENDER);
  self->connection.event = handle_event;
  self->async = ASYNC_AS_SYNC;
  gst_base_sink_set_sync (GST_BASE_SINK (self), FALSE);
}
