/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A datagram takes the path on which it arrives first, in time, and not one that carries it
 * already.
 */
#include "fasppathscheduler.h"
#include "vcases.h"

#define NOW FASP_SEC
#define MS FASP_MSEC
#define MBIT 1000000
#define ANY FASP_NEVER
#define OFF FALSE
#define ON TRUE

/* Two paths: ready after so long, longer than the quickest by so much. */
typedef struct
{
  const gchar *what;
  struct
  {
    gboolean usable;
    FaspTime after, delay;
    guint64 rate;
  } paths[2];
  gsize waiting;
  FaspTime spare;
  guint64 carriers;
  guint path;     /* that it takes */
  FaspTime later; /* when it leaves */
  FaspTime latency;
} Case;

static const Case cases[] = {
  { "the quicker one", { { ON, 0, 60 * MS, 5 * MBIT }, { ON, 0, 0, 5 * MBIT } }, 1500, ANY, 0, 1,
      0 },
  { "the shorter queue", { { ON, 0, 30 * MS, 5 * MBIT }, { ON, 0, 29 * MS, MBIT } }, 1500, ANY, 0,
      1, 0 },
  { "waits for the quicker one", { { ON, 2 * MS, 0, 5 * MBIT }, { ON, 0, 60 * MS, 5 * MBIT } },
      1500, ANY, 0, 0, 2 * MS },
  { "does not wait behind much", { { ON, 2 * MS, 0, 5 * MBIT }, { ON, 0, 60 * MS, 5 * MBIT } },
      50000, ANY, 0, 1, 0 },
  { "waits behind little less", { { ON, 2 * MS, 0, 5 * MBIT }, { ON, 0, 60 * MS, 5 * MBIT } },
      36000, ANY, 0, 0, 2 * MS },
  { "both are full", { { ON, 2 * MS, 0, 5 * MBIT }, { ON, MS, 60 * MS, 5 * MBIT } }, 50000, ANY, 0,
      0, 2 * MS },
  { "the full one will be first", { { ON, 70 * MS, 0, MBIT }, { ON, 0, 60 * MS, MBIT } }, 1500, ANY,
      0, 1, 0 },
  { "one of which nothing is known", { { ON, FASP_NEVER, 0, MBIT }, { ON, 0, 60 * MS, MBIT } },
      1500, ANY, 0, 1, 0 },
  { "nothing is known of either",
      { { ON, FASP_NEVER, 0, MBIT }, { ON, FASP_NEVER, 60 * MS, MBIT } }, 1500, ANY, 0, 0,
      FASP_NEVER - NOW },
  { "too late on one, and the other brings all in time",
      { { ON, 2 * MS, 0, 5 * MBIT }, { ON, 0, 60 * MS, 5 * MBIT } }, 500000, 50 * MS, 0, 0, 2 * MS,
      810 * MS },
  { "too late on one, and all that waits on the other",
      { { ON, 2 * MS, 0, 5 * MBIT }, { ON, 0, 60 * MS, 5 * MBIT } }, 500000, 50 * MS, 0, 1, 0,
      800 * MS },
  { "too late on both", { { ON, 2 * MS, 0, 5 * MBIT }, { ON, 0, 60 * MS, 5 * MBIT } }, 1500, -MS, 0,
      0, 2 * MS },
  { "too late on the better one", { { ON, FASP_NEVER, 0, 5 * MBIT }, { ON, 0, 60 * MS, MBIT } },
      1500, 70 * MS, 0, 1, 0 },
  { "not usable", { { OFF, 0, 0, 5 * MBIT }, { ON, 0, 60 * MS, MBIT } }, 1500, ANY, 0, 1, 0 },
  { "neither is usable", { { OFF, 0, 0, 5 * MBIT }, { OFF, 0, 60 * MS, MBIT } }, 1500, ANY, 0, 0,
      0 },
  { "a copy", { { ON, 0, 0, 5 * MBIT }, { ON, 0, 60 * MS, MBIT } }, 1500, ANY, 1, 1, 0 },
  { "a copy, of which each has one", { { ON, 0, 0, 5 * MBIT }, { ON, 0, 60 * MS, MBIT } }, 1500,
      ANY, 3, 0, 0 },
  { "a copy, and one is gone", { { ON, 0, 0, 5 * MBIT }, { OFF, 0, 60 * MS, MBIT } }, 1500, ANY, 1,
      0, 0 },
};

static void
test_pick (gconstpointer data)
{
  const Case *c = data;
  FaspPathRequest request = { c->waiting, c->spare, c->latency, c->carriers };
  FaspPathState paths[2];
  FaspTime when;

  for (guint i = 0; i < 2; i++)
    paths[i] = (FaspPathState) {
      .is_usable = c->paths[i].usable,
      .ready = c->paths[i].after == FASP_NEVER ? FASP_NEVER : NOW + c->paths[i].after,
      .delay = c->paths[i].delay,
      .rate = c->paths[i].rate,
    };
  g_assert_cmpuint (fasp_path_scheduler_pick (paths, 2, NOW, &request, &when), ==, c->path);
  g_assert_cmpint (when, ==, NOW + c->later);
}

/* A burst is brought by both, as fast as both together can: of equal paths each gets a half, and of
 * the slower of unequal ones nothing comes later than the last of the other. */
static void
test_burst (void)
{
  static const FaspTime delays[] = { 0, 20 * MS, 100 * MS };

  for (guint i = 0; i < G_N_ELEMENTS (delays); i++) {
    FaspPathState paths[2] = { { ON, NOW, 0, 10 * MBIT }, { ON, NOW, delays[i], 10 * MBIT } };
    FaspTime now = NOW, last[2] = { NOW, NOW };
    FaspTime packet = 1200 * 8 / 10;
    guint sent[2] = { 0 };

    for (guint left = 200; left > 0;) {
      FaspPathRequest request = { left * 1200, ANY, .carriers = 0 };
      FaspTime when;
      guint path = fasp_path_scheduler_pick (paths, 2, now, &request, &when);

      if (when > now) {
        now = when;
        continue;
      }
      last[path] = now + paths[path].delay;
      paths[path].ready = now + packet;
      sent[path]++;
      left--;
    }
    g_assert_cmpint (ABS (last[0] - last[1]), <=, delays[i] / 2 + 2 * packet);
    g_assert_cmpint (sent[0], >=, sent[1]);
    if (delays[i] < 200 * packet)
      g_assert_cmpint (sent[1], >=, (200 - delays[i] / packet) / 2 - 2);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/pathscheduler", cases, sizeof *cases, G_N_ELEMENTS (cases), test_pick);
  g_test_add_func ("/pathscheduler/burst", test_burst);
  return g_test_run ();
}
