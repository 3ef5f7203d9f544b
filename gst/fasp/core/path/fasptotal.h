/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptotal.h: one rate for all sessions of an endpoint, and which of them may send while it is
 * short.
 *
 * A pacer (fasppacer.h) counts each datagram of a session or a group, so in any interval [a, b] the
 * bytes of the stream leave only within
 *
 *     rate / 8 * (b - a) + burst
 *
 * What a peer can draw from the endpoint waits as the stream does: blocks, probes of the path MTU,
 * answers to PING. A session's other datagrams are few: they wait for nothing, are counted, and the
 * stream leaves so much later. What belongs to no session, such as answers to strangers, is not
 * counted, so that strangers cannot hold up the stream; it has limits of its own
 * (docs/security.md). While nothing waits, any session may send.
 * When something does, networks are served round robin, and so are the sessions of a network
 * (faspfairqueue.h). A session may be a burst ahead of the one that is next, so that threads which
 * send for different sessions need not wait for each other at each datagram.
 *
 * Networks and shares belong to the sessions, so a peer can make nothing grow here.
 */
#pragma once

#include "faspfairqueue.h"
#include "fasppacer.h"

G_BEGIN_DECLS

typedef struct
{
  FaspPacer pacer;        /* a rate of 0: nothing is limited, counted or waited for */
  FaspFairQueue networks; /* FaspFairGroup.member of those of which a session waits */
} FaspTotal;

/* A session's part. */
typedef struct
{
  FaspFairMember member;
  gpointer owner;         /* the session */
  gsize bytes;            /* that it waits for */
  gboolean has_waited;    /* since the endpoint last looked, which clears it */
  FaspFairGroup *network; /* not owned; NULL: it has none, and is not held up */
} FaspTotalShare;

void fasp_total_init (FaspTotal *total, guint64 rate);
void fasp_total_clear (FaspTotal *total);
void fasp_total_share_init (FaspTotalShare *share, gpointer owner);
void fasp_total_set_rate (FaspTotal *total, FaspTime now, guint64 rate);

static inline gboolean
fasp_total_is_limited (const FaspTotal *total)
{
  return total->pacer.ready.rate > 0;
}

/* May @bytes of the stream leave for the session now?  The total must be limited. */
gboolean fasp_total_lets (const FaspTotal *total, const FaspTotalShare *share, FaspTime now,
    gsize bytes);
/* It has such bytes and may not send them, or has none any more. */
void fasp_total_wait (FaspTotal *total, FaspTotalShare *share, gsize bytes);
void fasp_total_leave (FaspTotal *total, FaspTotalShare *share);
static inline gboolean
fasp_total_waits (const FaspTotalShare *share)
{
  return fasp_fair_queue_waits (&share->member);
}

/* The session that is next; NULL: none waits.  *when: when to look at it. */
gpointer fasp_total_get_next (const FaspTotal *total, FaspTime now, FaspTime *when);
/* A datagram left for the session.  NULL: for a group. */
void fasp_total_sent (FaspTotal *total, FaspTotalShare *share, FaspTime now, gsize bytes);

G_END_DECLS
