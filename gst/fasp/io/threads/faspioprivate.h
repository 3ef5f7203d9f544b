/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspioprivate.h: what faspio.c shares with its parts in faspiodial.c,
 * faspioreceive.c, faspiothread.c and faspiostream.c.
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

/* More than the errno values there are (133 on Linux). */
#define FASP_IO_ERRORS_MAX 256

struct _FaspIo
{
  /* never changes while the thread runs */
  FaspRole role;
  FaspMode mode;
  FaspPortHandle shared;               /* at a port that may be shared; its port is NULL: none */
  FaspLinks *links;                    /* the port's; without a port: owned */
  FaspGroupInterface *group_interface; /* NULL: there is no group that could move */
  FaspAddress *others;                 /* addresses of the peer for further flows */
  FaspLanes *lanes;                    /* the first belongs to the I/O thread, or the writer */
  FaspReceivers *receivers;
  GThread *thread;
  FaspIoEventFunc event;
  FaspIoSendFailedFunc send_failed;
  FaspIoRefusedFunc receive_failed;
  FaspIoBufferFunc buffer_short;
  FaspIoResolveFunc resolve_failed;
  gpointer user_data;
  FaspIoNewsFunc news;
  gpointer news_data;
  FaspIoClaimFunc claim;
  gpointer claim_data;
  gboolean is_claimed; /* an address was found that another source calls; used as `absent' is */
  FaspIoPeer *peers;   /* the first to call, and its fallbacks; NULL: no fallbacks */
  guint n_peers;
  gboolean *absent; /* by peer: no address was found, and that was reported; used by one thread at
                       a time, the one that looks for the address */

  /* the I/O thread's, once that runs */
  FaspReceiveBatch *in;
  guint64 own;                               /* links that it receives from, a bit each */
  gsize buffer;                              /* bytes of the sockets' receive buffers, or
                                                G_MAXSIZE once buffer_short was called */
  guint flowlets;                            /* links to each address of the peer */
  guint64 reported[FASP_IO_ERRORS_MAX];      /* by errno of sending: a bit for each address of which
                                            the error was reported */
  guint64 deaf_reported[FASP_IO_ERRORS_MAX]; /* by errno of receiving: 1: the error was reported */
  FaspTime follow_at;                        /* when to look for interfaces that moved;
                                                FASP_NEVER: there are none */
  gboolean deaf_to_group;                    /* nothing is heard of the group */
  gboolean has_told;                         /* events, since the last news */
  FaspResolve *resolve;
  guint peer; /* the peer that is being resolved, and its serial number */
  guint peer_serial;

  gint relieved; /* atomic: the port's own thread receives, not this one */
  gint deaf;     /* atomic: errno of a failure to receive */

  FaspGuard guard; /* guards all below */
  GCond changed;   /* signals what a waiter may be waiting for */
  guint waiters;
  FaspTime newest;    /* time of the newest datagram */
  FaspMeter arriving; /* determines the size of the sockets' buffers */
  gboolean flushing, closing, failed, ended;
  FaspEvent failed_event, ended_event;
  FaspTime close_deadline;
  FaspAddress group; /* multicast: address of the group, seen from the first link */
};

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
/* With the guard held, from any thread but the I/O thread: wakes the I/O thread if it
 * has something to send or to tell. Wakes waiters directly. */
void fasp_io_rouse (FaspLanes *lanes, gpointer data);

G_END_DECLS
