/* SPDX-License-Identifier: LGPL-2.1-or-later */

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
 * #cbrpacer:payload-size splits and merges it.  Nothing is copied but what
 * #cbrpacer:restamp changes.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=I420 ! x264enc tune=zerolatency bitrate=6000 ! mpegtsmux ! cbrpacer bitrate=8000000 ! udpsink host=127.0.0.1 port=5004 sync=false
 * ]| The bursts of the encoder leave at 8 Mbit/s at most, five datagrams at a time.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=I420 ! x264enc tune=zerolatency bitrate=6000 ! mpegtsmux ! cbrpacer bitrate=8000000 stuffing=null-ts ! udpsink host=127.0.0.1 port=5004 sync=false
 * ]| The same at exactly 8 Mbit/s, with null packets where the encoder makes less.
 * |[
 * gst-launch-1.0 filesrc location=programme.ts ! cbrpacer ! udpsink host=127.0.0.1 port=5004 sync=false
 * ]| Plays out a transport stream at the pace of its own clock.
 *
 * Since: 1.0
 */
#include "gstcbrpacer.h"

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

G_DEFINE_TYPE_WITH_CODE (GstCbrPacer, gst_cbr_pacer, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_cbr_pacer_debug, "cbrpacer", 0, "constant bit rate pacer"));
GST_ELEMENT_REGISTER_DEFINE (cbrpacer, "cbrpacer", GST_RANK_NONE, GST_TYPE_CBR_PACER);

/* --- states and clock ------------------------------------------------------------------- */

static GstStateChangeReturn
gst_cbr_pacer_change_state (GstElement *element, GstStateChange transition)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !gst_cbr_pacer_prepare (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    gst_cbr_pacer_set_playing (self, FALSE);
  ret = GST_ELEMENT_CLASS (gst_cbr_pacer_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    gst_cbr_pacer_set_playing (self, TRUE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_cbr_pacer_release (self);
  return ret;
}

static gboolean
gst_cbr_pacer_set_clock (GstElement *element, GstClock *clock)
{
  gboolean result = GST_ELEMENT_CLASS (gst_cbr_pacer_parent_class)->set_clock (element, clock);

  gst_cbr_pacer_clock_changed (GST_CBR_PACER_CAST (element));
  return result;
}

/* --- GObject ---------------------------------------------------------------------------- */

static void
gst_cbr_pacer_finalize (GObject *object)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (object);

  cbr_queue_finalize (&self->queue);
  cbr_offload_stop (&self->offload);
  cbr_stats_free (self->stats);
  gst_fasp_monitor_free (self->monitor);
  g_clear_pointer (&self->restamp, cbr_restamp_free);
  gst_clear_object (&self->clock);
  if (self->nulls != NULL)
    gst_memory_unref (self->nulls);
  cbr_waiter_clear (&self->waiter);
  cbr_waiter_clear (&self->room);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_cbr_pacer_parent_class)->finalize (object);
}

static void
gst_cbr_pacer_class_init (GstCbrPacerClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_cbr_pacer_finalize;
  gst_cbr_pacer_install_properties (G_OBJECT_CLASS (klass));
  element_class->change_state = gst_cbr_pacer_change_state;
  element_class->set_clock = gst_cbr_pacer_set_clock;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Constant bit rate pacer", "Filter/Network",
      "Lets a stream leave at an exact constant bit rate, without bursts. "
      "Set first: bitrate, payload-size, stuffing, max-delay, overflow",
      "The gst-fasp developers");
}

static void
gst_cbr_pacer_init (GstCbrPacer *self)
{
  g_mutex_init (&self->lock);
  cbr_waiter_init (&self->room);
  cbr_waiter_init (&self->waiter);
  cbr_queue_init (&self->queue);
  gst_cbr_pacer_settings_init (&self->settings);
  cbr_departure_init (&self->departure);
  cbr_learner_init (&self->learner, self->settings.window);
  self->stats = cbr_stats_new ();
  gst_segment_init (&self->input.segment, GST_FORMAT_UNDEFINED);
  cbr_format_init (&self->input.format);
  self->latency = GST_CLOCK_TIME_NONE;
  self->flushing = TRUE;
  gst_cbr_pacer_reset_departure (self);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_cbr_pacer_chain);
  gst_pad_set_chain_list_function (self->sinkpad, gst_cbr_pacer_chain_list);
  gst_pad_set_event_function (self->sinkpad, gst_cbr_pacer_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_cbr_pacer_sink_query);
  gst_pad_set_activatemode_function (self->sinkpad, gst_cbr_pacer_sink_activate_mode);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, gst_cbr_pacer_src_event);
  gst_pad_set_query_function (self->srcpad, gst_cbr_pacer_src_query);
  gst_pad_set_activatemode_function (self->srcpad, gst_cbr_pacer_src_activate_mode);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
