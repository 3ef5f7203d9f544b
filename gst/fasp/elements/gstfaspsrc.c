/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspsrc.c: the element that receives.
 */

/**
 * SECTION:element-faspsrc
 * @title: faspsrc
 * @see_also: faspsink
 *
 * faspsrc receives what a faspsink sends: every byte, in order.  It is a live
 * source.  It pushes buffers as soon as they are in order.  Their timestamps are
 * the times when they would have arrived on a path without loss, so timestamps
 * are as smooth as the sender's output, whatever the network did.  faspsrc answers
 * the LATENCY query with the negotiated #faspsrc:latency: sinks that synchronise
 * play that much later, and losses are repaired in that time.
 *
 * With #faspsrc:provide-clock, faspsrc provides the clock of the pipeline, at the
 * rate of the sender's pipeline clock.  Sinks then play as fast as the other end
 * captures.
 *
 * Without a host in its URI, faspsrc listens for one faspsink.  With one it dials
 * a listening faspsink.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 faspsrc uri=fasp://:7001 ! tsdemux ! h264parse ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Plays what a faspsink sends to port 7001 of this machine.
 * |[
 * gst-launch-1.0 -e faspsrc uri=fasp://:7001 keep-listening=true ! filesink location=received.ts
 * ]| Records the stream, of all senders that come, one after the other.
 *
 * Since: 1.0
 */
#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>
#include "gstfaspannounce.h"
#include "gstfaspconnection.h"
#include "gstfaspelements.h"
#include "gstfaspending.h"
#include "gstfaspevents.h"
#include "gstfasphandover.h"
#include "gstfaspjoiner.h"
#include "gstfaspmonitor.h"
#include "gstfaspoffset.h"
#include "gstfasppresentation.h"
#include "gstfasproom.h"
#include "gstfaspstats.h"
#include "gstfasptiming.h"

/* The most blocks that are taken at once, to save wake-ups. */
#define BATCH 128
/* Our clock is compared with the sender's at most this often. */
#define LOOK_EVERY (100 * GST_MSECOND)

/* Blocks that were read and are not all pushed yet. */
typedef struct
{
  FaspRead items[BATCH];
  guint n, next; /* items in the list; index of the next one to be pushed */
} Batch;

#define GST_TYPE_FASP_SRC (gst_fasp_src_get_type ())
G_DECLARE_FINAL_TYPE (GstFaspSrc, gst_fasp_src, GST, FASP_SRC, GstPushSrc);

struct _GstFaspSrc
{
  GstPushSrc parent;

  GstFaspConnection connection;
  gint unlocked;            /* create() must not wait; atomic */
  gint interrupted;         /* create() was unlocked since the clocks were last read; atomic */
  GThread *controller;      /* the thread that changes our state or sends us an event; atomic */
  gboolean pausing;         /* that thread changes the state to PAUSED; used by it only */
  gboolean started;         /* the element runs, so `caps' and `provided' stay as they are though
                               properties may change; object lock */
  GstCaps *caps;            /* NULL: any */
  gboolean provided;        /* a clock is provided, and a message has said so */
  gboolean negotiated;      /* a sender was connected at least once; object lock */
  guint latency;            /* the largest of `latencies', ms; object lock */
  gchar *streamid;          /* streamid of the last sender; object lock */
  GstFaspAnnounce announce; /* announces the stream and its header downstream */
  GstFaspEnding ending;     /* how far the end of the stream is */
  /* latency of the last sender of each source, ms; 0: there was none; object lock */
  guint latencies[FASP_SOURCES_MAX];
  GstFaspTiming timing;
  GstFaspPresenter *presenter; /* gives buffers their time with presentation-delay */
  GstFaspRoom *room;           /* does buffer-size hold what waits to be played? */
  Batch *batch;                /* owned */
  GstFaspHandover handover;    /* the buffer that was handed to GstBaseSrc */
  GstClockTime looked;         /* when our clock was last compared with the sender's */
  GstFaspJoiner joiner;
  GstFaspMonitor *monitor; /* of the buffers as they leave; NULL: not set.  Made and freed while the
                              element is stopped, else used under the object lock */
};

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

G_DEFINE_TYPE_WITH_CODE (GstFaspSrc, gst_fasp_src, GST_TYPE_PUSH_SRC,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_fasp_connection_init_uri_handler);
    GST_FASP_DEBUG_INIT);
GST_ELEMENT_REGISTER_DEFINE (faspsrc, "faspsrc", GST_RANK_PRIMARY, GST_TYPE_FASP_SRC);

/* --- the transport stream ---------------------------------------------------------------- */

/* @buffer: NULL: another stream begins. */
static void
monitor (GstFaspSrc *self, GstBuffer *buffer)
{
  if (self->monitor == NULL)
    return;
  GST_OBJECT_LOCK (self);
  if (buffer != NULL)
    gst_fasp_monitor_push (self->monitor, buffer, gst_fasp_monitor_get_time ());
  else
    gst_fasp_monitor_begin (self->monitor);
  GST_OBJECT_UNLOCK (self);
}

/* --- the stream -------------------------------------------------------------------- */

static void
follow_sender (GstFaspSrc *self)
{
  GstClockTime now = g_get_monotonic_time () * GST_USECOND;
  FaspSenderClock sender;

  if (!self->provided || (self->looked != 0 && now - self->looked < LOOK_EVERY))
    return;
  self->looked = now;
  sender = gst_fasp_connection_get_sender_clock (&self->connection);
  gst_fasp_clock_look (self->timing.clock, now, &sender);
}

static void
post_clock_jump (GstFaspSrc *self)
{
  FaspSenderClock sender = gst_fasp_connection_get_sender_clock (&self->connection);
  /* the value comes from the network: clamps times that do not fit into ns */
  gint64 jump = CLAMP (sender.jump, -G_MAXINT64 / 1000, G_MAXINT64 / 1000);

  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("fasp-clock-jump", "jump", G_TYPE_INT64, jump * 1000, NULL)));
}

static GstBuffer *
make_buffer (GstFaspSrc *self)
{
  const FaspRead *first = &self->batch->items[self->batch->next];
  GstClockTime pts = gst_fasp_timing_choose (&self->timing, first->arrival);
  gboolean discont = (first->block->flags & (FASP_BLOCK_DISCONT | FASP_BLOCK_CLOCK_JUMP)) != 0;
  gboolean key = (first->block->flags & FASP_BLOCK_KEY) != 0;
  FaspTime media_time = first->block->media_time;
  FaspStreamOffset position = first->behind;
  FaspCapture capture = first->capture;
  guint used;
  GstBuffer *buffer;

  if (first->block->flags & FASP_BLOCK_CLOCK_JUMP)
    post_clock_jump (self);
  position.offset = first->block->offset; /* the offset of the first byte */
  buffer = gst_fasp_joiner_take (&self->joiner, first, self->batch->n - self->batch->next, &used);

  self->batch->next += used;
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = pts;
  if (discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (gst_fasp_announce_is_delta (&self->announce, key))
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  gst_fasp_offset_attach (buffer, &position, media_time, &capture);
  if (capture.known)
    gst_fasp_presenter_attach (buffer, &capture);
  return buffer;
}

/* If blocks before this one were given up, pushes a GAP event in their place. */
static void
push_gap (GstFaspSrc *self, const FaspRead *item)
{
  GstClockTimeDiff end = gst_fasp_timing_get (&self->timing, item->arrival);

  if (!(item->block->flags & FASP_BLOCK_DISCONT) || !GST_CLOCK_TIME_IS_VALID (self->timing.last_pts)
      || end <= (GstClockTimeDiff) self->timing.last_pts)
    return;
  gst_pad_push_event (GST_BASE_SRC_PAD (self),
      gst_event_new_gap (self->timing.last_pts, end - self->timing.last_pts));
}

/* Announces the stream and its header downstream, if either has changed. A flushing pad takes no
 * event; then the buffer does not pass, either, and the stream is announced when it is handed over
 * again. */
static void
announce (GstFaspSrc *self, const FaspStreamOffset *position)
{
  GstPad *pad = GST_BASE_SRC_PAD (self);
  GstEvent *event;

  if (!gst_fasp_announce_begin (&self->announce, position))
    return;
  monitor (self, NULL);
  GST_OBJECT_LOCK (self);
  event = gst_fasp_offset_make_event (&position->origin, self->streamid, self->announce.header);
  GST_OBJECT_UNLOCK (self);
  if (gst_pad_push_event (pad, event) || !GST_PAD_IS_FLUSHING (pad))
    gst_fasp_announce_done (&self->announce);
  else
    gst_fasp_announce_failed (&self->announce);
}

/* Makes a buffer of the header, with the time of the item that follows. */
static GstBuffer *
make_header (GstFaspSrc *self, const FaspRead *item)
{
  GstBuffer *buffer = gst_fasp_announce_enter (&self->announce);

  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) =
      gst_fasp_timing_choose (&self->timing, item->arrival);
  return buffer;
}

static void
drop_items (GstFaspSrc *self)
{
  while (self->batch->next < self->batch->n)
    fasp_block_unref (self->batch->items[self->batch->next++].block);
}

/* Returns a buffer that GstBaseSrc dropped, with a new running time, as a flush may have changed
 * that. NULL: it dropped none. */
static GstBuffer *
take_back (GstFaspSrc *self)
{
  FaspRead item;
  GstBuffer *buffer = gst_fasp_handover_take_back (&self->handover, &item);

  if (buffer == NULL)
    return NULL;
  announce (self, &item.behind);
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) =
      gst_fasp_timing_choose (&self->timing, item.arrival);
  return gst_fasp_handover_give (&self->handover, buffer, &item);
}

/* Makes a buffer of some of the items that were read.  NULL: there are none left, or the end of
 * this sender's stream was reached.
 *
 * It returns one buffer at a time, not a list: if GstBaseSrc (1.22) is flushed just after a list
 * was submitted to it, it unrefs a buffer that it does not own. */
static GstBuffer *
take_items (GstFaspSrc *self)
{
  FaspRead *item;

  while (self->batch->next < self->batch->n
      && (self->batch->items[self->batch->next].block->flags & FASP_BLOCK_HEADER))
    gst_fasp_announce_take_header (&self->announce, &self->batch->items[self->batch->next++]);
  if (self->batch->next == self->batch->n)
    return NULL;
  item = &self->batch->items[self->batch->next];
  if (item->block->flags & FASP_BLOCK_EOS) {
    self->batch->next++;
    fasp_block_unref (item->block);
    gst_fasp_announce_forget_header (&self->announce, item->session);
    monitor (self, NULL);
    gst_fasp_ending_note_end (&self->ending);
    return NULL;
  }
  if ((item->block->flags & FASP_BLOCK_LACKS) != 0
      && gst_fasp_ending_refuse (&self->ending, &self->connection, item->block->offset,
          gst_fasp_announce_is_of (&self->announce, &item->behind.origin)))
    return NULL;
  gst_fasp_announce_follow (&self->announce, item);
  announce (self, &item->behind);
  if (item->block->flags & FASP_BLOCK_DISCONT)
    push_gap (self, item);
  return gst_fasp_handover_give (&self->handover,
      gst_fasp_announce_is_entry (&self->announce) ? make_header (self, item) : make_buffer (self),
      item);
}

/* Gives the items their time of presentation. */
static void
present (GstFaspSrc *self)
{
  FaspTime latency = 0;

  if (self->presenter->stats.is_on) {
    GST_OBJECT_LOCK (self);
    latency = self->latency * FASP_MSEC;
    GST_OBJECT_UNLOCK (self);
  }
  gst_fasp_presenter_place (self->presenter, GST_ELEMENT (self), self->batch->items, self->batch->n,
      latency);
  if (self->presenter->stats.is_on
      && gst_fasp_presenter_has_changed (self->presenter, g_get_monotonic_time ()))
    gst_fasp_presentation_post (GST_ELEMENT (self), self->presenter,
        &self->connection.posted.quiet[GST_FASP_QUIET_PRESENTATION]);
}

/* To be called before a read, which may empty the buffer. */
static void
look_at_room (GstFaspSrc *self)
{
  gint64 now = g_get_monotonic_time ();
  FaspTime delay = self->presenter->core.delay;
  FaspEndpointStats stats;

  /* without presentation-delay, nothing says that a sink plays by the clock, and is not just slow;
   * and each of several sources has a buffer of its own, which all are full only together */
  if (delay == 0 || self->connection.several != NULL || !gst_fasp_room_is_due (self->room, now))
    return;
  fasp_endpoint_get_stats (fasp_io_lock (self->connection.io), &stats);
  fasp_io_unlock (self->connection.io, FALSE);
  gst_fasp_room_look (self->room, GST_ELEMENT (self), &stats, delay, now);
}

static GstFlowReturn
read_items (GstFaspSrc *self)
{
  GstFlowReturn ret = GST_FLOW_OK;
  FaspEvent event;

  self->batch->next = self->batch->n = 0;
  look_at_room (self);
  switch (gst_fasp_connection_read (&self->connection, self->batch->items, BATCH, &self->batch->n,
      &event)) {
    case FASP_IO_OK:
      follow_sender (self);
      present (self);
      /* in a pause, buffers cannot get a running time */
      ret = gst_base_src_wait_playing (GST_BASE_SRC (self));
      gst_fasp_timing_look (&self->timing, GST_ELEMENT (self));
      return ret;
    case FASP_IO_FLUSHING:
      return GST_FLOW_FLUSHING;
    case FASP_IO_ENDED:
      gst_fasp_announce_forget_header (&self->announce, event.session);
      return gst_fasp_ending_note_gone (&self->ending, &self->connection, &event);
    case FASP_IO_WAITING: /* only writing and draining return that */
      break;
    case FASP_IO_FAILED:
      return gst_fasp_ending_set (&self->ending,
          gst_fasp_connection_fail (&self->connection, &event));
  }
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_fasp_src_create (GstPushSrc *src, GstBuffer **buffer)
{
  GstFaspSrc *self = GST_FASP_SRC (src);
  GstFlowReturn ret = GST_FLOW_OK;

  /* items that were read before a flush get running time as it is after the flush */
  if (g_atomic_int_compare_and_exchange (&self->interrupted, TRUE, FALSE))
    gst_fasp_timing_look (&self->timing, GST_ELEMENT (self));
  *buffer = take_back (self);
  while (*buffer == NULL && ret == GST_FLOW_OK) {
    *buffer = take_items (self);
    if (*buffer != NULL)
      monitor (self, *buffer);
    else
      ret = gst_fasp_ending_look (&self->ending, &self->connection);
    if (*buffer == NULL && ret == GST_FLOW_OK)
      ret = read_items (self);
  }
  return ret;
}

/* --- flushes ------------------------------------------------------------------------------ */

/* The state of begin_control(), for end_control(). Changes of state and events of the application
 * both come with the state lock held, so these calls nest. */
typedef struct
{
  GThread *controller;
  gboolean pausing;
} Control;

static Control
begin_control (GstFaspSrc *self, gboolean pausing)
{
  Control before = { g_atomic_pointer_get (&self->controller), self->pausing };

  g_atomic_pointer_set (&self->controller, g_thread_self ());
  self->pausing = pausing;
  return before;
}

/* Restores the state, as a handler called meanwhile may have sent an event. */
static void
end_control (GstFaspSrc *self, Control before)
{
  self->pausing = before.pausing;
  g_atomic_pointer_set (&self->controller, before.controller);
}

static gboolean
is_controlled (GstFaspSrc *self)
{
  return g_atomic_pointer_get (&self->controller) == g_thread_self ();
}

/* Sets the state rather than count calls, as the base class may unlock twice and end that once. */
static void
set_unlocked (GstFaspSrc *self, gboolean unlocked)
{
  if (!g_atomic_int_compare_and_exchange (&self->unlocked, !unlocked, unlocked))
    return;
  gst_fasp_connection_flush (&self->connection, unlocked);
  g_atomic_int_set (&self->interrupted, TRUE);
}

/* Flushes, EOS events and changes of state end the waits of create(), and let it wait again when
 * they are done.  From 1.24 on, GstBaseSrc also unlocks for a pause, and ends that in the streaming
 * thread when it calls create() again.  These two calls for a pause are ignored. If create()
 * returned and the pause were over by then, GstBaseSrc would stop its task for good; and if a flush
 * came in between, create() would wait although it is flushed.  A pause needs no unlock:
 * read_items() waits for PLAYING. */
static gboolean
gst_fasp_src_unlock (GstBaseSrc *src)
{
  GstFaspSrc *self = GST_FASP_SRC (src);

  if (!(is_controlled (self) && self->pausing))
    set_unlocked (self, TRUE);
  return TRUE;
}

static gboolean
gst_fasp_src_unlock_stop (GstBaseSrc *src)
{
  GstFaspSrc *self = GST_FASP_SRC (src);

  if (is_controlled (self))
    set_unlocked (self, FALSE);
  return TRUE;
}

/* Precedes a FLUSH_STOP that comes without its FLUSH_START by one, and refuses seeks. A FLUSH_STOP
 * waits for the streaming thread with the state lock held, so if that thread is not flushed, the
 * element could not be closed any more; the FLUSH_START may have come before the element was closed
 * and opened again. A seek would wait in the same way. A live stream cannot be sought in, but
 * GstBaseSrc refuses only seeks from downstream. */
static gboolean
gst_fasp_src_send_event (GstElement *element, GstEvent *event)
{
  GstFaspSrc *self = GST_FASP_SRC (element);
  GstElementClass *parent = GST_ELEMENT_CLASS (gst_fasp_src_parent_class);
  Control before;
  gboolean done;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    gst_event_unref (event);
    return FALSE;
  }
  before = begin_control (self, FALSE);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP && !g_atomic_int_get (&self->unlocked))
    parent->send_event (element, gst_event_new_flush_start ());
  done = parent->send_event (element, event);
  end_control (self, before);
  return done;
}

/* --- latency --------------------------------------------------------------------------- */

static void
handle_event (GstElement *element, guint source, const FaspEvent *event)
{
  GstFaspSrc *self = GST_FASP_SRC (element);
  guint largest = 0;
  gboolean changed;

  if (event->type == FASP_EVENT_CONNECTED) {
    GST_OBJECT_LOCK (self);
    g_free (self->streamid);
    self->streamid = g_strdup (event->streamid);
    GST_OBJECT_UNLOCK (self);
  }
  if (!event->terms.latency_known
      || (event->type != FASP_EVENT_CONNECTED && event->type != FASP_EVENT_PROMISE))
    return;
  GST_OBJECT_LOCK (self);
  self->latencies[source] = event->terms.latency_ms;
  for (guint i = 0; i < FASP_SOURCES_MAX; i++)
    largest = MAX (largest, self->latencies[i]);
  changed = !self->negotiated || self->latency != largest;
  self->negotiated = TRUE;
  self->latency = largest;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_element_post_message (element, gst_message_new_latency (GST_OBJECT (element)));
}

static gboolean
gst_fasp_src_query (GstBaseSrc *src, GstQuery *query)
{
  GstFaspSrc *self = GST_FASP_SRC (src);
  gint latency;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_BASE_SRC_CLASS (gst_fasp_src_parent_class)->query (src, query);
  GST_OBJECT_LOCK (self);
  latency = self->negotiated ? (gint) self->latency : MAX (self->connection.settings.latency, 0);
  GST_OBJECT_UNLOCK (self);
  /* no maximum: no data is lost if downstream takes longer */
  gst_query_set_latency (query, TRUE, latency * GST_MSECOND, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* Passes requests for a key frame on to the sender, whose encoder is at the other end. A decoder
 * downstream has met a gap, or a receiver has joined a faspsink downstream. */
static gboolean
gst_fasp_src_event (GstBaseSrc *src, GstEvent *event)
{
  GstFaspSrc *self = GST_FASP_SRC (src);
  gboolean stops = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP, done;

  if (gst_video_event_is_force_key_unit (event))
    return gst_fasp_connection_want_key_frame (&self->connection);
  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY) {
    GST_OBJECT_LOCK (self);
    gst_event_parse_latency (event, &self->presenter->latency);
    GST_OBJECT_UNLOCK (self);
  }
  done = GST_BASE_SRC_CLASS (gst_fasp_src_parent_class)->event (src, event);
  if (stops) /* from downstream: create() may wait again */
    set_unlocked (self, FALSE);
  return done;
}

static GstCaps *
gst_fasp_src_get_caps (GstBaseSrc *src, GstCaps *filter)
{
  GstFaspSrc *self = GST_FASP_SRC (src);
  GstCaps *caps, *result;

  GST_OBJECT_LOCK (self);
  caps = self->started ? self->caps : self->connection.settings.receiving.caps;
  caps = caps != NULL ? gst_caps_ref (caps) : gst_caps_new_any ();
  GST_OBJECT_UNLOCK (self);
  if (filter == NULL)
    return caps;
  result = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return result;
}

/* Drops allocation queries, as buffers are made of the received blocks. GstBaseSrc sends a new one
 * whenever a demuxer links a branch. That query would wait behind the queue of another branch,
 * whose sink may wait for the preroll of the new branch, which needs this thread. */
static GstPadProbeReturn
drop_allocation (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  return GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) == GST_QUERY_ALLOCATION ?
      GST_PAD_PROBE_DROP :
      GST_PAD_PROBE_OK;
}

/* --- the clock -------------------------------------------------------------------------- */

static GstClock *
gst_fasp_src_provide_clock (GstElement *element)
{
  GstFaspSrc *self = GST_FASP_SRC (element);
  gboolean provide;

  GST_OBJECT_LOCK (self);
  provide = self->started ? self->provided : self->connection.settings.receiving.provide_clock;
  GST_OBJECT_UNLOCK (self);
  return provide ? GST_CLOCK (gst_object_ref (self->timing.clock)) : NULL;
}

/* --- settings ---------------------------------------------------------------------------- */

/* Takes the settings that hold while the element runs. Posts that a clock is provided, or lost, as
 * a bin selects a clock anew only after such a message. */
static void
take_settings (GstFaspSrc *self)
{
  GstClock *clock = GST_CLOCK_CAST (self->timing.clock);
  const GstFaspSettings *settings = &self->connection.settings;
  gboolean changed;
  guint delay;

  GST_OBJECT_LOCK (self);
  self->started = TRUE;
  gst_caps_replace (&self->caps, settings->receiving.caps);
  changed = self->provided != settings->receiving.provide_clock;
  self->provided = settings->receiving.provide_clock;
  self->ending.required = settings->receiving.require_complete;
  delay = settings->receiving.presentation_delay;
  g_clear_pointer (&self->monitor, gst_fasp_monitor_free);
  if (settings->receiving.monitor_ts)
    self->monitor = gst_fasp_monitor_new ();
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_element_post_message (GST_ELEMENT (self),
        self->provided ? gst_message_new_clock_provide (GST_OBJECT (self), clock, TRUE) :
                         gst_message_new_clock_lost (GST_OBJECT (self), clock));
  gst_fasp_presenter_begin (self->presenter, GST_ELEMENT (self), delay);
  self->looked = 0;
  *self->room = (GstFaspRoom) { 0 };
  gst_fasp_clock_leave (self->timing.clock);
}

static void
forget_settings (GstFaspSrc *self)
{
  GST_OBJECT_LOCK (self);
  self->started = FALSE;
  gst_fasp_monitor_begin (self->monitor);
  gst_clear_caps (&self->caps);
  GST_OBJECT_UNLOCK (self);
}

/* --- states ------------------------------------------------------------------------------ */

/* Opens the connection here rather than in GstBaseSrc's start(), which is called while the pad's
 * state changes: if that fails, GstBaseSrc posts an error of its own after this element's. */
static gboolean
open_up (GstFaspSrc *self)
{
  self->negotiated = FALSE;
  memset (self->latencies, 0, sizeof self->latencies);
  gst_fasp_announce_clear (&self->announce);
  gst_fasp_ending_set (&self->ending, GST_FLOW_OK);
  gst_fasp_timing_reset (&self->timing);
  take_settings (self);
  if (gst_fasp_connection_open (&self->connection))
    return TRUE;
  forget_settings (self);
  return FALSE;
}

static void
close_down (GstFaspSrc *self)
{
  gst_fasp_handover_clear (&self->handover);
  drop_items (self);
  gst_fasp_joiner_clear (&self->joiner);
  gst_fasp_announce_clear (&self->announce);
  gst_fasp_connection_close (&self->connection);
  forget_settings (self);
}

static GstStateChangeReturn
gst_fasp_src_change_state (GstElement *element, GstStateChange transition)
{
  GstFaspSrc *self = GST_FASP_SRC (element);
  GstStateChangeReturn ret;
  Control before;

  gst_fasp_connection_follow (&self->connection, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      && !gst_fasp_connection_may_close (&self->connection))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !open_up (self))
    return GST_STATE_CHANGE_FAILURE;
  before = begin_control (self, transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED);
  ret = GST_ELEMENT_CLASS (gst_fasp_src_parent_class)->change_state (element, transition);
  end_control (self, before);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && ret == GST_STATE_CHANGE_FAILURE))
    close_down (self);
  return ret;
}

/* --- GObject -------------------------------------------------------------------------------- */

static void
gst_fasp_src_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  gst_fasp_connection_set_property (&GST_FASP_SRC (object)->connection, id, value, pspec);
  if (id != GST_FASP_PROP_PROVIDE_CLOCK)
    return;
  /* GStreamer calls provide_clock() only with this flag */
  if (g_value_get_boolean (value))
    GST_OBJECT_FLAG_SET (object, GST_ELEMENT_FLAG_PROVIDE_CLOCK);
  else
    GST_OBJECT_FLAG_UNSET (object, GST_ELEMENT_FLAG_PROVIDE_CLOCK);
}

static void
gst_fasp_src_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstFaspSrc *self = GST_FASP_SRC (object);
  g_autoptr (GstFaspMonitor) copy = NULL;
  FaspPresentationStats presentation;

  gst_fasp_connection_get_property (&self->connection, id, value, pspec);
  if (id != GST_FASP_PROP_STATS)
    return;
  GST_OBJECT_LOCK (self);
  copy = gst_fasp_monitor_copy (self->monitor, gst_fasp_monitor_get_time ());
  presentation = self->presenter->stats;
  GST_OBJECT_UNLOCK (self);
  gst_fasp_stats_add_presentation (g_value_get_boxed (value), &presentation);
  gst_fasp_monitor_add_figures (copy, g_value_get_boxed (value));
}

static void
gst_fasp_src_finalize (GObject *object)
{
  gst_fasp_connection_clear (&GST_FASP_SRC (object)->connection);
  gst_fasp_timing_clear (&GST_FASP_SRC (object)->timing);
  g_free (GST_FASP_SRC (object)->presenter);
  g_free (GST_FASP_SRC (object)->room);
  g_free (GST_FASP_SRC (object)->batch);
  gst_fasp_monitor_free (GST_FASP_SRC (object)->monitor);
  g_free (GST_FASP_SRC (object)->streamid);
  G_OBJECT_CLASS (gst_fasp_src_parent_class)->finalize (object);
}

static void
gst_fasp_src_class_init (GstFaspSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);

  object_class->set_property = gst_fasp_src_set_property;
  object_class->get_property = gst_fasp_src_get_property;
  object_class->finalize = gst_fasp_src_finalize;
  gst_fasp_settings_install (object_class, FASP_ROLE_RECEIVER);
  gst_fasp_events_install (object_class);
  gst_fasp_connection_install_check (object_class);
  /**
   * GstFaspSrc::decide-caller:
   * @src: a faspsrc
   * @ticket: that of #GstFaspSrc::caller-asked
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
   * GstFaspSrc::switch-source:
   * @source: as in the message `stream-source` and in `callers` of the statistics
   *
   * With #GstFaspSrc:redundancy, the stream is to be that of @source from now on, and whenever that
   * can bring it (#GstFaspSrc:wait-to-restore).
   *
   * Returns: %FALSE if it is not connected
   *
   * Since: 1.0
   */
  g_signal_new_class_handler ("switch-source", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (gst_fasp_connection_switch_source), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_UINT);

  element_class->change_state = gst_fasp_src_change_state;
  element_class->send_event = gst_fasp_src_send_event;
  element_class->provide_clock = gst_fasp_src_provide_clock;
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "fasp source", "Source/Network",
      "Receives a stream, whole and in order, over networks that lose packets. "
      "Set first: uri, latency, passphrase, keep-listening, too-late",
      "The gst-fasp developers");

  src_class->unlock = gst_fasp_src_unlock;
  src_class->unlock_stop = gst_fasp_src_unlock_stop;
  src_class->query = gst_fasp_src_query;
  src_class->event = gst_fasp_src_event;
  src_class->get_caps = gst_fasp_src_get_caps;
  GST_PUSH_SRC_CLASS (klass)->create = gst_fasp_src_create;
}

static void
gst_fasp_src_init (GstFaspSrc *self)
{
  gst_fasp_connection_init (&self->connection, GST_ELEMENT (self), FASP_ROLE_RECEIVER);
  self->connection.event = handle_event;
  gst_fasp_timing_init (&self->timing);
  gst_base_src_set_live (GST_BASE_SRC (self), TRUE);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
  gst_base_src_set_do_timestamp (GST_BASE_SRC (self), FALSE);
  gst_pad_add_probe (GST_BASE_SRC_PAD (self), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, drop_allocation,
      NULL, NULL);
  gst_fasp_handover_init (&self->handover, GST_BASE_SRC_PAD (self));
  self->presenter = g_new0 (GstFaspPresenter, 1);
  self->room = g_new0 (GstFaspRoom, 1);
  self->batch = g_new0 (Batch, 1);
}
