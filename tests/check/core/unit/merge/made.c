/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "made.h"

/* Without a pattern, so that there are anchors (faspanchors.h). */
static guint8
get_byte (guint64 offset)
{
  guint64 z = offset * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 32) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  return z >> 56;
}

Made *
made_new (FaspRedundancy redundancy, guint n)
{
  Made *m = g_new (Made, 1);

  *m = (Made) { .merge = fasp_merge_new (redundancy, n, 1 << 20), .now = MADE_START, .n = n };
  for (guint i = 0; i < n; i++) {
    m->states[i] = (FaspSourceState) { TRUE, i + 1, m->now, MADE_RTT, MADE_LATENCY };
    m->delays[i] = 20 * FASP_MSEC;
    m->origins[i] = 1;
  }
  made_decide (m);
  return m;
}

void
made_free (Made *m)
{
  fasp_merge_free (m->merge);
  g_free (m);
}

static void
note_events (Made *m)
{
  FaspMergeEvent event;

  while (fasp_merge_poll_event (m->merge, &event))
    m->events[event.type][event.source]++;
}

static void
set_states (Made *m)
{
  for (guint i = 0; i < m->n; i++) {
    if (m->states[i].is_connected)
      m->states[i].heard = m->now;
    fasp_merge_set_state (m->merge, m->now, i, &m->states[i]);
  }
}

void
made_decide (Made *m)
{
  set_states (m);
  fasp_merge_decide (m->merge, m->now);
  note_events (m);
}

static void
put (Made *m, guint i, FaspBlock *block)
{
  FaspRead read = { .block = block, .session = m->states[i].session };
  FaspTime written = MADE_START + block->media_time;

  read.behind = (FaspStreamOffset) { .known = TRUE, .offset = block->offset + block->size };
  read.behind.origin.bytes[0] = m->origins[i];
  read.arrival = written + m->delays[i];
  read.ready = MIN (read.arrival, m->now);
  block->media_time += m->turns[i];
  block->flags |= m->flags[i];
  fasp_merge_put (m->merge, m->now, i, &read);
}

gboolean
made_bring (Made *m, guint i, guint64 offset, guint32 size)
{
  FaspBlock *block;

  if (!fasp_merge_wants (m->merge, i))
    return FALSE;
  block = fasp_block_new (size);
  block->size = size;
  block->offset = offset - m->begins[m->origins[i]];
  block->media_time = offset / MADE_SIZE * MADE_GAP;
  for (guint32 k = 0; k < size; k++)
    block->data[k] = get_byte (offset + k) + m->forges[i];
  put (m, i, block);
  note_events (m);
  return TRUE;
}

gboolean
made_bring_block (Made *m, guint i, guint64 k)
{
  return made_bring (m, i, k * MADE_SIZE, MADE_SIZE);
}

gboolean
made_bring_mark (Made *m, guint i, guint8 flags)
{
  FaspBlock *block;

  if (!fasp_merge_wants (m->merge, i))
    return FALSE;
  block = fasp_block_new (1);
  block->flags = flags;
  block->offset = m->next;
  put (m, i, block);
  return TRUE;
}

guint
made_take (Made *m)
{
  FaspMergeTaken taken;
  FaspRead read;
  guint n = 0;

  while (fasp_merge_take (m->merge, m->now, &read, &taken)) {
    FaspBlock *block = read.block;

    if (block->flags & FASP_BLOCK_EOS)
      m->eos = TRUE;
    m->enters += (block->flags & FASP_BLOCK_ENTER) != 0;
    if ((block->flags & (FASP_BLOCK_EOS | FASP_BLOCK_HEADER)) == 0) {
      guint64 offset = block->offset + m->begins[read.behind.origin.bytes[0]];

      g_assert_cmpuint (offset, >=, m->next);
      for (guint32 k = 0; k < block->size; k++)
        m->wrong |= block->data[k] != get_byte (offset + k);
      m->discontinuities += (block->flags & FASP_BLOCK_DISCONT) != 0;
      m->lacks += (block->flags & FASP_BLOCK_LACKS) != 0;
      m->begun += taken.begins;
      m->missing += taken.missing;
      m->next = offset + block->size;
      m->media = block->media_time;
      m->delay = read.arrival - block->media_time;
    }
    m->from[taken.source]++;
    n++;
    fasp_block_unref (block);
  }
  note_events (m);
  return n;
}

void
made_arrive (Made *m, guint i, guint64 k)
{
  m->now = MAX (m->now, MADE_START + (FaspTime) k * MADE_GAP + m->delays[i]);
  set_states (m);
  made_bring_block (m, i, k);
  made_decide (m);
  made_take (m);
}

void
made_run (Made *m, guint first, guint second, guint64 from, guint64 to)
{
  guint64 blocks[2] = { from, from };
  guint sources[2] = { first, second };

  while (blocks[0] < to || blocks[1] < to) {
    FaspTime at[2];
    guint which;

    for (guint s = 0; s < 2; s++)
      at[s] = blocks[s] < to ? (FaspTime) blocks[s] * MADE_GAP + m->delays[sources[s]] : FASP_NEVER;
    which = at[1] < at[0];
    made_arrive (m, sources[which], blocks[which]++);
  }
}

gboolean
made_is_trusted (const Made *m, guint i)
{
  FaspSourceStats stats;

  fasp_merge_get_stats (m->merge, i, &stats);
  return stats.is_trusted;
}
