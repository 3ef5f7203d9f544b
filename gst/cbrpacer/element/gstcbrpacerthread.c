/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The thread of the source pad: waits until the next cycle is due, pushes it, and
 * counts.
 */
#include <time.h>
#include "gstcbrpacer.h"
#include "gstfaspsystem.h"

#define GST_CAT_DEFAULT gst_cbr_pacer_debug

void
gst_cbr_pacer_thread_wake (GstCbrPacer *self)
{
  if (cbr_departure_is_hungry (&self->departure))
    cbr_waiter_interrupt (&self->waiter);
}

/* --- waiting ------------------------------------------------------------------- */

static void
sleep_until_fed (GstCbrPacer *self, gint64 until)
{
  CbrWait wait = { until, until };

  /* no queued data may leave, so data that waits to be queued may come in (choose_entry) */
  cbr_waiter_interrupt (&self->room);
  if (until == G_MAXINT64)
    cbr_waiter_sleep (&self->waiter, &self->lock);
  else
    cbr_waiter_wait (&self->waiter, &self->lock, self->clock, &wait, 0);
}

/* Waits until there is something to push. FALSE: a flush, or an earlier push, ends the task. */
static gboolean
wait_for_work (GstCbrPacer *self)
{
  for (;;) {
    gint64 until = G_MAXINT64;
    CbrPiece piece;

    if (self->flushing || self->result != GST_FLOW_OK)
      return FALSE;
    if (cbr_queue_has_other (&self->queue))
      return TRUE;
    if (self->demand != CBR_WANTED && cbr_queue_drop (&self->queue, 0) > 0) {
      cbr_waiter_interrupt (&self->room);
      continue;
    }
    piece = gst_cbr_pacer_look (self, 1, 0);
    if (piece.held && cbr_queue_let_pass (&self->queue))
      return TRUE;
    if ((piece.size > 0 && piece.whole) || gst_cbr_pacer_is_stuffing (self)) {
      cbr_departure_see_enough (&self->departure);
      return TRUE;
    }
    if (piece.size > 0 || piece.doubt) {
      gint64 now = gst_cbr_pacer_read_clock (self);

      until = cbr_departure_see_part (&self->departure, now, (gint64) self->settings.max_period);
      if (until <= now)
        return TRUE;
    } else { /* the queue is empty, or holds a part of a packet, which cannot leave */
      cbr_departure_see_nothing (&self->departure);
    }
    sleep_until_fed (self, until);
  }
}

/* A PCR says when its byte is due, and the datagrams of a cycle leave together: by up to the
 * cycle's time before that.  So where PCRs are written, cycles are short: half of the millisecond
 * that a network may add (PCR_OJ) is left to it. */
#define PCR_TIME (500 * GST_USECOND)

static guint32
get_max_burst (GstCbrPacer *self)
{
  guint64 bytes;

  if (self->settings.max_burst != 0 || !gst_cbr_pacer_is_restamping (self))
    return self->settings.max_burst;
  bytes = gst_util_uint64_scale (gst_cbr_pacer_get_rate (self), PCR_TIME, 8 * GST_SECOND);
  return CLAMP (bytes, 1, CBR_BURST);
}

static void
apply_settings (GstCbrPacer *self, gint64 now)
{
  CbrSchedule *schedule = &self->departure.schedule;

  gst_cbr_pacer_look_at_pile (self);
  cbr_departure_set_method (&self->departure, self->settings.method);
  cbr_schedule_set_limits (schedule, get_max_burst (self), (gint64) self->settings.max_period,
      self->settings.header_size);
  cbr_schedule_set_rate (schedule, gst_cbr_pacer_get_rate (self), now);
}

/* Waits until the next cycle is due. FALSE: the wait was interrupted, as a setting or the queue
 * changed. */
static gboolean
wait_for_departure (GstCbrPacer *self)
{
  CbrSchedule *schedule = &self->departure.schedule;
  gint64 spin = (gint64) self->settings.spin;
  gint64 now;
  CbrWait wait;
  CbrGap gap;

  now = gst_cbr_pacer_read_clock (self);
  apply_settings (self, now);
  gap = cbr_departure_follow (&self->departure, now, gst_cbr_pacer_is_stuffing (self));
  if (gap != CBR_GAP_NONE)
    cbr_stats_note_gap (self->stats, gap);
  if (gap == CBR_GAP_START || gap == CBR_GAP_STALL)
    gst_cbr_pacer_break_clocks (self);
  if (gap == CBR_GAP_STALL)
    GST_DEBUG_OBJECT (self, "stalled: the schedule begins anew");
  wait = cbr_schedule_get_wait (schedule, cbr_waiter_get_latency (&self->waiter, spin > 0), spin);
  return cbr_waiter_wait (&self->waiter, &self->lock, self->clock, &wait,
      schedule->method == CBR_SEND_AND_COMPARE ? -1 : spin);
}

/* --- handing on --------------------------------------------------------------------- */

/* Returns the size of datagrams that offload should cut; 0: it should not. */
static guint
get_offload_payload (GstCbrPacer *self)
{
  guint payload = gst_cbr_pacer_get_payload (self);

  if (!self->settings.offload)
    return 0;
  return payload > 0 ? payload : CBR_OFFLOAD_UNKNOWN;
}

/* Sets or ends offload, for the present datagrams and sink. Releases the lock meanwhile. */
static void
set_offload (GstCbrPacer *self)
{
  guint payload = get_offload_payload (self);
  g_autofree gchar *why = NULL;

  self->offload_payload = payload;
  g_mutex_unlock (&self->lock);
  if (payload == 0)
    cbr_offload_stop (&self->offload);
  else
    why = cbr_offload_start (&self->offload, self->srcpad,
        payload == CBR_OFFLOAD_UNKNOWN ? 0 : payload);
  if (why != NULL)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("segmentation-offload is not possible here: %s. Datagrams leave one by one.", why),
        (NULL));
  g_mutex_lock (&self->lock);
}

static void
post_stats (GstCbrPacer *self)
{
  gint64 now = g_get_monotonic_time ();
  GstStructure *stats;

  if (self->settings.stats_interval == 0
      || now - self->stats_posted < self->settings.stats_interval * G_TIME_SPAN_MILLISECOND)
    return;
  self->stats_posted = now;
  g_mutex_unlock (&self->lock);
  g_object_get (self, "stats", &stats, NULL);
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), stats));
  g_mutex_lock (&self->lock);
}

static void
count (GstCbrPacer *self, const CbrCycle *cycle, gboolean playing, gint64 cpu_before)
{
  gint64 cpu = gst_fasp_system_get_cpu_time ();

  cbr_stats_worked (self->stats, cpu_before - self->cpu_mark, cpu - cpu_before);
  self->cpu_mark = cpu;
  if (!playing)
    cbr_stats_break (self->stats);
  cbr_stats_departed (self->stats, cycle);
  if (!playing)
    cbr_stats_break (self->stats);
}

static GstFlowReturn
fail (GstCbrPacer *self)
{
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_ERROR (self, STREAM, WRONG_TYPE,
      ("stuffing=null-ts needs an MPEG transport stream of whole packets of "
       "%d bytes. Put tsparse before cbrpacer, or set stuffing=none.",
          TS_PACKET),
      (NULL));
  g_mutex_lock (&self->lock);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
send_cycle (GstCbrPacer *self)
{
  gboolean playing = self->playing, wrong = FALSE;
  guint pauses = self->pauses, links = self->links;
  CbrCycle cycle = { 0 };
  GstBufferList *list;
  GstFlowReturn ret;
  gint64 cpu, handed;

  if (!gst_cbr_pacer_check_stuffing (self))
    return GST_FLOW_ERROR;
  list = gst_cbr_pacer_make_cycle (self, &cycle, &wrong);
  if (self->input.blocked > 0 && !gst_cbr_pacer_look_if_full (self, self->input.blocked))
    cbr_waiter_interrupt (&self->room);
  cbr_departure_leave (&self->departure);
  if (cycle.datagrams == 0 || wrong) {
    gst_buffer_list_unref (list);
    return wrong ? fail (self) : GST_FLOW_OK;
  }
  cycle.left = gst_cbr_pacer_read_clock (self);
  cycle.rate = self->departure.schedule.base.rate;
  if (self->monitor != NULL && playing)
    gst_fasp_monitor_push_list (self->monitor, list, cycle.left);
  g_mutex_unlock (&self->lock);

  cpu = gst_fasp_system_get_cpu_time ();
  GST_LOG_OBJECT (self, "%u datagrams, %" G_GUINT64_FORMAT " bytes on the wire", cycle.datagrams,
      cycle.bytes);
  if (gst_buffer_list_length (list) == 1) {
    ret = gst_pad_push (self->srcpad, gst_buffer_ref (gst_buffer_list_get (list, 0)));
    gst_buffer_list_unref (list);
  } else {
    ret = gst_pad_push_list (self->srcpad, list);
  }

  g_mutex_lock (&self->lock);
  handed = gst_cbr_pacer_read_clock (self);
  playing = playing && pauses == self->pauses;
  if (!playing) {
    /* the sink may have held the cycle until PLAYING */
    cbr_schedule_restart (&self->departure.schedule, handed);
    gst_cbr_pacer_break_clocks (self);
    cycle.left = handed;
  }
  if (self->departure.run != CBR_UNSTARTED)
    cbr_schedule_departed (&self->departure.schedule, cycle.left, handed, cycle.bytes);
  count (self, &cycle, playing, cpu);
  /* the clock was replaced during the push, so the next gap cannot be measured */
  if (self->departure.run == CBR_UNSTARTED)
    cbr_stats_break (self->stats);
  post_stats (self);
  /* the pad was linked after the push failed, so the next buffer goes there */
  return ret == GST_FLOW_NOT_LINKED && links != self->links ? GST_FLOW_OK : ret;
}

static GstFlowReturn
hand_on (GstCbrPacer *self, GstMiniObject *object)
{
  if (GST_IS_QUERY (object)) {
    gboolean result;

    self->query = CBR_QUERY_UNDER_WAY;
    g_mutex_unlock (&self->lock);
    result = gst_pad_peer_query (self->srcpad, GST_QUERY_CAST (object));
    g_mutex_lock (&self->lock);
    self->query = result ? CBR_QUERY_ANSWERED : CBR_QUERY_UNANSWERED;
    cbr_waiter_interrupt (&self->room);
  } else {
    if (cbr_queue_is_break (object))
      cbr_packets_begin (&self->input.format.packets);
    switch (GST_EVENT_TYPE (object)) {
      case GST_EVENT_EOS:
        /* Set before EOS is pushed: during the push, the STREAM_START of the next stream may come
         * in, which sets the result to OK again. If it is queued behind the EOS already, the result
         * stays OK. */
        if (self->input.eos && cbr_queue_is_empty (&self->queue))
          self->result = GST_FLOW_EOS;
        self->demand = CBR_WANTED;
        gst_fasp_monitor_begin (self->monitor);
        break;
      case GST_EVENT_CAPS:
        cbr_format_take_caps (&self->input.format, GST_EVENT_CAST (object));
        break;
      case GST_EVENT_STREAM_START:
        gst_fasp_monitor_begin (self->monitor);
        gst_cbr_pacer_break_clocks (self);
        self->demand = CBR_WANTED;
        break;
      case GST_EVENT_SEGMENT:
        self->demand = CBR_WANTED;
        break;
      default:
        break;
    }
    g_mutex_unlock (&self->lock);
    gst_pad_push_event (self->srcpad, GST_EVENT_CAST (object));
    g_mutex_lock (&self->lock);
  }
  return self->result;
}

/* Ends the task of the source pad.  The upstream thread learns of it when its next push returns the
 * error; after EOS there is no further push, so an error is posted instead. */
static void
end (GstCbrPacer *self, GstFlowReturn ret)
{
  gboolean alone = self->input.eos;

  if (self->result == GST_FLOW_OK)
    self->result = ret;
  cbr_waiter_interrupt (&self->room);
  gst_pad_pause_task (self->srcpad);
  g_mutex_unlock (&self->lock);
  GST_DEBUG_OBJECT (self, "pausing: %s", gst_flow_get_name (ret));
  if (alone && (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS)) {
    GST_ELEMENT_FLOW_ERROR (self, ret);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  }
}

void
gst_cbr_pacer_thread_run (gpointer pad)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (GST_PAD_PARENT (pad));
  GstFlowReturn ret = GST_FLOW_OK;
  GstMiniObject *other;

  g_mutex_lock (&self->lock);
  if (self->thread != g_thread_self ()) {
    self->thread = g_thread_self ();
    self->cpu_mark = gst_fasp_system_get_cpu_time ();
  }
  if (!wait_for_work (self))
    ret = self->flushing ? GST_FLOW_FLUSHING : self->result;
  else if ((other = cbr_queue_pop_other (&self->queue)) != NULL)
    ret = hand_on (self, other);
  else if (self->offload_payload != get_offload_payload (self)
      || cbr_offload_has_gone (&self->offload))
    set_offload (self);
  /* an event may have come to the head meanwhile */
  else if (wait_for_departure (self) && !cbr_queue_has_other (&self->queue))
    ret = send_cycle (self);
  if (ret == GST_FLOW_EOS && self->result == GST_FLOW_OK) {
    /* the sink wants no more data; events still pass */
    self->demand = cbr_queue_has_segment (&self->queue) ? CBR_DROPPED : CBR_REFUSED;
    cbr_waiter_interrupt (&self->room);
    ret = GST_FLOW_OK;
  }
  if (ret != GST_FLOW_OK)
    end (self, ret);
  else
    g_mutex_unlock (&self->lock);
}
