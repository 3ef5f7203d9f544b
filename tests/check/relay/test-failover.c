/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which source of an input is used, in virtual time.
 */
#include "relayfailover.h"
#include "vcases.h"

#define SILENCE 1000 /* ms */
#define RESTORE 5000
#define EACH 50 /* from one packet of a source to the next */

/* What happens from a time on, until the next step: which sources give media, and which one is
 * asked for. */
typedef struct
{
  guint at; /* ms */
  guint gives;
  gint ask; /* -1: none */
} Step;

/* What must be so at a time. */
typedef struct
{
  guint at; /* ms */
  gint active;
  const gchar *why; /* a part of it */
} Expected;

#define MAIN 1
#define BACKUP 2
#define SLATE 4

typedef struct
{
  const gchar *name;
  guint restore;
  guint lags; /* ms from cue to key frame */
  Step steps[8];
  Expected expected[8];
} Case;

static const Case cases[] = {
  { "first", RESTORE, 0, { { 100, BACKUP, -1 }, { 200, MAIN | BACKUP, -1 } },
      { { 1000, 1, "first" }, { 6000, 0, "preferred" } } },
  { "main-dies", RESTORE, 400, { { 0, 7, -1 }, { 2000, 6, -1 } },
      { { 1900, 0, "first" }, { 3300, 0, "nothing" }, { 3500, 1, "source 0" } } },
  { "nothing-else", RESTORE, 0, { { 0, MAIN, -1 }, { 1000, 0, -1 }, { 9000, MAIN, -1 } },
      { { 8000, 0, NULL }, { 9500, 0, "gives media" } } },
  { "revert", RESTORE, 0, { { 0, 3, -1 }, { 1000, 2, -1 }, { 3000, 3, -1 } },
      { { 2500, 1, "source 0" }, { 7900, 1, "source 0" }, { 8200, 0, "preferred" } } },
  /* each pause begins the time anew */
  { "flaps", RESTORE, 0,
      { { 0, 3, -1 }, { 1000, 2, -1 }, { 3000, 3, -1 }, { 7000, 2, -1 }, { 8500, 3, -1 } },
      { { 9000, 1, "source 0" }, { 13300, 1, "source 0" }, { 13700, 0, "preferred" } } },
  { "stays", 0, 0, { { 0, 3, -1 }, { 1000, 2, -1 }, { 3000, 3, -1 } },
      { { 60000, 1, "source 0" } } },
  { "slate", RESTORE, 0, { { 0, 7, -1 }, { 1000, 4, -1 }, { 4000, 6, -1 } },
      { { 3000, 2, "source 0" }, { 9200, 1, "preferred" } } },
  { "asked", RESTORE, 200, { { 0, 3, -1 }, { 1000, 3, 1 }, { 20000, 3, 0 } },
      { { 1100, 0, "first" }, { 1300, 1, "asked" }, { 19000, 1, "asked" },
          { 20300, 0, "asked" } } },
  /* a source that was asked for is left when it stalls, and not used again by itself */
  { "asked-dies", RESTORE, 0, { { 0, 3, -1 }, { 1000, 3, 1 }, { 3000, 1, -1 }, { 5000, 3, -1 } },
      { { 2000, 1, "asked" }, { 4200, 0, "source 1" }, { 30000, 0, "source 1" } } },
  { "asked-in-vain", RESTORE, 0, { { 0, 1, -1 }, { 1000, 1, 1 }, { 2000, 1, 7 } },
      { { 9000, 0, "first" } } },
  /* the main one is back before the key frame of the backup */
  { "short", RESTORE, 800, { { 0, 3, -1 }, { 6000, 2, -1 }, { 7500, 3, -1 } },
      { { 7400, 0, NULL }, { 20000, 0, "gives media" } } },
  /* media that come once in a while do not keep the backup from its key frame */
  { "trickle", RESTORE, 800,
      { { 0, 3, -1 }, { 7000, 2, -1 }, { 8100, 3, -1 }, { 8150, 2, -1 }, { 9250, 3, -1 },
          { 9300, 2, -1 }, { 10400, 3, -1 } },
      { { 9000, 0, NULL }, { 11500, 1, "source 0" }, { 15000, 1, NULL } } },
  /* a source that is asked for is waited for, although the active one stalls meanwhile */
  { "asked-back", 0, 1500, { { 0, 2, -1 }, { 500, 3, -1 }, { 9000, 1, 0 }, { 10100, 3, -1 } },
      { { 8900, 1, "first" }, { 11000, 0, "asked" } } },
  /* a source that was asked for stays when the next one that is asked for dies */
  { "asked-for-dead", RESTORE, 3000,
      { { 0, 7, -1 }, { 1000, 7, 1 }, { 9000, 7, 2 }, { 9100, 3, -1 } },
      { { 8000, 1, "asked" }, { 30000, 1, "asked" } } },
  /* the one that was to take over dies, too */
  { "both-die", RESTORE, 5000, { { 0, 7, -1 }, { 1000, 6, -1 }, { 3000, 4, -1 } },
      { { 3500, 0, NULL }, { 9500, 2, "source 0" } } },
};

/* At most one source is used, and the numbers agree with the states. */
static void
assert_states (const RelayFailover *f)
{
  guint used = 0, cued = 0;

  for (guint i = 0; i < f->n; i++) {
    RelaySourceState state = f->sources[i].state;
    gboolean uses = state == RELAY_SOURCE_ACTIVE || state == RELAY_SOURCE_STALLED;

    g_assert_true (uses == (f->active == (gint) i));
    g_assert_true ((state == RELAY_SOURCE_CUED) == (f->cued == (gint) i));
    used += uses;
    cued += state == RELAY_SOURCE_CUED;
  }
  g_assert_cmpuint (used, <=, 1);
  g_assert_cmpuint (cued, <=, 1);
}

static void
play (RelayFailover *f, const Case *c, const Step *step, gint64 ms)
{
  gint64 now = ms * G_TIME_SPAN_MILLISECOND;

  if (step->ask >= 0 && step->at == ms)
    relay_failover_ask (f, step->ask, now);
  for (guint i = 0; i < f->n; i++) {
    if ((step->gives & 1 << i) == 0)
      continue;
    if (relay_failover_note (f, i, now) == RELAY_SOURCE_CUED
        && (f->active < 0 || now - f->sources[i].since >= c->lags * G_TIME_SPAN_MILLISECOND))
      relay_failover_take_over (f, now);
    assert_states (f);
  }
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  RelayFailover f;
  guint step = 0, next = 0;

  relay_failover_init (&f, 3);
  relay_failover_set_times (&f, SILENCE, c->restore);
  for (guint ms = 0; c->expected[next].at != 0; ms += EACH) {
    while (step + 1 < G_N_ELEMENTS (c->steps) && c->steps[step + 1].at != 0
        && c->steps[step + 1].at <= ms)
      step++;
    if (c->steps[step].at <= ms)
      play (&f, c, &c->steps[step], ms);
    if (c->expected[next].at > ms)
      continue;
    g_test_message ("%s, %u ms: %d, %s", c->name, ms, f.active,
        f.active >= 0 ? f.sources[f.active].why : "");
    g_assert_cmpint (f.active, ==, c->expected[next].active);
    if (c->expected[next].why != NULL)
      g_assert_nonnull (strstr (f.sources[f.active].why, c->expected[next].why));
    next++;
  }
  relay_failover_clear (&f);
}

/* A source that the outputs hold up is not silent, and shows nothing; it is when nothing comes
 * afterwards. */
static void
test_held (void)
{
  const gint64 ms = G_TIME_SPAN_MILLISECOND;
  RelayFailover f;

  relay_failover_init (&f, 2);
  relay_failover_set_times (&f, SILENCE, RESTORE);
  relay_failover_note (&f, 0, 0);
  relay_failover_take_over (&f, 0);
  relay_failover_hold (&f, 0, TRUE, 0);
  g_assert_true (relay_failover_shows (&f, 0, RELAY_SOURCE_HELD - 1));
  g_assert_false (relay_failover_shows (&f, 0, RELAY_SOURCE_HELD));
  for (guint at = EACH; at <= 10 * SILENCE; at += EACH)
    g_assert_cmpint (relay_failover_note (&f, 1, at * ms), ==, RELAY_SOURCE_STANDBY);
  relay_failover_hold (&f, 0, FALSE, 10 * SILENCE * ms);
  g_assert_true (relay_failover_shows (&f, 0, 10 * SILENCE * ms));
  /* null packets, which are taken at once */
  relay_failover_hold (&f, 0, TRUE, (10 * SILENCE + EACH) * ms);
  relay_failover_hold (&f, 0, FALSE, (10 * SILENCE + EACH) * ms);
  g_assert_cmpint (relay_failover_note (&f, 1, (11 * SILENCE - 1) * ms), ==, RELAY_SOURCE_STANDBY);
  g_assert_cmpint (relay_failover_note (&f, 1, 11 * SILENCE * ms), ==, RELAY_SOURCE_CUED);
  relay_failover_clear (&f);
}

/* Whatever the sources do, the states follow each other as they may. */
static void
test_chance (void)
{
  g_autoptr (GRand) chance = g_rand_new_with_seed (7);
  RelayFailover f;

  relay_failover_init (&f, RELAY_SOURCES_MAX);
  relay_failover_set_times (&f, SILENCE, RESTORE);
  for (gint64 now = 0; now < G_TIME_SPAN_HOUR;
      now += g_rand_int_range (chance, 0, 300 * G_TIME_SPAN_MILLISECOND)) {
    guint i = g_rand_int_range (chance, 0, RELAY_SOURCES_MAX);

    if (g_rand_int_range (chance, 0, 100) == 0)
      relay_failover_ask (&f, g_rand_int_range (chance, 0, RELAY_SOURCES_MAX + 2), now);
    relay_failover_note (&f, i, now);
    if (f.cued >= 0 && g_rand_boolean (chance))
      relay_failover_take_over (&f, now);
    assert_states (&f);
  }
  g_assert_cmpuint (f.takeovers, >, 100);
  relay_failover_clear (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/relay/failover", cases, sizeof *cases, G_N_ELEMENTS (cases), test_case);
  g_test_add_func ("/relay/failover/held", test_held);
  g_test_add_func ("/relay/failover/chance", test_chance);
  return g_test_run ();
}
