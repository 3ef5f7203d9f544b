/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "cbrstats.h"
#include "gstfaspcommon.h"

#define NAME "application/x-cbrpacer-statistics"

void
cbr_stats_init (CbrStats *figures)
{
  memset (figures, 0, sizeof *figures);
  fasp_rate_clock_init (&figures->planned, 1, 0);
  fasp_hist_init (&figures->gap_errors);
  fasp_hist_init (&figures->bursts);
}

static void
end_burst (CbrStats *figures)
{
  guint column = g_bit_storage (MAX (figures->burst, 1) - 1);

  if (figures->burst == 0)
    return;
  fasp_hist_add (&figures->bursts, figures->burst);
  figures->burst_columns[MIN (column, CBR_BURST_COLUMNS - 1)]++;
  figures->burst = 0;
}

void
cbr_stats_break (CbrStats *figures)
{
  end_burst (figures);
  figures->steady = FALSE;
}

void
cbr_stats_departed (CbrStats *figures, const CbrCycle *cycle)
{
  figures->cycles++;
  figures->datagrams += cycle->datagrams;
  figures->wire_bytes += cycle->bytes;
  figures->bytes += cycle->payload;
  figures->bytes_stuffed += cycle->stuffed;
  if (figures->steady) {
    gint64 before = figures->planned.ns, planned;
    gint64 taken = cycle->left - figures->last.left;

    fasp_rate_clock_set_rate (&figures->planned, cycle->rate);
    fasp_rate_clock_advance (&figures->planned, figures->last.bytes);
    planned = figures->planned.ns - before;
    figures->taken += taken;
    figures->steady_bytes += figures->last.bytes;
    fasp_hist_add (&figures->gap_errors, ABS (taken - planned));
    /* cycles closer than a quarter of the planned time are one burst */
    if (taken >= planned / 4)
      end_burst (figures);
  }
  figures->burst += cycle->bytes;
  figures->steady = TRUE;
  figures->last = *cycle;
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
cbr_stats_describe (const CbrStats *figures)
{
  GstStructure *s = gst_structure_new (NAME, "cycles", G_TYPE_UINT64, figures->cycles, "datagrams",
      G_TYPE_UINT64, figures->datagrams, "bytes", G_TYPE_UINT64, figures->bytes, "bytes-stuffed",
      G_TYPE_UINT64, figures->bytes_stuffed, "bytes-dropped", G_TYPE_UINT64, figures->bytes_dropped,
      "wire-bytes", G_TYPE_UINT64, figures->wire_bytes, "underruns", G_TYPE_UINT64,
      figures->underruns, "overruns", G_TYPE_UINT64, figures->overruns, "stalls", G_TYPE_UINT64,
      figures->stalls, NULL);
  gint64 real = figures->started != 0 ? g_get_monotonic_time () * 1000 - figures->started : 0;
  gint64 cpu = figures->cpu_pacing + figures->cpu_downstream;
  CbrStats copy = *figures;

  end_burst (&copy);
  gst_structure_set (s, "bitrate-achieved", G_TYPE_DOUBLE,
      figures->taken > 0 ? figures->steady_bytes * 8e9 / figures->taken : 0.0, "bitrate-error",
      G_TYPE_DOUBLE, figures->taken > 0 ? (gdouble) figures->planned.ns / figures->taken - 1 : 0.0,
      "cpu-seconds", G_TYPE_DOUBLE, cpu / 1e9, "cpu-seconds-pacing", G_TYPE_DOUBLE,
      figures->cpu_pacing / 1e9, "cpu-share", G_TYPE_DOUBLE, real > 0 ? (gdouble) cpu / real : 0.0,
      NULL);
  add_percentiles (s, "gap-error", "ns", &copy.gap_errors);
  add_percentiles (s, "burst", "bytes", &copy.bursts);
  gst_fasp_structure_set_counts (s, "burst-histogram", copy.burst_columns, CBR_BURST_COLUMNS);
  return s;
}
