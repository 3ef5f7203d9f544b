/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrlearner.h: finds the clock of a stream and learns its rate from it.
 *
 * It uses the best clock there is: the PCR of an MPEG transport stream; else the
 * timestamps of the buffers; else the time at which they arrive.
 */
#pragma once

#include <gst/gst.h>
#include "cbrrate.h"
#include "cbrts.h"

G_BEGIN_DECLS

/* After this many bytes without a clock, the stream is taken to have none, and its rate cannot be
 * learned. This is also the most that is queued until the rate is known. */
#define CBR_LEARNER_UNCLOCKED_MAX (G_GUINT64_CONSTANT (256) << 20)

/* The most bytes that are counted between two times of the clock: 100 ms at 335 Mbit/s. */
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
  CbrClock clock; /* the clock that was used last */
  CbrTs ts;
  CbrRate rate;
  CbrClock known_by;   /* the last clock of which a whole window was seen */
  guint64 bytes;       /* fed so far, with headers */
  guint64 timed;       /* the bytes before the latest known time */
  gint64 elapsed;      /* ns by which clocks advanced, jumps left out */
  gint64 begins;       /* value of `elapsed' where the last buffer begins */
  GstClockTime latest; /* the latest timestamp; NONE: any timestamp may come next */
  gint64 longest;      /* the longest part of a window seen so far, ns */
  guint64 unclocked;   /* bytes fed, without headers, since `longest' grew; once a whole window was
                          seen: since the clock was last seen */
} CbrLearner;

void cbr_learner_init (CbrLearner *learner, gint64 window);
/* Forgets everything learned, and learns anew over another window. */
void cbr_learner_set_window (CbrLearner *learner, gint64 window);
/* The caps of the following buffers say that they are a transport stream in packets of @size bytes;
 * 0: the caps do not say that. */
void cbr_learner_set_packets (CbrLearner *learner, guint size);
/* @time: running time of the buffer (GST_CLOCK_TIME_NONE: it has none), ns;
 * @arrival: now, ns. @header: bytes of header for each buffer, if buffers are the
 * datagrams; else 0. */
void cbr_learner_feed (CbrLearner *learner, GstBuffer *buffer, GstClockTime time, gint64 arrival,
    guint header);
/* Returns bit/s on the wire, in datagrams of @payload and @header bytes (payload 0:
 * the buffers that were fed); 0: not known yet. */
guint64 cbr_learner_get_rate (const CbrLearner *learner, guint payload, guint header);
/* The same, with the bytes that came since the clock was last seen: a clock that is seen every 100
 * ms must not hold up the data in between. */
guint64 cbr_learner_get_inflow (const CbrLearner *learner, guint payload, guint header);
/* Was a whole window seen of this clock or of an earlier one? */
gboolean cbr_learner_is_known (const CbrLearner *learner);
/* TRUE: the rate cannot be learned.  There is only the time of arrival, or a clock
 * that stands still or jumps all the time, and CBR_LEARNER_UNCLOCKED_MAX bytes have come
 * since a longer part of a window was seen.  Unless the source is live, it is a file
 * without a clock. */
gboolean cbr_learner_is_lost (const CbrLearner *learner);
/* Is the rate of the latest data unknown? It is if the data has no clock, and is more than the
 * earlier stream, which had one, carried in a window. */
gboolean cbr_learner_is_unpaced (const CbrLearner *learner);
/* The clock begins anew: a discontinuity. */
void cbr_learner_jump (CbrLearner *learner);
/* A flush: the clock begins anew, and the rate learned before is forgotten. */
void cbr_learner_flush (CbrLearner *learner);

G_END_DECLS
