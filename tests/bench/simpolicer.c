/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simpolicer: live streams through a policer, in virtual time.
 *
 *   simpolicer --mbit 4 --rates 1.5 --buckets 10,50,500 --keys 0,10 --rtts 60 --losses 0,2
 *
 * A line for each cell: the share of the stream that was late (the mean and the most of the
 * seeds), what was on the wire for each byte of it, and what the policer lost of that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "numbers.h"
#include "vstream.h"

#define MOST 16 /* of a list */
#define LEAD FASP_SEC
#define STEP FASP_MSEC

typedef struct
{
  gdouble rate, bucket, key, rtt, loss;
} Cell;

typedef struct
{
  const Cell *cell;
  guint32 seed;
  VstreamConfig config;
  FaspTime begin, base; /* of the stream; and of its way */
  guint64 read, late, settled_late;
  gdouble wire, policed;
  gdouble share, most; /* late; ms */
} Run;

static gdouble mbit = 4, seconds = 60;
static gint seeds = 4, latency = 1000;
static gchar *rates = (gchar *) "1.1,1.5,2,3", *buckets = (gchar *) "10,50,500";
static gchar *keys = (gchar *) "0,10", *rtts = (gchar *) "20,60,200";
static gchar *losses = (gchar *) "0,2", *fec;
static gdouble every;

/* When the first @bytes of the stream were made, from its begin on. */
static FaspTime
get_made_time (const Run *run, guint64 bytes)
{
  FaspTime low = 0, high = run->config.duration;

  while (low < high) {
    FaspTime middle = (low + high) / 2;

    if (vstream_get_made (&run->config, middle) >= bytes)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static void
on_read (gpointer data, guint32 size, FaspTime now)
{
  Run *run = data;
  FaspTime late, made;

  run->read += size;
  made = get_made_time (run, run->read);
  late = now - run->begin - run->base - made;
  run->most = MAX (run->most, late / 1e3);
  if (late > latency * FASP_MSEC) {
    run->late += size;
    run->settled_late += made > 10 * FASP_SEC ? size : 0;
  }
}

static void
run_one (gpointer data, gpointer unused)
{
  Run *run = data;
  const Cell *cell = run->cell;
  Vnet *net = vnet_new (run->seed);
  ImpairConfig *wire = vnet_get_wire (net, VNET_A, VNET_B);
  const ImpairCounters *counters;
  guint64 total, before[2] = { 0 };
  Vstream *stream;

  vnet_set_path (net, cell->rtt * 1e3, (const gdouble[2]) { cell->loss / 100, 0 },
      (const gdouble[2]) { 0, 0 }, 0);
  wire->police = cell->rate * mbit * 1e6;
  wire->bucket = cell->bucket * 1e3;
  vstream_config_init (&run->config);
  run->config.bitrate = mbit * 1e6;
  run->config.key = cell->key;
  run->config.channel = 0;
  run->config.duration = seconds * 1e6;
  run->config.lead = LEAD + run->seed * 37 * FASP_MSEC;
  run->config.on_read = on_read;
  run->config.data = run;
  run->config.sender.settings.latency_ms = latency;
  run->config.sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  run->config.receiver.fec = FASP_FEC_AUTO;
  if (fec != NULL) {
    run->config.sender.fec = g_str_equal (fec, "auto") ? FASP_FEC_AUTO : FASP_FEC_FIXED;
    run->config.sender.fec_share = g_ascii_strtod (fec, NULL) / 100;
  }
  stream = vstream_new (net, &run->config);
  counters = vnet_get_counters (net, VNET_A, VNET_B);
  run->begin = stream->started + run->config.lead;
  run->base = cell->rtt * 500;
  for (FaspTime now = 0; now < run->config.lead + run->config.duration + latency * FASP_MSEC;
      now += STEP) {
    vstream_run_until (stream, now);
    if (every > 0 && now % (FaspTime) (every * 1e6) == 0) {
      printf ("  %6.2f R %7.3f wire %7.3f policed %7.3f behind %4d ms offer %.2f\n",
          (now - run->config.lead) / 1e6, stream->sender_stats.pacing.rate / 1e6,
          (counters->bytes - before[0]) * 8e-6 / every,
          (counters->policed - before[1]) * 1.4e3 * 8e-6 / every,
          (gint) ((now - run->config.lead - get_made_time (run, run->read)) / 1000),
          fasp_endpoint_get_available_bitrate (stream->sender) / 1e6);
      before[0] = counters->bytes;
      before[1] = counters->policed;
    }
  }
  total = vstream_get_made (&run->config, run->config.duration);
  run->late += total - run->read;
  run->settled_late += total - run->read;
  run->share = 100. * run->late / total;
  run->wire = (gdouble) counters->bytes / total;
  run->policed = 100. * counters->policed / counters->packets;
  vstream_free (stream);
  vnet_free (net);
}

static gdouble
get_share_after (const Run *run)
{
  return 100. * run->settled_late / vstream_get_made (&run->config, run->config.duration);
}

static void
look_at (GPtrArray *runs, guint first)
{
  const Run *run = g_ptr_array_index (runs, first);
  const Cell *c = run->cell;
  gdouble late = 0, most = 0, after = 0, wire = 0, worst = 0, policed = 0, ms = 0;

  for (gint i = 0; i < seeds; i++) {
    run = g_ptr_array_index (runs, first + i);
    late += run->share / seeds;
    most = MAX (most, run->share);
    after = MAX (after, get_share_after (run));
    wire += run->wire / seeds;
    worst = MAX (worst, run->wire);
    policed += run->policed / seeds;
    ms = MAX (ms, run->most);
  }
  printf ("%3g x, %3g kB, key %2g, %3g ms, loss %g%%: late %.2f%% (most %.2f, from 10 s on %.2f), "
          "wire %.2f (%.2f), policed %.1f%% behind %.0f %s\n",
      c->rate, c->bucket, c->key, c->rtt, c->loss, late, most, after, wire, worst, policed, ms,
      most > 0 || worst > 1.15 + c->loss / 100 ? "!" : "");
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "The stream", "MBIT" },
    { "rates", 0, 0, G_OPTION_ARG_STRING, &rates, "Of the policer, of that", "A,B,..." },
    { "buckets", 0, 0, G_OPTION_ARG_STRING, &buckets, "kB", "A,B,..." },
    { "keys", 0, 0, G_OPTION_ARG_STRING, &keys,
        "Key frames are so many times as large; 0: an even stream", "A,B,..." },
    { "rtts", 0, 0, G_OPTION_ARG_STRING, &rtts, "ms", "A,B,..." },
    { "losses", 0, 0, G_OPTION_ARG_STRING, &losses, "At random, percent", "A,B,..." },
    { "fec", 0, 0, G_OPTION_ARG_STRING, &fec, "Percent, or auto", "FEC" },
    { "latency", 0, 0, G_OPTION_ARG_INT, &latency, "", "MS" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "", "S" },
    { "seeds", 0, 0, G_OPTION_ARG_INT, &seeds, "Runs of each cell", "N" },
    { "every", 0, 0, G_OPTION_ARG_DOUBLE, &every, "Tell how it goes", "S" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("");
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  gdouble lists[5][MOST];
  const gchar *texts[5];
  guint n[5], all = 1;
  GThreadPool *pool;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "simpolicer: %s\n", error->message);
    return 2;
  }
  seeds = CLAMP (seeds, 1, 64);
  memcpy (texts, (const gchar *[]) { rates, buckets, keys, rtts, losses }, sizeof texts);
  for (guint i = 0; i < 5; i++)
    all *= n[i] = numbers_parse (texts[i], lists[i], MOST);
  for (guint i = 0; i < all; i++) {
    guint rest = i;
    gdouble v[5];

    for (gint k = 4; k >= 0; k--) {
      v[k] = lists[k][rest % n[k]];
      rest /= n[k];
    }
    g_ptr_array_add (cells, g_memdup2 (&(Cell) { v[0], v[1], v[2], v[3], v[4] }, sizeof (Cell)));
  }
  pool = g_thread_pool_new (run_one, NULL, 1, FALSE, NULL);
  for (guint i = 0; i < all; i++)
    for (gint seed = 1; seed <= seeds; seed++) {
      Run *run = g_new0 (Run, 1);

      run->cell = g_ptr_array_index (cells, i);
      run->seed = seed;
      g_ptr_array_add (runs, run);
      g_thread_pool_push (pool, run, NULL);
    }
  g_thread_pool_free (pool, FALSE, TRUE);
  for (guint i = 0; i < all; i++)
    look_at (runs, i * seeds);
  return 0;
}
