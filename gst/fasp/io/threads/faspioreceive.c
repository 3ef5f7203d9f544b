/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspioreceive.c: passes datagrams to the endpoint, from our own sockets or from a
 * shared port. It takes the guard for part of a batch at a time, as others wait for it.
 */
#include "faspioprivate.h"

/* This many full batches are received before the thread does anything else. */
#define BATCHES_MAX 4
/* This many datagrams are passed on before the lock is released. */
#define LOCKED_MAX 64

/* Enlarges the sockets' buffers. The faster the stream, the more arrives while the thread is not
 * scheduled. */
static void
fit_buffer (FaspIo *io)
{
  guint n = fasp_sockets_count (io->sockets);
  gsize needed, granted;
  guint64 rate;

  fasp_guard_lock (&io->guard);
  rate = io->receiving.arriving.rate;
  fasp_guard_unlock (&io->guard);
  /* one of several sockets may carry more than its share */
  needed = rate / 8 * MIN (2, n) / n * FASP_IO_BUFFER_TIME / FASP_SEC;
  if (needed <= io->receiving.buffer)
    return;
  granted = io->shared.port != NULL ? fasp_port_set_buffer (&io->shared, 3 * needed) :
                                      fasp_sockets_set_buffer (io->sockets, 3 * needed);
  io->receiving.buffer = granted;
  if (granted >= needed)
    return;
  io->receiving.buffer = G_MAXSIZE; /* reported only once */
  io->buffer_short (rate, granted, 3 * needed, io->user_data);
}

/* Gives a datagram to the endpoint. With the guard held. */
static void
take (gpointer user, FaspTime now, const FaspAddress *from, const guint8 *data, gsize size,
    FaspMemory *memory, gboolean marked, FaspRoute route)
{
  FaspIo *io = user;

  /* with several threads, @now may be older than another thread's */
  io->receiving.newest = MAX (now, io->receiving.newest);
  fasp_meter_add (&io->receiving.arriving, io->receiving.newest, size);
  fasp_endpoint_receive_routed (io->guard.endpoint, io->receiving.newest, from, data, size, memory,
      marked, route);
}

/* Notes that the kernel refuses to hand over datagrams. From any thread. */
static void
note_deaf (gpointer user, gint error)
{
  FaspIo *io = user;

  if (error == 0)
    return;
  g_atomic_int_set (&io->receiving.deaf, error);
  fasp_lanes_wake (io->lanes);
}

/* --- from our own sockets ------------------------------------------------------------ */

static void
receive_from (FaspIo *io, FaspReceiveBatch *in, guint number)
{
  gint fd = fasp_sockets_get_fds (io->sockets)[number];
  FaspAddress address;

  for (guint i = 0; i < BATCHES_MAX; i++) {
    gboolean all = fasp_receive_batch_fill (in, fd);
    FaspTime now = g_get_monotonic_time ();
    FaspMemory *memory;
    const guint8 *data;
    gboolean marked;
    gsize size;

    fasp_guard_lock (&io->guard);
    for (guint n = 0;
        (data = fasp_receive_batch_next (in, &size, &address, &memory, &marked)) != NULL; n++) {
      if (n % LOCKED_MAX == LOCKED_MAX - 1) { /* let other threads in */
        fasp_guard_unlock (&io->guard);
        fasp_guard_lock (&io->guard);
      }
      address.socket = number;
      take (io, now, &address, data, size, memory, marked, FASP_ROUTE_HERE);
    }
    fasp_lanes_rouse_others (io->lanes);
    fasp_guard_unlock (&io->guard);
    if (all)
      break;
  }
  note_deaf (io, fasp_receive_batch_take_error (in));
  /* reports can be forged, so only some are read before datagrams are served again */
  for (guint i = 0; i < FASP_FEEDBACK_AT_ONCE
      && fasp_socket_get_unreachable (fasp_sockets_get (io->sockets, number), &address);
      i++) {
    address.socket = number;
    fasp_guard_lock (&io->guard);
    fasp_endpoint_unreachable (io->guard.endpoint, g_get_monotonic_time (), &address);
    fasp_guard_unlock (&io->guard);
  }
}

void
fasp_io_receive (FaspIo *io, guint64 ready)
{
  if (io->shared.port != NULL && ready != 0)
    fasp_port_receive (&io->shared, io->receiving.in, io);
  else
    for (; ready != 0; ready &= ready - 1)
      receive_from (io, io->receiving.in, __builtin_ctzll (ready));
  fit_buffer (io);
}

void
fasp_io_receive_beside (FaspReceiveBatch *in, guint number, gpointer data)
{
  FaspIo *io = data;

  receive_from (io, in, number);
  fasp_guard_lock (&io->guard);
  fasp_io_rouse (io->lanes, io);
  fasp_guard_unlock (&io->guard);
}

/* --- at a port (faspport.h) ----------------------------------------------------------- */

static void
port_begin (gpointer io)
{
  fasp_guard_lock (&((FaspIo *) io)->guard);
}

/* No more datagrams follow for now. With the port's lock held. */
static void
port_end (gpointer data, gboolean beside)
{
  FaspIo *io = data;
  gboolean asleep;

  if (beside)
    fasp_io_rouse (io->lanes, io);
  else
    fasp_lanes_rouse_others (io->lanes);
  asleep = beside && fasp_lanes_is_asleep (io->lanes);
  if (fasp_guard_unlock_only (&io->guard) && asleep)
    fasp_lanes_wake (io->lanes);
}

static void
port_unreachable (gpointer data, FaspTime now, const FaspAddress *to)
{
  FaspIo *io = data;

  fasp_guard_lock (&io->guard);
  fasp_endpoint_unreachable (io->guard.endpoint, now, to);
  port_end (io, TRUE);
}

static void
port_relieve (gpointer data)
{
  FaspIo *io = data;

  g_atomic_int_set (&io->receiving.relieved, TRUE);
  fasp_lanes_wake (io->lanes);
}

static FaspFit
port_fits (gpointer data, const FaspAddress *caller)
{
  FaspIo *io = data;
  FaspFit fit;

  fasp_guard_lock (&io->guard);
  fit = fasp_endpoint_fits (io->guard.endpoint, caller);
  g_mutex_unlock (&io->guard.mutex);
  return fit;
}

const FaspPortFunctions fasp_io_port_functions = { port_begin, take, port_end, port_unreachable,
  note_deaf, port_relieve, port_fits };
