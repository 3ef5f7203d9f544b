/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspioprivate.h: shared by faspio.c, which has the threads and the network, and
 * faspiostream.c, which the application's threads are in.
 */
#pragma once

#include "faspdeparture.h"
#include "faspio.h"
#include "faspmeter.h"
#include "faspport.h"
#include "faspreceivers.h"
#include "faspresolve.h"
#include "faspsendbatch.h"

G_BEGIN_DECLS

struct _FaspIo
{
  GMutex send_lock;             /* of what is sent; before lock */
  GMutex lock;
  GCond changed;                /* something a waiter may be waiting for */
  FaspEndpoint *endpoint;
  FaspPortPlace place;          /* at a port that may have others, too, */
  FaspLinks *links;             /* which the links are those of then */
  FaspAddress *others;
  FaspSendBatch *out;           /* under send_lock: what leaves, */
  FaspDeparture departure;      /* and how long it has waited */
  FaspReceiveBatch *in;         /* the thread's */
  guint64 own;                  /* links that it receives from; the others: */
  FaspReceivers *receivers;
  gint relieved;                /* it receives from none, the port does; atomic */
  gint wake_fd;
  GThread *thread;
  FaspIoEventFunc event;
  FaspIoSendFunc send_failed;
  FaspIoBufferFunc buffer_short;
  gsize buffer;                 /* as it is now, or enough of that */
  gint send_error;              /* errno told of last; the thread's */
  gpointer user_data;
  FaspResolve *resolve;         /* the thread's, once that runs */
  FaspIoPeer *peers;            /* the one to be called, and its fallbacks; NULL: none */
  guint n_peers;
  guint peer_serial;            /* of the one being resolved; the thread's */
  FaspIoResolveFunc resolve_failed;
  FaspRole role;
  FaspMode mode;

  /* under the lock */
  FaspTime newest;              /* datagram's time */
  FaspMeter arriving;           /* what the sockets' buffers are for */
  FaspTime sleeping_until;      /* the thread's; 0 while it is awake */
  gboolean flushing, closing, failed, ended;
  FaspEvent failed_event, ended_event;
  guint waiters;
  FaspTime close_deadline;
  FaspAddress group;            /* of a multicast, from the first link */
};

void fasp_io_wake (FaspIo * io);
/* Lock held, which is let go, and with it what the endpoint does not need any more. */
void fasp_io_let_go (FaspIo * io);
/* Lock held: does the thread sleep past what there is to do? */
gboolean fasp_io_must_wake (FaspIo * io);
/* Something was written. */
void fasp_io_send_or_wake (FaspIo * io);

G_END_DECLS
