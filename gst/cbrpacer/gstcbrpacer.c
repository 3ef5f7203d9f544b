/* GStreamer CBR pacer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-cbrpacer
 * @title: cbrpacer
 * @see_also: udpsink, faspsink
 *
 * cbrpacer takes a stream that arrives in bursts, as encoders and muxers produce it,
 * and sends it on at an exact constant bit rate, a few datagrams at a time.  Put it
 * in front of any network sink, and set sync=false on the sink.
 *
 * The rate (#cbrpacer:bitrate) counts what the network counts: every datagram
 * with its header (#cbrpacer:header-size).  At most #cbrpacer:max-burst bytes
 * leave at once.  The deadlines are absolute times of the pipeline's clock, in
 * integer arithmetic: after a day the total is exact to one datagram.
 *
 * If the input is slower than the rate, the line is idle at times, or, with
 * #cbrpacer:stuffing=null-ts, MPEG-TS null packets keep the rate.  If it is
 * faster, cbrpacer holds as much data as leaves within #cbrpacer:max-delay.  Beyond
 * that the source has to wait, or the oldest data is dropped (#cbrpacer:overflow).
 *
 * An MPEG transport stream leaves in datagrams of seven packets, whatever the
 * muxer's alignment.  Anything else leaves as it came, unless
 * #cbrpacer:payload-size splits and merges it.  No byte is copied.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency bitrate=6000 ! mpegtsmux ! cbrpacer bitrate=8000000 ! udpsink host=127.0.0.1 port=5004 sync=false
 * ]| The bursts of the encoder leave at 8 Mbit/s at most, five datagrams at a time.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency bitrate=6000 ! mpegtsmux ! cbrpacer bitrate=8000000 stuffing=null-ts ! udpsink host=127.0.0.1 port=5004 sync=false
 * ]| The same at exactly 8 Mbit/s, with null packets where the encoder makes less.
 * |[
 * gst-launch-1.0 filesrc location=programme.ts ! cbrpacer ! udpsink host=127.0.0.1 port=5004 sync=false
 * ]| Plays out a transport stream at the pace of its own clock.
 *
 * Since: 0.2
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcbrpacer.h"

GST_DEBUG_CATEGORY (gst_cbr_pacer_debug);
#define GST_CAT_DEFAULT gst_cbr_pacer_debug

/* A live source is too fast if it waits for room, and the queue never falls below HELD_SHARE of its
 * highest level, in HELD_LOOKS looks in a row. */
#define HELD_LOOK ((gint64) GST_SECOND)
#define HELD_SHARE .5
#define HELD_LOOKS 3
#define HELD_AGAIN (10 * HELD_LOOK)
/* If the schedule falls behind by more than this share of the time, the elements behind are too slow. */
#define SLOW_SHARE .02

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

G_DEFINE_TYPE_WITH_CODE (GstCbrPacer, gst_cbr_pacer, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_cbr_pacer_debug, "cbrpacer", 0,
        "constant bit rate pacer"));
GST_ELEMENT_REGISTER_DEFINE (cbrpacer, "cbrpacer", GST_RANK_NONE,
    GST_TYPE_CBR_PACER);

static void
wake (GstCbrPacer * self)
{
  if (!self->hungry)
    return;
  self->hungry = FALSE;         /* wakes it once for a whole list */
  cbr_waiter_interrupt (&self->waiter);
}

/* --- the clock -------------------------------------------------------------------- */

/* Nothing was to leave until @now: the lag of before is forgotten. */
static void
forget_lag (GstCbrPacer * self, gint64 now)
{
  self->fed_at = now;
  cbr_queue_limit_marks (&self->queue, gst_cbr_pacer_get_lag (self, now));
}

/* It is @now on another clock: times of the one before say nothing any more. */
static void
begin_anew (GstCbrPacer * self, gint64 now)
{
  gst_cbr_pacer_thread_reset (self);
  /* what could not leave so far is not late on this clock */
  forget_lag (self, now);
  self->lag = self->lag_before = gst_cbr_pacer_get_lag (self, now);
  self->held_looked = self->held_told = self->looked_before = now;
}

/* Returns the pipeline's clock, or the system's if there is none; a reference. */
static GstClock *
get_clock (GstCbrPacer * self)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));

  return clock != NULL ? clock : gst_system_clock_obtain ();
}

gint64
gst_cbr_pacer_read_clock (GstCbrPacer * self)
{
  g_autoptr (GstClock) clock = get_clock (self);
  gboolean another = self->clock != NULL && self->clock != clock;
  gint64 now;

  gst_object_replace ((GstObject **) & self->clock, GST_OBJECT (clock));
  now = (gint64) gst_clock_get_time (clock);
  if (another)
    begin_anew (self, now);
  return now;
}

static gboolean
gst_cbr_pacer_set_clock (GstElement * element, GstClock * clock)
{
  GstCbrPacer *self = GST_CBR_PACER (element);
  gboolean result =
      GST_ELEMENT_CLASS (gst_cbr_pacer_parent_class)->set_clock (element,
      clock);

  g_mutex_lock (&self->lock);
  /* nothing has read a clock yet: it is not held, either, in READY and NULL */
  if (self->clock != NULL)
    gst_cbr_pacer_read_clock (self);
  /* waits on the previous clock are computed anew */
  cbr_waiter_interrupt (&self->waiter);
  cbr_waiter_interrupt (&self->room);
  g_mutex_unlock (&self->lock);
  return result;
}

/* --- what comes in -------------------------------------------------------------- */

/* Looks for packets of 188 bytes, for sources that have no caps. */
static void
look_for_ts (GstCbrPacer * self, GstBuffer * buffer)
{
  guint8 bytes[CBR_TS_PACKET + 1];
  gboolean is_first = !self->is_ts;
  gsize n;

  if (self->ts_known)
    return;
  n = gst_buffer_extract (buffer, 0, bytes, sizeof bytes);
  self->is_ts = cbr_ts_is_sync (bytes, n);
  /* a single packet may be an accident: looks at the next buffer, too */
  self->ts_known = !(self->is_ts && n == CBR_TS_PACKET && is_first);
}

/* Releases the lock meanwhile. */
static void
ask_if_live (GstCbrPacer * self)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE;

  self->live_known = TRUE;
  g_mutex_unlock (&self->lock);
  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  g_mutex_lock (&self->lock);
  self->live = live;
}

/* FALSE: the rate cannot be learned. */
static gboolean
learn (GstCbrPacer * self, GstBuffer * buffer)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (!gst_cbr_pacer_wants_clock (self))
    return TRUE;
  if (!self->live_known)
    ask_if_live (self);
  if (self->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME,
        GST_BUFFER_DTS_OR_PTS (buffer));
  if (GST_BUFFER_IS_DISCONT (buffer))
    cbr_learner_jump (&self->learner);
  cbr_learner_feed (&self->learner, buffer, time,
      gst_cbr_pacer_read_clock (self),
      gst_cbr_pacer_get_payload (self) > 0 ? 0 : self->settings.header_size);
  return self->live || self->settings.bitrate > 0
      || !cbr_learner_is_lost (&self->learner);
}

static void
drop_oldest (GstCbrPacer * self)
{
  gsize size = cbr_queue_drop (&self->queue, gst_cbr_pacer_get_payload (self));

  self->figures.bytes_dropped += size;
  self->dropped_untold += size;
}

static void
wait_for_room (GstCbrPacer * self, gsize size)
{
  self->held = TRUE;
  self->blocked = size;
  cbr_waiter_sleep (&self->room, &self->lock);
  self->blocked = 0;
}

/* Waits if a buffer comes before its time. FALSE: it may come in. */
static gboolean
wait_for_entry (GstCbrPacer * self)
{
  gint64 now = gst_cbr_pacer_read_clock (self);
  gint64 entry = gst_cbr_pacer_choose_entry (self, now);

  if (entry <= now)
    return FALSE;
  if (entry == G_MAXINT64)
    cbr_waiter_sleep (&self->room, &self->lock);
  else
    cbr_waiter_wait (&self->room, &self->lock, self->clock, &(CbrWait) {
        entry, entry}
      , 0);
  return TRUE;
}

static GstFlowReturn
take_buffer (GstCbrPacer * self, GstBuffer * buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  gboolean counted = FALSE;
  gint64 lag;

  self->least = MIN (self->least, self->queue.bytes);
  if (size == 0) {
    self->discont |= GST_BUFFER_IS_DISCONT (buffer);
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (self->discont) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    self->discont = FALSE;
  }
  look_for_ts (self, buffer);
  if (!learn (self, buffer)) {
    gst_buffer_unref (buffer);
    g_mutex_unlock (&self->lock);
    GST_ELEMENT_ERROR (self, STREAM, FAILED,
        ("The rate of this stream cannot be learned: it has neither PCR nor "
            "timestamps that advance steadily, and comes faster than it can be "
            "played. Set bitrate."), (NULL));
    g_mutex_lock (&self->lock);
    return GST_FLOW_ERROR;
  }
  while (!self->flushing && self->result == GST_FLOW_OK && !self->refusing) {
    if (!gst_cbr_pacer_look_if_full (self, size)) {
      if (!wait_for_entry (self))
        break;
      continue;
    }
    if (!counted)
      self->figures.overruns++;
    counted = TRUE;
    if (self->settings.overflow == GST_CBR_PACER_OVERFLOW_DROP_OLDEST)
      drop_oldest (self);
    else
      wait_for_room (self, size);
  }
  if (self->flushing || self->result != GST_FLOW_OK || self->refusing) {
    gst_buffer_unref (buffer);
    return self->flushing ? GST_FLOW_FLUSHING : self->refusing ? GST_FLOW_EOS :
        self->result;
  }
  /* nothing could leave until now */
  if (self->queue.bytes == 0
      || self->queue.bytes < gst_cbr_pacer_get_payload (self))
    self->fed_at = gst_cbr_pacer_read_clock (self);
  /* the lag is needed only without a set rate, and it takes time to read the clock */
  lag = self->settings.bitrate > 0 ? self->lost :
      gst_cbr_pacer_get_lag (self, gst_cbr_pacer_read_clock (self));
  cbr_queue_push_buffer (&self->queue, buffer, lag);
  self->most = MAX (self->most, self->queue.bytes);
  wake (self);
  /* ends a wait that was computed with a rate which was far too low */
  if (self->waiting_rate > 0
      && gst_cbr_pacer_get_rate (self) / 9 * 8 > self->waiting_rate)
    cbr_waiter_interrupt (&self->waiter);
  return GST_FLOW_OK;
}

/* Are the elements behind too slow, rather than the source too fast? */
static gboolean
is_slow_behind (GstCbrPacer * self)
{
  gint64 now = gst_cbr_pacer_read_clock (self);

  return gst_cbr_pacer_get_lag (self, now) - self->lag_before >
      SLOW_SHARE * (now - self->looked_before);
}

/* Warns about dropped data, at most once a second. */
static void
tell_dropped (GstCbrPacer * self)
{
  gint64 now = g_get_monotonic_time ();
  guint64 dropped = self->dropped_untold;
  gboolean slow;

  if (dropped == 0 || now - self->dropped_told < G_TIME_SPAN_SECOND)
    return;
  self->dropped_told = now;
  self->dropped_untold = 0;
  slow = is_slow_behind (self);
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING_WITH_DETAILS (self, STREAM, FAILED,
      ("Dropped %" G_GUINT64_FORMAT " bytes: %s", dropped, slow ?
          "the stream is faster than the elements behind take it. Set sync=false "
          "at the sink, look at its network, or lower the encoder's rate." :
          "the stream is faster than bitrate. "
          "Raise bitrate or max-delay, or lower the encoder's rate."),
      (NULL), ("bytes", G_TYPE_UINT64, dropped, NULL));
  g_mutex_lock (&self->lock);
}

/* Warns if the source is live and waits: its stream is later and later. Other sources may wait. */
static void
tell_held (GstCbrPacer * self)
{
  gint64 now = gst_cbr_pacer_read_clock (self);
  gboolean full, slow;

  if (now - self->held_looked < HELD_LOOK)
    return;
  full = self->held && self->least >= HELD_SHARE * self->most;
  slow = is_slow_behind (self);
  self->held_looks = full ? self->held_looks + 1 : 0;
  self->looked_before = self->held_looked > 0 ? self->held_looked : now;
  self->lag_before = self->lag;
  self->held_looked = now;
  self->lag = gst_cbr_pacer_get_lag (self, now);
  self->held = FALSE;
  self->least = G_MAXSIZE;
  self->most = 0;
  if (self->held_looks < HELD_LOOKS
      || (self->held_told > 0 && now - self->held_told < HELD_AGAIN))
    return;
  if (!self->live_known)
    ask_if_live (self);
  if (!self->live)
    return;
  self->held_told = now;
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("%s: its live source is held up, and the delay keeps growing. %s, "
          "lower the encoder's rate, or set overflow=drop-oldest.",
          slow ? "The stream is faster than the elements behind take it" :
          "The stream is faster than bitrate",
          slow ? "Set sync=false at the sink, look at its network" :
          "Raise bitrate"), (NULL));
  g_mutex_lock (&self->lock);
}

static GstFlowReturn
gst_cbr_pacer_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstCbrPacer *self = GST_CBR_PACER (parent);
  GstFlowReturn ret = GST_FLOW_EOS;

  g_mutex_lock (&self->lock);
  if (self->eos)
    gst_buffer_unref (buffer);
  else
    ret = take_buffer (self, buffer);
  tell_held (self);
  tell_dropped (self);
  g_mutex_unlock (&self->lock);
  return ret;
}

static GstFlowReturn
gst_cbr_pacer_chain_list (GstPad * pad, GstObject * parent,
    GstBufferList * list)
{
  GstCbrPacer *self = GST_CBR_PACER (parent);
  guint n = gst_buffer_list_length (list);
  GstFlowReturn ret;

  g_mutex_lock (&self->lock);
  ret = self->eos ? GST_FLOW_EOS : GST_FLOW_OK;
  for (guint i = 0; i < n && ret == GST_FLOW_OK; i++)
    ret = take_buffer (self, gst_buffer_ref (gst_buffer_list_get (list, i)));
  tell_held (self);
  tell_dropped (self);
  g_mutex_unlock (&self->lock);
  gst_buffer_list_unref (list);
  return ret;
}

/* --- events ----------------------------------------------------------------------- */

static void
start_task (GstCbrPacer * self)
{
  gst_pad_start_task (self->srcpad, gst_cbr_pacer_thread_run, self->srcpad,
      NULL);
}

/* Call this with the lock held.  Drops everything of the stream so far, except for the
 * events that outlive a flush. */
static void
forget_stream (GstCbrPacer * self, GQueue * kept)
{
  cbr_queue_clear (&self->queue, kept);
  cbr_learner_flush (&self->learner);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  gst_cbr_pacer_thread_reset (self);
  self->begun = FALSE;
  self->unwanted = self->refusing = FALSE;
  self->eos = self->discont = FALSE;
  self->result = GST_FLOW_OK;
}

static void
set_flushing (GstCbrPacer * self)
{
  g_mutex_lock (&self->lock);
  self->flushing = TRUE;
  cbr_waiter_interrupt (&self->waiter);
  cbr_waiter_interrupt (&self->room);
  g_mutex_unlock (&self->lock);
}

void
gst_cbr_pacer_look_at_caps (GstCbrPacer * self, GstEvent * event)
{
  GstStructure *s;
  GstCaps *caps;
  gint size;

  gst_event_parse_caps (event, &caps);
  s = gst_caps_get_structure (caps, 0);
  self->ts_known = TRUE;
  self->is_ts = gst_structure_has_name (s, "video/mpegts");
  /* 192: with a time code; 204, 208: with Reed-Solomon bytes; else standard packets */
  if (!gst_structure_get_int (s, "packetsize", &size)
      || (size != 192 && size != 204 && size != 208))
    size = CBR_TS_PACKET;
  self->ts_payload = CBR_TS_PACKETS * size;
}

/* TRUE: the source can wait, and all its data came (nearly) at once: a file without a clock. */
static gboolean
is_unpaced (GstCbrPacer * self)
{
  return self->settings.bitrate == 0 && self->live_known && !self->live
      && self->learner.clock != CBR_CLOCK_PCR
      && self->learner.clock != CBR_CLOCK_TIMESTAMPS
      && !cbr_learner_is_known (&self->learner);
}

/* Takes an event that has its place in the stream. */
static gboolean
take_event (GstCbrPacer * self, GstEvent * event)
{
  gboolean is_eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  gboolean taken, restart = FALSE, unpaced = FALSE;
  GstFlowReturn error = GST_FLOW_OK;

  g_mutex_lock (&self->lock);
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START && self->eos
      && !self->flushing) {
    /* another stream begins after the end of the last one */
    self->eos = FALSE;
    if (self->result == GST_FLOW_EOS) {
      self->result = GST_FLOW_OK;
      gst_cbr_pacer_thread_reset (self);
      restart = TRUE;
    }
  }
  /* sticky events are kept even if nothing can leave: if we refused one, upstream would
   * post an error.  The data that follows will tell upstream why it cannot leave. */
  taken = !self->flushing && !self->eos && (self->result == GST_FLOW_OK
      || (GST_EVENT_IS_STICKY (event) && !is_eos));
  if (taken) {
    switch (GST_EVENT_TYPE (event)) {
      case GST_EVENT_STREAM_START:
        self->refusing = FALSE;
        /* the source may be another one, with a clock of its own */
        self->live_known = FALSE;
        cbr_learner_jump (&self->learner);
        break;
      case GST_EVENT_CAPS:
        /* data that waits is cut according to the caps that it came with */
        if (self->queue.bytes == 0)
          gst_cbr_pacer_look_at_caps (self, event);
        break;
      case GST_EVENT_SEGMENT:
        self->refusing = FALSE;
        gst_event_copy_segment (event, &self->segment);
        break;
      case GST_EVENT_EOS:
        self->eos = TRUE;
        unpaced = is_unpaced (self);
        break;
      default:
        break;
    }
    if (self->result == GST_FLOW_OK)
      cbr_queue_push (&self->queue, GST_MINI_OBJECT_CAST (event));
    else
      cbr_queue_push_sticky (&self->queue, event);
    /* the event need not wait if only null packets wait for their time */
    cbr_waiter_interrupt (&self->waiter);
  } else if (is_eos && !self->flushing) {
    error = self->result;
  }
  g_mutex_unlock (&self->lock);
  if (restart)
    start_task (self);
  if (!taken)
    gst_event_unref (event);
  if (unpaced)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("The rate of this stream was not learned: it has neither PCR nor "
            "timestamps, and came faster than it can be played. It leaves "
            "almost at once. Set bitrate."), (NULL));
  /* posts the error: no data will come by which upstream could learn of it */
  if (error == GST_FLOW_NOT_LINKED || error < GST_FLOW_EOS)
    GST_ELEMENT_FLOW_ERROR (self, error);
  return taken;
}

static gboolean
gst_cbr_pacer_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCbrPacer *self = GST_CBR_PACER (parent);
  GQueue kept = G_QUEUE_INIT;
  gboolean result, active;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      result = gst_pad_push_event (self->srcpad, event);
      set_flushing (self);
      gst_pad_pause_task (self->srcpad);
      return result;
    case GST_EVENT_FLUSH_STOP:
      result = gst_pad_push_event (self->srcpad, event);
      g_mutex_lock (&self->lock);
      forget_stream (self, &kept);
      g_mutex_unlock (&self->lock);
      while ((event = g_queue_pop_head (&kept)) != NULL) {
        if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
          g_mutex_lock (&self->lock);
          gst_cbr_pacer_look_at_caps (self, event);
          g_mutex_unlock (&self->lock);
        }
        gst_pad_store_sticky_event (self->srcpad, event);
        gst_event_unref (event);
      }
      active = gst_pad_is_active (self->srcpad);
      g_mutex_lock (&self->lock);
      self->flushing = !active;
      g_mutex_unlock (&self->lock);
      if (active)
        start_task (self);
      return result;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        return take_event (self, event);
      return gst_pad_event_default (pad, parent, event);
  }
}

static gboolean
gst_cbr_pacer_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCbrPacer *self = GST_CBR_PACER (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    gboolean restart;

    /* the source pad was linked again */
    g_mutex_lock (&self->lock);
    restart = self->result == GST_FLOW_NOT_LINKED && !self->flushing;
    if (restart) {
      self->result = GST_FLOW_OK;
      gst_cbr_pacer_thread_reset (self);
    }
    self->offload_payload = 0;  /* the sink may be another one */
    g_mutex_unlock (&self->lock);
    if (restart)
      start_task (self);
  }
  return gst_pad_event_default (pad, parent, event);
}

/* --- queries ------------------------------------------------------------------------ */

/* Takes a query that has its place in the stream: it is answered when the data before
 * it has left. */
static gboolean
take_query (GstCbrPacer * self, GstQuery * query)
{
  gboolean result = FALSE;

  g_mutex_lock (&self->lock);
  if (!self->flushing && self->result == GST_FLOW_OK) {
    self->query = query;
    self->query_result = FALSE;
    cbr_queue_push (&self->queue, GST_MINI_OBJECT_CAST (query));
    wake (self);
    while (self->query != NULL && (self->query_busy || (!self->flushing
                && self->result == GST_FLOW_OK)))
      cbr_waiter_sleep (&self->room, &self->lock);
    if (self->query != NULL)
      cbr_queue_remove (&self->queue, query);
    else
      result = self->query_result;
    self->query = NULL;
  }
  g_mutex_unlock (&self->lock);
  return result;
}

static gboolean
gst_cbr_pacer_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_ALLOCATION:
      /* data may wait here for long: its buffers should not be from a sink's small pool */
      return FALSE;
    default:
      if (GST_QUERY_IS_SERIALIZED (query))
        return take_query (GST_CBR_PACER (parent), query);
      return gst_pad_query_default (pad, parent, query);
  }
}

static gboolean
gst_cbr_pacer_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstCbrPacer *self = GST_CBR_PACER (parent);
  GstClockTime min, max, delay;
  gboolean live;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  g_mutex_lock (&self->lock);
  delay = gst_cbr_pacer_get_max_delay (self);
  g_mutex_unlock (&self->lock);
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += delay;
  gst_query_set_latency (query, live, min + delay, max);
  return TRUE;
}

/* --- states -------------------------------------------------------------------------- */

static gboolean
gst_cbr_pacer_sink_activate_mode (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active)
{
  GstCbrPacer *self = GST_CBR_PACER (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (!active) {
    set_flushing (self);
    /* when we have this lock, the streaming thread has left chain() */
    GST_PAD_STREAM_LOCK (pad);
    g_mutex_lock (&self->lock);
    cbr_queue_clear (&self->queue, NULL);
    g_mutex_unlock (&self->lock);
    GST_PAD_STREAM_UNLOCK (pad);
  }
  return TRUE;
}

static gboolean
gst_cbr_pacer_src_activate_mode (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active)
{
  GstCbrPacer *self = GST_CBR_PACER (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active) {
    g_mutex_lock (&self->lock);
    forget_stream (self, NULL);
    self->flushing = FALSE;
    g_mutex_unlock (&self->lock);
    start_task (self);
    return TRUE;
  }
  set_flushing (self);
  return gst_pad_stop_task (pad);
}

static void
set_playing (GstCbrPacer * self, gboolean playing)
{
  g_mutex_lock (&self->lock);
  self->playing = playing;
  self->pauses += !playing;
  self->resumed = playing;
  self->base = CBR_NO_BASE;
  /* the sink may still hold what it had in the pause, which made nothing late */
  if (playing)
    forget_lag (self, gst_cbr_pacer_read_clock (self));
  cbr_waiter_interrupt (&self->waiter);
  cbr_waiter_interrupt (&self->room);
  g_mutex_unlock (&self->lock);
}

static GstStateChangeReturn
gst_cbr_pacer_change_state (GstElement * element, GstStateChange transition)
{
  GstCbrPacer *self = GST_CBR_PACER (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gboolean good;

    g_mutex_lock (&self->lock);
    cbr_figures_init (&self->figures);
    cbr_learner_init (&self->learner, self->settings.window);
    self->is_ts = self->ts_known = self->live = self->live_known = FALSE;
    self->ts_payload = CBR_TS_PACKETS * CBR_TS_PACKET;
    self->offload_payload = 0;
    self->dropped_told = self->dropped_untold = 0;
    self->held = FALSE;
    self->least = G_MAXSIZE;
    self->most = 0;
    self->held_looked = self->held_told = self->held_looks = 0;
    self->lost = self->lag = self->lag_before = self->looked_before = 0;
    good = gst_cbr_pacer_check_stuffing (self);
    g_mutex_unlock (&self->lock);
    if (!good)
      return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    set_playing (self, FALSE);
  ret = GST_ELEMENT_CLASS (gst_cbr_pacer_parent_class)->change_state (element,
      transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    set_playing (self, TRUE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    cbr_offload_stop (&self->offload);
    g_mutex_lock (&self->lock);
    gst_clear_object (&self->clock);
    g_mutex_unlock (&self->lock);
  }
  return ret;
}

/* --- GObject ---------------------------------------------------------------------------- */

static void
gst_cbr_pacer_finalize (GObject * object)
{
  GstCbrPacer *self = GST_CBR_PACER (object);

  cbr_queue_finalize (&self->queue);
  cbr_offload_stop (&self->offload);
  gst_clear_object (&self->clock);
  if (self->nulls != NULL)
    gst_memory_unref (self->nulls);
  cbr_waiter_clear (&self->waiter);
  cbr_waiter_clear (&self->room);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_cbr_pacer_parent_class)->finalize (object);
}

static void
gst_cbr_pacer_class_init (GstCbrPacerClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_cbr_pacer_finalize;
  gst_cbr_pacer_install_properties (G_OBJECT_CLASS (klass));
  element_class->change_state = gst_cbr_pacer_change_state;
  element_class->set_clock = gst_cbr_pacer_set_clock;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Constant bit rate pacer", "Filter/Network",
      "Lets a stream leave at an exact constant bit rate, without bursts",
      "The gst-fasp developers");
}

static void
gst_cbr_pacer_init (GstCbrPacer * self)
{
  g_mutex_init (&self->lock);
  cbr_waiter_init (&self->room);
  cbr_waiter_init (&self->waiter);
  cbr_queue_init (&self->queue);
  gst_cbr_pacer_settings_init (&self->settings);
  cbr_schedule_init (&self->schedule, CBR_DEADLINE, 1, 0);
  cbr_learner_init (&self->learner, self->settings.window);
  cbr_figures_init (&self->figures);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->ts_payload = CBR_TS_PACKETS * CBR_TS_PACKET;
  self->flushing = TRUE;
  gst_cbr_pacer_thread_reset (self);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_cbr_pacer_chain);
  gst_pad_set_chain_list_function (self->sinkpad, gst_cbr_pacer_chain_list);
  gst_pad_set_event_function (self->sinkpad, gst_cbr_pacer_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_cbr_pacer_sink_query);
  gst_pad_set_activatemode_function (self->sinkpad,
      gst_cbr_pacer_sink_activate_mode);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, gst_cbr_pacer_src_event);
  gst_pad_set_query_function (self->srcpad, gst_cbr_pacer_src_query);
  gst_pad_set_activatemode_function (self->srcpad,
      gst_cbr_pacer_src_activate_mode);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
