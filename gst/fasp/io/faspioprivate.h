/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspioprivate.h: shared by faspio.c and the parts of it in faspiodial.c,
 * faspioreceive.c, faspiothread.c and faspiostream.c.
 */
#pragma once

#include "faspgroupplace.h"
#include "faspio.h"
#include "fasplanes.h"
#include "faspmeter.h"
#include "faspport.h"
#include "faspreceivers.h"
#include "faspresolve.h"

G_BEGIN_DECLS

/* More than errno has (133 with Linux). */
#define FASP_IO_ERRORS_MAX 256

struct _FaspIo
{
  /* what never changes while the thread runs */
  FaspRole role;
  FaspMode mode;
  FaspPortPlace place;          /* at a port that may have others, too, */
  FaspLinks *links;             /* which the links are those of then */
  FaspGroupPlace *group_place;  /* NULL: none that may move */
  FaspAddress *others;          /* peers of further flows */
  FaspLanes *lanes;             /* the first is the thread's, or the writer's */
  FaspReceivers *receivers;
  GThread *thread;
  FaspIoEventFunc event;
  FaspIoRefusedFunc send_failed, receive_failed;
  FaspIoBufferFunc buffer_short;
  FaspIoResolveFunc resolve_failed;
  gpointer user_data;
  FaspIoPeer *peers;            /* the one to be called, and its fallbacks; NULL: none */
  guint n_peers;

  /* the thread's, once that runs */
  FaspReceiveBatch *in;
  guint64 own;                  /* links that it receives from */
  gsize buffer;                 /* as it is now, or enough of that */
  gboolean told[FASP_IO_ERRORS_MAX];    /* by errno, of what does not leave, */
  gboolean told_deaf[FASP_IO_ERRORS_MAX];       /* or come in */
  FaspTime follow_at;           /* FASP_NEVER: nothing is of an interface */
  gboolean deaf_to_group;       /* nothing is heard of it */
  FaspResolve *resolve;
  guint peer_serial;            /* of the one being resolved */

  gint relieved;                /* it receives from none, the port does; atomic */
  gint deaf;                    /* errno of what does not come in; atomic */

  FaspGuard guard;              /* of all below */
  GCond changed;                /* something a waiter may be waiting for */
  guint waiters;
  FaspTime newest;              /* datagram's time */
  FaspMeter arriving;           /* what the sockets' buffers are for */
  gboolean flushing, closing, failed, ended;
  FaspEvent failed_event, ended_event;
  FaspTime close_deadline;
  FaspAddress group;            /* of a multicast, from the first link */
};

/* faspiodial.c: the peers that are called, if there are any; looks for the address of the
 * first. */
gboolean fasp_io_dial_begin (FaspIo * io, const FaspIoSettings * settings,
    GError ** error);
/* Of the thread: what has happened may mean that the address is another one, */
void fasp_io_dial_note (FaspIo * io, const FaspEvent * event);
/* and another peer may be wanted by now. */
void fasp_io_dial_follow (FaspIo * io);
void fasp_io_dial_end (FaspIo * io);

/* faspioreceive.c: of the thread: takes what has come. @ready: a bit for each link. */
void fasp_io_receive (FaspIo * io, guint64 ready);
/* Of the other threads that receive; @data: the FaspIo. */
void fasp_io_receive_beside (FaspReceiveBatch * in, guint link,
    gpointer data);
/* The FaspIo is the member. */
extern const FaspPortFunctions fasp_io_port_functions;

/* faspiothread.c: until the goodbye is answered; @data: the FaspIo. */
gpointer fasp_io_run (gpointer data);
/* With the guard held, from any thread but the I/O thread: what is to be sent, and told but
 * for that there is something to read, is that one's. */
void fasp_io_rouse (FaspLanes * lanes, gpointer data);

G_END_DECLS
