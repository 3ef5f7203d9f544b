/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppmtu.h: path MTU discovery by probing (DPLPMTUD, RFC 8899).
 *
 * Sizes are UDP payload bytes. The search sends one padded probe of every
 * candidate above the size in use at once and keeps the largest that was
 * answered: one round trip instead of a bisection, for ten kilobytes, or 32 with
 * jumbo frames; where another path of the session is known, what that takes comes first, as
 * most are alike.
 * Unanswered ones are repeated, three tries in all.  The size in use is
 * confirmed when blocks keep being lost, and from time to time, unless as much passes as is
 * sent; three
 * unanswered confirmations while smaller datagrams arrive mean a black hole, and
 * the search starts again from the base size, or from that of the largest
 * datagram of data that was acknowledged meanwhile: where much is lost, three
 * probes in a row are lost now and then.
 *
 *     FASP_PMTU_BASE <= size <= limit, always
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_PMTU_BASE 1200     /* UDP payload every path must carry */
#define FASP_PMTU_CANDIDATES 11
#define FASP_PMTU_TRIES 3
#define FASP_PMTU_CONFIRM (10 * FASP_SEC)
#define FASP_PMTU_POSTPONED FASP_SEC

typedef struct
{
  guint16 size;                 /* UDP payload that may be used now */
  guint16 candidates[FASP_PMTU_CANDIDATES];     /* ascending, UDP payload */
  guint8 n_candidates;
  guint8 tries;
  guint8 next_probe;            /* index of the next candidate to send */
  guint16 expected;             /* to be tried before them; 0: none */
  gboolean tried;               /* it was */
  guint16 passed;               /* largest that passed since it is confirmed */
  guint16 limit;                /* largest UDP payload either side takes */
  gboolean searching, confirming, suspected;
  gboolean widened;             /* while confirming: there is more to look for */
  FaspTime suspect_after;       /* no new suspicion before */
  FaspTime next_time;           /* when to act next, or FASP_NEVER */
  FaspTime patience;            /* while nothing passes: longer and longer */
} FaspPmtu;

/* @overhead: IP + UDP header bytes; @limit: largest UDP payload either side
 * takes.  Candidates are IP packets of 1280, 1380, 1400, 1420, 1450, 1480,
 * 1492, 1500, 4096, 8192 and 9000 bytes less the overhead. Probing starts at @now. */
void fasp_pmtu_init (FaspPmtu * pmtu, FaspTime now, guint8 overhead,
    guint16 limit);
FaspTime fasp_pmtu_get_timeout (const FaspPmtu * pmtu);
/* Another path like this one takes @size: a search that has not begun begins there. */
void fasp_pmtu_expect (FaspPmtu * pmtu, guint16 size);
/* UDP payload size of a probe to send now, 0 for none.  @rtt_timeout: how
 * long an answer may take (fasp_rtt_timeout()). @passes: something has arrived that left
 * behind the last probe; else that it was not answered says nothing of its size. Call
 * until it returns 0. */
guint16 fasp_pmtu_poll (FaspPmtu * pmtu, FaspTime now, FaspTime rtt_timeout,
    gboolean passes);
/* Probes would hold up the stream: later. FALSE: a size in use has to be confirmed. */
gboolean fasp_pmtu_postpone (FaspPmtu * pmtu, FaspTime now);
/* A probe of @size was answered. */
void fasp_pmtu_answered (FaspPmtu * pmtu, FaspTime now, guint16 size);
/* As much passes as is sent, since it was confirmed or asked: that will do for now.  FALSE: it
 * does not, that is no answer here. */
gboolean fasp_pmtu_will_do (FaspPmtu * pmtu, FaspTime now);
/* Data of @size that was sent since it is confirmed was acknowledged. */
void fasp_pmtu_passed (FaspPmtu * pmtu, FaspTime now, guint16 size);
/* Blocks of the size in use keep being lost: confirm it now. */
void fasp_pmtu_suspect (FaspPmtu * pmtu, FaspTime now);
/* Another limit: what is above it is not used any more, what is below is looked
 * for. */
void fasp_pmtu_set_limit (FaspPmtu * pmtu, FaspTime now, guint8 overhead,
    guint16 limit);
/* The largest UDP payload that is sent now, probes included. */
guint16 fasp_pmtu_get_largest (const FaspPmtu * pmtu);
/* The address changed: the path is another one. */
void fasp_pmtu_restart (FaspPmtu * pmtu, FaspTime now, guint8 overhead);

G_END_DECLS
