/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Several sources of one stream, or of others that they call the same, which bring what they like,
 * lie, go, and come again.  The input is a script of these, and of time that passes.
 *
 * Each byte is taken once, in order, and is the stream's own as long as no source has lied; and the
 * merge asks for a time that is still to come.
 */
#include "fuzz.h"
#include <stdlib.h>
#include "faspmerge.h"

#define RECENT (64 * 1024) /* bytes that are kept, to compare sources with */
#define STREAMS 8          /* origins from this one on are of other streams */
#define APART 1000 /* bytes of the stream from the beginning of an origin to the next one's */
#define STEPS 1000

typedef struct
{
  FaspMerge *merge;
  FaspTime now;
  guint n;
  FaspSourceState states[FASP_SOURCES_MAX];
  guint64 offsets[FASP_SOURCES_MAX]; /* of the next byte */
  FaspTime media[FASP_SOURCES_MAX];  /* its media time */
  guint8 origins[FASP_SOURCES_MAX], lies[FASP_SOURCES_MAX];
  guint8 flags[FASP_SOURCES_MAX]; /* of the next block */
  gboolean lied;
  FaspStreamOffset taken; /* behind the last block */
} Play;

/* Without a pattern, so that the merge finds where streams of different origins are the same. */
static guint8
get_byte (guint8 origin, guint64 offset)
{
  guint64 z = (offset + origin % STREAMS * APART) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 32) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  return (z >> 56) + origin / STREAMS;
}

static void
bring (Play *play, guint i, guint8 how, guint32 size)
{
  FaspBlock *block;
  FaspRead read = { .session = play->states[i].session, .arrival = play->now, .ready = play->now };

  if (!play->states[i].is_connected || !fasp_merge_wants (play->merge, i))
    return;
  play->offsets[i] += how & 0x40 ? size : 0; /* these are missing */
  read.behind.origin.bytes[0] = play->origins[i];
  read.block = block = fasp_block_new (size);
  block->flags = play->flags[i];
  block->media_time = play->media[i] += size * 10; /* µs: 100 bytes/ms */
  block->offset = how & 0x80 ? FASP_OFFSET_UNKNOWN : play->offsets[i];
  if ((block->flags & (FASP_BLOCK_EOS | FASP_BLOCK_HEADER)) == 0) {
    block->size = size;
    for (guint32 k = 0; k < size; k++)
      block->data[k] = get_byte (play->origins[i], play->offsets[i] + k) + play->lies[i];
    play->offsets[i] += size;
  }
  read.behind.known = (how & 0x80) == 0;
  read.behind.offset = play->offsets[i];
  play->flags[i] = 0;
  fasp_merge_put (play->merge, play->now, i, &read);
}

static void
check_taken (Play *play, const FaspRead *read, const FaspMergeTaken *taken)
{
  const FaspBlock *block = read->block;
  const FaspStreamOffset *last = &play->taken;
  guint8 origin = read->behind.origin.bytes[0];

  if (taken->source >= play->n)
    abort ();
  if ((block->flags & (FASP_BLOCK_EOS | FASP_BLOCK_HEADER)) != 0)
    return;
  if (block->size == 0)
    abort ();
  if (block->offset != FASP_OFFSET_UNKNOWN && read->behind.known) {
    if (!taken->begins && last->known && fasp_origin_equal (&last->origin, &read->behind.origin)
        && block->offset < last->offset)
      abort ();
    for (guint32 k = 0; !play->lied && k < block->size; k++)
      if (block->data[k] != get_byte (origin, block->offset + k))
        abort ();
  }
  play->taken = read->behind;
}

/* All states are set before the merge decides, as faspmerge.h says. */
static void
go_on (Play *play)
{
  FaspMergeTaken taken;
  FaspMergeEvent event;
  FaspSourceStats stats;
  FaspRead read;

  for (guint i = 0; i < play->n; i++)
    fasp_merge_set_state (play->merge, play->now, i, &play->states[i]);
  fasp_merge_decide (play->merge, play->now);
  while (fasp_merge_take (play->merge, play->now, &read, &taken)) {
    check_taken (play, &read, &taken);
    fasp_block_unref (read.block);
  }
  while (fasp_merge_poll_event (play->merge, &event))
    if (event.source >= play->n)
      abort ();
  for (guint i = 0; i < play->n; i++) {
    FaspOtherSources others = fasp_merge_get_other_sources (play->merge, i);

    fasp_merge_is_announced (play->merge, i, &others);
    fasp_merge_get_stats (play->merge, i, &stats);
  }
  fasp_merge_get_promise (play->merge);
  fasp_merge_decide (play->merge, play->now);
  if (fasp_merge_get_timeout (play->merge, play->now) < play->now)
    abort ();
}

static void
change_state (Play *play, guint i, guint8 how)
{
  FaspSourceState *state = &play->states[i];

  switch (how % 5) {
    case 0:
      state->is_connected = !state->is_connected;
      state->session += state->is_connected;
      break;
    case 1:
      state->rtt = how * FASP_MSEC;
      break;
    case 2:
      state->latency = how * 4 * FASP_MSEC;
      break;
    case 3:
      state->promised = how;
      break;
    case 4: /* another sender */
      state->peer = how;
      state->session++;
      break;
  }
}

/* A step is a byte of what, one of which source and how, one of how much. */
static void
step (Play *play, guint8 what, guint8 how, guint8 much)
{
  guint i = how % play->n;

  switch (what % 8) {
    case 0:
    case 1:
    case 2:
      bring (play, i, how, 1 + (what & 0x80 ? much * 32 : much));
      break;
    case 3: /* kinds of blocks that a session makes */
      play->flags[i] = much
          & (FASP_BLOCK_DISCONT | FASP_BLOCK_EOS | FASP_BLOCK_KEY | FASP_BLOCK_CLOCK_JUMP
              | FASP_BLOCK_HEADER | FASP_BLOCK_ENTER | FASP_BLOCK_LACKS);
      break;
    case 4:
      play->now += (what & 0x80 ? much * 50 : much) * FASP_MSEC;
      for (guint k = 0; k < play->n; k++)
        if (play->states[k].is_connected && (how >> k & 1) == 0)
          play->states[k].heard = play->now;
      break;
    case 5:
      change_state (play, i, much);
      break;
    case 6: /* a stream begins, or goes on elsewhere */
      if (how & 0x80)
        play->lied |= (play->lies[i] = much) != 0;
      else
        play->origins[i] = much % (2 * STREAMS);
      play->offsets[i] = how & 0x40 ? (guint64) much << (much % 54) : play->offsets[i];
      play->media[i] +=
          how & 0x20 ? (FaspTime) (gint8) much * (1 << 24) : 0; /* within half a wrap */
      play->states[i].session++;
      break;
    case 7:
      if (how & 0x80)
        fasp_merge_restore_after (play->merge, much * 10 * FASP_MSEC);
      else
        fasp_merge_prefer (play->merge, play->now, i);
      break;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  Play play = { .now = 100 * FASP_SEC };

  if (size < 2)
    return 0;
  play.n = 1 + data[1] % FASP_SOURCES_MAX;
  play.merge = fasp_merge_new (data[0] % (FASP_REDUNDANCY_STANDBY + 1), play.n, RECENT);
  for (guint i = 0; i < play.n; i++)
    play.states[i] =
        (FaspSourceState) { TRUE, i + 1, play.now, 50 * FASP_MSEC, 400 * FASP_MSEC, .peer = i + 1 };
  for (gsize at = 2; at + 3 <= size && at < 2 + 3 * STEPS; at += 3) {
    step (&play, data[at], data[at + 1], data[at + 2]);
    go_on (&play);
  }
  fasp_merge_free (play.merge);
  return 0;
}
