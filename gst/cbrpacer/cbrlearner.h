/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrlearner.h: finds the clock of a stream and learns its rate from it.
 *
 * The best clock there is: the PCR of an MPEG transport stream; else the
 * timestamps of the buffers; else the time at which they come.
 */
#pragma once

#include <gst/gst.h>
#include "cbrrate.h"
#include "cbrts.h"

G_BEGIN_DECLS

/* Bytes without a clock after which there is none: a source that does not wait
 * for anything has a rate that nobody knows. No more wait until it is known. */
#define CBR_LEARNER_PATIENCE (G_GUINT64_CONSTANT (256) << 20)

/* What may come between two times, bytes: 100 ms at 335 Mbit/s. */
#define CBR_LEARNER_BETWEEN (G_GUINT64_CONSTANT (4) << 20)

typedef enum
{
  CBR_CLOCK_NONE,
  CBR_CLOCK_PCR,
  CBR_CLOCK_TIMESTAMPS,
  CBR_CLOCK_ARRIVAL,
} CbrClock;

typedef struct
{
  CbrClock clock;               /* that was used last */
  CbrTs ts;
  CbrRate rate;
  guint64 bytes;                /* fed, with headers */
  guint64 timed;                /* of them, before the latest time that is known */
  gint64 elapsed;               /* ns that clocks went on by, without jumps */
  gint64 begins;                /* so much when the buffer fed last begins */
  GstClockTime latest;          /* timestamp */
  gint64 longest;               /* part of a window that was seen, ns */
  guint64 unknown;              /* bytes fed since that grew, while it is not all */
} CbrLearner;

void cbr_learner_init (CbrLearner * learner, gint64 window);
/* @time: running time of the buffer (GST_CLOCK_TIME_NONE: it has none);
 * @arrival: now; both ns. @header: of each buffer on the wire, if they are the
 * datagrams, else 0. */
void cbr_learner_feed (CbrLearner * learner, GstBuffer * buffer,
    GstClockTime time, gint64 arrival, guint header);
/* bit/s on the wire, in datagrams of @payload and @header (payload 0: the
 * buffers that were fed); 0: not known yet. */
guint64 cbr_learner_get_rate (const CbrLearner * learner, guint payload,
    guint header);
/* The same, with what came since the clock was seen last, as a clock that is seen
 * every 100 ms must not hold up what comes between. */
guint64 cbr_learner_get_inflow (const CbrLearner * learner, guint payload,
    guint header);
/* Was a window seen, of this clock or the one before? */
gboolean cbr_learner_is_known (const CbrLearner * learner);
/* Nothing but the time of arrival, or a clock that stands still or jumps all the
 * time, and much has come since more of a window was seen: a file without a
 * clock, unless the source is live. */
gboolean cbr_learner_is_lost (const CbrLearner * learner);
/* The clock begins anew: a discontinuity. */
void cbr_learner_jump (CbrLearner * learner);
/* The same, and what came before says nothing of what comes: a flush. */
void cbr_learner_flush (CbrLearner * learner);

G_END_DECLS
