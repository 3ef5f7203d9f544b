/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By which rules a source is bad, and which source is used then, in virtual time.
 */
#include "relayfailover.h"
#include "vcases.h"

#define SOURCES 3
#define EACH 250 /* ms between two looks, and two packets of a source */
#define SILENCE 1000
#define RESTORE 4000
#define TIME 3000 /* of each rule */
#define MS G_TIME_SPAN_MILLISECOND

/* --- one source ----------------------------------------------------------------------------- */

/* The answers of one rule, one for each second: '+' its fault is there, '-' it is not, 'o', it is
 * not known; and whether the source is bad then. */
static const struct
{
  const gchar *name, *answers, *bad;
} judgements[] = {
  { "good", "----------", ".........." },
  { "bad", "--+++++++", ".....BBBB" },
  { "short", "-++-++-++-", ".........." },
  { "again-good", "++++------", "...BBBB..." },
  /* what is not known begins no time, and ends those that run */
  { "unknown", "oooooooooo", ".........." },
  { "lost", "++o++o++++", ".........B" },
  { "stays-bad", "++++oooooo--o----", "...BBBBBBBBBBBBB." },
  { "flaps", "++++-+-+--+----", "...BBBBBBBBBBB." },
};

static void
test_judgement (gconstpointer data)
{
  const gchar *answers = ((const gchar *const *) data)[1], *bad = ((const gchar *const *) data)[2];

  /* the time of a rule that is not applied is 0 */
  for (guint rule = 0; rule < RELAY_RULES; rule++) {
    RelayJudgement judgement = { .faulty = 0 };
    gint64 times[RELAY_RULES] = { 0 };

    times[rule] = TIME * MS;
    for (guint s = 0; answers[s] != '\0'; s++) {
      RelayFinding now[RELAY_RULES];
      gint found;

      for (guint i = 0; i < RELAY_RULES; i++) {
        now[i].seen = (1000 + s) * G_TIME_SPAN_SECOND;
        now[i].answer = i != rule ? RELAY_YES :
            answers[s] == '+'     ? RELAY_YES :
            answers[s] == '-'     ? RELAY_NO :
                                    RELAY_UNKNOWN;
      }
      found = relay_judgement_note (&judgement, times, now);
      g_assert_cmpint (found, ==, bad[s] == 'B' ? (gint) rule : RELAY_RULE_NONE);
    }
  }
}

/* Black and silent, or not, as last seen at @ms. */
static gint
note_two (RelayJudgement *judgement, RelayAnswer black, RelayAnswer silent, gint64 ms)
{
  const gint64
      times[RELAY_RULES] = { [RELAY_RULE_BLACK] = 2 * TIME * MS, [RELAY_RULE_SILENCE] = TIME * MS };
  const RelayFinding findings[RELAY_RULES] = { [RELAY_RULE_BLACK] = { black, ms * MS },
    [RELAY_RULE_SILENCE] = { silent, ms * MS } };

  return relay_judgement_note (judgement, times, findings);
}

/* The first rule of several is told; the source is bad until the last one has cleared. */
static void
test_several (void)
{
  static const struct
  {
    RelayAnswer black, silent;
    guint at; /* ms */
    gint fault;
  } rows[] = {
    { RELAY_YES, RELAY_YES, 0, RELAY_RULE_NONE },
    { RELAY_YES, RELAY_YES, TIME, RELAY_RULE_SILENCE },
    { RELAY_YES, RELAY_YES, 2 * TIME, RELAY_RULE_BLACK },
    { RELAY_NO, RELAY_YES, 10 * TIME, RELAY_RULE_BLACK },
    { RELAY_NO, RELAY_YES, 12 * TIME, RELAY_RULE_SILENCE },
    { RELAY_NO, RELAY_NO, 20 * TIME, RELAY_RULE_SILENCE },
    { RELAY_NO, RELAY_NO, 21 * TIME, RELAY_RULE_NONE },
  };
  RelayJudgement judgement = { .faulty = 0 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpint (note_two (&judgement, rows[i].black, rows[i].silent, rows[i].at), ==,
        rows[i].fault);
  g_assert_cmpint (judgement.faulty, ==, 12 * TIME * MS);
  /* a fault that is too short to make it bad is none */
  note_two (&judgement, RELAY_NO, RELAY_YES, 22 * TIME);
  g_assert_cmpint (judgement.faulty, ==, 12 * TIME * MS);
}

/* One picture decides nothing, however long the next one takes: not that a source is bad, nor that
 * it is good again. */
static void
test_one_picture (void)
{
  RelayJudgement judgement = { .faulty = 0 };

  for (guint look = 0; look < 1000; look++)
    g_assert_cmpint (note_two (&judgement, RELAY_NO, RELAY_YES, 0), ==, RELAY_RULE_NONE);
  g_assert_cmpint (note_two (&judgement, RELAY_NO, RELAY_YES, TIME), ==, RELAY_RULE_SILENCE);
  for (guint look = 0; look < 1000; look++)
    g_assert_cmpint (note_two (&judgement, RELAY_NO, RELAY_NO, 2 * TIME), ==, RELAY_RULE_SILENCE);
  g_assert_cmpint (note_two (&judgement, RELAY_NO, RELAY_NO, 3 * TIME), ==, RELAY_RULE_NONE);
}

/* What was seen before nothing was known does not count with what is seen after it. */
static void
test_old_picture (void)
{
  RelayJudgement judgement = { .faulty = 0 };

  note_two (&judgement, RELAY_NO, RELAY_YES, 1);
  note_two (&judgement, RELAY_NO, RELAY_UNKNOWN, TIME);
  note_two (&judgement, RELAY_NO, RELAY_YES, 1);
  g_assert_cmpint (note_two (&judgement, RELAY_NO, RELAY_YES, 2 * TIME), ==, RELAY_RULE_NONE);
  g_assert_cmpint (note_two (&judgement, RELAY_NO, RELAY_YES, 3 * TIME), ==, RELAY_RULE_SILENCE);
}

/* --- several sources ------------------------------------------------------------------------ */

/* What happens from a time on: which sources give media, which of them are black, of which nothing
 * is known. */
typedef struct
{
  guint at; /* ms */
  guint gives, black, unknown;
  gint ask; /* -1: none */
} Step;

typedef struct
{
  guint at; /* ms */
  gint active;
  const gchar *cause;
} Expected;

typedef struct
{
  const gchar *name;
  Step steps[6];
  Expected expected[6];
} Case;

static const Case cases[] = {
  { "black", { { 0, 7, 0, 0, -1 }, { 2000, 7, 1, 0, -1 }, { 20000, 7, 0, 0, -1 } },
      { { 4500, 0, "first" }, { 5500, 1, "black" }, { 23500, 1, "black" },
          { 24600, 0, "restored" } } },
  /* a fault that is never long enough does not keep it from being used again */
  { "slides",
      { { 0, 7, 0, 0, -1 }, { 2000, 7, 1, 0, -1 }, { 20000, 7, 0, 0, -1 }, { 23200, 7, 1, 0, -1 },
          { 25000, 7, 0, 0, -1 } },
      { { 5500, 1, "black" }, { 24700, 1, "black" }, { 24900, 0, "restored" } } },
  /* it is away meanwhile: the media of the other one go on */
  { "black-dies",
      { { 0, 3, 0, 0, -1 }, { 2000, 3, 1, 0, -1 }, { 9000, 2, 0, 1, -1 }, { 12000, 3, 0, 0, -1 } },
      { { 6000, 1, "black" }, { 15500, 1, "black" }, { 16600, 0, "restored" } } },
  /* the next one that is good, not the next one */
  { "second-black", { { 0, 7, 2, 0, -1 }, { 5000, 7, 3, 0, -1 } }, { { 9000, 2, "black" } } },
  /* what is not known to be bad is not left, and what was bad is not used again unseen */
  { "unknown", { { 0, 3, 0, 3, -1 }, { 20000, 3, 1, 2, -1 }, { 30000, 3, 0, 3, -1 } },
      { { 19000, 0, "first" }, { 24000, 1, "black" }, { 90000, 1, "black" } } },
  /* all are bad: the one in use stays, and the first that is good again is used */
  { "all-black", { { 0, 7, 7, 0, -1 }, { 30000, 7, 5, 0, -1 }, { 60000, 7, 3, 0, -1 } },
      { { 29000, 0, "first" }, { 32750, 0, "first" }, { 34500, 1, "black" }, { 62500, 1, "black" },
          { 70000, 2, "black" } } },
  /* a bad one is better than none */
  { "only-black", { { 0, 7, 2, 0, -1 }, { 5000, 2, 2, 0, -1 }, { 9000, 6, 2, 0, -1 } },
      { { 4900, 0, "first" }, { 7000, 1, "silent" }, { 12750, 1, "silent" },
          { 13500, 2, "black" } } },
  /* a source that was asked for is left for silence alone */
  { "asked",
      { { 0, 3, 0, 0, -1 }, { 1000, 3, 0, 0, 1 }, { 3000, 3, 2, 0, -1 }, { 30000, 1, 0, 0, -1 } },
      { { 29000, 1, "asked" }, { 32000, 0, "silent" } } },
  { "asked-for-bad",
      { { 0, 3, 1, 0, -1 }, { 8000, 3, 1, 0, 0 }, { 30000, 3, 0, 0, -1 }, { 50000, 3, 1, 0, -1 } },
      { { 7000, 1, "black" }, { 29000, 0, "asked" }, { 49000, 0, "asked" },
          { 54000, 1, "black" } } },
};

typedef struct
{
  RelayFailover f;
  RelayJudgement judgements[SOURCES];
} Input;

static gint64 times[RELAY_RULES] = { [RELAY_RULE_BLACK] = TIME * MS };

/* Every source is looked at, and those that give media do. */
static void
run (Input *input, const Step *step, gint64 now)
{
  RelayFailover *f = &input->f;

  for (guint i = 0; i < SOURCES; i++) {
    RelayFinding findings[RELAY_RULES] = { [RELAY_RULE_BLACK] = { RELAY_UNKNOWN, now } };
    gint fault;

    findings[RELAY_RULE_BLACK].answer =
        (step->unknown & 1 << i) != 0 || (step->gives & 1 << i) == 0 ? RELAY_UNKNOWN :
        (step->black & 1 << i) != 0                                  ? RELAY_YES :
                                                                       RELAY_NO;
    fault = relay_judgement_note (&input->judgements[i], times, findings);
    relay_failover_judge (f, i, fault, TIME * MS,
        relay_judgement_get_faulty (&input->judgements[i], now), now);
    if ((step->gives & 1 << i) != 0 && relay_failover_note (f, i, now) == RELAY_SOURCE_CUED)
      relay_failover_take_over (f, now);
  }
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  Input input = { .judgements = { { .faulty = 0 } } };
  guint step = 0;

  relay_failover_init (&input.f, SOURCES);
  relay_failover_set_times (&input.f, SILENCE, RESTORE);
  for (guint ms = 0, next = 0; c->expected[next].at != 0; ms += EACH) {
    while (step + 1 < G_N_ELEMENTS (c->steps) && c->steps[step + 1].at != 0
        && c->steps[step + 1].at <= ms) {
      step++;
      if (c->steps[step].ask >= 0)
        g_assert_true (relay_failover_ask (&input.f, c->steps[step].ask, ms * MS));
    }
    run (&input, &c->steps[step], ms * MS);
    if (ms < c->expected[next].at)
      continue;
    g_test_message ("%s, %u ms: %d, %s", c->name, ms, input.f.active,
        input.f.active >= 0 ? input.f.sources[input.f.active].why : "");
    g_assert_cmpint (input.f.active, ==, c->expected[next].active);
    g_assert_cmpstr (input.f.sources[input.f.active].cause, ==, c->expected[next].cause);
    next++;
  }
  relay_failover_clear (&input.f);
}

/* Whatever is seen of the sources: one that gives media is left for a good one alone, and none
 * takes over by a rule, or as it is preferred, twice in that time. */
static void
test_chance (gconstpointer seed)
{
  g_autoptr (GRand) chance = g_rand_new_with_seed (GPOINTER_TO_UINT (seed));
  Input input = { .judgements = { { .faulty = 0 } } };
  Step step = { 0, 7, 0, 0, -1 };
  gint64 taken[SOURCES] = { 0 };
  guint switches = 0;

  relay_failover_init (&input.f, SOURCES);
  relay_failover_set_times (&input.f, SILENCE, RESTORE);
  for (gint64 now = G_TIME_SPAN_MINUTE; now < 5 * G_TIME_SPAN_HOUR; now += EACH * MS) {
    gint before = input.f.active;
    gboolean gave = before >= 0 && input.f.sources[before].heard == now - EACH * MS;
    const RelaySource *after;

    if (g_rand_int_range (chance, 0, 20) == 0)
      step.gives ^= 1 << g_rand_int_range (chance, 0, SOURCES);
    if (g_rand_int_range (chance, 0, 10) == 0)
      step.black ^= 1 << g_rand_int_range (chance, 0, SOURCES);
    if (g_rand_int_range (chance, 0, 30) == 0)
      step.unknown ^= 1 << g_rand_int_range (chance, 0, SOURCES);
    run (&input, &step, now);
    if (input.f.active == before || before < 0)
      continue;
    switches++;
    after = &input.f.sources[input.f.active];
    if (g_str_equal (after->cause, "black") || g_str_equal (after->cause, "restored")) {
      g_assert_cmpint (now - taken[input.f.active], >=, MIN (TIME, RESTORE) * MS);
      taken[input.f.active] = now;
    }
    if (gave && (step.gives & 1 << before) != 0)
      g_assert_cmpint (after->fault, ==, RELAY_RULE_NONE);
  }
  g_assert_cmpuint (switches, >, 50);
  relay_failover_clear (&input.f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/relay/rules/judgement", judgements, sizeof *judgements, G_N_ELEMENTS (judgements),
      test_judgement);
  g_test_add_func ("/relay/rules/several", test_several);
  g_test_add_func ("/relay/rules/one-picture", test_one_picture);
  g_test_add_func ("/relay/rules/old-picture", test_old_picture);
  vcases_add ("/relay/rules", cases, sizeof *cases, G_N_ELEMENTS (cases), test_case);
  vcases_add_seeds ("/relay/rules/chance", 20, test_chance);
  return g_test_run ();
}
