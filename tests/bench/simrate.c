/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simrate: rate controllers and TCPs that share a bottleneck, in virtual time.
 *
 *   simrate --link 10M --rtt 100 --senders adaptive,cubic
 *
 * A line every --every seconds: what arrived of each sender, bit/s, what a
 * controller holds the path to be good for, and the queue: median and p95.  With
 * --steps the link changes.  At the end the same of the whole, but for --skip.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vroad.h"

#define SENDERS_MAX 16
#define LOOK 1000 /* µs between two looks at the queue */

static gdouble rtt = 100, loss, seconds = 60, every, skip = 10, buffer = 200;
static gdouble clock_ppm, jitter, source, follow, codel, stall, key;
static gboolean ecn, reorder;
static gchar *link_rate = (gchar *) "10", *senders = (gchar *) "adaptive";
static gchar *steps;
static gint seed = 1;

static gint
compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

static gdouble
percentile (GArray *values, gdouble p)
{
  if (values->len == 0)
    return 0;
  g_array_sort (values, compare);
  return g_array_index (values, gint64, (guint) ((values->len - 1) * p)) / 1e3;
}

static VroadKind
parse_kind (const gchar *name)
{
  static const gchar *const names[] = { "pert", "adaptive", "fixed", "reno", "cubic", "bbr" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      return i;
  fprintf (stderr, "simrate: there is no sender %s\n", name);
  exit (2);
}

/* What needs to be told its rate. */
static gboolean
is_fixed (const gchar *name)
{
  return g_str_equal (name, "fixed");
}

static void
print (Vroad *road, guint n, gint64 from, const guint64 *before, GArray *queue, gint64 now)
{
  printf ("%7.2f", now / 1e6);
  for (guint i = 0; i < n; i++)
    printf ("  %8.3f (%8.3f)", (vroad_get_delivered (road, i) - before[i]) * 8. / (now - from),
        vroad_get_rate (road, i) / 1e6);
  printf ("  queue %6.1f %6.1f ms\n", percentile (queue, .5), percentile (queue, .95));
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "link", 0, 0, G_OPTION_ARG_STRING, &link_rate, "Rate", "MBIT" },
    { "steps", 0, 0, G_OPTION_ARG_STRING, &steps, "Other rates later", "SECONDS:MBIT,..." },
    { "rtt", 0, 0, G_OPTION_ARG_DOUBLE, &rtt, "Round trip", "MS" },
    { "loss", 0, 0, G_OPTION_ARG_DOUBLE, &loss, "At random", "PERCENT" },
    { "buffer", 0, 0, G_OPTION_ARG_DOUBLE, &buffer, "Of the bottleneck", "MS" },
    { "source", 0, 0, G_OPTION_ARG_DOUBLE, &source, "Of controllers; 0: all they can", "MBIT" },
    { "follow", 0, 0, G_OPTION_ARG_DOUBLE, &follow,
        "They have so much of what they are offered; 0: another source", "SHARE" },
    { "key", 0, 0, G_OPTION_ARG_DOUBLE, &key,
        "It makes 50 pictures a second, the first so many times as large; 0: it is even", "N" },
    { "clock", 0, 0, G_OPTION_ARG_DOUBLE, &clock_ppm, "Receivers' clocks are wrong", "PPM" },
    { "jitter", 0, 0, G_OPTION_ARG_DOUBLE, &jitter, "Of the road", "MS" },
    { "reorder", 0, 0, G_OPTION_ARG_NONE, &reorder, "By jitter", NULL },
    { "stall", 0, 0, G_OPTION_ARG_DOUBLE, &stall,
        "Each second or so nothing arrives for up to so long", "MS" },
    { "codel", 0, 0, G_OPTION_ARG_DOUBLE, &codel, "The queue's target; 0: drop-tail", "MS" },
    { "ecn", 0, 0, G_OPTION_ARG_NONE, &ecn, "Marks, not losses, to all", NULL },
    { "senders", 0, 0, G_OPTION_ARG_STRING, &senders,
        "pert, adaptive, fixed, reno, cubic, bbr; each 5 s after the one before", "A,B,..." },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "", "SECONDS" },
    { "every", 0, 0, G_OPTION_ARG_DOUBLE, &every, "0: only at the end", "SECONDS" },
    { "skip", 0, 0, G_OPTION_ARG_DOUBLE, &skip, "Not in the last line", "SECONDS" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "", "N" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("");
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = NULL, changes = NULL;
  GArray *queue = g_array_new (FALSE, FALSE, sizeof (gint64));
  GArray *all = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint64 before[SENDERS_MAX] = { 0 }, first[SENDERS_MAX] = { 0 };
  gint64 from = 0;
  ImpairConfig c = { 0 };
  guint n, step = 0;
  Vroad *road;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "simrate: %s\n", error->message);
    return 2;
  }
  names = g_strsplit (senders, ",", SENDERS_MAX);
  changes = g_strsplit (steps != NULL ? steps : "", ",", -1);
  for (guint i = 0; changes[i] != NULL; i++)
    if (strchr (changes[i], ':') == NULL) {
      fprintf (stderr, "simrate: --steps is SECONDS:MBIT,...\n");
      return 2;
    }
  skip = MIN (skip, seconds / 2);
  c.rate = atof (link_rate) * 1e6;
  c.queue = c.rate / 8e3 * buffer;
  c.loss = loss / 100;
  c.jitter = jitter * 1e3;
  c.codel = codel * 1e3;
  c.stall = stall * 1e3;
  c.keep_order = !reorder;
  road = vroad_new (seed, &c);
  for (n = 0; names[n] != NULL; n++)
    vroad_add (road,
        &(VroadSender) {
            .kind = parse_kind (names[n]),
            .rtt = rtt * 1e3,
            .start = n * 5000000,
            .max = c.rate * is_fixed (names[n]),
            .source = parse_kind (names[n]) < VROAD_RENO ? source * 1e6 : 0,
            .follow = follow,
            .key = key,
            .ecn = ecn,
            .clock = clock_ppm / 1e6,
        });
  for (gint64 now = 0; now < seconds * 1e6;) {
    gint64 q;

    now += LOOK;
    if (changes[step] != NULL && now >= atof (changes[step]) * 1e6) {
      ImpairConfig *b = vroad_get_bottleneck (road);

      b->rate = atof (strchr (changes[step++], ':') + 1) * 1e6;
      b->queue = b->rate / 8e3 * buffer;
    }
    vroad_run (road, now);
    q = vroad_get_queue (road);
    g_array_append_val (queue, q);
    if (now == (gint64) (skip * 1e6)) {
      for (guint i = 0; i < n; i++)
        first[i] = vroad_get_delivered (road, i);
    }
    if (now >= skip * 1e6)
      g_array_append_val (all, q);
    if (every > 0 && now - from >= every * 1e6) {
      print (road, n, from, before, queue, now);
      for (guint i = 0; i < n; i++)
        before[i] = vroad_get_delivered (road, i);
      g_array_set_size (queue, 0);
      from = now;
    }
  }
  print (road, n, skip * 1e6, first, all, seconds * 1e6);
  vroad_free (road);
  g_array_unref (queue);
  g_array_unref (all);
  return 0;
}
