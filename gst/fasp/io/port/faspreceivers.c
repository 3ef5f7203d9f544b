/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspreceivers.h"
#include "faspthread.h"
#include "faspwake.h"

typedef struct
{
  FaspReceivers *all;
  guint64 share; /* the sockets that the thread receives from, a bit each */
  FaspReceiveBatch *batch;
  GThread *thread;
} Receiver;

struct _FaspReceivers
{
  FaspSockets *sockets;
  FaspReceiveFunc receive;
  gpointer user_data;
  FaspWake stop; /* rung when the threads must end, and never cleared */
  gint stopping; /* atomic */
  guint n;
  Receiver receivers[FASP_FLOWS_MAX];
};

guint
fasp_receivers_choose (guint wanted, guint sockets, guint processors)
{
  return CLAMP (wanted != 0 ? wanted : processors / 2, 1, sockets);
}

guint64
fasp_receivers_get_share (guint thread, guint threads, guint sockets)
{
  guint64 share = 0;

  for (guint i = thread; i < sockets; i += threads)
    share |= FASP_BIT (i);
  return share;
}

static gpointer
run (gpointer data)
{
  Receiver *receiver = data;
  FaspReceivers *all = receiver->all;
  gboolean woken;

  while (!g_atomic_int_get (&all->stopping)) {
    guint64 ready =
        fasp_sockets_wait (all->sockets, receiver->share, all->stop.fd, &woken, -1, FASP_NEVER);

    for (; ready != 0 && !g_atomic_int_get (&all->stopping); ready &= ready - 1)
      all->receive (receiver->batch, __builtin_ctzll (ready), all->user_data);
  }
  return NULL;
}

FaspReceivers *
fasp_receivers_new (FaspSockets *sockets, guint made, guint threads, gsize limit,
    FaspReceiveFunc receive, gpointer user_data, GError **error)
{
  FaspReceivers *all = g_new0 (FaspReceivers, 1);

  all->sockets = sockets;
  all->receive = receive;
  all->user_data = user_data;
  if (!fasp_wake_open (&all->stop, error)) {
    g_free (all);
    return NULL;
  }
  for (guint i = made; i < threads; i++) {
    Receiver *receiver = &all->receivers[all->n++];

    *receiver =
        (Receiver) { all, fasp_receivers_get_share (i, threads, fasp_sockets_count (sockets)),
          fasp_receive_batch_new (limit), NULL };
    receiver->thread = fasp_thread_new ("fasp-receive", run, receiver, error);
    if (receiver->thread == NULL) {
      fasp_receivers_stop (all);
      fasp_receivers_free (all);
      return NULL;
    }
  }
  return all;
}

void
fasp_receivers_stop (FaspReceivers *all)
{
  g_atomic_int_set (&all->stopping, TRUE);
  fasp_wake_ring (&all->stop);
  for (guint i = 0; i < all->n; i++)
    g_clear_pointer (&all->receivers[i].thread, g_thread_join);
}

void
fasp_receivers_free (FaspReceivers *all)
{
  for (guint i = 0; i < all->n; i++)
    fasp_receive_batch_free (all->receivers[i].batch);
  fasp_wake_close (&all->stop);
  g_free (all);
}
