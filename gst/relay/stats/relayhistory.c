/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhistory.h"
#include <math.h>
#include <string.h>
#include "relayfiguretable.h"
#include "relayhistoryfile.h"
#include "relayjson.h"

#define POINTS 12                           /* at one a second, these cover more than LOSS_TIME */
#define RATE_TIME (G_USEC_PER_SEC * 9 / 10) /* rates are computed over at least this time, µs */
#define LOSS_TIME (10 * G_USEC_PER_SEC)     /* µs */
/* The samples that the file had of a stream are dropped if the stream is not there after this time,
 * µs. */
#define CLAIM_TIME (60 * G_USEC_PER_SEC)

/* Counters at one time. */
typedef struct
{
  gint64 time;
  guint64 bytes, received, lost;
  gdouble missing, errors, skips; /* as in RelayStreamFigures */
} Point;

/* The history of one stream. */
typedef struct
{
  Point points[POINTS]; /* a ring */
  guint n_points;       /* number of points noted so far */
  gint64 since; /* when the first of them was; µs, monotonic. Older samples are the file's */
  RelaySamples *samples;
  RelayRates rates;
  RelayAlarms alarms;
  gboolean seen; /* the stream was in the last statistics */
} Series;

/* As many streams as a relay may have are taken from a file. */
#define FOUND_MAX 1000

struct _RelayHistory
{
  GHashTable *series;     /* by name */
  RelayHistoryFile *file; /* NULL: none */
  GHashTable *found; /* RelaySamples that were in the file, by name, until CLAIM_TIME has passed */
  gint64 found_at;   /* µs, monotonic */
  gboolean asked;    /* the file is read, or was */
  gint64 utc;        /* of when it was asked; added to monotonic times, µs */
  RelayHistoryKept kept;
  guint figures; /* of a sample */
};

static const RelayFigure *
next_figure (const RelayFigure *row)
{
  return relay_figure_next (row, RELAY_OF_STREAM, RELAY_IN_HISTORY);
}

static void
free_series (gpointer series)
{
  g_free (((Series *) series)->samples);
  g_free (series);
}

RelayHistory *
relay_history_new (void)
{
  RelayHistory *history = g_new0 (RelayHistory, 1);

  history->series = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_series);
  history->found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (const RelayFigure *row = NULL; (row = next_figure (row)) != NULL;) {
    g_assert (history->figures < RELAY_HISTORY_FIGURES);
    history->kept.names[history->figures++] = row->name;
  }
  for (guint r = 0; r < RELAY_HISTORY_RANGES; r++)
    history->kept.ages[r] = relay_samples_get_step (r) * RELAY_HISTORY_SAMPLES / G_USEC_PER_SEC;
  return history;
}

void
relay_history_free (RelayHistory *history)
{
  if (history->file != NULL)
    relay_history_file_free (history->file, TRUE);
  g_hash_table_unref (history->found);
  g_hash_table_unref (history->series);
  g_free (history);
}

void
relay_history_set_file (RelayHistory *history, const gchar *path)
{
  const gchar *old = history->file != NULL ? relay_history_file_get_path (history->file) : NULL;

  if (g_strcmp0 (path, old) == 0)
    return;
  if (history->file != NULL)
    relay_history_file_free (history->file, FALSE);
  history->asked = FALSE;
  history->file =
      path != NULL ? relay_history_file_new (path, &history->kept, RELAY_HISTORY_WRITE_EACH) : NULL;
}

void
relay_history_report (const RelayHistory *history, RelayStats *stats)
{
  stats->unkept = history->file != NULL ? relay_history_file_get_error (history->file) : NULL;
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

/* --- the file ----------------------------------------------------------------------------- */

/* Returns the samples of the file to which another one is added; NULL: it is not needed, as it is
 * not older than those of now, or too much. */
static RelaySamples *
find_place (RelayHistory *history, const RelayHistorySample *sample, gint64 time)
{
  const Series *present = g_hash_table_lookup (history->series, sample->stream);
  RelaySamples *found = g_hash_table_lookup (history->found, sample->stream);

  if (present != NULL && relay_samples_count (present->samples, sample->range) > 0
      && time >= relay_samples_get_time (present->samples, sample->range, 0))
    return NULL;
  if (found == NULL && g_hash_table_size (history->found) < FOUND_MAX) {
    found = relay_samples_new (history->figures);
    g_hash_table_insert (history->found, g_strdup (sample->stream), found);
  }
  return found;
}

/* Removes the samples of a series that came from the file. */
static void
forget_found (gpointer name, gpointer value, gpointer data)
{
  const RelayHistory *history = data;
  Series *series = value;
  RelaySamples *own = relay_samples_new (history->figures);

  relay_samples_append (own, series->samples, series->since);
  g_free (series->samples);
  series->samples = own;
}

/* Asks for what the file has.  Its times are UTC, so after the clock was set, as by NTP when a
 * machine without a battery has started, other samples are in the past, and each is elsewhere. */
static void
read_file (RelayHistory *history, gint64 now, gint64 utc)
{
  gint64 set = history->asked ? utc - history->utc : 0;

  if (history->file == NULL || (history->asked && set == 0))
    return;
  if (set != 0) {
    g_hash_table_remove_all (history->found);
    g_hash_table_foreach (history->series, forget_found, history);
  }
  relay_history_file_read (history->file, (now + utc) / G_USEC_PER_SEC, set / G_USEC_PER_SEC);
  history->asked = TRUE;
  history->utc = utc;
}

/* Takes the samples that the thread has read from the file. */
static void
take_found (RelayHistory *history, gint64 now, gint64 utc)
{
  g_autoptr (GArray) all = history->file != NULL ? relay_history_file_take (history->file) : NULL;

  if (now - history->found_at > CLAIM_TIME)
    g_hash_table_remove_all (history->found);
  for (guint i = 0; all != NULL && i < all->len; i++) {
    const RelayHistorySample *sample = &g_array_index (all, RelayHistorySample, i);
    gint64 time = sample->time * G_USEC_PER_SEC - utc;
    RelaySamples *found = find_place (history, sample, time);

    history->found_at = now;
    if (found != NULL)
      relay_samples_put (found, sample->range, time, sample->values);
  }
}

/* Puts the samples that the file had of a stream before those that were taken since. */
static void
claim (RelayHistory *history, const gchar *stream, Series *series)
{
  gpointer name, found;

  if (!g_hash_table_steal_extended (history->found, stream, &name, &found))
    return;
  relay_samples_append (found, series->samples, series->since);
  g_free (series->samples);
  series->samples = found;
  g_free (name);
}

/* --- noting ------------------------------------------------------------------------------- */

/* Adds a sample to the range of an hour, and those of the others that are complete with it. */
static void
add_sample (RelayHistory *history, const gchar *stream, Series *series, gint64 now, gint64 utc,
    const RelayStreamFigures *figures)
{
  RelayValues values[RELAY_HISTORY_RANGES] = { { 0 } };
  guint n = 0;

  for (const RelayFigure *row = NULL; (row = next_figure (row)) != NULL;)
    values[RELAY_HOUR][n++] = relay_figure_get_number (row, figures);
  n = relay_samples_add (series->samples, now, values);
  for (guint r = 0; history->file != NULL && r < n; r++) {
    RelayHistorySample sample = { g_strdup (stream), r, (now + utc) / G_USEC_PER_SEC };

    memcpy (sample.values, values[r], sizeof sample.values);
    relay_history_file_add (history->file, &sample);
  }
}

static gboolean
is_time (const RelaySamples *samples, gint64 now)
{
  guint n = relay_samples_count (samples, RELAY_HOUR);

  return n == 0
      || now - relay_samples_get_time (samples, RELAY_HOUR, n - 1)
      >= RELAY_HISTORY_STEP - G_USEC_PER_SEC / 2;
}

static void
note_stream (RelayHistory *history, Series *series, gint64 now, gint64 utc,
    const RelayStreamStats *stats)
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
  if (!is_time (series->samples, now))
    return;
  relay_figures_get_stream (stats, series->rates, &figures);
  add_sample (history, stats->name, series, now, utc, &figures);
}

static Series *
get_series (RelayHistory *history, const gchar *stream, gint64 now)
{
  Series *series = g_hash_table_lookup (history->series, stream);

  if (series == NULL) {
    series = g_new0 (Series, 1);
    series->since = now;
    series->samples = relay_samples_new (history->figures);
    g_hash_table_insert (history->series, g_strdup (stream), series);
  }
  return series;
}

void
relay_history_note (RelayHistory *history, gint64 now, gint64 utc, const RelayStats *stats)
{
  read_file (history, now, utc);
  take_found (history, now, utc);
  for (guint i = 0; i < stats->streams->len; i++) {
    const RelayStreamStats *s = g_ptr_array_index (stats->streams, i);
    Series *series = get_series (history, s->name, now);

    claim (history, s->name, series);
    series->seen = TRUE;
    note_stream (history, series, now, utc, s);
  }
}

void
relay_history_tell_alarms (RelayHistory *history, gint64 now, const RelayStats *stats,
    RelayAlarmFunc func, gpointer data)
{
  GHashTableIter iter;
  gpointer name, value;

  for (guint i = 0; i < stats->streams->len; i++) {
    const RelayStreamStats *s = g_ptr_array_index (stats->streams, i);
    Series *series = g_hash_table_lookup (history->series, s->name);

    if (series != NULL)
      relay_alarms_tell (&series->alarms, now, s->name,
          s->picture != NULL ? s->picture->interval : 0, func, data);
  }
  g_hash_table_iter_init (&iter, history->series);
  while (g_hash_table_iter_next (&iter, &name, &value)) {
    Series *series = value;

    if (series->seen) {
      series->seen = FALSE;
      continue;
    }
    relay_alarms_end (&series->alarms, name, func, data);
    g_hash_table_iter_remove (&iter);
  }
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

gchar *
relay_history_to_json (const RelayHistory *history, const gchar *stream, RelayHistoryRange range,
    gint64 utc)
{
  const Series *series = g_hash_table_lookup (history->series, stream);
  guint n = series != NULL ? relay_samples_count (series->samples, range) : 0, figure = 0;
  JsonObject *object = json_object_new ();
  JsonArray *times = json_array_new ();
  g_autoptr (JsonNode) root = relay_json_take (object);

  for (guint i = 0; i < n; i++)
    json_array_add_int_element (times,
        (relay_samples_get_time (series->samples, range, i) + utc) / G_USEC_PER_SEC);
  json_object_set_array_member (object, "time", times);
  for (const RelayFigure *row = NULL; (row = next_figure (row)) != NULL; figure++) {
    JsonArray *list = json_array_new ();

    for (guint i = 0; i < n; i++)
      json_array_add_element (list,
          relay_json_rounded (relay_samples_get_value (series->samples, range, figure, i),
              relay_units[row->unit].precision));
    json_object_set_array_member (object, row->name, list);
  }
  return json_to_string (root, FALSE);
}

gsize
relay_history_get_size (const RelayHistory *history)
{
  return g_hash_table_size (history->series)
      * (sizeof (Series) + relay_samples_get_size (history->figures));
}
