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

/* What may be fed in search of a window: a source that brings more without a
 * clock is a file, whose rate nobody knows. */
#define CBR_LEARNER_PATIENCE (G_GUINT64_CONSTANT (256) << 20)

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
  guint64 bytes, buffers;       /* fed */
  GstClockTime latest;          /* timestamp */
  guint64 unknown;              /* bytes fed before a rate was known */
} CbrLearner;

void cbr_learner_init (CbrLearner * learner, gint64 window);
/* @time: running time of the buffer (GST_CLOCK_TIME_NONE: it has none);
 * @arrival: now; both ns. @header: of each buffer on the wire, if they are the
 * datagrams, else 0.  FALSE: it gives up. */
gboolean cbr_learner_feed (CbrLearner * learner, GstBuffer * buffer,
    GstClockTime time, gint64 arrival, guint header);
/* bit/s on the wire, in datagrams of @payload and @header (payload 0: the
 * buffers that were fed); 0: not known yet. */
guint64 cbr_learner_get_rate (const CbrLearner * learner, guint payload,
    guint header);
/* Was a window seen, of this clock or the one before? */
gboolean cbr_learner_is_known (const CbrLearner * learner);
/* The clock begins anew: a flush, a discontinuity. */
void cbr_learner_jump (CbrLearner * learner);

G_END_DECLS
