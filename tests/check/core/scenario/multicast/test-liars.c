/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Members that claim losses, beside honest ones, in virtual time.  To the sender, a member that
 * claims a loss is one that has it, so the links of these members lose as much as they claim.
 */
#include "faspendpointbase.h"
#include "members.h"

#define HONEST 16
#define HONEST_LOSS .01
#define LATENCY 300 /* ms */
#define BITRATE 2000000
#define SECONDS 8

typedef struct
{
  guint liars;
  gdouble claim;    /* share of everything that is sent to them */
  gdouble room;     /* max-bitrate, as a multiple of the stream's rate */
  gboolean waits;   /* a liar never gives a block up */
  guint skips_most; /* seconds that skip, of the honest member that is worst off */
  gboolean total;   /* max-total-bitrate instead */
} Case;

static const Case CASES[] = {
  { 0, 0, 1.3, FALSE, 0 },
  { 1, .5, 1.3, FALSE, 1 },
  { 1, .5, 1.3, TRUE, 1 },
  { 1, .97, 1.3, TRUE, 1 },
  { 2, .5, 1.3, TRUE, 1 },
  { 2, .97, 1.3, FALSE, 1 },
  { 1, .5, 2, TRUE, 1 },
  { 1, .97, 2, TRUE, 1 },
  { 2, .5, 2, FALSE, 1 },
  { 2, .97, 2, TRUE, 1 },
  { 4, .5, 2, TRUE, 1 },
  { 4, .97, 2, TRUE, 3 },
  { 0, 0, 1.3, FALSE, 0, TRUE },
  { 2, .5, 1.3, TRUE, 1, TRUE },
};

static Vgroup *
group_new (const Case *c)
{
  Vgroup *g = vgroup_new (1);
  FaspEndpointSettings *settings = &g->sender_config.settings;

  settings->slow_policy = FASP_SLOW_SKIP;
  *(c->total ? &settings->max_total_bitrate : &settings->max_bitrate) = c->room * BITRATE;
  g->sender_config.settings.latency_ms = g->receiver_config.settings.latency_ms = LATENCY;
  g->sender_config.buffer_size = g->receiver_config.buffer_size = 16 << 20;
  g->receiver_config.settings.too_late_skip = TRUE;
  vgroup_set_sender (g);
  for (guint i = 0; i < HONEST; i++)
    vgroup_add (g, 20 * FASP_MSEC);
  g->receiver_config.settings.too_late_skip = !c->waits;
  /* the nearest ones: one of them becomes the speaker */
  for (guint i = 0; i < c->liars; i++)
    vgroup_add (g, 2 * FASP_MSEC);
  members_assemble (g, 3 * FASP_SEC, BITRATE);
  vgroup_run (g, 2 * FASP_SEC);
  return g;
}

static guint64
get_skips (Vgroup *g, guint i)
{
  return fasp_rx_view (fasp_endpoint_nth (g->receivers[i].endpoint, 0)->rx)->late.skips;
}

/* The others have the stream in time, whatever some claim. */
static void
test_claims (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    const Case *c = &CASES[i];
    g_autoptr (Vgroup) g = group_new (c);
    guint64 before[HONEST], worst = 0;

    for (guint n = 0; n < HONEST; n++)
      g->receivers[n].branch.config.loss = HONEST_LOSS;
    vgroup_run (g, 4 * FASP_SEC); /* the back-off has been learnt */
    for (guint n = 0; n < HONEST; n++)
      before[n] = get_skips (g, n);
    for (guint n = HONEST; n < g->n; n++)
      g->receivers[n].branch.config.loss = c->claim;
    vgroup_run (g, SECONDS * FASP_SEC);
    for (guint n = 0; n < HONEST; n++)
      worst = MAX (worst, get_skips (g, n) - before[n]);
    g_test_message ("%u of %u claim %.2f, room %.1f: %" G_GUINT64_FORMAT " of %u seconds skip"
                    ", back-off %" G_GINT64_FORMAT " ms",
        c->liars, g->n, c->claim, c->room, worst, SECONDS,
        vgroup_get_stats (g).back_off / FASP_MSEC);
    g_assert_cmpuint (worst, <=, c->skips_most);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/liars/claims", test_claims);
  return g_test_run ();
}
