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
#include "options.h"
#include "values.h"
#include "vroad.h"

#define SENDERS_MAX 16
#define LOOK 1000 /* µs between two looks at the queue */

static gdouble rtt = 100, loss, seconds = 60, every, skip = 10, buffer = 200;
static gdouble clock_ppm, jitter, source, follow, codel, stall, key;
static gboolean ecn, reorder;
static gchar *link_rate = (gchar *) "10", *senders = (gchar *) "adaptive";
static gchar *steps;
static gint seed = 1;

static VroadKind
parse_kind (const gchar *name)
{
  static const gchar *const names[] = { "pert", "adaptive", "fixed", "reno", "cubic", "bbr" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      return i;
  options_refuse ("there is no sender %s", name);
}

static void
print (Vroad *road, guint n, gint64 from, const guint64 *before, GArray *queue, gint64 now)
{
  printf ("%7.2f", now / 1e6);
  for (guint i = 0; i < n; i++)
    printf ("  %8.3f (%8.3f)", (vroad_get_delivered (road, i) - before[i]) * 8. / (now - from),
        vroad_get_rate (road, i) / 1e6);
  printf ("  queue %6.1f %6.1f ms\n", values_percentile (queue, .5),
      values_percentile (queue, .95));
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
  g_auto (GStrv) names = NULL, changes = NULL;
  g_autoptr (GArray) queue = values_new (), all = values_new ();
  guint64 before[SENDERS_MAX] = { 0 }, first[SENDERS_MAX] = { 0 };
  gint64 from = 0;
  ImpairConfig c = { 0 };
  guint n, step = 0;
  g_autoptr (Vroad) road = NULL;

  options_parse (&argc, &argv, entries, NULL);
  names = g_strsplit (senders, ",", SENDERS_MAX);
  changes = g_strsplit (steps != NULL ? steps : "", ",", -1);
  for (guint i = 0; changes[i] != NULL; i++)
    if (strchr (changes[i], ':') == NULL)
      options_refuse ("--steps is SECONDS:MBIT,...");
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
            .max = c.rate * (parse_kind (names[n]) == VROAD_FIXED),
            .source = parse_kind (names[n]) < VROAD_RENO ? source * 1e6 : 0,
            .follow = follow,
            .key = key,
            .ecn = ecn,
            .clock = clock_ppm / 1e6,
        });
  for (gint64 now = 0; now < seconds * 1e6;) {
    gdouble q;

    now += LOOK;
    if (changes[step] != NULL && now >= atof (changes[step]) * 1e6) {
      ImpairConfig *b = vroad_get_bottleneck (road);

      b->rate = atof (strchr (changes[step++], ':') + 1) * 1e6;
      b->queue = b->rate / 8e3 * buffer;
    }
    vroad_run (road, now);
    q = vroad_get_queue (road) / 1e3;
    values_add (queue, q);
    if (now == (gint64) (skip * 1e6)) {
      for (guint i = 0; i < n; i++)
        first[i] = vroad_get_delivered (road, i);
    }
    if (now >= skip * 1e6)
      values_add (all, q);
    if (every > 0 && now - from >= every * 1e6) {
      print (road, n, from, before, queue, now);
      for (guint i = 0; i < n; i++)
        before[i] = vroad_get_delivered (road, i);
      g_array_set_size (queue, 0);
      from = now;
    }
  }
  print (road, n, skip * 1e6, first, all, seconds * 1e6);
  return 0;
}
