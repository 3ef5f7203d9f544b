/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspqueue.h"

/* The least delay is taken over one to two of these windows. */
#define WINDOW (FASP_RATE_MEMORY / 2)
/* A queue still drains if less than this share of the first half of a window is left. */
#define DRAINS .95
/* The least rise that is a jump.  A queue grows by less from one packet to the next, unless they
 * are sent at more than three times the path's rate. */
#define JUMP_LEAST (20 * FASP_MSEC)
#define JUMP_GAPS 2
#define JUMP_STAYS .75
#define JUMP_GROWS .5

static void
slide (FaspQueue *queue, FaspTime delay, FaspTime now)
{
  gdouble early = (gdouble) queue->early - queue->least_before;
  gdouble excess = (gdouble) queue->least - queue->least_before;

  if (excess <= 0 || excess >= DRAINS * early)
    queue->least_before = queue->least;
  queue->least = queue->early = delay;
  queue->since = now;
}

static void
look_for_jump (FaspQueue *queue, FaspTime sent, FaspTime delay)
{
  FaspTime rise = delay - queue->last_delay;
  FaspTime gap = fasp_later (sent - queue->last_sent, 0);

  if (rise >= JUMP_LEAST + JUMP_GAPS * gap && gap <= FASP_RATE_TARGET) {
    queue->jump = rise;
    queue->jump_sent = sent;
    queue->jump_from = queue->last_delay;
    queue->jump_least = delay;
    return;
  }
  if (queue->jump == 0)
    return;
  queue->jump_least = MIN (queue->jump_least, delay);
  if (queue->jump_least - queue->jump_from < JUMP_STAYS * queue->jump
      || delay - queue->jump_least > JUMP_GROWS * queue->jump)
    queue->jump = 0;
}

FaspTime
fasp_queue_get_jump (const FaspQueue *queue, FaspTime time)
{
  return queue->jump_sent < time ? queue->jump : 0;
}

FaspTime
fasp_queue_take_jump (FaspQueue *queue)
{
  queue->least = queue->least_before = queue->early = queue->jump_least;
  queue->jump = 0;
  queue->since = queue->last_sent;
  return queue->last_delay - queue->least;
}

FaspTime
fasp_queue_add (FaspQueue *queue, FaspTime sent, FaspTime arrived)
{
  FaspTime delay = arrived - sent;

  if (!queue->measured) {
    *queue = (FaspQueue) { TRUE, delay, delay, delay, sent, sent, delay };
  } else if (sent - queue->since >= WINDOW) {
    slide (queue, delay, sent);
  }
  look_for_jump (queue, sent, delay);
  queue->last_sent = sent;
  queue->last_delay = delay;
  queue->least = MIN (queue->least, delay);
  if (sent - queue->since < WINDOW / 2)
    queue->early = queue->least;
  return delay - MIN (queue->least, queue->least_before);
}
