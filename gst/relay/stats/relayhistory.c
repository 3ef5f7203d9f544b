/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhistory.h"
#include <math.h>
#include "relayfiguretable.h"
#include "relayjson.h"

#define POINTS 12                           /* at one a second, these cover more than LOSS_TIME */
#define RATE_TIME (G_USEC_PER_SEC * 9 / 10) /* rates are computed over at least this time, µs */
#define LOSS_TIME (10 * G_USEC_PER_SEC)     /* µs */

/* Counters at one time. */
typedef struct
{
  gint64 time;
  guint64 bytes, received, lost;
  gdouble missing, errors, skips; /* as in RelayStreamFigures */
} Point;

/* Samples of one range. */
typedef struct
{
  guint n;                             /* number of samples noted so far */
  gint64 times[RELAY_HISTORY_SAMPLES]; /* µs, monotonic; a ring, as are their values */
} Ring;

/* The history of one stream. */
typedef struct
{
  Point points[POINTS]; /* a ring */
  guint n_points;       /* number of points noted so far */
  Ring rings[RELAY_HISTORY_RANGES];
  RelayRates rates;
  RelayAlarms alarms;
  gboolean seen;   /* the stream was in the last statistics */
  gfloat values[]; /* of each figure, of each range: RELAY_HISTORY_SAMPLES */
} Series;

struct _RelayHistory
{
  GHashTable *series; /* by name */
  gsize size;         /* of a Series, bytes */
};

static const RelayFigure *
next_figure (const RelayFigure *row)
{
  return relay_figure_next (row, RELAY_OF_STREAM, RELAY_IN_HISTORY);
}

RelayHistory *
relay_history_new (void)
{
  RelayHistory *history = g_new0 (RelayHistory, 1);

  history->series = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  history->size = sizeof (Series);
  for (const RelayFigure *row = NULL; (row = next_figure (row)) != NULL;)
    history->size += RELAY_HISTORY_RANGES * RELAY_HISTORY_SAMPLES * sizeof (gfloat);
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

/* The rate of the stream, which has a point; NAN: not known, as after counters have begun anew. */
static gdouble
get_rate (const Series *series, const Point *now)
{
  const Point *then = find_point (series, now->time, RATE_TIME);

  if (now->time <= then->time || now->bytes < then->bytes)
    return NAN;
  return (now->bytes - then->bytes) * 8e6 / (now->time - then->time);
}

static gdouble
get_loss (const Point *then, const Point *now)
{
  guint64 received, lost;

  if (now->received < then->received || now->lost < then->lost)
    return NAN;
  received = now->received - then->received;
  lost = now->lost - then->lost;
  return received + lost > 0 ? lost / (gdouble) (received + lost) : NAN;
}

/* The increase of a counter; NAN: not known, or it has begun anew. */
static gdouble
get_increase (gdouble then, gdouble now)
{
  return now >= then ? now - then : NAN;
}

static RelayRates
get_rates (const Series *series, const Point *now)
{
  const Point *then = find_point (series, now->time, LOSS_TIME);
  RelayRates rates = RELAY_RATES_UNKNOWN;

  if (then == NULL)
    return rates;
  rates.rate = get_rate (series, now);
  rates.loss = get_loss (then, now);
  rates.unrepaired = get_increase (then->missing, now->missing);
  rates.errors = get_increase (then->errors, now->errors);
  rates.skips = get_increase (then->skips, now->skips);
  return rates;
}

/* --- noting ------------------------------------------------------------------------------- */

/* So many samples of a range make one of the next. */
static const guint merged[RELAY_HISTORY_RANGES] = { 24, 7, 0 };

/* The mean of the newest @n values that are known; NAN: none is. */
static gfloat
get_mean (const Ring *ring, const gfloat *values, guint n)
{
  gdouble sum = 0;
  guint known = 0;

  for (guint i = 1; i <= n; i++) {
    gfloat value = values[(ring->n - i) % RELAY_HISTORY_SAMPLES];

    sum += isfinite (value) ? value : 0;
    known += isfinite (value) != 0;
  }
  return known > 0 ? sum / known : NAN;
}

/* Adds a sample to the range of an hour, and those of the others that are complete with it. */
static void
add_sample (Series *series, gint64 now, const RelayStreamFigures *figures)
{
  gboolean complete = TRUE;

  for (guint r = 0; r < RELAY_HISTORY_RANGES && complete; r++) {
    Ring *ring = &series->rings[r];
    guint i = ring->n++ % RELAY_HISTORY_SAMPLES;
    gfloat *values = series->values + r * RELAY_HISTORY_SAMPLES;

    ring->times[i] = now;
    for (const RelayFigure *row = NULL; (row = next_figure (row)) != NULL;) {
      values[i] = r == RELAY_HOUR ?
          relay_figure_get_number (row, figures) :
          get_mean (ring - 1, values - RELAY_HISTORY_SAMPLES, merged[r - 1]);
      values += RELAY_HISTORY_RANGES * RELAY_HISTORY_SAMPLES;
    }
    complete = merged[r] > 0 && ring->n % merged[r] == 0;
  }
}

static gboolean
is_time (const Series *series, gint64 now)
{
  const Ring *ring = &series->rings[RELAY_HOUR];
  gint64 last = ring->times[(ring->n - 1) % RELAY_HISTORY_SAMPLES];

  return ring->n == 0 || now - last >= RELAY_HISTORY_STEP - G_USEC_PER_SEC / 2;
}

static void
note_stream (Series *series, gint64 now, const RelayStreamStats *stats)
{
  RelayStreamFigures figures;
  Point point;

  relay_figures_get_stream (stats, RELAY_RATES_UNKNOWN, &figures);
  point = (Point) { now, figures.bytes, figures.received, figures.lost, figures.missing,
    figures.errors, figures.skips };
  series->rates = get_rates (series, &point);
  series->points[series->n_points++ % POINTS] = point;
  figures.rates = series->rates;
  relay_alarms_note (&series->alarms, now, &figures);
  if (!is_time (series, now))
    return;
  relay_figures_get_stream (stats, series->rates, &figures);
  add_sample (series, now, &figures);
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
      series = g_malloc0 (history->size);
      g_hash_table_insert (history->series, g_strdup (s->name), series);
    }
    series->seen = TRUE;
    note_stream (series, now, s);
  }
  g_hash_table_foreach_remove (history->series, is_gone, NULL);
}

/* --- reading ------------------------------------------------------------------------------ */

RelayRates
relay_history_get_rates (const RelayHistory *history, const gchar *stream)
{
  const Series *series = g_hash_table_lookup (history->series, stream);

  return series != NULL ? series->rates : RELAY_RATES_UNKNOWN;
}

const RelayAlarms *
relay_history_get_alarms (const RelayHistory *history, const gchar *stream)
{
  const Series *series = g_hash_table_lookup (history->series, stream);

  return series != NULL ? &series->alarms : NULL;
}

gboolean
relay_history_find_range (const gchar *name, RelayHistoryRange *range)
{
  static const gchar *const names[] = { "hour", "day", "week", NULL };

  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], name)) {
      *range = i;
      return TRUE;
    }
  return FALSE;
}

/* Returns the @values of a figure, the oldest first. */
static JsonArray *
list_values (const Ring *ring, const RelayFigure *row, const gfloat *values)
{
  JsonArray *list = json_array_new ();

  for (guint i = ring != NULL ? MIN (ring->n, RELAY_HISTORY_SAMPLES) : 0; i > 0; i--)
    json_array_add_element (list,
        relay_json_rounded (values[(ring->n - i) % RELAY_HISTORY_SAMPLES],
            relay_units[row->unit].precision));
  return list;
}

gchar *
relay_history_to_json (const RelayHistory *history, const gchar *stream, RelayHistoryRange range,
    gint64 utc)
{
  const Series *series = g_hash_table_lookup (history->series, stream);
  const Ring *ring = series != NULL ? &series->rings[range] : NULL;
  JsonObject *object = json_object_new ();
  JsonArray *times = json_array_new ();
  g_autoptr (JsonNode) root = relay_json_take (object);
  const gfloat *values = series != NULL ? series->values + range * RELAY_HISTORY_SAMPLES : NULL;

  for (guint i = ring != NULL ? MIN (ring->n, RELAY_HISTORY_SAMPLES) : 0; i > 0; i--)
    json_array_add_int_element (times,
        (ring->times[(ring->n - i) % RELAY_HISTORY_SAMPLES] + utc) / G_USEC_PER_SEC);
  json_object_set_array_member (object, "time", times);
  for (const RelayFigure *row = NULL; (row = next_figure (row)) != NULL;) {
    json_object_set_array_member (object, row->name, list_values (ring, row, values));
    values = values != NULL ? values + RELAY_HISTORY_RANGES * RELAY_HISTORY_SAMPLES : NULL;
  }
  return json_to_string (root, FALSE);
}

gsize
relay_history_get_size (const RelayHistory *history)
{
  return g_hash_table_size (history->series) * history->size;
}
