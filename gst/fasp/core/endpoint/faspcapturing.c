/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcapturing.c: when a sender writes the capture time into the stream: in a mark, not in every
 * packet.
 */
#include "faspgather.h"
#include "faspsendingprivate.h"
#include "faspwriting.h"

/* A mark is written at least this often while there is a stream, for receivers that begin in the
 * middle, and because clocks drift. */
#define EVERY FASP_SEC
/* If the capture time differs by more than CHANGE (µs) from what the last mark says, the next mark
 * comes after APART: receivers behind a relay then know it as exactly as its own sender's. */
#define CHANGE ((FaspTime) 100)
#define APART (100 * FASP_MSEC)
/* If it differs by more than this, what the last mark says is wrong, and the next one comes after
 * SHARED. */
#define WRONG (5 * FASP_MSEC)
/* Receivers that begin at nearly the same time share a mark. */
#define SHARED (20 * FASP_MSEC)

/* How long after the last mark the next one is written at the earliest. */
static FaspTime
get_wait (const FaspEndpointCapturing *last, FaspTime media_time, const FaspCapture *capture)
{
  FaspTime change = ABS ((capture->time - media_time) - (last->at.time - last->media));

  if (!last->at.known && !capture->known)
    return FASP_NEVER;
  if (last->time == 0)
    return 0;
  if (last->due || last->at.known != capture->known || last->at.source != capture->source
      || last->at.is_tai != capture->is_tai || change > WRONG)
    return SHARED;
  return change > CHANGE ? APART : EVERY;
}

void
fasp_endpoint_set_capture (FaspEndpoint *endpoint, FaspTime now, FaspTime media_time,
    const FaspCapture *capture)
{
  FaspEndpointCapturing *last = &endpoint->sending->capturing;

  g_return_if_fail (endpoint->store != NULL);
  if (now - last->time < get_wait (last, media_time, capture) || !fasp_writing_is_kept (endpoint))
    return;
  fasp_gather_end (endpoint, now);
  if (!fasp_store_mark_capture (endpoint->store, now, media_time, capture))
    return;
  *last = (FaspEndpointCapturing) { *capture, media_time, now, FALSE };
}
