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
 *     `-----> fasp_io_new() fails, and frees it
 */
typedef enum
{
  FASP_IO_OPENING, /* there is no I/O thread yet */
  FASP_IO_RUNNING,
  FASP_IO_CLOSING, /* the endpoint sends CLOSE, until the peers answer, or until close_deadline */
  FASP_IO_CLOSED,  /* the I/O thread has ended */
} FaspIoState;

/* Which peer to call (faspiodial.c). */
typedef struct _FaspIoDial FaspIoDial;

/* Receiving. Changed by faspioreceive.c. */
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

/* Threads of the application that wait. Changed by faspiowaiters.c, under the guard. */
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
  /* the following never change while the thread runs */
  FaspRole role;
  FaspMode mode;
  FaspPortHandle shared;               /* place at a port that may be shared; shared.port is NULL:
                                          none */
  FaspSockets *sockets;                /* the port's; without a port: owned */
  guint flowlets;                      /* sockets to each address of the peer */
  FaspGroupInterface *group_interface; /* NULL: there is no group, or its interface need not be
                                          followed */
  FaspAddress group;                   /* multicast: the group's address, in the form of the first
                                          socket */
  FaspAddress *others;                 /* addresses of the peer for further flows */
  FaspLanes *lanes;                    /* the first lane is sent by the I/O thread and the writer */
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

/* Changes the state. With the guard held. */
void fasp_io_enter (FaspIo *io, FaspIoState state);

/* faspiodial.c: stores the peers to call, if there are any, and begins to resolve the first one. */
gboolean fasp_io_dial_begin (FaspIo *io, const FaspIoSettings *settings, GError **error);
/* I/O thread: resolves the peer again if @event says that it is silent or gone. */
void fasp_io_dial_note (FaspIo *io, const FaspEvent *event);
/* I/O thread: resolves another peer if the endpoint wants one. */
void fasp_io_dial_follow (FaspIo *io);
void fasp_io_dial_end (FaspIo *io);

/* faspioreceive.c: I/O thread: receives datagrams. @ready: sockets that can be read, a bit each. */
void fasp_io_receive (FaspIo *io, guint64 ready);
/* Receives datagrams in another thread than the I/O thread. @data: the FaspIo. */
void fasp_io_receive_beside (FaspReceiveBatch *in, guint number, gpointer data);
/* For a port; the member is the FaspIo. */
extern const FaspPortFunctions fasp_io_port_functions;

/* faspiothread.c: runs until the endpoint has closed. @data: the FaspIo. */
gpointer fasp_io_run (gpointer data);

/* faspiowaiters.c, all with the guard held.  Notes an event that may end a wait. */
void fasp_io_note_event (FaspIo *io, const FaspEvent *event);
/* Wakes the waiting threads if there is an event or data for them. */
void fasp_io_wake_waiters (FaspIo *io);
/* From any thread but the I/O thread: wakes the I/O thread if it has something to send or to
 * report, and the threads that wait. @data: the FaspIo. */
void fasp_io_rouse (FaspLanes *lanes, gpointer data);

G_END_DECLS
