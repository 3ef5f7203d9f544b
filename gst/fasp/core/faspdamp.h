/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdamp.h: how long one of many receivers waits before it asks for what all of them may
 * lack, so that few ask before it goes to all.
 *
 * A random time from a truncated exponential distribution, few of which are short however
 * many draw one (Nonnenmacher and Biersack, "Scalable Feedback for Large Groups", 1999;
 * RFC 5401, section 4.2.2):
 *
 *     t = T ln (1 + (e^L - 1) u) / L,   L = ln (members) + 1,   u uniform in [0, 1)
 *
 * If all lack it, and hear it within d of the first request, about e^(L d / T) ask.
 *
 * A request is about the losses that were known when its time was drawn.  Until then,
 * and later ones until theirs, are kept back from what is told for other reasons:
 *
 *     packets told to be settled <= those of the request <= those settled
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_DAMP_BACK_OFF_MAX (2 * FASP_SEC)
/* Bounds of the regular clock of a member, and what of it passes between two in the mean. */
#define FASP_DAMP_CLOCK_MIN (100 * FASP_MSEC)
#define FASP_DAMP_CLOCK_MAX (15 * FASP_SEC)
#define FASP_DAMP_CLOCK_MEAN .875

typedef struct
{
  guint64 dice;                 /* of the random numbers */
  guint members;
  FaspTime back_off;            /* T; 0: nothing is waited for */
  FaspTime clock;
  /* a request */
  FaspTime time;                /* when; FASP_NEVER: none */
  gboolean again;               /* of what was asked for before */
  guint64 end;                  /* of blocks below, */
  guint64 upto;                 /* lost among packets below */
  guint64 known, told;          /* packets below are settled, are told to be */
} FaspDamp;

/* @seed: another one for each receiver. */
void fasp_damp_init (FaspDamp * damp, guint64 seed);
/* What the sender says, whatever it says. */
void fasp_damp_set (FaspDamp * damp, guint64 members, guint64 back_off_us,
    guint64 clock_ms);
/* From 0 to T. */
FaspTime fasp_damp_draw (FaspDamp * damp);
/* When to say what all say at the same time otherwise: within a millisecond for each, and
 * the clock. */
FaspTime fasp_damp_draw_turn (FaspDamp * damp);
/* Until the next regular feedback: three quarters to the whole of the clock. */
FaspTime fasp_damp_draw_clock (FaspDamp * damp);

/* Packets below @end are settled by now. */
void fasp_damp_settled (FaspDamp * damp, guint64 end);
/* Blocks below @end are missing: they are to be asked for, if not before; later if it
 * is about what was asked for before. */
void fasp_damp_ask (FaspDamp * damp, FaspTime now, guint64 end);
void fasp_damp_ask_again (FaspDamp * damp, FaspTime now);
/* Packets below which are to be told to be settled, by the request or by what is told for
 * another reason. */
guint64 fasp_damp_tell (FaspDamp * damp, gboolean asks);

G_END_DECLS
