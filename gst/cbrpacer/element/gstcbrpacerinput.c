/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Incoming data: learns its rate, and makes it wait for room and for its time.
 */
#include "gstcbrpacer.h"

/* Learns the rate from @buffer. FALSE: the rate cannot be learned. */
static gboolean
learn (GstCbrPacer *self, GstBuffer *buffer)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (!gst_cbr_pacer_wants_clock (self))
    return TRUE;
  if (!self->input.live_known)
    gst_cbr_pacer_ask_if_live (self);
  if (self->input.segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_running_time (&self->input.segment, GST_FORMAT_TIME,
        GST_BUFFER_DTS_OR_PTS (buffer));
  if (GST_BUFFER_IS_DISCONT (buffer))
    cbr_learner_jump (&self->learner);
  cbr_learner_feed (&self->learner, buffer, time, gst_cbr_pacer_read_clock (self),
      gst_cbr_pacer_get_payload (self) > 0 ? 0 : self->settings.header_size);
  return self->input.live || self->settings.bitrate > 0 || !cbr_learner_is_lost (&self->learner);
}

static void
drop_oldest (GstCbrPacer *self)
{
  gsize size = gst_cbr_pacer_drop (self);

  cbr_stats_dropped (self->stats, size);
  self->warned.dropped += size;
}

static void
wait_for_room (GstCbrPacer *self, gsize size)
{
  self->warned.held = TRUE;
  self->input.blocked = size;
  cbr_waiter_sleep (&self->room, &self->lock);
  self->input.blocked = 0;
}

/* Waits if a buffer comes before its time. FALSE: it may be queued now. */
static gboolean
wait_for_entry (GstCbrPacer *self)
{
  gint64 now = gst_cbr_pacer_read_clock (self);
  gint64 entry = gst_cbr_pacer_choose_entry (self, now);

  if (entry <= now)
    return FALSE;
  if (entry == G_MAXINT64)
    cbr_waiter_sleep (&self->room, &self->lock);
  else
    cbr_waiter_wait (&self->room, &self->lock, self->clock, &(CbrWait) { entry, entry }, 0);
  return TRUE;
}

/* Only a learned rate needs the present lag, only restamping the time, and it takes time to read
 * the clock. */
static CbrMark
get_mark (GstCbrPacer *self)
{
  CbrMark mark = { self->departure.lost, 0 };

  if (self->settings.bitrate == 0 || gst_cbr_pacer_is_restamping (self))
    mark.entered = gst_cbr_pacer_read_clock (self);
  if (self->settings.bitrate == 0)
    mark.lag = cbr_departure_get_lag (&self->departure, mark.entered);
  return mark;
}

static GstFlowReturn
take_buffer (GstCbrPacer *self, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  gboolean counted = FALSE;
  CbrMark mark;

  self->warned.least = MIN (self->warned.least, self->queue.bytes);
  if (size == 0) {
    self->input.discont |= GST_BUFFER_IS_DISCONT (buffer);
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (self->input.discont) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    self->input.discont = FALSE;
  }
  cbr_format_take_buffer (&self->input.format, buffer);
  if (!learn (self, buffer)) {
    gst_buffer_unref (buffer);
    g_mutex_unlock (&self->lock);
    GST_ELEMENT_ERROR (self, STREAM, FAILED,
        ("The rate of this stream cannot be learned: it has neither PCR nor "
         "timestamps that advance steadily, and comes faster than it can be "
         "played. Set bitrate."),
        (NULL));
    g_mutex_lock (&self->lock);
    return GST_FLOW_ERROR;
  }
  while (!self->flushing && self->result == GST_FLOW_OK && self->demand != CBR_REFUSED) {
    if (!gst_cbr_pacer_look_if_full (self, size)) {
      if (!wait_for_entry (self))
        break;
      continue;
    }
    if (!counted)
      cbr_stats_overran (self->stats);
    counted = TRUE;
    if (self->settings.overflow == GST_CBR_PACER_OVERFLOW_DROP_OLDEST)
      drop_oldest (self);
    else
      wait_for_room (self, size);
  }
  if (self->flushing || self->result != GST_FLOW_OK || self->demand == CBR_REFUSED) {
    gst_buffer_unref (buffer);
    return self->flushing           ? GST_FLOW_FLUSHING :
        self->demand == CBR_REFUSED ? GST_FLOW_EOS :
                                      self->result;
  }
  /* no data could leave until now */
  if (self->queue.bytes == 0 || self->queue.bytes < gst_cbr_pacer_get_payload (self))
    cbr_departure_feed (&self->departure, gst_cbr_pacer_read_clock (self));
  mark = get_mark (self);
  cbr_queue_push_buffer (&self->queue, buffer, mark);
  gst_cbr_pacer_note_burst (self, mark.entered, size);
  self->warned.most = MAX (self->warned.most, self->queue.bytes);
  gst_cbr_pacer_thread_wake (self);
  /* ends a wait that was computed with a rate which was far too low */
  if (cbr_departure_is_due (&self->departure)
      && gst_cbr_pacer_get_rate (self) / 9 * 8 > self->departure.schedule.base.rate)
    cbr_waiter_interrupt (&self->waiter);
  return GST_FLOW_OK;
}

/* Ends a call of chain() that took data. Call this with the lock held; it is released. */
static GstFlowReturn
end_chain (GstCbrPacer *self, GstFlowReturn ret)
{
  gst_cbr_pacer_post_latency (self);
  gst_cbr_pacer_warn_of_held (self);
  gst_cbr_pacer_warn_of_dropped (self);
  g_mutex_unlock (&self->lock);
  return ret;
}

GstFlowReturn
gst_cbr_pacer_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (parent);
  GstFlowReturn ret = GST_FLOW_EOS;

  g_mutex_lock (&self->lock);
  if (self->input.eos)
    gst_buffer_unref (buffer);
  else
    ret = take_buffer (self, buffer);
  return end_chain (self, ret);
}

GstFlowReturn
gst_cbr_pacer_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (parent);
  guint n = gst_buffer_list_length (list);
  GstFlowReturn ret;

  g_mutex_lock (&self->lock);
  ret = self->input.eos ? GST_FLOW_EOS : GST_FLOW_OK;
  for (guint i = 0; i < n && ret == GST_FLOW_OK; i++)
    ret = take_buffer (self, gst_buffer_ref (gst_buffer_list_get (list, i)));
  ret = end_chain (self, ret);
  gst_buffer_list_unref (list);
  return ret;
}
