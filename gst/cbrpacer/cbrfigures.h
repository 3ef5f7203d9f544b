/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrfigures.h: what the pacer did, counted, and told as a GstStructure.
 */
#pragma once

#include <gst/gst.h>
#include "fasphist.h"
#include "fasprateclock.h"

G_BEGIN_DECLS

/* Bursts of up to 2^k bytes are in column k of the histogram. */
#define CBR_BURST_COLUMNS 24

typedef struct
{
  gint64 left;                  /* when, ns */
  guint64 rate;                 /* at which the time since the last is counted */
  guint64 bytes;                /* on the wire */
  guint datagrams;
  gsize payload, stuffed;       /* bytes of the input and of null packets */
} CbrCycle;

typedef struct
{
  guint64 cycles, datagrams, wire_bytes, bytes, bytes_stuffed;
  guint64 bytes_dropped;        /* more waited than max-delay */
  guint64 underruns;            /* cycles put off: the input was dry */
  guint64 overruns;             /* times that max-delay was reached */
  guint64 stalls;               /* times that the schedule began anew */

  gboolean steady;              /* the last cycle is followed by this one */
  CbrCycle last;
  FaspRateClock planned;        /* the time from cycle to cycle, steady ones */
  gint64 taken;                 /* ns, what it really was */
  guint64 steady_bytes;         /* on the wire in that time */
  FaspHist gap_errors;          /* ns, absolute */
  FaspHist bursts;              /* bytes on the wire */
  guint64 burst_columns[CBR_BURST_COLUMNS];
  guint64 burst;                /* bytes of the one under way */

  gint64 started;               /* monotonic, ns; 0: not yet */
  gint64 cpu_pacing, cpu_downstream;    /* ns of this thread */
} CbrFigures;

void cbr_figures_init (CbrFigures * figures);
void cbr_figures_departed (CbrFigures * figures, const CbrCycle * cycle);
/* The next cycle does not follow the last one. */
void cbr_figures_break (CbrFigures * figures);
/* Takes the numbers above; the caller adds the present state. */
GstStructure *cbr_figures_describe (const CbrFigures * figures);

G_END_DECLS
