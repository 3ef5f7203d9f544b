/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The blocks: what the newest feedback says of each, which must go again, and what it means for
 * them that a packet is settled.
 */
#include "faspsentmapprivate.h"
#include "faspring.h"

/* --- blocks -------------------------------------------------------------- */

void
fasp_sent_map_add_block (FaspSentMap *map, guint64 block)
{
  map->blocks =
      fasp_ring_make_room (map->blocks, sizeof *map->blocks, &map->block_mask, map->base, block);
  *fasp_sent_map_block (map, block) = (FaspSentBlock) { 0 };
  map->next = block + 1;
}

void
fasp_sent_map_queue (FaspSentMap *map, guint64 block)
{
  fasp_heap_push (&map->queue, block);
  fasp_sent_map_block (map, block)->queued = TRUE;
}

/* --- what the newest feedback says about a block --------------------------------- */

guint64
fasp_sent_map_find_missing (const FaspSentMap *map, guint64 block)
{
  guint low = 0, high = map->ranges->len;

  while (low < high) {
    guint middle = (low + high) / 2;
    const FaspRange *range = &g_array_index (map->ranges, FaspRange, middle);

    if (block < range->start + range->length)
      high = middle;
    else
      low = middle + 1;
  }
  return low == map->ranges->len ? map->end :
                                   MAX (block, g_array_index (map->ranges, FaspRange, low).start);
}

FaspKnowledge
fasp_sent_map_ask (const FaspSentMap *map, guint64 block)
{
  if (block < map->base)
    return FASP_BLOCK_HERE;
  if (block >= map->end)
    return map->tail ? FASP_BLOCK_MISSING : FASP_BLOCK_UNKNOWN;
  if (block < map->from)
    return FASP_BLOCK_UNKNOWN;
  return fasp_sent_map_find_missing (map, block) == block ? FASP_BLOCK_MISSING : FASP_BLOCK_HERE;
}

gboolean
fasp_sent_map_is_here (const FaspSentMap *map, guint64 block)
{
  return fasp_sent_map_ask (map, block) == FASP_BLOCK_HERE;
}

gboolean
fasp_sent_map_is_in_flight (const FaspSentMap *map, guint64 block)
{
  return map->log != NULL && fasp_group_log_is_in_flight (map->log, block, map->group_settled);
}

guint
fasp_sent_map_get_rounds (const FaspSentMap *map, guint64 block)
{
  guint rounds = fasp_sent_map_block (map, block)->rounds;

  if (map->log != NULL) {
    rounds += fasp_group_log_get_rounds (map->log, block);
    /* a member gets originals by the group, so a block sent by unicast is a retransmission */
    rounds = MAX (rounds, 1u);
  }
  return MIN (rounds, G_MAXUINT8);
}

/* --- packets that are settled -------------------------------------------- */

/* A packet with @block is settled, so it is no longer in flight. Counts the block as arrived or
 * lost. FALSE: not known yet. */
static gboolean
settle (FaspSentMap *map, FaspTime age, guint64 block, FaspSentMapResult *result)
{
  FaspSentBlock *state;

  if (block >= FASP_PROBE || block < map->base)
    return TRUE;
  switch (fasp_sent_map_ask (map, block)) {
    case FASP_BLOCK_UNKNOWN:
      return FALSE; /* the feedback had no room to say whether the block arrived */
    case FASP_BLOCK_MISSING:
      state = fasp_sent_map_block (map, block);
      result->lost++;
      result->shortest = MIN (result->shortest, age);
      /* for a member of a group, fasp_sent_map_settle_group() decides this, after all packets are
       * settled */
      if (--state->in_flight == 0 && !state->queued && map->log == NULL)
        fasp_sent_map_queue (map, block);
      break;
    case FASP_BLOCK_HERE:
      fasp_sent_map_block (map, block)->in_flight--;
      break;
  }
  return TRUE;
}

void
fasp_sent_map_note_lost (FaspSentMapLosses *losses, gint64 pn, guint64 block, guint round,
    FaspTime age)
{
  if (losses->count++ == 0) {
    *losses = (FaspSentMapLosses) { 1, pn, pn, block, block, round, age };
    return;
  }
  losses->last = pn;
  losses->block = MIN (losses->block, block);
  losses->last_block = MAX (losses->last_block, block);
  losses->round = MAX (losses->round, round);
}

void
fasp_sent_map_log_lost (const FaspSentMap *map, FaspTime now, gint64 flow,
    const FaspSentMapLosses *losses, const gchar *why)
{
  FASP_LOG (map->decisions, now, PACKETS_LOST, flow, losses->first, losses->last, losses->count,
      losses->block, losses->last_block, losses->round, losses->age, FASP_LOG_WORD (why));
}

static gint
compare_blocks (gconstpointer a, gconstpointer b, gpointer ignored)
{
  guint64 first = *(const guint64 *) a, second = *(const guint64 *) b;

  return (first > second) - (first < second);
}

static guint
get_index (const FaspSentMap *map, const FaspSentFlow *flow)
{
  guint i = 0;

  while (i < FASP_FLOWS_MAX - 1 && map->flows[i] != flow)
    i++;
  return i;
}

void
fasp_sent_map_settle (FaspSentMap *map, FaspTime now, FaspSentFlow *flow, guint64 settled,
    const gchar *why, FaspSentMapResult *result)
{
  FaspSentMapLosses losses;

  losses.count = 0;
  for (; flow->front <= settled && flow->front < flow->next; flow->front++) {
    FaspTransmission *t = fasp_sent_map_transmission (flow, flow->front);
    guint64 lost = result->lost;
    gboolean known = settle (map, now - t->sent, t->block, result);

    if (result->lost > lost && map->decisions != NULL)
      fasp_sent_map_note_lost (&losses, flow->front, t->block,
          fasp_sent_map_get_rounds (map, t->block) - 1, now - t->sent);
    if (!known)
      g_sequence_insert_sorted (map->unknown, g_memdup2 (&t->block, sizeof t->block),
          compare_blocks, NULL);
  }
  if (losses.count > 0)
    fasp_sent_map_log_lost (map, now, get_index (map, flow), &losses, why);
}

/* The feedback covers the blocks from @first to before @end. Settles those that waited for this, at
 * most *left. */
static void
settle_range (FaspSentMap *map, guint64 first, guint64 end, guint *left, FaspSentMapLosses *losses,
    FaspSentMapResult *result)
{
  guint64 before = first - 1; /* g_sequence_search() finds the place behind this value */
  GSequenceIter *i = first == 0 ? g_sequence_get_begin_iter (map->unknown) :
                                  g_sequence_search (map->unknown, &before, compare_blocks, NULL);

  while (*left > 0 && !g_sequence_iter_is_end (i)) {
    GSequenceIter *next = g_sequence_iter_next (i);
    guint64 block = *(guint64 *) g_sequence_get (i), lost = result->lost;

    if (block >= end)
      break;
    settle (map, FASP_NEVER, block, result);
    if (result->lost > lost && map->decisions != NULL)
      fasp_sent_map_note_lost (losses, FASP_LOG_UNKNOWN, block,
          fasp_sent_map_get_rounds (map, block) - 1, FASP_LOG_UNKNOWN);
    g_sequence_remove (i);
    (*left)--;
    i = next;
  }
}

void
fasp_sent_map_settle_unknown (FaspSentMap *map, FaspTime now, FaspSentMapResult *result)
{
  guint left = FASP_SENT_MAP_NEWS;
  FaspSentMapLosses losses;

  losses.count = 0;
  settle_range (map, 0, map->base, &left, &losses, result);
  settle_range (map, map->from, map->end, &left, &losses, result);
  if (map->tail)
    settle_range (map, map->end, FASP_NO_BLOCK, &left, &losses, result);
  if (losses.count > 0)
    fasp_sent_map_log_lost (map, now, FASP_LOG_UNKNOWN, &losses, "reported");
}
