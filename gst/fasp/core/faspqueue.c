/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspqueue.h"

/* What is left of a queue that still drains, of what there was in the first half of a
 * window. */
#define DRAINS .95

static void
slide (FaspQueue * queue, FaspTime delay, FaspTime now)
{
  gdouble early = (gdouble) queue->early - queue->least_before;
  gdouble excess = (gdouble) queue->least - queue->least_before;

  if (excess <= 0 || excess >= DRAINS * early)
    queue->least_before = queue->least;
  queue->least = queue->early = delay;
  queue->since = now;
}

FaspTime
fasp_queue_add (FaspQueue * queue, FaspTime sent, FaspTime arrived)
{
  FaspTime delay = arrived - sent;

  if (!queue->measured) {
    *queue = (FaspQueue) {
    TRUE, delay, delay, delay, sent};
  } else if (sent - queue->since >= FASP_QUEUE_WINDOW) {
    slide (queue, delay, sent);
  }
  queue->least = MIN (queue->least, delay);
  if (sent - queue->since < FASP_QUEUE_WINDOW / 2)
    queue->early = queue->least;
  return delay - MIN (queue->least, queue->least_before);
}
