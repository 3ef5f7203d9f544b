/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionrecord.h: what the endpoint keeps for each of its sessions, and the session itself
 * does not need. Each part names the files that change it.
 *
 * Times are microseconds on the caller's clock.
 */
#pragma once

#include "fasplimiter.h"
#include "faspreceiverstate.h"
#include "faspscheduler.h"
#include "faspsession.h"

G_BEGIN_DECLS

/* Sender: where the peer begins. Set when the session begins: faspbeginning.c; `previous' and
 * `live_from' changed by faspanswer.c, if the peer has less or more of the stream than our call
 * supposed. */
typedef struct
{
  guint64 block;             /* the first block that our hello promised to the peer */
  FaspStreamOffset position; /* stream offset of `block', as our hello gave it */
  gboolean has_header;       /* our hello announced a stream with a header */
  FaspStreamOffset previous; /* the offset up to which the peer had received the stream before, if
                                known */
  guint64 live_from;     /* for a receiver that began in the past: the next block to be written when
                            it joined; else 0 */
  gboolean needs_header; /* receiver: blocks are dropped until the stream's header has come;
                            faspreading.c */
} FaspSessionStart;

/* Sender: the peer lacks the stream's header, or may come to lack it: faspheaderwait.c. */
typedef struct
{
  FaspReceiverState state;
  FaspTime since;      /* when the receiver began to lack the header */
  guint64 end;         /* GETS: the receiver has the header once it has all blocks below this one */
  guint64 skips;       /* fasp_tx_count_skips() when the session began to wait */
  gboolean gets_first; /* the receiver was in BEGINS, so it may have the header although it has
                          skipped blocks */
} FaspHeaderWait;

/* Which notifications the application had. */
typedef struct
{
  gboolean connected; /* of the session's connection; faspbeginning.c */
  gboolean removed;   /* of the session's end; fasplifecycle.c */
  gboolean shortfall; /* that the latency is too short for the wanted interval between skips;
                         fasplifecycle.c */
  FaspTime promise;   /* when the application was last notified of the promise; fasplifecycle.c */
  guint64 wants;      /* sender: fasp_tx_count_wants() when the application was last asked for a key
                         frame; faspencoder.c */
} FaspNotified;

/* Sender: state at the application's last call of fasp_endpoint_look_at_missed() and
 * fasp_endpoint_look_for_stuck(): faspendpointstats.c. */
typedef struct
{
  FaspTime missed; /* fasp_pacer_get_missed() */
  guint64 acked;   /* tx.acked */
  guint stuck;     /* calls in a row at which acked had not moved although data was in flight */
} FaspProgress;

struct _FaspSessionRecord
{
  /* faspendpointbase.c */
  guint64 order;                /* number of the session, counted from the endpoint's first */
  guint8 lane;                  /* the lane that polls this session */
  FaspSchedulerEntry scheduled; /* when the endpoint polls this session next */

  guint8 nonce[FASP_NONCE_SIZE]; /* faspbeginning.c: the nonce of the caller, which identifies the
                                    handshake */

  /* listener: faspadmission.c, faspadmitted.c */
  guint8 call[FASP_KEY_SIZE]; /* hash of the contents of the caller's OPEN */
  FaspBucket *bucket;  /* the limiter's bucket for the session while it is half open; not owned;
                          NULL: none */
  FaspNetwork network; /* the caller's network (fasp_limiter_get_network()) */
  GList newcomer_link; /* faspnewcomers.c, listening sender: link among the sessions of the network
                          that have acknowledged nothing; no data: not linked */
  guint peer;          /* faspanswer.c, caller: index of the peer that was called, of several */

  FaspSessionStart start;
  FaspHeaderWait header_wait;
  FaspNotified notified;
  FaspProgress progress;
  FaspHeapItem first_needed; /* faspretention.c: entry in a heap, by the first block that the
                                session needs */
  guint32 room_used;  /* faspendpoint.c: the room that the block size was last chosen for, bytes */
  gboolean has_other; /* faspanswer.c, sender: the session is interrupted, and the receiver says
                       * that it has another sender; fasplifecycle.c clears it */
};

G_END_DECLS
