/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnackbackoff.h: NACK back-off: how long a member of a group waits before it asks for a block
 * that all members may lack, so that only a few ask before the block is sent again to all.
 *
 * Each member draws a random time from a truncated exponential distribution.  Few of these
 * times are short, however many members draw one (Nonnenmacher and Biersack, "Scalable
 * Feedback for Large Groups", 1999; RFC 5401, section 4.2.2):
 *
 *     t = T ln (1 + (e^L - 1) u) / L,   L = ln (members) + 1,   u uniform in [0, 1)
 *
 * If all lack the block, and get it within d after the first request, about e^(L d / T) ask.
 *
 * A request covers the losses that were known when its time was drawn.  Until that time,
 * feedback that is sent for other reasons must not reveal them; nor later losses, until the
 * time of their own request:
 *
 *     packets reported as settled <= those the request covers <= packets settled
 */
#pragma once

#include "fasplimits.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* The mean time between two regular feedbacks, as a share of the clock. */
#define FASP_MEMBER_CLOCK_MEAN .875

typedef struct
{
  guint64 dice;      /* state of the random numbers */
  guint members;     /* members of the group */
  FaspTime back_off; /* T; µs; 0: no back-off */
  FaspTime clock;    /* interval of regular feedback; µs */
  /* the request that waits */
  FaspTime time;           /* when to send it; FASP_NEVER: there is none */
  gboolean again;          /* the request repeats an earlier one */
  guint64 end;             /* the request is for lost blocks below this one */
  guint64 upto;            /* those blocks were in packets below this number */
  guint64 known, reported; /* packets below are settled; packets below are reported as settled */
} FaspNackBackoff;

/* @seed: must differ between receivers. */
void fasp_nack_backoff_init (FaspNackBackoff *backoff, guint64 seed);
/* Takes over the values that the sender announces to its members; clamps them. */
void fasp_nack_backoff_set (FaspNackBackoff *backoff, guint64 members, guint64 back_off_us,
    guint64 clock_ms);
/* A random time from 0 to T. */
FaspTime fasp_nack_backoff_draw (FaspNackBackoff *backoff);
/* A random wait before a message that all members would otherwise send at the same moment: up to a
 * millisecond for each member, and no longer than the clock. */
FaspTime fasp_nack_backoff_draw_spread (FaspNackBackoff *backoff);
/* The time until the next regular feedback: three quarters to the whole of the clock. */
FaspTime fasp_nack_backoff_draw_clock (FaspNackBackoff *backoff);

/* Packets below @end are settled by now. */
void fasp_nack_backoff_settled (FaspNackBackoff *backoff, guint64 end);
/* Blocks below @end are missing: draws the time of a request for them. If a first request waits,
 * these blocks are requested after it; a request that is only repeated is replaced by one for all
 * missing blocks. */
void fasp_nack_backoff_ask (FaspNackBackoff *backoff, FaspTime now, guint64 end);
/* Draws the time at which the last request is repeated. */
void fasp_nack_backoff_ask_again (FaspNackBackoff *backoff, FaspTime now);
/* Returns up to which packet number (exclusive) feedback may report packets as settled.
 * @asks: this feedback is the request; else it is sent for another reason. */
guint64 fasp_nack_backoff_report (FaspNackBackoff *backoff, gboolean asks);

G_END_DECLS
