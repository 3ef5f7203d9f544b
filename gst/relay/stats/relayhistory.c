/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhistory.h"
#include <math.h>
#include "relayfigures.h"
#include "relayjson.h"

#define POINTS 12                           /* one a second at most: more than LOSS_TIME */
#define RATE_TIME (G_USEC_PER_SEC * 9 / 10) /* the least time that a rate is of, µs */
#define LOSS_TIME (10 * G_USEC_PER_SEC)     /* µs */

/* Counters at one time. */
typedef struct
{
  gint64 time;
  guint64 bytes, received, lost;
} Point;

enum
{
  RATE,
  LOSS,
  RTT,
  LATENESS,
  BEHIND,
  RECEIVERS,
  COLUMNS,
};

static const struct
{
  const gchar *name;
  gdouble precision;
} columns[COLUMNS] = {
  [RATE] = { "rate", 1 },
  [LOSS] = { "loss", 1e-5 },
  [RTT] = { "rtt-ms", 0.01 },
  [LATENESS] = { "lateness-ms", 0.01 },
  [BEHIND] = { "behind-ms", 0.1 },
  [RECEIVERS] = { "receivers", 1 },
};

typedef struct
{
  gint64 time; /* µs, monotonic */
  gfloat values[COLUMNS];
} Sample;

typedef struct
{
  Point points[POINTS]; /* a ring, as the next */
  guint n_points;       /* ever noted */
  Sample samples[RELAY_HISTORY_SAMPLES];
  guint n_samples;
  gint64 sampled; /* µs, monotonic */
  RelayRates rates;
  gboolean seen; /* in the last statistics */
} Series;

struct _RelayHistory
{
  GHashTable *series; /* by name */
};

RelayHistory *
relay_history_new (void)
{
  RelayHistory *history = g_new0 (RelayHistory, 1);

  history->series = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return history;
}

void
relay_history_free (RelayHistory *history)
{
  g_hash_table_unref (history->series);
  g_free (history);
}

/* --- rates -------------------------------------------------------------------------------- */

/* The newest point that is at least @time old, else the oldest; NULL: there is none. */
static const Point *
find_point (const Series *series, gint64 now, gint64 time)
{
  const Point *found = NULL;

  for (guint i = 1; i <= MIN (series->n_points, POINTS); i++) {
    found = &series->points[(series->n_points - i) % POINTS];
    if (now - found->time >= time)
      break;
  }
  return found;
}

/* When counters begin anew, nothing of that time is known. */
static gdouble
get_rate (const Series *series, const Point *now)
{
  const Point *then = find_point (series, now->time, RATE_TIME);

  if (then == NULL || now->time <= then->time || now->bytes < then->bytes)
    return NAN;
  return (now->bytes - then->bytes) * 8e6 / (now->time - then->time);
}

static gdouble
get_loss (const Series *series, const Point *now)
{
  const Point *then = find_point (series, now->time, LOSS_TIME);
  guint64 received, lost;

  if (then == NULL || now->received < then->received || now->lost < then->lost)
    return NAN;
  received = now->received - then->received;
  lost = now->lost - then->lost;
  return received + lost > 0 ? lost / (gdouble) (received + lost) : NAN;
}

/* --- noting ------------------------------------------------------------------------------- */

static void
add_sample (Series *series, gint64 now, const RelayStreamStats *stats,
    const RelayInputFigures *input)
{
  Sample *sample = &series->samples[series->n_samples++ % RELAY_HISTORY_SAMPLES];
  guint receivers = 0;

  for (guint i = 0; i < stats->outputs->len; i++)
    receivers += relay_figures_count_peers (g_ptr_array_index (stats->outputs, i));
  *sample = (Sample) { .time = now };
  sample->values[RATE] = series->rates.rate;
  sample->values[LOSS] = series->rates.loss;
  sample->values[RTT] = input->rtt;
  sample->values[LATENESS] = input->lateness;
  sample->values[BEHIND] = relay_figures_get_worst (stats, series->rates.rate);
  sample->values[RECEIVERS] = receivers;
}

static void
note_stream (Series *series, gint64 now, const RelayStreamStats *stats)
{
  RelayInputFigures input;
  Point point;

  relay_figures_get_input (stats, &input);
  point = (Point) { now, input.bytes, input.received, input.lost };
  series->rates = (RelayRates) { get_rate (series, &point), get_loss (series, &point) };
  series->points[series->n_points++ % POINTS] = point;
  if (series->n_samples > 0 && now - series->sampled < RELAY_HISTORY_STEP - G_USEC_PER_SEC / 2)
    return;
  series->sampled = now;
  add_sample (series, now, stats, &input);
}

static gboolean
is_gone (gpointer name, gpointer value, gpointer data)
{
  Series *series = value;
  gboolean seen = series->seen;

  series->seen = FALSE;
  return !seen;
}

void
relay_history_note (RelayHistory *history, gint64 now, const RelayStats *stats)
{
  for (guint i = 0; i < stats->streams->len; i++) {
    const RelayStreamStats *s = g_ptr_array_index (stats->streams, i);
    Series *series = g_hash_table_lookup (history->series, s->name);

    if (series == NULL) {
      series = g_new0 (Series, 1);
      g_hash_table_insert (history->series, g_strdup (s->name), series);
    }
    series->seen = TRUE;
    note_stream (series, now, s);
  }
  g_hash_table_foreach_remove (history->series, is_gone, NULL);
}

/* --- telling ------------------------------------------------------------------------------ */

RelayRates
relay_history_get_rates (const RelayHistory *history, const gchar *stream)
{
  const Series *series = g_hash_table_lookup (history->series, stream);

  return series != NULL ? series->rates : (RelayRates) { NAN, NAN };
}

gchar *
relay_history_to_json (const RelayHistory *history, const gchar *stream, gint64 utc)
{
  const Series *series = g_hash_table_lookup (history->series, stream);
  JsonObject *object;
  JsonArray *lists[COLUMNS], *times = json_array_new ();
  g_autoptr (JsonNode) root = NULL;
  guint n = series != NULL ? MIN (series->n_samples, RELAY_HISTORY_SAMPLES) : 0;

  object = json_object_new ();
  root = relay_json_take (object);
  json_object_set_array_member (object, "time", times);
  for (guint i = 0; i < COLUMNS; i++) {
    lists[i] = json_array_new ();
    json_object_set_array_member (object, columns[i].name, lists[i]);
  }
  for (guint i = n; i > 0; i--) {
    const Sample *sample = &series->samples[(series->n_samples - i) % RELAY_HISTORY_SAMPLES];

    json_array_add_int_element (times, (sample->time + utc) / G_USEC_PER_SEC);
    for (guint j = 0; j < COLUMNS; j++)
      json_array_add_element (lists[j],
          relay_json_rounded (sample->values[j], columns[j].precision));
  }
  return json_to_string (root, FALSE);
}

gsize
relay_history_get_size (const RelayHistory *history)
{
  return g_hash_table_size (history->series) * sizeof (Series);
}
