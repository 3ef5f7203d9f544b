/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two senders of one stream, which fail in turn.  Hot: both send it at the same time, and what one
 * lacks comes from the other.  Standby: one stands by until the other fails.
 */
#include "seeds.h"
#include "vhitless.h"

#define RTT (100 * FASP_MSEC)
/* As long as a receiver takes to find a sender that was started anew. */
#define PAUSE (6 * FASP_SEC)

typedef struct
{
  const gchar *name;
  FaspRedundancy redundancy;
  guint latency_ms;
} How;

static const How HOT = { "hot", FASP_REDUNDANCY_HOT, 400 }; /* three round trips, and 100 ms */
static const How STANDBY = { "standby", FASP_REDUNDANCY_STANDBY, 500 }; /* and 200 ms */

/* What a test is given. */
typedef struct
{
  const How *how;
  guint number; /* a seed */
  gboolean is_lossy;
} Case;

static VHitless *
make (const How *how, guint32 seed)
{
  VHitless *h = vhitless_new (seed, how->redundancy, 2, how->latency_ms);

  h->ppm = g_rand_double_range (h->rand, -200, 200);
  vhitless_wire (h, 0, RTT, .02);
  vhitless_wire (h, 1, g_rand_int_range (h->rand, RTT / 10, RTT), .02);
  vhitless_start (h, 0);
  vhitless_start (h, 1);
  vhitless_run (h, PAUSE);
  g_assert_cmpuint (h->read, >, 0);
  h->latest = 0; /* who joined first got what was kept */
  h->overdue = -FASP_NEVER;
  return h;
}

/* Each is lossy, and each fails now and then, but never both at once. */
static void
test_harm (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (VHitless) h = make (c->how, c->number);

  vhitless_harm (h, 4, PAUSE);
  vhitless_assert_whole (h);
  vhitless_end_whole (h);
}

/* Both send all of it; hardly anything goes again. */
static void
test_cost_hot (void)
{
  g_autoptr (VHitless) h = make (&HOT, 1);
  guint64 before = vhitless_get_sent (h, 0) + vhitless_get_sent (h, 1), sent, stream = h->due;

  vhitless_run (h, 60 * FASP_SEC);
  sent = vhitless_get_sent (h, 0) + vhitless_get_sent (h, 1) - before;
  stream = h->due - stream;
  g_test_message ("%.3f times the stream", (gdouble) sent / stream);
  /* 64 of 1380 bytes are headers and a tag */
  g_assert_cmpfloat (sent, <=, stream * 2.1 * 1380 / 1316);
  vhitless_assert_whole (h);
  vhitless_end_whole (h);
}

/* What stands by costs next to nothing. */
static void
test_cost_standby (void)
{
  g_autoptr (VHitless) h = make (&STANDBY, 1);
  guint64 before[2], sent[2];

  for (guint i = 0; i < 2; i++)
    before[i] = vhitless_get_sent (h, i) + vhitless_get_returned (h, i);
  vhitless_run (h, 60 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    sent[i] = vhitless_get_sent (h, i) + vhitless_get_returned (h, i) - before[i];
  g_test_message ("bytes of both: %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, sent[0], sent[1]);
  g_assert_cmpuint (MIN (sent[0], sent[1]) * 50, <=, MAX (sent[0], sent[1]));
  vhitless_assert_whole (h);
  vhitless_end_whole (h);
}

/* The leader gets worse and worse, but does not die: left before anything is late. */
static void
test_grey (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (VHitless) h = make (c->how, c->number);
  guint leader = vhitless_get_leader (h);
  VnetSide sides[2] = { VNET_A + leader, VNET_E + leader };
  ImpairConfig *wires[2], before[2];

  for (guint i = 0; i < 2; i++) {
    wires[i] = vnet_get_wire (h->net, sides[i], sides[1 - i]);
    before[i] = *wires[i];
    if (c->is_lossy)
      wires[i]->loss = .2;
    else
      wires[i]->delay += 300 * FASP_MSEC;
  }
  vhitless_run (h, 10 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    *wires[i] = before[i];
  vhitless_run (h, 15 * FASP_SEC);
  vhitless_assert_complete (h);
  g_assert_cmpint (h->overdue, <=, 0);
  if (!c->is_lossy)
    g_assert_cmpuint (h->events[FASP_MERGE_LEFT][leader], ==, 1);
  vhitless_end_whole (h);
}

/* Both are away: what was not heard by then is missing, and counted; all else comes. */
static void
test_both_away (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (VHitless) h = make (c->how, c->number);

  for (guint i = 0; i < 2; i++)
    vhitless_kill (h, i);
  vhitless_run (h, 3 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    vhitless_start (h, i);
  vhitless_run (h, PAUSE);
  g_assert_false (h->wrong);
  g_assert_cmpuint (h->discontinuities, ==, 1);
  g_assert_cmpuint (h->missing, >, 2 * VHITLESS_BITRATE / 8);
  g_assert_cmpuint (h->first + h->read + h->missing, ==, h->end.offset);
  vhitless_end_whole (h);
}

/* Both lines are cut, and the senders keep what they have: all of it comes, late. */
static void
test_both_cut (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (VHitless) h = make (c->how, c->number);

  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < 2; k++) {
      VnetSide sides[2] = { VNET_A + i, VNET_E + i };
      ImpairConfig *w = vnet_get_wire (h->net, sides[k], sides[1 - k]);

      impair_black_out (w, vnet_get_time (h->net), 4 * FASP_SEC);
    }
  vhitless_run (h, 4 * FASP_SEC + PAUSE);
  g_assert_false (h->wrong);
  g_assert_cmpuint (h->missing, ==, 0);
  g_assert_cmpuint (h->discontinuities, ==, 0);
  vhitless_end_whole (h);
}

static void
add (const How *how, const gchar *name, guint number, gboolean is_lossy, GTestDataFunc test)
{
  g_autofree gchar *path = g_strdup_printf ("/%s/%s/%u", how->name, name, number);
  Case *c = g_new (Case, 1);

  *c = (Case) { how, number, is_lossy };
  g_test_add_data_func_full (path, c, test, g_free);
}

static void
add_all (const How *how)
{
  guint seeds = count_seeds (20);

  add (how, "both-away", 3, FALSE, test_both_away);
  add (how, "both-cut", 4, FALSE, test_both_cut);
  for (guint seed = 1; seed <= seeds; seed++)
    add (how, "harm", seed, FALSE, test_harm);
  for (guint seed = 1; seed <= (seeds + 3) / 4; seed++) {
    add (how, "grey/loss", seed, TRUE, test_grey);
    add (how, "grey/delay", seed, FALSE, test_grey);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hot/cost", test_cost_hot);
  g_test_add_func ("/standby/cost", test_cost_standby);
  add_all (&HOT);
  add_all (&STANDBY);
  return g_test_run ();
}
