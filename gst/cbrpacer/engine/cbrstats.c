/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "cbrstats.h"
#include "gstfaspcommon.h"

#define NAME "application/x-cbrpacer-statistics"

void
cbr_stats_init (CbrStats *stats)
{
  memset (stats, 0, sizeof *stats);
  fasp_rate_clock_init (&stats->planned, 1, 0);
  fasp_hist_init (&stats->gap_errors);
  fasp_hist_init (&stats->bursts);
}

static void
end_burst (CbrStats *stats)
{
  guint column = g_bit_storage (MAX (stats->burst, 1) - 1);

  if (stats->burst == 0)
    return;
  fasp_hist_add (&stats->bursts, stats->burst);
  stats->burst_columns[MIN (column, CBR_BURST_COLUMNS - 1)]++;
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
  gst_fasp_structure_set_counts (s, "burst-histogram", copy.burst_columns, CBR_BURST_COLUMNS);
  return s;
}
