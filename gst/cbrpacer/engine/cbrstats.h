/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrstats.h: the statistics of the pacer, and how they become a GstStructure.
 */
#pragma once

#include <gst/gst.h>
#include "fasphist.h"
#include "fasprateclock.h"

G_BEGIN_DECLS

/* Column k of the histogram counts bursts of up to 2^k bytes. */
#define CBR_BURST_COLUMNS 24

typedef struct
{
  gint64 left;   /* when it left, ns */
  guint64 rate;  /* from which the planned time since the last cycle follows */
  guint64 bytes; /* on the wire */
  guint datagrams;
  gsize payload, stuffed; /* bytes of the input and of null packets */
} CbrCycle;

typedef struct
{
  guint64 cycles, datagrams, wire_bytes, bytes, bytes_stuffed;
  guint64 bytes_dropped; /* as more than max-delay waited, or not in a packet */
  guint64 underruns;     /* cycles that were put off because the input was dry */
  guint64 overruns;      /* how often max-delay was reached */
  guint64 stalls;        /* how often the schedule began anew */

  gboolean steady; /* the next cycle follows the last one without a pause */
  CbrCycle last;
  FaspRateClock planned; /* planned time from cycle to cycle, steady ones only */
  gint64 taken;          /* the time that they really took, ns */
  guint64 steady_bytes;  /* on the wire in that time */
  FaspHist gap_errors;   /* ns, absolute */
  FaspHist bursts;       /* bytes on the wire */
  guint64 burst_columns[CBR_BURST_COLUMNS];
  guint64 burst; /* bytes of the burst that has not ended yet */

  gint64 started;                    /* monotonic, ns; 0: not yet */
  gint64 cpu_pacing, cpu_downstream; /* ns of this thread */
} CbrStats;

void cbr_stats_init (CbrStats *stats);
void cbr_stats_departed (CbrStats *stats, const CbrCycle *cycle);
/* There is a pause between the last cycle and the next one. */
void cbr_stats_break (CbrStats *stats);
/* Makes a structure of the statistics; the caller adds the present state. */
GstStructure *cbr_stats_describe (const CbrStats *stats);

G_END_DECLS
