/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspiostream.c: what the application's threads do. They write, read, and wait until
 * there is room, something to read, or nothing left to wait for.
 */
#include "faspioprivate.h"

/* With the lock held. Must writing end, as the element flushes, or sending has failed for good? */
static gboolean
is_over (FaspIo *io, FaspIoResult *result, FaspEvent *event)
{
  if (io->waiters.failed)
    *event = io->waiters.failed_event;
  if (io->waiters.flushing || io->waiters.failed)
    *result = io->waiters.flushing ? FASP_IO_FLUSHING : FASP_IO_FAILED;
  return io->waiters.flushing || io->waiters.failed;
}

static void
wait_for_change (FaspIo *io)
{
  io->waiters.waiting++;
  g_cond_wait (&io->waiters.changed, &io->guard.mutex);
  io->waiters.waiting--;
}

/* Waits for a change. FALSE: it is later than @until. */
static gboolean
wait_until (FaspIo *io, FaspTime until, FaspIoResult *result)
{
  gboolean woken;

  io->waiters.waiting++;
  woken = g_cond_wait_until (&io->waiters.changed, &io->guard.mutex, until);
  io->waiters.waiting--;
  if (!woken)
    *result = FASP_IO_WAITING;
  return woken;
}

/* The writer itself sends what may leave now, which spares the I/O thread a wake-up for
 * each write. What must wait is left to the I/O thread. */
static void
send_or_wake (FaspIo *io)
{
  gboolean must = !fasp_lanes_try_send (io->lanes);

  if (!must) {
    fasp_guard_lock (&io->guard);
    must = fasp_lanes_oversleeps (io->lanes);
    /* a session of another lane may get the total rate next */
    fasp_lanes_rouse_others (io->lanes);
    fasp_guard_unlock (&io->guard);
  }
  if (must)
    fasp_lanes_wake (io->lanes);
}

/* With the lock held. Writes as much as there is room for, and advances *done. TRUE: all is
 * written. */
static gboolean
write_pieces (FaspIo *io, FaspTime media_time, const FaspIoPiece *pieces, guint n, gsize *done)
{
  FaspTime now = g_get_monotonic_time ();
  gsize start = 0;

  for (guint i = 0; i < n; start += pieces[i++].size) {
    const FaspStreamOffset *position = pieces[i].position.known ? &pieces[i].position : NULL;
    FaspTime written = position != NULL ? pieces[i].media_time : media_time;
    gsize from = *done - start, taken;

    if (*done >= start + pieces[i].size)
      continue;
    if (from == 0 && !fasp_endpoint_set_stream_offset (io->guard.endpoint, now, written, position))
      return FALSE;
    if (from == 0 && pieces[i].key != FASP_IO_NO_KEY
        && !fasp_endpoint_begin_key_frame (io->guard.endpoint, now, written,
            pieces[i].key == FASP_IO_KEY_EACH))
      return FALSE;
    if (from == 0)
      fasp_endpoint_set_capture (io->guard.endpoint, now, written, &pieces[i].capture);
    taken = fasp_endpoint_write (io->guard.endpoint, now, written, pieces[i].data + from,
        pieces[i].size - from, pieces[i].memory);
    *done += taken;
    if (taken < pieces[i].size - from)
      return FALSE;
  }
  return TRUE;
}

FaspIoResult
fasp_io_write (FaspIo *io, FaspTime media_time, const FaspIoPiece *pieces, guint n, gsize *done,
    FaspEvent *event)
{
  FaspTime until = g_get_monotonic_time () + FASP_IO_TIMEOUT;
  FaspIoResult result = FASP_IO_OK;
  gboolean all = FALSE, must = FALSE;

  fasp_guard_lock (&io->guard);
  while (!all) {
    if (is_over (io, &result, event))
      break;
    all = write_pieces (io, media_time, pieces, n, done);
    must = fasp_lanes_oversleeps (io->lanes);
    fasp_lanes_rouse_others (io->lanes);
    if (all)
      break;
    if (must)
      fasp_lanes_wake (io->lanes);
    if (!wait_until (io, until, &result))
      break;
  }
  fasp_guard_unlock (&io->guard);
  if (all && must)
    send_or_wake (io);
  return result;
}

/* With the lock held. Is the stream drained, and are all events handled? One may say why a peer has
 * gone. */
static gboolean
is_drained (FaspIo *io)
{
  return fasp_endpoint_is_drained (io->guard.endpoint)
      && !fasp_endpoint_has_event (io->guard.endpoint);
}

FaspIoResult
fasp_io_drain (FaspIo *io, guint64 *lost, FaspEvent *event)
{
  FaspTime until = g_get_monotonic_time () + FASP_IO_TIMEOUT;
  FaspIoResult result = FASP_IO_OK;
  FaspEndpointStats stats;

  fasp_guard_lock (&io->guard);
  while (!fasp_endpoint_can_finish (io->guard.endpoint) && !is_over (io, &result, event)
      && wait_until (io, until, &result))
    ;
  if (result == FASP_IO_OK) {
    fasp_endpoint_finish (io->guard.endpoint, g_get_monotonic_time ());
    fasp_lanes_wake (io->lanes);
  }
  while (result == FASP_IO_OK && !is_drained (io) && !is_over (io, &result, event)
      && wait_until (io, until, &result))
    ;
  fasp_endpoint_get_stats (io->guard.endpoint, &stats);
  *lost = stats.bytes_unconfirmed;
  if (result == FASP_IO_OK && *lost > 0)
    is_over (io, &result, event);
  fasp_guard_unlock (&io->guard);
  return result;
}

/* With the lock held. Reads blocks, or returns an event that ends reading; FASP_IO_WAITING:
 * neither. */
static FaspIoResult
take (FaspIo *io, FaspTime now, FaspRead *items, guint max, guint *n, FaspEvent *event)
{
  while (*n < max && fasp_endpoint_read (io->guard.endpoint, now, &items[*n]))
    if (items[(*n)++].block->flags & FASP_BLOCK_EOS)
      break;
  if (*n > 0)
    return FASP_IO_OK;
  if (io->waiters.ended) {
    io->waiters.ended = FALSE;
    *event = io->waiters.ended_event;
    return FASP_IO_ENDED;
  }
  if (io->waiters.failed) {
    *event = io->waiters.failed_event;
    return FASP_IO_FAILED;
  }
  return FASP_IO_WAITING;
}

FaspIoResult
fasp_io_read (FaspIo *io, FaspRead *items, guint max, guint *n, FaspEvent *event)
{
  FaspIoResult result;
  gboolean must;

  *n = 0;
  fasp_guard_lock (&io->guard);
  for (;;) {
    result = io->waiters.flushing ? FASP_IO_FLUSHING :
                                    take (io, g_get_monotonic_time (), items, max, n, event);
    if (result != FASP_IO_WAITING)
      break;
    /* the endpoint may have taken marks or duplicates, so feedback may be due */
    if (fasp_lanes_oversleeps (io->lanes))
      fasp_lanes_wake (io->lanes);
    wait_for_change (io);
  }
  must = fasp_lanes_oversleeps (io->lanes);
  fasp_guard_unlock (&io->guard);
  if (must)
    fasp_lanes_wake (io->lanes);
  return result;
}

FaspIoResult
fasp_io_poll (FaspIo *io, const FaspOtherSources *others, FaspSourceState *state, FaspRead *items,
    guint max, guint *n, FaspEvent *event)
{
  FaspTime now = g_get_monotonic_time ();
  FaspIoResult result = FASP_IO_WAITING;
  gboolean must;

  *n = 0;
  fasp_guard_lock (&io->guard);
  if (others != NULL)
    fasp_endpoint_set_other_sources (io->guard.endpoint, now, others);
  fasp_endpoint_get_source (io->guard.endpoint, now, state);
  if (max > 0)
    result = take (io, now, items, max, n, event);
  must = fasp_lanes_oversleeps (io->lanes);
  fasp_guard_unlock (&io->guard);
  if (must)
    fasp_lanes_wake (io->lanes);
  return result;
}

void
fasp_io_set_flushing (FaspIo *io, gboolean flushing)
{
  if (io == NULL)
    return;
  fasp_guard_lock (&io->guard);
  io->waiters.flushing = flushing;
  g_cond_broadcast (&io->waiters.changed);
  /* The caller may hold locks that releasing the application's memory takes, so another
   * thread does that. */
  fasp_io_unlock (io, FALSE);
}
