/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "cbrstats.h"
#include "fasphist.h"
#include "gstfaspcommon.h"

#define NAME "application/x-cbrpacer-statistics"

/* Column k of the histogram counts bursts of up to 2^k bytes. */
#define BURST_COLUMNS 24

struct _CbrStats
{
  guint64 cycles, datagrams, wire_bytes, bytes, bytes_stuffed;
  guint64 bytes_dropped; /* more than max-delay waited, or the bytes were in no packet */
  guint64 underruns;     /* cycles that were put off because the input was dry */
  guint64 overruns;      /* how often max-delay was reached */
  guint64 stalls;        /* how often the schedule began anew */

  gboolean steady; /* the next cycle follows the last one without a pause */
  CbrCycle last;
  FaspRateClock planned; /* planned time from cycle to cycle, steady ones only */
  gint64 taken;          /* real time from cycle to cycle, steady ones only, ns */
  guint64 steady_bytes;  /* on the wire in that time */
  FaspHist gap_errors;   /* ns, absolute */
  FaspHist bursts;       /* bytes on the wire */
  guint64 burst_columns[BURST_COLUMNS];
  guint64 burst; /* bytes of the burst that has not ended yet */

  gint64 started;                    /* monotonic, ns; 0: not yet */
  gint64 cpu_pacing, cpu_downstream; /* ns of this thread */
};

CbrStats *
cbr_stats_new (void)
{
  CbrStats *stats = g_new (CbrStats, 1);

  cbr_stats_clear (stats);
  return stats;
}

void
cbr_stats_free (CbrStats *stats)
{
  g_free (stats);
}

void
cbr_stats_clear (CbrStats *stats)
{
  memset (stats, 0, sizeof *stats);
  fasp_rate_clock_init (&stats->planned, 1, 0);
}

static void
end_burst (CbrStats *stats)
{
  guint column = g_bit_storage (MAX (stats->burst, 1) - 1);

  if (stats->burst == 0)
    return;
  fasp_hist_add (&stats->bursts, stats->burst);
  stats->burst_columns[MIN (column, BURST_COLUMNS - 1)]++;
  stats->burst = 0;
}

void
cbr_stats_break (CbrStats *stats)
{
  end_burst (stats);
  stats->steady = FALSE;
}

void
cbr_stats_departed (CbrStats *stats, const CbrCycle *cycle)
{
  stats->cycles++;
  stats->datagrams += cycle->datagrams;
  stats->wire_bytes += cycle->bytes;
  stats->bytes += cycle->payload;
  stats->bytes_stuffed += cycle->stuffed;
  if (stats->steady) {
    gint64 before = stats->planned.ns, planned;
    gint64 taken = cycle->left - stats->last.left;

    fasp_rate_clock_set_rate (&stats->planned, cycle->rate);
    fasp_rate_clock_advance (&stats->planned, stats->last.bytes);
    planned = stats->planned.ns - before;
    stats->taken += taken;
    stats->steady_bytes += stats->last.bytes;
    fasp_hist_add (&stats->gap_errors, ABS (taken - planned));
    /* cycles closer than a quarter of the planned time are one burst */
    if (taken >= planned / 4)
      end_burst (stats);
  }
  stats->burst += cycle->bytes;
  stats->steady = TRUE;
  stats->last = *cycle;
}

void
cbr_stats_note_gap (CbrStats *stats, CbrGap gap)
{
  cbr_stats_break (stats);
  stats->underruns += gap == CBR_GAP_UNDERRUN;
  stats->stalls += gap == CBR_GAP_STALL;
}

void
cbr_stats_overran (CbrStats *stats)
{
  stats->overruns++;
}

void
cbr_stats_dropped (CbrStats *stats, gsize bytes)
{
  stats->bytes_dropped += bytes;
}

void
cbr_stats_worked (CbrStats *stats, gint64 pacing, gint64 downstream)
{
  /* now, less the processor time of this cycle, and less 1 µs, to which the clock is rounded */
  if (stats->started == 0)
    stats->started = (g_get_monotonic_time () - 1) * 1000 - pacing - downstream;
  stats->cpu_pacing += pacing;
  stats->cpu_downstream += downstream;
}

guint64
cbr_stats_get_wire_bytes (const CbrStats *stats)
{
  return stats->wire_bytes;
}

static void
add_percentiles (GstStructure *s, const gchar *what, const gchar *unit, const FaspHist *hist)
{
  for (guint i = 0; i < FASP_HIST_POINTS; i++) {
    const FaspHistPoint *point = &fasp_hist_points[i];
    g_autofree gchar *name = g_strdup_printf ("%s-%s-%s", what, point->name, unit);

    gst_structure_set (s, name, G_TYPE_UINT64,
        (guint64) fasp_hist_percentile (hist, point->fraction), NULL);
  }
}

GstStructure *
cbr_stats_describe (const CbrStats *stats)
{
  GstStructure *s = gst_structure_new (NAME, "cycles", G_TYPE_UINT64, stats->cycles, "datagrams",
      G_TYPE_UINT64, stats->datagrams, "bytes", G_TYPE_UINT64, stats->bytes, "bytes-stuffed",
      G_TYPE_UINT64, stats->bytes_stuffed, "bytes-dropped", G_TYPE_UINT64, stats->bytes_dropped,
      "wire-bytes", G_TYPE_UINT64, stats->wire_bytes, "underruns", G_TYPE_UINT64, stats->underruns,
      "overruns", G_TYPE_UINT64, stats->overruns, "stalls", G_TYPE_UINT64, stats->stalls, NULL);
  gint64 real = stats->started != 0 ? g_get_monotonic_time () * 1000 - stats->started : 0;
  gint64 cpu = stats->cpu_pacing + stats->cpu_downstream;
  CbrStats copy = *stats;

  end_burst (&copy);
  gst_structure_set (s, "bitrate-achieved", G_TYPE_DOUBLE,
      stats->taken > 0 ? stats->steady_bytes * 8e9 / stats->taken : 0.0, "bitrate-error",
      G_TYPE_DOUBLE, stats->taken > 0 ? (gdouble) stats->planned.ns / stats->taken - 1 : 0.0,
      "cpu-seconds", G_TYPE_DOUBLE, cpu / 1e9, "cpu-seconds-pacing", G_TYPE_DOUBLE,
      stats->cpu_pacing / 1e9, "cpu-share", G_TYPE_DOUBLE, real > 0 ? (gdouble) cpu / real : 0.0,
      NULL);
  add_percentiles (s, "gap-error", "ns", &copy.gap_errors);
  add_percentiles (s, "burst", "bytes", &copy.bursts);
  gst_fasp_structure_set_counts (s, "burst-histogram", copy.burst_columns, BURST_COLUMNS);
  return s;
}
