/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspiowaiters.c: what the application's threads wait for: something to read, room to write, or
 * the end.
 */
#include "faspioprivate.h"

/* Is there something for a waiting thread? */
static gboolean
has_news (FaspIo *io)
{
  if (io->waiters.failed || io->waiters.ended)
    return TRUE;
  if (io->role == FASP_ROLE_RECEIVER)
    return fasp_endpoint_can_read (io->guard.endpoint);
  return fasp_endpoint_can_write (io->guard.endpoint)
      || fasp_endpoint_is_drained (io->guard.endpoint);
}

void
fasp_io_wake_waiters (FaspIo *io)
{
  if ((io->waiters.waiting == 0 && io->waiters.news == NULL) || !has_news (io))
    return;
  g_cond_broadcast (&io->waiters.changed);
  if (io->waiters.news != NULL)
    io->waiters.news (io->waiters.news_data);
}

void
fasp_io_note_event (FaspIo *io, const FaspEvent *event)
{
  gboolean receiver = io->role == FASP_ROLE_RECEIVER;
  gboolean finished = event->reason == FASP_REASON_FINISHED;

  if (receiver && event->type == FASP_EVENT_REMOVED && !finished) {
    io->waiters.ended = TRUE;
    io->waiters.ended_event = *event;
  }
  /* the end of a connected receiver was handled above */
  if (event->final && io->mode != FASP_MODE_LISTENER
      && (event->type == FASP_EVENT_REJECTED || (!receiver && !finished))) {
    io->waiters.failed = TRUE;
    io->waiters.failed_event = *event;
  }
}

void
fasp_io_rouse (FaspLanes *lanes, gpointer data)
{
  FaspIo *io = data;

  fasp_io_wake_waiters (io);
  if (fasp_lanes_oversleeps (lanes)
      || (fasp_lanes_is_asleep (lanes)
          && (io->state >= FASP_IO_CLOSING || fasp_endpoint_has_event (io->guard.endpoint))))
    fasp_lanes_rouse (lanes);
  fasp_lanes_rouse_others (lanes);
}
