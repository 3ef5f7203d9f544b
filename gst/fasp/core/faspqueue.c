/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspqueue.h"

FaspTime
fasp_queue_add (FaspQueue * queue, FaspTime sent, FaspTime arrived)
{
  FaspTime delay = arrived - sent;

  if (!queue->measured) {
    *queue = (FaspQueue) {
    TRUE, delay, delay, sent};
  } else if (sent - queue->since >= FASP_QUEUE_WINDOW) {
    queue->least_before = queue->least;
    queue->least = delay;
    queue->since = sent;
  }
  queue->least = MIN (queue->least, delay);
  return delay - MIN (queue->least, queue->least_before);
}
