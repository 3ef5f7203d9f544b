/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * States of the element, its pads and its thread: a change forgets data and wakes threads.
 */
#include "gstcbrpacer.h"

void
gst_cbr_pacer_start_task (GstCbrPacer *self)
{
  gst_pad_start_task (self->srcpad, gst_cbr_pacer_thread_run, self->srcpad, NULL);
}

void
gst_cbr_pacer_begin_monitor (GstCbrPacer *self)
{
  g_clear_pointer (&self->monitor, gst_fasp_monitor_free);
  if (self->settings.monitor)
    self->monitor = gst_fasp_monitor_new ();
}

void
gst_cbr_pacer_forget_stream (GstCbrPacer *self, GQueue *kept)
{
  cbr_queue_clear (&self->queue, kept);
  cbr_packets_begin (&self->input.format.packets);
  cbr_learner_flush (&self->learner);
  gst_segment_init (&self->input.segment, GST_FORMAT_UNDEFINED);
  gst_cbr_pacer_reset_departure (self);
  gst_fasp_monitor_begin (self->monitor);
  self->begun = FALSE;
  self->demand = CBR_WANTED;
  self->input.eos = self->input.discont = FALSE;
  self->result = GST_FLOW_OK;
}

void
gst_cbr_pacer_set_flushing (GstCbrPacer *self)
{
  g_mutex_lock (&self->lock);
  self->flushing = TRUE;
  cbr_waiter_interrupt (&self->waiter);
  cbr_waiter_interrupt (&self->room);
  g_mutex_unlock (&self->lock);
}

gboolean
gst_cbr_pacer_sink_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (!active) {
    gst_cbr_pacer_set_flushing (self);
    /* when we have this lock, the streaming thread has left chain() */
    GST_PAD_STREAM_LOCK (pad);
    g_mutex_lock (&self->lock);
    cbr_queue_clear (&self->queue, NULL);
    g_mutex_unlock (&self->lock);
    GST_PAD_STREAM_UNLOCK (pad);
  }
  return TRUE;
}

gboolean
gst_cbr_pacer_src_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active) {
    g_mutex_lock (&self->lock);
    gst_cbr_pacer_forget_stream (self, NULL);
    self->flushing = FALSE;
    g_mutex_unlock (&self->lock);
    gst_cbr_pacer_start_task (self);
    return TRUE;
  }
  gst_cbr_pacer_set_flushing (self);
  return gst_pad_stop_task (pad);
}

void
gst_cbr_pacer_set_playing (GstCbrPacer *self, gboolean playing)
{
  g_mutex_lock (&self->lock);
  self->playing = playing;
  self->pauses += !playing;
  cbr_departure_set_playing (&self->departure, playing);
  self->base = CBR_NO_BASE;
  gst_fasp_monitor_begin (self->monitor);
  /* the pause made no data late, even if the sink still holds a cycle from it */
  if (playing)
    gst_cbr_pacer_forget_lag (self, gst_cbr_pacer_read_clock (self));
  cbr_waiter_interrupt (&self->waiter);
  cbr_waiter_interrupt (&self->room);
  g_mutex_unlock (&self->lock);
}

gboolean
gst_cbr_pacer_prepare (GstCbrPacer *self)
{
  gboolean good;

  g_mutex_lock (&self->lock);
  cbr_stats_clear (self->stats);
  gst_cbr_pacer_begin_monitor (self);
  g_clear_pointer (&self->restamp, cbr_restamp_free);
  cbr_learner_init (&self->learner, self->settings.window);
  self->input.live = self->input.live_known = FALSE;
  self->latency = GST_CLOCK_TIME_NONE;
  cbr_format_init (&self->input.format);
  self->offload_payload = 0;
  self->thread = NULL; /* other elements may use the thread while this one is stopped */
  self->warned = (CbrWarned) { .least = G_MAXSIZE };
  cbr_departure_init (&self->departure);
  good = gst_cbr_pacer_check_stuffing (self);
  g_mutex_unlock (&self->lock);
  return good;
}

void
gst_cbr_pacer_release (GstCbrPacer *self)
{
  cbr_offload_stop (&self->offload);
  g_mutex_lock (&self->lock);
  gst_clear_object (&self->clock);
  g_mutex_unlock (&self->lock);
}
