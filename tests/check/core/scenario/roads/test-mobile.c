/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A small part of the roads that simcases measures (roadcases.h): whatever the link does, and
 * whichever controller is set, each frame of a live stream arrives, whole and in order.
 */
#include "roadcases.h"
#include "vcases.h"

/* What was under way at the end of a stream may need so much longer. */
#define ARRIVAL_TIMEOUT (60 * FASP_SEC)

static gboolean
has_all (const Vlive *live)
{
  const GArray *frames = vlive_get_frames (live);

  return g_array_index (frames, VliveFrame, frames->len - 1).arrived >= 0;
}

static void
assert_whole (const Vlive *live)
{
  const GArray *frames = vlive_get_frames (live);
  gint64 last = 0;

  for (guint i = 0; i < frames->len; i++) {
    const VliveFrame *frame = &g_array_index (frames, VliveFrame, i);

    g_assert_false (frame->damaged);
    g_assert_cmpint (frame->arrived, >=, last);
    g_assert_cmpint (frame->arrived, >, frame->captured);
    last = frame->arrived;
  }
}

static void
run (const gchar *name, FaspRateControl control)
{
  const RoadCase *road = road_case_find (name);
  gint64 end = road_case_get_end (road);
  g_autoptr (Vtraffic) traffic = road_case_build (road, control);
  const GPtrArray *lives = vtraffic_get_lives (traffic);

  vtraffic_run (traffic, end);
  for (guint i = 0; i < lives->len; i++) {
    const Vlive *live = g_ptr_array_index (lives, i);

    for (gint64 now = end; !has_all (live) && now < end + ARRIVAL_TIMEOUT; now += FASP_SEC)
      vtraffic_run (traffic, now);
    assert_whole (live);
  }
}

static void
test_case (gconstpointer name)
{
  run (name, FASP_RATE_CONTROL_ADAPTIVE);
  run (name, FASP_RATE_CONTROL_PERT);
}

int
main (int argc, char **argv)
{
  static const gchar *const names[] = { "cell-1", "cell-19", "bonded-2", "bonded-dark", "leo",
    "carriers", "5.1", "5.3", "5.6", "dual-cubic", NULL };

  g_test_init (&argc, &argv, NULL);
  vcases_add_texts ("/mobile", names, test_case);
  return g_test_run ();
}
