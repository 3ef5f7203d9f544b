/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A peer that is a member of a group.  The group's log knows what was sent to all members;
 * here the blocks that this peer lacks are looked up in it.
 */
#include "faspsentmapprivate.h"

/* --- membership ----------------------------------------------------------------------- */

void
fasp_repair_join (FaspRepair * repair, FaspTime now, FaspGroupLog * log)
{
  FaspSentFlow *flow = repair->flows[FASP_GROUP_FLOW];
  guint64 next = fasp_group_log_get_pn (log), pn, received;

  if (flow == NULL) {
    flow = repair->flows[FASP_GROUP_FLOW] = g_new0 (FaspSentFlow, 1);
    fasp_rtt_init (&flow->rtt);
    flow->base = flow->largest = next;
    repair->n_flows++;
  } else if (fasp_repair_get_past (repair, log, &pn, &received)
      && pn >= flow->largest && received >= flow->received) {
    guint64 sent = pn + 1 - flow->largest;

    /* what the group sent while it was away, and it did not receive, is no loss */
    flow->base += sent - MIN (sent, received - flow->received);
    flow->largest = pn + 1;
    flow->received = received;
  }
  flow->next = next;
  repair->log = log;
  repair->was_member = TRUE;
  repair->group_told = flow->next;
  repair->group_progress = now;
  fasp_repair_follow (repair);
}

guint64
fasp_repair_follow (FaspRepair * repair)
{
  FaspSentFlow *flow = repair->flows[FASP_GROUP_FLOW];
  guint64 next = fasp_group_log_get_next (repair->log);

  while (repair->next < next)
    fasp_repair_add_block (repair, repair->next);
  flow->front = flow->next = fasp_group_log_get_pn (repair->log);
  return repair->next;
}

void
fasp_repair_leave (FaspRepair * repair)
{
  fasp_repair_follow (repair);
  repair->log = NULL;
  repair->past_received = 0;
  for (guint64 block = repair->base; block < repair->next; block++) {
    FaspSentBlock *state = fasp_repair_block (repair, block);

    if (!state->queued && state->in_flight == 0
        && !fasp_repair_is_here (repair, block))
      fasp_repair_queue (repair, block);
  }
}

gboolean
fasp_repair_get_past (const FaspRepair * repair, const FaspGroupLog * log,
    guint64 * pn, guint64 * received)
{
  guint64 next = fasp_group_log_get_pn (log);

  if (repair->log != NULL || repair->past_received == 0 || next == 0)
    return FALSE;
  *pn = fasp_widen_given (repair->past_largest, FASP_PN_BITS, next);
  *received = repair->past_received;
  return *pn < next;
}

void
fasp_repair_overtaken (FaspRepair * repair, guint64 to)
{
  while (repair->next < to) {
    guint64 block = repair->next;

    fasp_repair_add_block (repair, block);
    fasp_repair_queue (repair, block);
  }
}

FaspTime
fasp_repair_get_unheard (const FaspRepair * repair)
{
  FaspTime sent;

  if (repair->group_told == fasp_group_log_get_pn (repair->log))
    return FASP_NEVER;
  sent = fasp_group_log_get_time (repair->log, repair->group_told);
  /* 0: too many packets ago to know */
  return sent > 0 ? sent : repair->group_progress;
}

gboolean
fasp_repair_hears_since (const FaspRepair * repair, guint64 block)
{
  guint64 first = fasp_group_log_get_first (repair->log, block);

  return first == G_MAXUINT64 || repair->group_told > first;
}

/* --- feedback --------------------------------------------------------------------- */

void
fasp_repair_told_of_group (FaspRepair * repair, FaspTime now,
    const FaspFeedbackFlow * told, guint64 largest, FaspRepairResult * result)
{
  FaspSentFlow *flow = repair->flows[FASP_GROUP_FLOW];

  if (flow->received == 0)      /* packets before the first one are no loss */
    flow->base = flow->largest = largest + 1 - MIN (told->received,
        largest + 1);
  fasp_repair_note_told (flow, now, told, largest,
      fasp_group_log_get_time (repair->log, largest), result);
  if (largest >= repair->group_told) {
    repair->group_told = largest + 1;
    repair->group_progress = now;
  }
  if (told->unsettled <= largest)
    repair->group_settled = MAX (repair->group_settled, largest -
        told->unsettled + 1);
}

/* The peer lacks @block and has room for it: if all packets that carried it are settled,
 * it is lost. */
static void
look_at_missing (FaspRepair * repair, FaspTime now, guint64 block,
    FaspRepairResult * result)
{
  FaspSentBlock *state = fasp_repair_block (repair, block);

  if (state->queued || state->in_flight > 0
      || !fasp_group_log_ask (repair->log, now, repair, block,
          repair->group_settled, &state->asked))
    return;
  result->lost++;
  FASP_LOG (repair->decisions, now, PACKET_LOST, FASP_GROUP_FLOW,
      FASP_LOG_UNKNOWN, block, state->rounds, FASP_LOG_UNKNOWN,
      FASP_LOG_WORD ("reported"));
  fasp_repair_queue (repair, block);
}

/* Each block beyond one for each range takes its part of LOOKS_TIME. */
#define MORE (FASP_REPAIR_NEWS - FASP_RANGES_MAX)

guint
fasp_repair_get_looks (const FaspRepair * repair, FaspTime now)
{
  FaspTime saved = CLAMP (now - repair->looks_from, 0, FASP_REPAIR_LOOKS_TIME);

  return FASP_RANGES_MAX + saved * MORE / FASP_REPAIR_LOOKS_TIME;
}

void
fasp_repair_looked (FaspRepair * repair, FaspTime now, guint blocks)
{
  FaspTime from = MAX (repair->looks_from, now - FASP_REPAIR_LOOKS_TIME);
  guint more = blocks - MIN (blocks, FASP_RANGES_MAX);

  repair->looks_from = from + (more * FASP_REPAIR_LOOKS_TIME + MORE - 1) / MORE;
}

/* Looks at the blocks from @from to before @end, @left at most.  Returns how many are left. */
static guint
look_at_range (FaspRepair * repair, FaspTime now, guint64 from, guint64 end,
    guint left, FaspRepairResult * result)
{
  for (guint64 block = MAX (from, repair->base); block < end && left > 0;
      block++, left--)
    look_at_missing (repair, now, block, result);
  return left;
}

void
fasp_repair_settle_group (FaspRepair * repair, FaspTime now,
    const FaspFeedback * feedback, FaspRepairResult * result)
{
  /* a block takes at least one unit of the window */
  guint64 limit = MIN (repair->next, feedback->ack + feedback->window);
  guint most = fasp_repair_get_looks (repair, now), left = most;

  for (guint i = 0; i < feedback->n_ranges && left > 0; i++) {
    const FaspRange *range = &feedback->ranges[i];

    left = look_at_range (repair, now, range->start, MIN (range->start +
            range->length, limit), left, result);
  }
  for (guint64 block = MAX (feedback->end, repair->base); feedback->tail
      && block < limit && left > 0
      && fasp_group_log_get_first (repair->log, block) <
      repair->group_settled; block++, left--)
    look_at_missing (repair, now, block, result);
  fasp_repair_looked (repair, now, most - left);
}
