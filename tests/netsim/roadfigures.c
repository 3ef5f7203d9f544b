/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "roadfigures.h"
#include "vencoder.h"

/* Bytes of a frame besides its own: headers. */
#define OVERHEAD 40

static gint
compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

gdouble
road_percentile (GArray *times, gdouble share)
{
  if (times->len == 0)
    return 0;
  g_array_sort (times, compare);
  return g_array_index (times, gint64, MIN ((guint) (share * times->len), times->len - 1)) / 1e6;
}

/* Bytes that the paths could carry, but for when they were dark. */
static gdouble
get_capacity (const VliveConfig *c, gint64 from, gint64 to)
{
  gdouble bytes = 0;

  for (guint i = 0; i < c->n_paths; i++) {
    const VlivePath *path = &c->paths[i];
    const Capacity *capacity;

    if (path->there[0] == NULL)
      continue;
    capacity = bottleneck_get_capacity (path->there[0]);
    bytes += capacity_get_bytes (capacity, from, to);
    if (path->dark_end > 0)
      bytes -= capacity_get_bytes (capacity, path->dark, path->dark_end);
  }
  return bytes;
}

void
road_figures (const Vlive *live, RoadFigures *f)
{
  const VliveConfig *c = vlive_get_config (live);
  const GArray *frames = vlive_get_frames (live);
  g_autoptr (GArray) delays = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 end = c->end - ROAD_TAIL;
  gdouble bytes = 0, capacity = get_capacity (c, c->start, end);

  *f = (RoadFigures) { 0 };
  for (guint i = 0; i < frames->len; i++) {
    const VliveFrame *frame = &g_array_index (frames, VliveFrame, i);
    gint64 delay = frame->arrived - frame->captured;
    gboolean came = frame->arrived >= 0;

    if (came && frame->arrived < end)
      bytes += frame->size;
    if (frame->captured >= end)
      continue;
    f->frames++;
    f->late04 += !came || delay > 400 * FASP_MSEC;
    f->late1 += !came || delay > FASP_SEC;
    f->lost += !came;
    if (came)
      g_array_append_val (delays, delay);
  }
  f->p50 = road_percentile (delays, .5);
  f->p95 = road_percentile (delays, .95);
  f->p99 = road_percentile (delays, .99);
  f->most = road_percentile (delays, 1);
  f->late04 /= MAX (f->frames, 1);
  f->late1 /= MAX (f->frames, 1);
  f->lost /= MAX (f->frames, 1);
  f->link = capacity * 8 / (end - c->start);
  f->rate = bytes * 8 / (end - c->start);
  f->used = capacity > 0 ? bytes / capacity : 0;
}

/* When a frame captured at @time arrives on a path; G_MAXINT64: not at all. */
static gint64
send_alone (const VlivePath *path, Capacity *capacity, gint64 time, gint64 *last)
{
  *last = capacity_send (capacity, MAX (time, *last), VENCODER_LEAST / 8 / VENCODER_FPS + OVERHEAD);
  return *last >= path->dark && *last < path->dark_end ? G_MAXINT64 : *last + path->delay;
}

void
road_floor (const VliveConfig *c, Capacity *const *alone, RoadFigures *f)
{
  gint64 last[VLIVE_PATHS] = { 0 }, latest = 0, time;
  guint n = 0;

  *f = (RoadFigures) { 0 };
  while ((time = c->start + vencoder_get_time (n++)) < c->end - ROAD_TAIL) {
    gint64 arrived = G_MAXINT64;

    for (guint i = 0; i < c->n_paths; i++) {
      gint64 here = send_alone (&c->paths[i], alone[i], time, &last[i]);

      arrived = MIN (arrived, here);
    }
    latest = arrived < G_MAXINT64 ? MAX (latest, arrived) : latest;
    f->frames++;
    f->late04 += arrived == G_MAXINT64 || latest - time > 400 * FASP_MSEC;
    f->late1 += arrived == G_MAXINT64 || latest - time > FASP_SEC;
  }
  f->late04 /= MAX (f->frames, 1);
  f->late1 /= MAX (f->frames, 1);
}
