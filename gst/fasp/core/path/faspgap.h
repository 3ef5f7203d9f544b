/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgap.h: the packets of one flow that arrived, and those that are lost.
 *
 * Packet numbers of a flow count up by one, so a hole is seen when the next packet arrives.  It is
 * `settled', taken as lost, once a reorder delay has passed since it was seen.  The delay adapts:
 * it is nearly zero on a path that never reorders, a little more than the longest delay seen on a
 * path that does, and decreases slowly when packets arrive less late.  If FEC may recover lost
 * packets, holes also wait for that (recovery time).
 *
 *   settled: every packet numbered <= settled has arrived or is taken as lost
 *   largest: highest packet number that arrived;   settled <= largest
 *
 * This is also the replay window: a packet number is accepted once, and numbers
 * FASP_GAP_WINDOW or more below the largest are refused.
 *
 * The wire carries only the low bits of a packet number.  The full number is the one nearest to the
 * expected number: the largest, or, on a flow that was silent for long, the number that its sender
 * has announced.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_GAP_WINDOW 4096 /* packets */
#define FASP_GAP_HOLES 256   /* holes remembered at once */
#define FASP_GAP_DELAY_MIN (1 * FASP_MSEC)
/* The bound of the delay while the time left for a retransmission is not known. */
#define FASP_GAP_DELAY_MOST (50 * FASP_MSEC)

typedef struct _FaspGap FaspGap;

typedef enum
{
  FASP_GAP_NEXT,     /* in order, no hole */
  FASP_GAP_HOLE,     /* newer than expected: a hole opened */
  FASP_GAP_LATE,     /* filled a hole that was still open */
  FASP_GAP_SPURIOUS, /* arrived after it was settled as lost */
  FASP_GAP_REFUSED,  /* duplicate, replay or too old */
} FaspGapResult;

FaspGap *fasp_gap_new (void);
void fasp_gap_free (FaspGap *gap);
/* The flow is a group's: packets before the first one received were for earlier members, and are
 * not missing. */
void fasp_gap_join (FaspGap *gap);

/* Would @pn be refused?  Call this before the datagram is authenticated. */
gboolean fasp_gap_is_refused (const FaspGap *gap, guint64 pn);
FaspGapResult fasp_gap_receive (FaspGap *gap, FaspTime now, guint64 pn);

/* Has any packet arrived? */
gboolean fasp_gap_is_started (const FaspGap *gap);
guint64 fasp_gap_get_largest (const FaspGap *gap);
FaspTime fasp_gap_get_largest_time (const FaspGap *gap);
/* The expected number, near that of the next packet. */
guint64 fasp_gap_get_expected (const FaspGap *gap);
/* The sender has announced that the next packet will be @pn. */
void fasp_gap_expect (FaspGap *gap, guint64 pn);
/* Settles the holes whose delay is over.  FALSE: no packet number is settled yet. */
gboolean fasp_gap_get_settled (FaspGap *gap, FaspTime now, guint64 *settled);
/* Number of holes settled as lost so far. */
guint64 fasp_gap_count_settled (const FaspGap *gap);
/* When the next hole will be settled, or FASP_NEVER. */
FaspTime fasp_gap_get_timeout (const FaspGap *gap);
FaspTime fasp_gap_get_delay (const FaspGap *gap);
/* Holes are settled @recovery_time after the reorder delay. */
void fasp_gap_set_recovery_time (FaspGap *gap, FaspTime recovery_time);
/* A hole that is settled within @spare can be repaired in time.  The retransmission may be late by
 * the delay, too, so the delay is bounded by half of @spare, or FASP_GAP_DELAY_MOST if that is
 * more.
 */
void fasp_gap_set_spare (FaspGap *gap, FaspTime spare);

typedef struct
{
  guint64 received;  /* distinct packets */
  guint64 lost;      /* settled as lost, and not received since */
  guint64 holes;     /* settled holes in which packets are still lost */
  guint64 reordered; /* LATE + SPURIOUS */
  guint64 refused;
} FaspGapCounters;

void fasp_gap_get_counters (const FaspGap *gap, FaspGapCounters *counters);

G_END_DECLS
