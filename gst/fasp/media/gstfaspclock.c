/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspclock.h"

struct _GstFaspClock
{
  GstSystemClock parent;

  FaspClockDiscipline discipline; /* object lock */
};

G_DEFINE_TYPE (GstFaspClock, gst_fasp_clock, GST_TYPE_SYSTEM_CLOCK);

static GstClockTime
get_monotonic (GstClock *clock)
{
  return GST_CLOCK_CLASS (gst_fasp_clock_parent_class)->get_internal_time (clock);
}

/* The time before GStreamer's calibration is applied. */
static GstClockTime
get_internal_at (GstFaspClock *self, GstClockTime monotonic)
{
  gint64 time;

  GST_OBJECT_LOCK (self);
  time = fasp_clock_discipline_get (&self->discipline, monotonic);
  GST_OBJECT_UNLOCK (self);
  return MAX (time, 0);
}

static GstClockTime
gst_fasp_clock_get_internal_time (GstClock *clock)
{
  return get_internal_at (GST_FASP_CLOCK (clock), get_monotonic (clock));
}

GstClockTime
gst_fasp_clock_get_at (GstFaspClock *self, GstClockTime monotonic)
{
  GstClock *clock = GST_CLOCK (self);
  GstClockTime internal, external, num, denom;

  gst_clock_get_calibration (clock, &internal, &external, &num, &denom);
  return gst_clock_adjust_with_calibration (clock, get_internal_at (self, monotonic), internal,
      external, num, denom);
}

void
gst_fasp_clock_look (GstFaspClock *self, GstClockTime monotonic, const FaspSenderClock *sender)
{
  GST_OBJECT_LOCK (self);
  fasp_clock_discipline_look (&self->discipline, monotonic, sender);
  GST_OBJECT_UNLOCK (self);
  if (sender->skew_known && !gst_clock_is_synced (GST_CLOCK (self)))
    gst_clock_set_synced (GST_CLOCK (self), TRUE);
}

void
gst_fasp_clock_leave (GstFaspClock *self)
{
  GST_OBJECT_LOCK (self);
  fasp_clock_discipline_leave (&self->discipline);
  GST_OBJECT_UNLOCK (self);
}

GstFaspClock *
gst_fasp_clock_new (void)
{
  GstFaspClock *clock = g_object_new (GST_TYPE_FASP_CLOCK, "name", "GstFaspClock", NULL);

  return gst_object_ref_sink (clock);
}

static void
gst_fasp_clock_class_init (GstFaspClockClass *klass)
{
  GST_CLOCK_CLASS (klass)->get_internal_time = gst_fasp_clock_get_internal_time;
}

static void
gst_fasp_clock_init (GstFaspClock *self)
{
  fasp_clock_discipline_init (&self->discipline, get_monotonic (GST_CLOCK (self)));
  GST_OBJECT_FLAG_SET (self, GST_CLOCK_FLAG_CAN_SET_MASTER | GST_CLOCK_FLAG_NEEDS_STARTUP_SYNC);
}
