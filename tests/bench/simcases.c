/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simcases: roads with names (roadcases.h) in virtual time: the cases of RFC 8867, dual queues,
 * mobile links, satellites.
 *
 *   simcases --control adaptive
 *   simcases --cases 5.1,5.6 --series SERIES
 *
 * A line for each stream: what of it came, and how late its frames were; for each TCP, or for all
 * short ones: what of it passed; for each link: the share of it that was used, and how long packets
 * were in its queue.  A + behind a ratio says that it is outside of the bounds of RFC 8868, 3:
 * streams with the same delay on the same link, between the slowest and the fastest.
 *
 * With --series, a line every 0.2 s (RFC 8868) for each of them: case, s, kind, number, and then
 * of a stream what the encoder was told, the channel rate, and what of frames came since, bit/s; of
 * a TCP what passed, bit/s; of a link what it carries, what passed, bit/s, the queue, ms, and
 * packets dropped and marked so far.
 */
#include <stdio.h>
#include <stdlib.h>
#include "options.h"
#include "roadcases.h"
#include "roadfigures.h"
#include "vstream.h"

#define SAMPLE (200 * FASP_MSEC)
#define MOST 16 /* streams, TCPs or links of a case */
/* RFC 8868, 3: of what two streams get */
#define RATIO_MOST 3.

static gchar *control_name = (gchar *) "adaptive", *wanted, *series;
static FaspRateControl control;
static FILE *out;

typedef struct
{
  guint64 lives[MOST], rivals[MOST], links[MOST]; /* bytes so far */
} Counts;

/* --- what happens ------------------------------------------------------------------------- */

static gdouble
take (guint64 *before, guint64 now)
{
  gdouble rate = (now - *before) * 8e6 / SAMPLE;

  *before = now;
  return rate;
}

static void
write_sample (const RoadCase *road, Vtraffic *traffic, gint64 now, Counts *before)
{
  const GPtrArray *lives = vtraffic_get_lives (traffic), *rivals = vtraffic_get_rivals (traffic);
  const GPtrArray *links = vtraffic_get_bottlenecks (traffic);

  for (guint i = 0; i < lives->len; i++) {
    Vlive *live = g_ptr_array_index (lives, i);
    FaspSessionStats stats = { 0 };

    vlive_get_stats (live, &stats);
    fprintf (out,
        "%s,%.1f,stream,%u,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%.0f,%" G_GUINT64_FORMAT
        "\n",
        road->name, now / 1e6, i, vlive_get_announced (live), stats.pacing.rate,
        take (&before->lives[i], vlive_get_arrived (live)), stats.delivery.in_flight);
  }
  for (guint i = 0; i < rivals->len; i++)
    fprintf (out, "%s,%.1f,tcp,%u,%.0f\n", road->name, now / 1e6, i,
        take (&before->rivals[i], vrival_get_bytes (g_ptr_array_index (rivals, i))));
  for (guint i = 0; i < links->len; i++) {
    const Bottleneck *b = g_ptr_array_index (links, i);
    const BottleneckCounters *n = bottleneck_get_counters (b);

    fprintf (out, "%s,%.1f,link,%u,%.0f,%.0f,%.1f,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n",
        road->name, now / 1e6, i,
        capacity_get_bytes (bottleneck_get_capacity (b), now - SAMPLE, now) * 8e6 / SAMPLE,
        take (&before->links[i], n->bytes), bottleneck_get_wait (b, now) / 1e3, n->dropped,
        n->marked);
  }
}

static void
run (const RoadCase *road, Vtraffic *traffic)
{
  Counts before = { 0 };

  for (gint64 now = 0; now < road_case_get_end (road);) {
    now += SAMPLE;
    vtraffic_run (traffic, now);
    if (out != NULL)
      write_sample (road, traffic, now, &before);
  }
}

/* --- the figures ---------------------------------------------------------------------------- */

static void
print_lives (const RoadCase *road, Vtraffic *traffic)
{
  const GPtrArray *lives = vtraffic_get_lives (traffic);
  gdouble least = G_MAXDOUBLE, most = 0;
  gboolean alike = lives->len > 1;

  for (guint i = 0; i < lives->len; i++) {
    const Vlive *live = g_ptr_array_index (lives, i);
    FaspSessionStats stats = { 0 };
    RoadFigures f;

    road_figures (live, &f);
    vlive_get_stats (g_ptr_array_index (lives, i), &stats);
    printf ("  stream %u  %6.2f Mbit/s  p50 %5.2f  p95 %5.2f  p99 %5.2f s  >0.4 s %5.1f%%  "
            ">1 s %5.1f%%  lost %.1f%%  again %.1f%%\n",
        i + 1, f.rate, f.p50, f.p95, f.p99, f.late04 * 100, f.late1 * 100, f.lost * 100,
        stats.sent.bytes_rtx * 100. / MAX (stats.sent.bytes, 1));
    least = MIN (least, f.rate);
    most = MAX (most, f.rate);
    alike &= road->lives[i].delay == road->lives[0].delay
        && road->lives[i].there == road->lives[0].there;
  }
  if (alike)
    printf ("  fastest / slowest %.2f%s\n", most / least, most > RATIO_MOST * least ? " +" : "");
}

static void
print_rivals (const RoadCase *road, Vtraffic *traffic)
{
  const GPtrArray *rivals = vtraffic_get_rivals (traffic);
  guint64 bytes = 0;

  for (guint i = 0; i < rivals->len; i++)
    bytes += vrival_get_bytes (g_ptr_array_index (rivals, i));
  if (rivals->len > 0)
    printf ("  TCP       %6.2f Mbit/s%s\n", bytes * 8e-6 / road->seconds,
        rivals->len > 1 ? ", all of them" : "");
}

static void
print_links (const RoadCase *road, Vtraffic *traffic)
{
  const GPtrArray *links = vtraffic_get_bottlenecks (traffic);

  for (guint i = 0; i < links->len; i++) {
    const Bottleneck *b = g_ptr_array_index (links, i);
    const BottleneckCounters *n = bottleneck_get_counters (b);

    printf ("  link %u    %5.1f %% used", i + 1,
        n->bytes * 100 / capacity_get_bytes (bottleneck_get_capacity (b), 0, road->seconds * 1e6));
    for (guint l = 0; l < 2; l++) {
      GArray *waits = bottleneck_get_waits (b, l);

      if (waits->len > 0)
        printf ("  %squeue p50 %.1f  p95 %.1f  p99 %.1f ms", l ? "L4S " : "",
            road_percentile (waits, .5) * 1e3, road_percentile (waits, .95) * 1e3,
            road_percentile (waits, .99) * 1e3);
    }
    printf ("  dropped %.2f%%  marked %.2f%%\n",
        n->dropped * 100. / MAX (n->packets + n->dropped, 1),
        n->marked * 100. / MAX (n->packets, 1));
  }
}

static void
run_case (const RoadCase *road)
{
  g_autoptr (Vtraffic) traffic = road_case_build (road, control);

  run (road, traffic);
  printf ("%s: %s\n", road->name, road->title);
  print_lives (road, traffic);
  print_rivals (road, traffic);
  print_links (road, traffic);
  fflush (stdout);
}

static void
run_cases (void)
{
  g_auto (GStrv) names = g_strsplit (wanted != NULL ? wanted : "", ",", -1);
  const RoadCase *road;

  for (guint i = 0; names[i] != NULL; i++)
    if (road_case_find (names[i]) == NULL)
      options_refuse ("there is no case %s; --list lists them", names[i]);
  for (guint i = 0; (road = road_case_get (i)) != NULL; i++)
    if (wanted == NULL || g_strv_contains ((const gchar *const *) names, road->name))
      run_case (road);
}

static gboolean
list_cases (const gchar *option, const gchar *value, gpointer data, GError **error)
{
  const RoadCase *road;

  for (guint i = 0; (road = road_case_get (i)) != NULL; i++)
    printf ("%s,%s\n", road->name, road->title);
  exit (0);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "control", 0, 0, G_OPTION_ARG_STRING, &control_name, "adaptive, pert", "NAME" },
    { "cases", 0, 0, G_OPTION_ARG_STRING, &wanted, "Not all of them", "A,B,..." },
    { "list", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, list_cases, "Which there are", NULL },
    { "series", 0, 0, G_OPTION_ARG_FILENAME, &series, "Write what happens, as CSV", "FILE" },
    { NULL },
  };
  options_parse (&argc, &argv, entries, NULL);
  if (!vstream_parse_rate_control (control_name, &control))
    options_refuse ("there is no rate control %s", control_name);
  out = series != NULL ? fopen (series, "w") : NULL;
  run_cases ();
  if (out != NULL)
    fclose (out);
  return 0;
}
