/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptotal.h: one rate for all sessions of an endpoint, and the order in which they send while it
 * is short.
 *
 * A pacer (fasppacer.h) counts each datagram of a session or a group, so in any interval [a, b] the
 * bytes of the stream leave only within
 *
 *     rate / 8 * (b - a) + burst
 *
 * Datagrams that a peer can cause in any number wait for the rate: blocks, probes of the path MTU,
 * answers to PING. A session's other datagrams are few: they do not wait, but count, and delay the
 * stream. Datagrams of no session, such as answers to unknown hosts, do not count, so that these
 * hosts cannot delay the stream; they have their own limits (docs/security.md). While no session
 * waits, any session may send. While sessions wait, networks are served round robin, and so are the
 * sessions of a network (faspfairqueue.h). A session may be a burst ahead of the one that is next,
 * so that threads which send for different sessions need not wait for each other at each datagram.
 *
 * Networks and shares belong to the sessions, so no peer can make this memory grow.
 */
#pragma once

#include "faspfairqueue.h"
#include "fasppacer.h"

G_BEGIN_DECLS

typedef struct
{
  FaspPacer pacer;        /* rate 0: no limit, and nothing is counted */
  FaspFairQueue networks; /* FaspFairGroup.member of networks with a waiting session */
} FaspTotal;

/* A session's share of the total. */
typedef struct
{
  FaspFairMember member;
  gpointer owner;         /* the session */
  gsize bytes;            /* bytes for which it waits */
  gboolean has_waited;    /* the session has waited since the endpoint last cleared this */
  FaspFairGroup *network; /* not owned; NULL: it has no network, and never waits */
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
/* The session waits to send @bytes of the stream; or does not wait any more. */
void fasp_total_wait (FaspTotal *total, FaspTotalShare *share, gsize bytes);
void fasp_total_leave (FaspTotal *total, FaspTotalShare *share);
static inline gboolean
fasp_total_waits (const FaspTotalShare *share)
{
  return fasp_fair_queue_waits (&share->member);
}

/* The session that is next; NULL: no session waits. *when: when to poll it. */
gpointer fasp_total_get_next (const FaspTotal *total, FaspTime now, FaspTime *when);
/* A datagram left for the session.  @share: NULL: it left for a group. */
void fasp_total_sent (FaspTotal *total, FaspTotalShare *share, FaspTime now, gsize bytes);

G_END_DECLS
