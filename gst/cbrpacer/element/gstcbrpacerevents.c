/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events: their place in the stream, flushes, and another stream or another sink.
 */
#include "gstcbrpacer.h"

/* Can the source wait, and did all its data come (nearly) at once, as from a file without a
 * clock? */
static gboolean
is_unpaced (GstCbrPacer *self)
{
  return self->settings.bitrate == 0 && self->input.live_known && !self->input.live
      && cbr_learner_is_unpaced (&self->learner);
}

/* Another segment comes, so the sink pad takes data again. */
static void
expect_segment (GstCbrPacer *self)
{
  if (self->demand == CBR_REFUSED)
    self->demand = CBR_DROPPED;
}

/* Takes an event that has its place in the stream. */
static gboolean
take_event (GstCbrPacer *self, GstEvent *event)
{
  gboolean is_eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  gboolean taken, restart = FALSE, unpaced = FALSE;
  GstFlowReturn error = GST_FLOW_OK;

  g_mutex_lock (&self->lock);
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START && self->input.eos && !self->flushing) {
    /* another stream begins after the end of the last one */
    self->input.eos = FALSE;
    if (self->result == GST_FLOW_EOS) {
      self->result = GST_FLOW_OK;
      gst_cbr_pacer_reset_departure (self);
      restart = TRUE;
    }
  }
  /* sticky events are kept even if a push has failed: if one were refused, upstream would post an
   * error.  The data that follows gets the error instead. */
  taken = !self->flushing && !self->input.eos
      && (self->result == GST_FLOW_OK || (GST_EVENT_IS_STICKY (event) && !is_eos));
  if (taken) {
    switch (GST_EVENT_TYPE (event)) {
      case GST_EVENT_STREAM_START:
        expect_segment (self);
        /* the source may be another one, with a clock of its own */
        self->input.live_known = FALSE;
        cbr_learner_jump (&self->learner);
        break;
      case GST_EVENT_CAPS:
        cbr_learner_set_packets (&self->learner, cbr_format_get_size (event));
        /* queued data is cut according to its own caps */
        if (self->queue.bytes == 0)
          cbr_format_take_caps (&self->input.format, event);
        break;
      case GST_EVENT_SEGMENT:
        expect_segment (self);
        gst_event_copy_segment (event, &self->input.segment);
        break;
      case GST_EVENT_EOS:
        self->input.eos = TRUE;
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
    gst_cbr_pacer_start_task (self);
  if (!taken)
    gst_event_unref (event);
  if (unpaced)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("The rate of this stream was not learned: it has neither PCR nor "
         "timestamps, and came faster than it can be played. It leaves "
         "almost at once. Set bitrate."),
        (NULL));
  /* posts the error: no more data comes, whose refusal would tell upstream */
  if (error == GST_FLOW_NOT_LINKED || error < GST_FLOW_EOS)
    GST_ELEMENT_FLOW_ERROR (self, error);
  return taken;
}

gboolean
gst_cbr_pacer_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (parent);
  GQueue kept = G_QUEUE_INIT;
  gboolean result, active;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      result = gst_pad_push_event (self->srcpad, event);
      gst_cbr_pacer_set_flushing (self);
      gst_pad_pause_task (self->srcpad);
      return result;
    case GST_EVENT_FLUSH_STOP:
      result = gst_pad_push_event (self->srcpad, event);
      g_mutex_lock (&self->lock);
      gst_cbr_pacer_forget_stream (self, &kept);
      g_mutex_unlock (&self->lock);
      while ((event = g_queue_pop_head (&kept)) != NULL) {
        if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
          g_mutex_lock (&self->lock);
          cbr_format_take_caps (&self->input.format, event);
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
        gst_cbr_pacer_start_task (self);
      return result;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        return take_event (self, event);
      return gst_pad_event_default (pad, parent, event);
  }
}

gboolean
gst_cbr_pacer_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    gboolean restart;

    /* the source pad was linked again */
    g_mutex_lock (&self->lock);
    self->links++;
    restart = self->result == GST_FLOW_NOT_LINKED && !self->flushing;
    if (restart) {
      self->result = GST_FLOW_OK;
      gst_cbr_pacer_reset_departure (self);
    }
    /* the sink may be another one: queued data must be cut anew */
    self->offload_payload = CBR_OFFLOAD_ANEW;
    cbr_waiter_interrupt (&self->waiter);
    g_mutex_unlock (&self->lock);
    if (restart)
      gst_cbr_pacer_start_task (self);
  }
  return gst_pad_event_default (pad, parent, event);
}
