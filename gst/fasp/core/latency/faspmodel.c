/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>
#include "faspmodel.h"

/* A series ends at chances below this. */
#define NEGLIGIBLE 1e-15
#define SERIES_MAX 512

/* The most missing blocks that are states of their own in the walk. */
#define MISSING_MAX 64
/* The walk ends when the chance that a block is still missing is below this. */
#define NEVER 1e-18

/* The chance of each number of missing blocks, if the last datagram was lost, and if it arrived. */
typedef struct
{
  gdouble lost[MISSING_MAX + 1], here[MISSING_MAX + 1];
} Walk;

/* A datagram adds @up missing blocks if it is lost, else it removes @down. */
static void
walk (Walk *w, gdouble enter, gdouble stay, guint up, guint down)
{
  Walk next = { 0 };

  for (guint n = 1; n <= MISSING_MAX; n++) {
    guint more = MIN (n + up, MISSING_MAX);

    next.lost[more] += w->lost[n] * stay + w->here[n] * enter;
    if (n > down) /* else nothing is missing any more */
      next.here[n - down] += w->lost[n] * (1 - stay) + w->here[n] * (1 - enter);
  }
  *w = next;
}

static gdouble
sum (const Walk *w)
{
  gdouble all = 0;

  for (guint n = 1; n <= MISSING_MAX; n++)
    all += w->lost[n] + w->here[n];
  return all;
}

gdouble
fasp_model_sliding_loss (gdouble loss, gdouble stay, guint window, gdouble share)
{
  gdouble enter, owed = 0;
  Walk w = { 0 };

  if (loss <= 0 || loss >= 1)
    return loss;
  enter = MIN (1, loss * (1 - stay) / (1 - loss));
  w.lost[1] = 1;
  for (guint i = 0; i < window; i++) {
    for (owed += share; owed >= 1; owed--)
      walk (&w, enter, stay, 0, 1);
    walk (&w, enter, stay, 1, 0);
    if (i % 16 == 15 && sum (&w) < NEVER)
      break;
  }
  return loss * sum (&w);
}

gdouble
fasp_model_copies_lost (const FaspModelPath *path, guint copies, FaspTime spread)
{
  gdouble interval = MAX (1, path->interval);
  gdouble loss = path->loss, memory, first, apart, next;

  if (loss <= 0)
    return 0;
  /* the Markov chain's second eigenvalue: the memory left after one datagram */
  memory = loss < 1 ? path->stay - (1 - path->stay) * loss / (1 - loss) : 1;
  memory = CLAMP (memory, 0, 1);
  /* a datagram got through one round ago, or the sender would not know of the loss */
  first = loss * (1 - pow (memory, path->round / interval));
  if (copies <= 1)
    return first;
  apart = spread / (copies - 1) / interval;
  next = loss + (1 - loss) * pow (memory, MAX (1, apart));
  return first * pow (next, copies - 1.);
}

/* chance[i] is the chance that the i-th datagram of a series is the first to get through.
 * @after_loss: the datagram before the series was lost. */
static guint
first_through (gdouble loss, gdouble stay, gboolean after_loss, gdouble *chance)
{
  gdouble left = 1, fails = after_loss ? stay : loss;
  guint n = 0;

  while (n < SERIES_MAX - 1 && left > NEGLIGIBLE) {
    chance[n++] = left * (1 - fails);
    left *= fails;
    fails = stay;
  }
  chance[n++] = left;
  return n;
}

/* The wait before the i-th repetition of feedback (fasptypes.h). */
static FaspTime
feedback_wait (const FaspModelPath *path, guint i)
{
  return MAX (FASP_FEEDBACK_REPEAT (i), i < path->unlimited ? 0 : path->feedback);
}

guint
fasp_model_round_time (const FaspModelPath *path, FaspTime step, gdouble *chance, guint max)
{
  gdouble seen[SERIES_MAX], heard[SERIES_MAX];
  guint n_seen, n_heard, used = 0;

  memset (chance, 0, max * sizeof *chance);
  n_seen = first_through (path->loss, path->stay, TRUE, seen);
  n_heard = first_through (path->back_loss, path->back_stay, FALSE, heard);
  for (guint i = 0; i < n_seen; i++) {
    FaspTime time = path->round + path->first + i * path->interval;

    for (guint j = 0; j < n_heard; time += feedback_wait (path, j++)) {
      guint64 bin = MIN ((guint64) (time + step - 1) / step, max - 1);

      chance[bin] += seen[i] * heard[j];
      used = MAX (used, bin + 1);
      /* the chances that follow are negligible, too */
      if (seen[i] * heard[j] < NEGLIGIBLE && j > 0)
        break;
    }
  }
  return used;
}
