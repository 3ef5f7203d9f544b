/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrstats.h: the statistics of the pacer, and how they become a GstStructure.
 */
#pragma once

#include "cbrdeparture.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 left;   /* when the cycle left, ns */
  guint64 rate;  /* bit/s: gives the planned time since the last cycle */
  guint64 bytes; /* on the wire */
  guint datagrams;
  gsize payload, stuffed; /* bytes of the input and of null packets */
} CbrCycle;

typedef struct _CbrStats CbrStats;

CbrStats *cbr_stats_new (void);
void cbr_stats_free (CbrStats *stats);
void cbr_stats_clear (CbrStats *stats);
void cbr_stats_departed (CbrStats *stats, const CbrCycle *cycle);
/* The pause between the last cycle and the next one does not count. */
void cbr_stats_break (CbrStats *stats);
/* There is such a pause, and its kind is counted. */
void cbr_stats_note_gap (CbrStats *stats, CbrGap gap);
/* More waits than max-delay allows. */
void cbr_stats_overran (CbrStats *stats);
/* Bytes were dropped: they were too many, or in no packet. */
void cbr_stats_dropped (CbrStats *stats, gsize bytes);
/* A cycle took this much CPU time of the thread, ns: in the pacer, and in the elements behind. */
void cbr_stats_worked (CbrStats *stats, gint64 pacing, gint64 downstream);
guint64 cbr_stats_get_wire_bytes (const CbrStats *stats);
/* Makes a structure of the statistics; the caller adds the present state. */
GstStructure *cbr_stats_describe (const CbrStats *stats);

G_END_DECLS
