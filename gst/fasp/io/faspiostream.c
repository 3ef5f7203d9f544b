/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspioprivate.h"

/* Lock held. Is there no point in going on writing? */
static gboolean
is_over (FaspIo * io, FaspIoResult * result, FaspEvent * event)
{
  if (io->failed)
    *event = io->failed_event;
  if (io->flushing || io->failed)
    *result = io->flushing ? FASP_IO_FLUSHING : FASP_IO_FAILED;
  return io->flushing || io->failed;
}

static void
wait_for_change (FaspIo * io)
{
  io->waiters++;
  g_cond_wait (&io->changed, &io->lock);
  io->waiters--;
}

/* Lock held. Moves *done as far as there is room; TRUE: to the end. */
static gboolean
write_pieces (FaspIo * io, FaspTime media_time, const FaspIoPiece * pieces,
    guint n, gsize * done)
{
  FaspTime now = g_get_monotonic_time ();
  gsize start = 0;

  for (guint i = 0; i < n; start += pieces[i++].size) {
    const FaspPlace *place = pieces[i].place.known ? &pieces[i].place : NULL;
    FaspTime written = place != NULL ? pieces[i].media_time : media_time;
    gsize from = *done - start, taken;

    if (*done >= start + pieces[i].size)
      continue;
    if (from == 0 && !fasp_endpoint_set_place (io->endpoint, now, written,
            place))
      return FALSE;
    if (from == 0 && pieces[i].is_key)
      fasp_endpoint_begin_key_frame (io->endpoint, now, written);
    taken = fasp_endpoint_write (io->endpoint, now, written,
        pieces[i].data + from, pieces[i].size - from, pieces[i].memory);
    *done += taken;
    if (taken < pieces[i].size - from)
      return FALSE;
  }
  return TRUE;
}

FaspIoResult
fasp_io_write (FaspIo * io, FaspTime media_time,
    const FaspIoPiece * pieces, guint n, gsize * done, FaspEvent * event)
{
  FaspIoResult result = FASP_IO_OK;
  gboolean all = FALSE, must = FALSE;

  g_mutex_lock (&io->lock);
  while (!all) {
    if (is_over (io, &result, event))
      break;
    all = write_pieces (io, media_time, pieces, n, done);
    must = fasp_io_must_wake (io);
    if (all)
      break;
    if (must)
      fasp_io_wake (io);
    wait_for_change (io);
  }
  fasp_io_let_go (io);
  if (all && must)
    fasp_io_send_or_wake (io);
  return result;
}

FaspIoResult
fasp_io_drain (FaspIo * io, guint64 * lost, FaspEvent * event)
{
  FaspIoResult result = FASP_IO_OK;
  FaspEndpointStats stats;

  g_mutex_lock (&io->lock);
  fasp_endpoint_finish (io->endpoint, g_get_monotonic_time ());
  fasp_io_wake (io);
  while (!fasp_endpoint_is_drained (io->endpoint)) {
    if (is_over (io, &result, event))
      break;
    wait_for_change (io);
  }
  fasp_endpoint_get_stats (io->endpoint, g_get_monotonic_time (), &stats);
  *lost = stats.bytes_unconfirmed;
  fasp_io_let_go (io);
  return result;
}

FaspIoResult
fasp_io_read (FaspIo * io, FaspIoItem * items, guint max, guint * n,
    FaspEvent * event)
{
  FaspIoResult result = FASP_IO_OK;
  gboolean must;

  *n = 0;
  g_mutex_lock (&io->lock);
  for (;;) {
    FaspTime now = g_get_monotonic_time ();

    if (io->flushing) {
      result = FASP_IO_FLUSHING;
      break;
    }
    while (*n < max) {
      FaspBlock *block = fasp_endpoint_read (io->endpoint, now);

      if (block == NULL)
        break;
      items[*n].block = block;
      items[*n].place = fasp_endpoint_get_stand (io->endpoint);
      items[*n].place.offset = block->offset;
      items[*n].arrival = fasp_endpoint_map_media_time (io->endpoint,
          block->media_time);
      (*n)++;
      if (block->flags & FASP_BLOCK_EOS)
        break;
    }
    if (*n > 0)
      break;
    if (io->ended) {
      io->ended = FALSE;
      *event = io->ended_event;
      result = FASP_IO_ENDED;
      break;
    }
    if (io->failed) {
      *event = io->failed_event;
      result = FASP_IO_FAILED;
      break;
    }
    /* what was taken may have been marks, or known, and the last of a session */
    if (fasp_io_must_wake (io))
      fasp_io_wake (io);
    wait_for_change (io);
  }
  must = fasp_io_must_wake (io);
  fasp_io_let_go (io);
  if (must)
    fasp_io_wake (io);
  return result;
}
