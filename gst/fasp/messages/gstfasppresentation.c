/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfasppresentation.h"

/* What a state means, and what to do. */
static gchar *
explain (const FaspPresentation *core)
{
  switch (core->state) {
    case FASP_PRESENTATION_NO_TIME:
      return g_strdup ("the stream does not say when it was captured. Set "
                       "send-reference-timestamps=true at its first faspsink. If it is set, the "
                       "network clock of that pipeline has no time");
    case FASP_PRESENTATION_NO_CLOCK:
      return g_strdup (
          "the pipeline's network clock has no time yet, or the stream's capture times "
          "are TAI and the clock here is UTC, or the other way round, and this machine "
          "does not know how far they are apart. Use one kind of clock at both ends, "
          "or have the time service set the kernel's TAI offset");
    case FASP_PRESENTATION_AHEAD_OF:
      return g_strdup (
          "the stream's capture times lie in the future: the wall clock here or at the "
          "sender is wrong. Check what sets them");
    case FASP_PRESENTATION_LONG_AGO:
      return g_strdup ("the stream was captured longer ago than any presentation-delay: the wall "
                       "clock here or at the sender is wrong. Check what sets them");
    case FASP_PRESENTATION_TOO_SHORT:
      return g_strdup_printf ("presentation-delay=%" G_GINT64_FORMAT " is too short for this path: "
                              "set it to more than %" G_GINT64_FORMAT " at all receivers, or lower "
                              "the latency",
          core->delay / FASP_MSEC, core->least / FASP_MSEC + 1);
    case FASP_PRESENTATION_KEPT:
      return g_strdup ("the stream has not said for a while when it was captured. If this lasts, "
                       "check the clock at its first faspsink");
    case FASP_PRESENTATION_NO_LATENCY:
      return g_strdup ("downstream has not said with which latency it plays. Have the pipeline "
                       "redistribute latency (gst_bin_recalculate_latency())");
    case FASP_PRESENTATION_MOVING:
      return g_strdup_printf ("a wall clock was set, here or at the sender, and what is played is "
                              "moved by 5 ms a second: it is %" G_GINT64_FORMAT " ms off",
          core->error / FASP_MSEC);
    case FASP_PRESENTATION_UNSURE:
      return g_strdup (
          "nothing is known to set the wall clock, here or at the sender: what is "
          "played is as far from other receivers as the clocks are. Run a time service "
          "(NTP or PTP) on both machines");
    case FASP_PRESENTATION_NOTHING:
    case FASP_PRESENTATION_IN_TIME:
      break;
  }
  return NULL;
}

void
gst_fasp_presentation_post (GstElement *element, const GstFaspPresenter *presenter,
    GstFaspQuiet *quiet)
{
  g_autofree gchar *why = explain (&presenter->posted), *more = NULL;
  GstStructure *s = gst_structure_new ("fasp-presentation", "state", G_TYPE_STRING,
      gst_fasp_presenter_get_state (&presenter->posted), "in-time", G_TYPE_BOOLEAN,
      fasp_presentation_is_in_time (&presenter->posted), NULL);

  if (presenter->posted.least != FASP_NEVER)
    gst_structure_set (s, "least-delay", G_TYPE_UINT64, presenter->posted.least * GST_USECOND,
        NULL);
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), s));
  if (why == NULL || !gst_fasp_quiet_may_post (quiet, &more))
    return;
  GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
      ("Pictures may not be shown at the same moment as at other receivers: %s.%s", why, more),
      (NULL));
}
