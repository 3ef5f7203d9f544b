/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspioprivate.h: the state of a FaspIo, which its files share.  One of them changes each part.
 */
#pragma once

#include "faspgroupinterface.h"
#include "faspio.h"
#include "fasplanes.h"
#include "faspmeter.h"
#include "faspport.h"
#include "faspreceivers.h"
#include "faspresolve.h"

G_BEGIN_DECLS

/* The life of a FaspIo.  Only fasp_io_enter() changes its state, to the next one:
 *
 *      fasp_io_new()   fasp_io_begin_close()   fasp_io_close()   fasp_io_free()
 *  OPENING -----> RUNNING ----------------> CLOSING -------> CLOSED ------->
 *     `-----> it fails, and is freed
 */
typedef enum
{
  FASP_IO_OPENING, /* there is no I/O thread yet */
  FASP_IO_RUNNING,
  FASP_IO_CLOSING, /* the endpoint says goodbye, until it is answered or close_deadline */
  FASP_IO_CLOSED,  /* the I/O thread has ended */
} FaspIoState;

/* Which peer to call (faspiodial.c). */
typedef struct _FaspIoDial FaspIoDial;

/* What arrives.  Changed by faspioreceive.c. */
typedef struct
{
  FaspReceiveBatch *in; /* the I/O thread's */
  guint64 own;          /* sockets that the I/O thread receives from, a bit each */
  gsize buffer;         /* bytes of the sockets' receive buffers, or G_MAXSIZE once buffer_short was
                           called; the I/O thread's */
  gint relieved;        /* atomic: the port's own thread receives, not this one */
  gint deaf;            /* atomic: errno of a failure to receive */
  FaspTime newest;      /* time of the newest datagram; under the guard */
  FaspMeter arriving;   /* determines the size of the sockets' buffers; under the guard */
} FaspIoReceiving;

/* What the application's threads wait for.  Changed by faspiowaiters.c, under the guard. */
typedef struct
{
  GCond changed;
  guint waiting; /* threads */
  gboolean flushing, failed, ended;
  FaspEvent failed_event, ended_event;
  FaspIoNewsFunc news;
  gpointer news_data;
} FaspIoWaiters;

struct _FaspIo
{
  /* never changes while the thread runs */
  FaspRole role;
  FaspMode mode;
  FaspPortHandle shared;               /* at a port that may be shared; its port is NULL: none */
  FaspLinks *links;                    /* the port's; without a port: owned */
  guint flowlets;                      /* links to each address of the peer */
  FaspGroupInterface *group_interface; /* NULL: there is no group that could move */
  FaspAddress group;                   /* multicast: its address, seen from the first link */
  FaspAddress *others;                 /* addresses of the peer for further flows */
  FaspLanes *lanes;                    /* the first belongs to the I/O thread, or the writer */
  FaspReceivers *receivers;
  FaspIoDial *dial; /* NULL: there is no peer to call */
  GThread *thread;
  FaspIoEventFunc event;
  FaspIoSendFailedFunc send_failed;
  FaspIoRefusedFunc receive_failed;
  FaspIoBufferFunc buffer_short;
  gpointer user_data;

  FaspIoReceiving receiving;
  FaspGuard guard; /* guards all below */
  FaspIoWaiters waiters;
  FaspIoState state;
  FaspTime close_deadline;
};

/* With the guard held. */
void fasp_io_enter (FaspIo *io, FaspIoState state);

/* faspiodial.c: takes over the peers to call, if there are any, and begins to look for
 * the address of the first. */
gboolean fasp_io_dial_begin (FaspIo *io, const FaspIoSettings *settings, GError **error);
/* I/O thread: after this event, the peer may have another address. */
void fasp_io_dial_note (FaspIo *io, const FaspEvent *event);
/* I/O thread: looks whether another peer is wanted. */
void fasp_io_dial_follow (FaspIo *io);
void fasp_io_dial_end (FaspIo *io);

/* faspioreceive.c: I/O thread: takes what has arrived. @ready: links that can be read,
 * a bit each. */
void fasp_io_receive (FaspIo *io, guint64 ready);
/* For the other threads that receive. @data: the FaspIo. */
void fasp_io_receive_beside (FaspReceiveBatch *in, guint link, gpointer data);
/* The member is the FaspIo. */
extern const FaspPortFunctions fasp_io_port_functions;

/* faspiothread.c: runs until the goodbye is answered. @data: the FaspIo. */
gpointer fasp_io_run (gpointer data);

/* faspiowaiters.c, all with the guard held.  An event after which waiting may be in vain. */
void fasp_io_note_event (FaspIo *io, const FaspEvent *event);
/* Wakes the threads that wait, if they have something to see. */
void fasp_io_wake_waiters (FaspIo *io);
/* From any thread but the I/O thread: wakes the I/O thread if it has something to send or to
 * report, and the threads that wait. @data: the FaspIo. */
void fasp_io_rouse (FaspLanes *lanes, gpointer data);

G_END_DECLS
