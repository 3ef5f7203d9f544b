/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppmtu.h: path MTU discovery by probing (DPLPMTUD, RFC 8899).
 *
 * Sizes are UDP payload bytes.  The search sends one padded probe of every candidate above the size
 * in use at once, and keeps the largest that was answered.  That takes one round trip, where a
 * bisection takes several, and ten kilobytes, or 32 with jumbo frames.  If the size of another path
 * of the session is known, it is tried first, as most paths are alike.  Unanswered probes are
 * repeated, three tries in all.
 *
 * The size in use is confirmed by probes when blocks keep being lost, and at intervals unless the
 * largest datagrams sent are acknowledged.  Three unanswered confirmations while smaller datagrams
 * arrive mean a black hole.  The search then starts again from the base size, or from the largest
 * datagram of data that was acknowledged meanwhile: on a lossy path three probes in a row are
 * sometimes lost.
 *
 *     FASP_PMTU_BASE <= size <= limit, always
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_PMTU_BASE 1200 /* UDP payload that every path must carry */
#define FASP_PMTU_CANDIDATES 11
#define FASP_PMTU_TRIES 3
#define FASP_PMTU_CONFIRM (10 * FASP_SEC)
#define FASP_PMTU_POSTPONED FASP_SEC

typedef struct
{
  guint16 size;                             /* UDP payload that may be used now */
  guint16 candidates[FASP_PMTU_CANDIDATES]; /* ascending, UDP payload */
  guint8 n_candidates;
  guint8 tries;
  guint8 next_probe; /* index of the next candidate to send */
  guint16 expected;  /* size to try before the candidates; 0: none */
  gboolean tried;    /* `expected' was tried */
  guint16 passed;    /* largest datagram of data that was acknowledged while confirming */
  guint16 limit;     /* largest UDP payload that both ends take */
  gboolean searching, confirming, suspected;
  gboolean widened;       /* the limit rose while confirming: search afterwards */
  FaspTime suspect_after; /* earliest time of a new suspicion */
  FaspTime next_time;     /* when to act next, or FASP_NEVER */
  FaspTime probe_timeout; /* wait while no datagram arrives; grows */
} FaspPmtu;

/* @overhead: IP + UDP header bytes; @limit: largest UDP payload that both ends take.  Candidates
 * are IP packets of 1280, 1380, 1400, 1420, 1450, 1480, 1492, 1500, 4096, 8192 and 9000 bytes less
 * the overhead.  Probing starts at @now. */
void fasp_pmtu_init (FaspPmtu *pmtu, FaspTime now, guint8 overhead, guint16 limit);
FaspTime fasp_pmtu_get_timeout (const FaspPmtu *pmtu);
/* Another path of the session carries @size, so a search that has not begun tries it first. */
void fasp_pmtu_expect (FaspPmtu *pmtu, guint16 size);
/* Returns the UDP payload size of a probe to send now, 0 for none.  Call it until it returns 0.
 * @rtt_timeout: how long an answer may take (fasp_rtt_timeout()).  @passes: a datagram sent after
 * the last probe has arrived; otherwise a missing answer says nothing about the probe's size. */
guint16 fasp_pmtu_poll (FaspPmtu *pmtu, FaspTime now, FaspTime rtt_timeout, gboolean passes);
/* Probes would hold up the stream: postpones them.  FALSE: they cannot be postponed, as the size in
 * use must be confirmed. */
gboolean fasp_pmtu_postpone (FaspPmtu *pmtu, FaspTime now);
void fasp_pmtu_answered (FaspPmtu *pmtu, FaspTime now, guint16 size);
/* The largest datagram of data sent since the last confirmation was acknowledged, which confirms
 * the size.  FALSE: a probe is needed nevertheless, or no confirmation is due. */
gboolean fasp_pmtu_will_do (FaspPmtu *pmtu, FaspTime now);
/* Data of @size, sent since the confirmation began, was acknowledged. */
void fasp_pmtu_passed (FaspPmtu *pmtu, FaspTime now, guint16 size);
/* Blocks of the size in use keep being lost: confirm it now. */
void fasp_pmtu_suspect (FaspPmtu *pmtu, FaspTime now);
/* Sets another limit: larger sizes are no longer used, and a higher limit starts a search. */
void fasp_pmtu_set_limit (FaspPmtu *pmtu, FaspTime now, guint8 overhead, guint16 limit);
/* The largest UDP payload that may be sent now, probes included. */
guint16 fasp_pmtu_get_largest (const FaspPmtu *pmtu);
/* The address changed, so the path is another one. */
void fasp_pmtu_restart (FaspPmtu *pmtu, FaspTime now, guint8 overhead);

G_END_DECLS
