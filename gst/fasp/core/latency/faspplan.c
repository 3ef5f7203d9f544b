/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "faspplan.h"

/* Steps of time (bins) per round, and rounds planned for. With more time left, one copy is
 * enough. */
#define STEPS 48
#define ROUNDS 16
#define BINS (STEPS * ROUNDS)
/* The price of a skip is a power of two of datagrams, at most 2^PRICE_MAX. */
#define PRICE_MAX 48
/* The latency found is at most this many times the smallest, to save copies. */
#define EASE 1.05

static const FaspTime spreads[] = { 10 * FASP_MSEC, 20 * FASP_MSEC, 30 * FASP_MSEC, 45 * FASP_MSEC,
  65 * FASP_MSEC, 85 * FASP_MSEC, FASP_PLAN_SPREAD_MAX };

typedef struct
{
  guint8 copies;
  guint8 spread; /* bins */
  gdouble lost;  /* chance that all copies are lost */
} Action;

#define ACTIONS_MAX (1 + FASP_PLAN_COPIES_MAX * G_N_ELEMENTS (spreads))

typedef struct
{
  gdouble skip, cost;
} Known;

/* The best actions at one price of a skip. */
typedef struct
{
  /* by the time left when a block's last datagram leaves, if it is lost: the chance of a skip, and
   * the mean number of retransmissions to come */
  gdouble skip[BINS], cost[BINS];
  /* for a block that is known to be lost: the same chance and mean, and the index of the action to
   * take */
  Known known[BINS];
  guint8 choice[BINS];
} Table;

struct _FaspPlan
{
  guint refs;
  gboolean made;
  FaspPlanGoal goal;
  FaspPromise promise;
  FaspTime step;
  struct
  {
    guint steps;
    gdouble chance;
  } rounds[BINS]; /* steps that a round may take, fewest first */
  guint n_rounds;
  gdouble slower[BINS]; /* chance that a round takes more steps than the index */
  Action actions[ACTIONS_MAX];
  guint n_actions;
  guint hurried; /* least spread, in bins, where there is time for it */
  /* by time left, if it is less than `hurried': the chance that all copies are lost, by their
   * number */
  gdouble hurried_lost[G_MAXUINT8 + 1][FASP_PLAN_COPIES_MAX + 1];
  /* the cheapest plan that keeps the promise lies between two prices: a share of
   * the blocks uses the dearer one */
  Table cheap, dear;
  guint price; /* price of the dearer table */
  guint bins;  /* bins for which both tables are solved */
  gdouble share;
};

FaspPlan *
fasp_plan_new (void)
{
  FaspPlan *plan = g_new0 (FaspPlan, 1);

  plan->refs = 1;
  return plan;
}

FaspPlan *
fasp_plan_ref (FaspPlan *plan)
{
  plan->refs++;
  return plan;
}

void
fasp_plan_unref (FaspPlan *plan)
{
  if (plan != NULL && --plan->refs == 0)
    g_free (plan);
}

FaspPlan *
fasp_plan_make_writable (FaspPlan *plan)
{
  FaspPlan *own;

  if (plan != NULL && plan->refs == 1)
    return plan;
  own = fasp_plan_new ();
  own->price = plan != NULL ? plan->price : 0;
  fasp_plan_unref (plan);
  return own;
}

const FaspPlanGoal *
fasp_plan_get_goal (const FaspPlan *plan)
{
  return &plan->goal;
}

const FaspPromise *
fasp_plan_get_promise (const FaspPlan *plan)
{
  return &plan->promise;
}

static void
add_action (FaspPlan *plan, guint copies, guint spread)
{
  Action *action = &plan->actions[plan->n_actions++];

  action->copies = copies;
  action->spread = MIN (spread, G_MAXUINT8);
  action->lost = fasp_model_copies_lost (&plan->goal.path, copies, action->spread * plan->step);
}

/* Does the channel take the copies of a whole burst of losses within @spread? */
static gboolean
has_room (const FaspPlan *plan, guint copies, FaspTime spread)
{
  const FaspPlanGoal *goal = &plan->goal;
  gdouble burst = 1 / MAX (1 - goal->path.stay, .001);

  return (copies - 1) * burst <= goal->at_once + goal->spare * goal->blocks * spread / FASP_SEC;
}

/* Copies are always spread at least a little, as losses may come in bursts although none was seen.
 * Actions whose copies exceed the channel's room are left out. */
static void
add_actions (FaspPlan *plan)
{
  plan->n_actions = 0;
  plan->hurried = MIN ((spreads[0] + plan->step - 1) / plan->step, G_MAXUINT8);
  for (guint left = 0; left < plan->hurried; left++)
    for (guint copies = 1; copies <= FASP_PLAN_COPIES_MAX; copies++)
      plan->hurried_lost[left][copies] = copies == 1 || has_room (plan, copies, left * plan->step) ?
          fasp_model_copies_lost (&plan->goal.path, copies, left * plan->step) :
          plan->hurried_lost[left][copies - 1];
  add_action (plan, 1, 0);
  for (guint i = 0; i < G_N_ELEMENTS (spreads); i++) {
    for (guint copies = 2; copies <= FASP_PLAN_COPIES_MAX; copies++)
      if (has_room (plan, copies, spreads[i]))
        add_action (plan, copies, (spreads[i] + plan->step - 1) / plan->step);
  }
}

static void
prepare (FaspPlan *plan, const FaspPlanGoal *goal)
{
  const FaspModelPath *path = &goal->path;
  gdouble chance[BINS], left = 1;
  guint n;

  plan->goal = *goal;
  plan->step = MAX (1, (path->round + path->interval + path->feedback) / STEPS);
  n = fasp_model_round_time (path, plan->step, chance, BINS);
  plan->n_rounds = 0;
  for (guint i = 0; i < BINS; i++) {
    left -= chance[i];
    plan->slower[i] = MAX (left, 0);
    /* a round of 0 steps would never end */
    if (i > 0 && i < n && chance[i] > 0) {
      plan->rounds[plan->n_rounds].steps = i;
      plan->rounds[plan->n_rounds++].chance = chance[i];
    }
  }
  add_actions (plan);
}

/* Chooses the best action for a bin.  skip and cost of this bin and all below are
 * known. */
static void
choose (const FaspPlan *plan, gdouble price, Table *table, guint left)
{
  gdouble best = G_MAXDOUBLE;

  for (guint i = 0; i < plan->n_actions; i++) {
    const Action *action = &plan->actions[i];
    guint spread = action->spread;
    gdouble lost = action->lost, skip, cost;

    if (spread > left) {
      if (spread > plan->hurried)
        break;
      spread = left; /* there is no time to spread the copies */
      lost = plan->hurried_lost[left][action->copies];
    }
    skip = lost * table->skip[left - spread];
    cost = action->copies + lost * table->cost[left - spread];
    if (cost + price * skip >= best)
      continue;
    best = cost + price * skip;
    table->known[left] = (Known) { skip, cost };
    table->choice[left] = i;
  }
}

/* Solves one bin for a price of 2^@price datagrams per skip.  All bins below are
 * solved. */
static void
solve_bin (const FaspPlan *plan, guint price, Table *table, guint left)
{
  gdouble skip = plan->slower[left], cost = 0;

  for (guint i = 0; i < plan->n_rounds && plan->rounds[i].steps <= left; i++) {
    const Known *known = &table->known[left - plan->rounds[i].steps];

    skip += plan->rounds[i].chance * known->skip;
    cost += plan->rounds[i].chance * known->cost;
  }
  table->skip[left] = skip;
  table->cost[left] = cost;
  choose (plan, ldexp (1, price), table, left);
}

/* Solves all bins up to @bin, in order: each depends only on those below it. */
static void
solve (const FaspPlan *plan, guint price, Table *table, gint bin)
{
  for (gint left = 0; left <= bin; left++)
    solve_bin (plan, price, table, left);
}

/* The bin of a block that leaves with the whole latency left; -1: there is no time for a
 * retransmission, or there are none. */
static gint
bin_of (const FaspPlan *plan, FaspTime latency)
{
  FaspTime left = latency - plan->goal.path.guard;

  return left < 0 || plan->goal.no_rtx ? -1 : MIN (left / plan->step, BINS - 1);
}

/* The chance of a skip for one block.  The blocks of one burst are found lost and reported
 * together, so if they are too late, they cause one skip together.  Their retransmissions are lost
 * independently. */
static gdouble
skip_at (const FaspPlan *plan, const Table *table, gint bin)
{
  gdouble slower = bin < 0 ? 1 : plan->slower[bin];
  gdouble skip = bin < 0 ? 1 : table->skip[bin];

  return plan->goal.lost * (skip - plan->goal.stay * slower);
}

static gdouble
overhead_at (const FaspPlan *plan, const Table *table, gint bin)
{
  /* a retransmission that will be too late is sent all the same */
  return plan->goal.lost * (bin < 0 ? 1 : MAX (1, table->cost[bin]));
}

/* The chance of a skip that the goal allows for one block. */
static gdouble
allowed (const FaspPlanGoal *goal)
{
  return 1 / MAX (1, goal->blocks * goal->interval);
}

static gdouble
mix (gdouble share, gdouble cheap, gdouble dear)
{
  return cheap + share * (dear - cheap);
}

static FaspPromise
promise (const FaspPlan *plan, FaspTime latency, gint bin)
{
  gdouble skips = plan->goal.blocks
      * mix (plan->share, skip_at (plan, &plan->cheap, bin), skip_at (plan, &plan->dear, bin));

  return (FaspPromise) { latency, skips > 0 ? 1 / skips : G_MAXDOUBLE,
    mix (plan->share, overhead_at (plan, &plan->cheap, bin),
        overhead_at (plan, &plan->dear, bin)) };
}

/* The share of the interval from @from to @to that lies before @wanted, 0 .. 1. */
static gdouble
find_share (gdouble from, gdouble to, gdouble wanted)
{
  return from == to ? 1 : CLAMP ((wanted - from) / (to - from), 0, 1);
}

/* Is @price high enough at @bin, or does it cost more than the spare rate allows? */
static gboolean
is_enough (FaspPlan *plan, guint price, gint bin)
{
  solve (plan, price, &plan->dear, MAX (bin, 0));
  return skip_at (plan, &plan->dear, bin) <= allowed (&plan->goal)
      || overhead_at (plan, &plan->dear, bin) > plan->goal.spare;
}

/* The lowest price that is enough.  The search begins at the last price, as paths
 * change little. */
static guint
find_price (FaspPlan *plan, gint bin)
{
  guint low = 0, high = PRICE_MAX, step = 1;
  guint price = MIN (plan->price, PRICE_MAX - 1);

  /* no price below `low' is enough; `high' is */
  while (low < high) {
    if (is_enough (plan, price, bin))
      high = price;
    else
      low = price + 1;
    if (high < PRICE_MAX && low > 0)
      price = (low + high) / 2;
    else if (low == 0)
      price = high - MIN (high, step);
    else
      price = MIN (low + step, PRICE_MAX) - 1;
    step *= 2;
  }
  return low;
}

/* Solves for the lowest price that is enough at @bin, or the highest that the spare
 * rate allows. */
static void
settle_price (FaspPlan *plan, gint bin)
{
  gint last = MAX (bin, 0);
  gdouble affordable;

  plan->price = find_price (plan, bin);
  solve (plan, plan->price, &plan->dear, last);
  solve (plan, MAX (plan->price, 1) - 1, &plan->cheap, last);
  affordable = find_share (overhead_at (plan, &plan->cheap, bin),
      overhead_at (plan, &plan->dear, bin), plan->goal.spare);
  plan->share = MIN (affordable,
      find_share (skip_at (plan, &plan->cheap, bin), skip_at (plan, &plan->dear, bin),
          allowed (&plan->goal)));
  plan->bins = last + 1;
  plan->made = TRUE;
}

FaspPromise
fasp_plan_for_latency (FaspPlan *plan, const FaspPlanGoal *goal, FaspTime latency)
{
  gint bin;

  prepare (plan, goal);
  bin = bin_of (plan, latency);
  settle_price (plan, bin);
  return plan->promise = promise (plan, latency, bin);
}

/* The first bin below @below whose skips and overhead are within bounds at that price, or @below.
 * *early: in an earlier bin the skips were within bounds, but not the overhead. */
static gint
first_good (const FaspPlan *plan, guint price, Table *table, gint below, gboolean *early)
{
  *early = FALSE;
  for (gint bin = 0; bin < below; bin++) {
    solve_bin (plan, price, table, bin);
    if (skip_at (plan, table, bin) > allowed (&plan->goal))
      continue;
    if (overhead_at (plan, table, bin) <= plan->goal.spare)
      return bin;
    *early = TRUE;
  }
  return below;
}

FaspTime
fasp_plan_find_latency (const FaspPlanGoal *goal)
{
  g_autofree FaspPlan *plan = fasp_plan_new ();
  gint best = BINS;
  gboolean early = TRUE;

  prepare (plan, goal);
  /* a lower price causes more skips and fewer copies; it is tried if at the higher price only the
   * spare rate ruled out a lower latency */
  for (gint price = PRICE_MAX; price >= 0 && early; price -= 3)
    best = first_good (plan, price, &plan->dear, best, &early);
  /* the spare rate is too low for all prices: takes the cheapest */
  if (best == BINS) {
    solve (plan, 0, &plan->dear, BINS - 1);
    for (best = 0; best < BINS && skip_at (plan, &plan->dear, best) > allowed (goal); best++)
      ;
  }
  return MIN (best + 1, BINS) * plan->step * EASE + goal->path.guard;
}

FaspPlanRtx
fasp_plan_get (const FaspPlan *plan, FaspTime left, guint64 number)
{
  /* multiples of the golden ratio mix both tables evenly in any run of blocks */
  gdouble point = number * 0.6180339887498949;
  const Table *table;
  const Action *action;
  guint bin;

  if (!plan->made || left < 0)
    return (FaspPlanRtx) { 1, 0 };
  table = point - floor (point) < plan->share ? &plan->dear : &plan->cheap;
  bin = MIN (left / plan->step, plan->bins - 1);
  action = &plan->actions[table->choice[bin]];
  return (FaspPlanRtx) { action->copies, MIN (action->spread, bin) * plan->step };
}
