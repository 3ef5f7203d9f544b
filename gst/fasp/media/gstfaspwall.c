/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspsystem.h"
#include "gstfaspwall.h"

#define LOOK_EVERY (100 * G_TIME_SPAN_MILLISECOND)
/* At most LOOKS attempts are made to read two clocks within CLOSE ns. */
#define LOOKS 4
#define CLOSE (10 * GST_USECOND)
/* From the epoch of NTP, 1900, to that of Unix, 1970 (RFC 5905, figure 4). */
#define NTP_TO_UNIX (G_GUINT64_CONSTANT (2208988800) * GST_SECOND)

typedef enum
{
  SYSTEM,   /* no wall clock, so the system's is used */
  REALTIME, /* the system's, in UTC */
  TAI,      /* the system's, in TAI */
  NTP,
  PTP,
} Kind;

/* By name, as a clock of these types can only be there if the library that has them is loaded. */
static gboolean
is_a (GstClock *clock, const gchar *name)
{
  GType type = g_type_from_name (name);

  return type != 0 && G_TYPE_CHECK_INSTANCE_TYPE (clock, type);
}

static Kind
find_kind (GstClock *clock)
{
  GstClockType type = GST_CLOCK_TYPE_MONOTONIC;

  if (clock == NULL || !GST_IS_SYSTEM_CLOCK (clock))
    return SYSTEM;
  if (is_a (clock, "GstPtpClock"))
    return PTP;
  if (is_a (clock, "GstNtpClock"))
    return NTP;
  g_object_get (clock, "clock-type", &type, NULL);
  return type == GST_CLOCK_TYPE_REALTIME ? REALTIME : type == GST_CLOCK_TYPE_TAI ? TAI : SYSTEM;
}

static GstClockTime
get_wall (GstClock *clock, Kind kind)
{
  if (kind == SYSTEM)
    return g_get_real_time () * GST_USECOND;
  return gst_clock_get_time (clock) - (kind == NTP ? NTP_TO_UNIX : 0);
}

static GstClockTime
get_other (GstClock *clock, gboolean of_pipeline)
{
  return of_pipeline && clock != NULL ? gst_clock_get_time (clock) :
                                        (GstClockTime) g_get_monotonic_time () * GST_USECOND;
}

/* Reads both clocks again if this thread was held up in between. If it always was, it may return
 * @known, the last one, which is as likely. */
static GstClockTimeDiff
measure (GstClock *clock, Kind kind, gboolean of_pipeline, GstClockTimeDiff known)
{
  GstClockTimeDiff offset = 0, best = G_MAXINT64;

  for (guint i = 0; i < LOOKS && best > CLOSE; i++) {
    GstClockTimeDiff before = get_other (clock, of_pipeline), wall = get_wall (clock, kind);
    GstClockTimeDiff after = get_other (clock, of_pipeline);

    if (after - before >= best)
      continue;
    best = after - before;
    offset = wall - (before + after) / 2;
  }
  return ABS (offset - known) <= best ? known : offset;
}

/* What the system's clock follows: the kernel knows whether something disciplines it. */
static void
ask_kernel (GstFaspWall *wall, gboolean of_system)
{
  gint64 error;
  gint tai;

  gst_fasp_system_ask_clock (&tai, &error);
  wall->tai = tai * GST_SECOND;
  if (!of_system)
    return;
  wall->kind.source = FASP_TIME_NONE;
  wall->kind.error = FASP_TIME_ERROR_UNKNOWN;
  if (error < 0)
    return;
  wall->kind.source = FASP_TIME_NTP;
  wall->kind.error = MIN (error, G_MAXINT32);
}

void
gst_fasp_wall_look (GstFaspWall *wall, GstElement *element, gboolean of_pipeline)
{
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  Kind kind;

  if (wall->looked != 0 && now - wall->looked < LOOK_EVERY && clock == wall->clock)
    return;
  wall->looked = now;
  wall->clock = clock;
  kind = find_kind (clock);
  wall->offset = measure (clock, kind, of_pipeline, wall->offset);
  ask_kernel (wall, kind < NTP);
  /* without an offset in the kernel, its clock of TAI tells UTC */
  wall->kind.is_tai = kind == PTP || (kind == TAI && wall->tai != 0);
  wall->kind.known = kind < NTP || gst_clock_is_synced (clock);
  if (kind < NTP)
    return;
  wall->kind.error = FASP_TIME_ERROR_UNKNOWN;
  wall->kind.source = !wall->kind.known ? FASP_TIME_NONE :
      kind == PTP                       ? FASP_TIME_PTP :
                                          FASP_TIME_NTP;
}

gboolean
gst_fasp_wall_convert (const GstFaspWall *wall, const FaspCapture *capture, FaspTime *time)
{
  FaspTime shift = wall->tai / GST_USECOND;

  *time = capture->time;
  if (!wall->kind.known)
    return FALSE;
  if (capture->is_tai == wall->kind.is_tai)
    return TRUE;
  *time += capture->is_tai ? -shift : shift;
  return shift != 0;
}

GstCaps *
gst_fasp_wall_get_reference (gboolean is_tai)
{
  static GstStaticCaps utc = GST_STATIC_CAPS ("timestamp/x-unix");
  static GstStaticCaps tai = GST_STATIC_CAPS ("timestamp/x-ptp");

  return gst_static_caps_get (is_tai ? &tai : &utc);
}

gboolean
gst_fasp_wall_get_capture (GstBuffer *buffer, FaspCapture *capture)
{
  static const struct
  {
    const gchar *name;
    FaspTimeSource source;
    gboolean is_tai;
    GstClockTime epoch;
  } kinds[] = {
    { "timestamp/x-ptp", FASP_TIME_PTP, TRUE, 0 },
    { "timestamp/x-ntp", FASP_TIME_NTP, FALSE, NTP_TO_UNIX },
    { "timestamp/x-unix", FASP_TIME_NONE, FALSE, 0 },
  };
  GstReferenceTimestampMeta *meta;
  gpointer state = NULL;

  while ((meta = (GstReferenceTimestampMeta *) gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_REFERENCE_TIMESTAMP_META_API_TYPE))
      != NULL)
    for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
      if (gst_structure_has_name (gst_caps_get_structure (meta->reference, 0), kinds[i].name)
          && GST_CLOCK_TIME_IS_VALID (meta->timestamp) && meta->timestamp >= kinds[i].epoch) {
        *capture = (FaspCapture) { (meta->timestamp - kinds[i].epoch) / GST_USECOND,
          FASP_TIME_ERROR_UNKNOWN, kinds[i].source, kinds[i].is_tai, TRUE };
        return TRUE;
      }
  return FALSE;
}
