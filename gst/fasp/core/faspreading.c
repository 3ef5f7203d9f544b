/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the application reads: whose it is, and when it is to be played.
 */
#include "faspendpointprivate.h"

void
fasp_reading_took (FaspEndpoint * endpoint, const FaspSession * session,
    FaspBlock * block)
{
  const FaspRx *rx = &session->rx;
  FaspSenderClock *clock = &endpoint->reading_clock;
  FaspTime mapped = fasp_media_clock_map (&rx->clock, block->number,
      block->media_time);

  /* another sender than that of the block before */
  if (endpoint->reading != session->id) {
    if (endpoint->reading != 0)
      block->flags |= FASP_BLOCK_DISCONT;
    endpoint->reading = session->id;
    clock->epoch++;
    clock->jumps = rx->clock.jumps;
  }
  if (clock->jumps != rx->clock.jumps
      && fasp_media_clock_is_current (&rx->clock, block->number)) {
    block->flags |= FASP_BLOCK_CLOCK_JUMP;
    clock->epoch++;
    clock->jumps = rx->clock.jumps;
    clock->jump = rx->clock.jump;
  }
  clock->known = clock->jumps == rx->clock.jumps;
  clock->offset = rx->clock.offset;
  clock->skew_known = rx->skew.known;
  clock->skew = rx->skew.skew;
  /* at its own time, however long it has waited for the one before it */
  endpoint->reading_offset = mapped - block->media_time +
      fasp_playout_get (&rx->playout, mapped) - rx->playout.first;
}

FaspTime
fasp_endpoint_map_media_time (const FaspEndpoint * endpoint,
    FaspTime media_time)
{
  return media_time + endpoint->reading_offset;
}

void
fasp_endpoint_get_sender_clock (const FaspEndpoint * endpoint,
    FaspSenderClock * clock)
{
  *clock = endpoint->reading_clock;
}
