/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The relay's statistics as OpenMetrics: families of samples.  All samples of a family have
 * to be listed together, whichever stream they belong to.
 *
 * A field of the elements' statistics becomes a metric with the field's name, in base units:
 *
 *     bytes-sent-total      fasp_relay_output_sent_bytes_total      counter
 *     rtt-ms                fasp_relay_sender_rtt_seconds           gauge
 *     channel-bitrate       fasp_relay_receiver_channel_bits_per_second
 *     leads                 fasp_relay_source_leads                 gauge, of each of several
 * sources
 *
 * Which fields are counters, and their units, is in the core's table of fields, and in
 * relayfields.c for those that only ends of other protocols have.  Fields that are in neither, of a
 * newer plugin, get the type `unknown'.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>
#include <string.h>
#include "gstfaspcommon.h"
#include "relayfields.h"
#include "relaystatus.h"

typedef enum
{
  COUNTER,
  GAUGE,
  UNKNOWN,
  INFO,
} Type;

typedef struct
{
  Type type;
  const gchar *unit; /* NULL: none */
  GString *samples;
  gchar *help;
} Family;

typedef struct
{
  GHashTable *families; /* by name */
  GPtrArray *names;     /* in the order of their first samples */
  GHashTable *told;     /* samples, by name and labels: none may be there twice */
} Metrics;

static void
free_family (Family *family)
{
  g_string_free (family->samples, TRUE);
  g_free (family->help);
  g_free (family);
}

/* --- samples ---------------------------------------------------------------------------------- */

/* Escapes @text as the text format wants it in labels and in HELP. */
static void
append_escaped (GString *string, const gchar *text)
{
  for (; *text != '\0'; text++)
    switch (*text) {
      case '\\':
        g_string_append (string, "\\\\");
        break;
      case '"':
        g_string_append (string, "\\\"");
        break;
      case '\n':
        g_string_append (string, "\\n");
        break;
      default:
        g_string_append_c (string, *text);
    }
}

/* Appends one more label: `,name="value"'. */
static void
add_label (GString *labels, const gchar *name, const gchar *value)
{
  g_autofree gchar *valid = g_utf8_make_valid (value, -1);

  g_string_append_printf (labels, "%s%s=\"", labels->len > 0 ? "," : "", name);
  append_escaped (labels, valid);
  g_string_append_c (labels, '"');
}

static Family *
get_family (Metrics *metrics, const gchar *name, Type type, const gchar *unit, const gchar *help)
{
  Family *family = g_hash_table_lookup (metrics->families, name);

  if (family == NULL) {
    family = g_new0 (Family, 1);
    family->type = type;
    family->unit = unit;
    family->samples = g_string_new (NULL);
    family->help = g_strdup (help);
    g_hash_table_insert (metrics->families, g_strdup (name), family);
    g_ptr_array_add (metrics->names, g_strdup (name));
  }
  return family;
}

/* @labels: without braces. */
static void
add_sample (Metrics *metrics, const gchar *name, Type type, const gchar *unit, const gchar *help,
    const gchar *labels, gdouble value)
{
  Family *family = get_family (metrics, name, type, unit, help);
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value) || !g_hash_table_add (metrics->told, g_strconcat (name, "{", labels, NULL)))
    return;
  /* writes integers as such, as far as a double is exact */
  if (value == floor (value) && fabs (value) < 1e15)
    g_ascii_formatd (number, sizeof number, "%.0f", value);
  else
    g_ascii_formatd (number, sizeof number, "%.9g", value);
  g_string_append_printf (family->samples, "%s%s%s%s%s %s\n", name,
      type == COUNTER  ? "_total" :
          type == INFO ? "_info" :
                         "",
      labels[0] != '\0' ? "{" : "", labels, labels[0] != '\0' ? "}" : "", number);
}

/* --- fields ----------------------------------------------------------------------------------- */

/* What becomes of a field's unit: metrics are in base units, and end in their names. */
static const struct
{
  const gchar *word; /* of the field's name, which the metric's has not; NULL: none */
  const gchar *unit; /* NULL: none */
  gdouble factor;    /* from the field to the base unit */
} units[FASP_UNITS] = {
  [FASP_UNIT_NONE] = { NULL, NULL, 1 },
  [FASP_UNIT_BYTES] = { "bytes", "bytes", 1 },
  [FASP_UNIT_BITRATE] = { "bitrate", "bits_per_second", 1 },
  [FASP_UNIT_MBPS] = { "mbps", "bits_per_second", 1e6 },
  [FASP_UNIT_MS] = { "ms", "seconds", 1e-3 },
  [FASP_UNIT_NS] = { NULL, "seconds", 1e-9 },
  [FASP_UNIT_PPM] = { NULL, NULL, 1 },
  [FASP_UNIT_SHARE] = { NULL, NULL, 1 },
};

static const FaspStatField *
find_field (const gchar *name)
{
  const FaspStatField *of_ends = relay_fields_find (name);

  return of_ends != NULL ? of_ends : fasp_stat_find (name);
}

/* Makes the metric's name: the field's words but `total' and the one for the unit, and the unit. */
static gchar *
make_name (const gchar *prefix, const gchar *field, FaspStatUnit unit)
{
  g_auto (GStrv) words = g_strsplit (field, "-", -1);
  GString *name = g_string_new (NULL);

  g_string_printf (name, "fasp_relay_%s", prefix);
  for (guint i = 0; words[i] != NULL; i++)
    if (!g_str_equal (words[i], "total") && g_strcmp0 (words[i], units[unit].word) != 0)
      g_string_append_printf (name, "_%s", words[i]);
  if (units[unit].unit != NULL)
    g_string_append_printf (name, "_%s", units[unit].unit);
  for (gchar *c = name->str; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c))
      *c = '_';
  return g_string_free (name, FALSE);
}

static gboolean
get_number (const GValue *value, gdouble *number)
{
  if (G_VALUE_HOLDS_BOOLEAN (value))
    *number = g_value_get_boolean (value);
  else if (G_VALUE_HOLDS_INT (value))
    *number = g_value_get_int (value);
  else if (G_VALUE_HOLDS_UINT (value))
    *number = g_value_get_uint (value);
  else if (G_VALUE_HOLDS_INT64 (value))
    *number = g_value_get_int64 (value);
  else if (G_VALUE_HOLDS_UINT64 (value) && g_value_get_uint64 (value) < RELAY_NEVER)
    *number = g_value_get_uint64 (value);
  else if (G_VALUE_HOLDS_DOUBLE (value))
    *number = g_value_get_double (value);
  else
    return FALSE;
  return TRUE;
}

/* @known: the field's row in its table; NULL: it has none. */
static void
add_known_field (Metrics *metrics, const gchar *prefix, const gchar *labels, const gchar *field,
    const FaspStatField *known, const GValue *value)
{
  static const Type types[] = {
    [FASP_KIND_GAUGE] = GAUGE,
    [FASP_KIND_COUNTER] = COUNTER,
    [FASP_KIND_UNKNOWN] = UNKNOWN,
  };
  FaspStatUnit unit = known != NULL ? known->unit : FASP_UNIT_NONE;
  Type type = known != NULL ? types[known->kind] : UNKNOWN;
  g_autofree gchar *help = g_strdup_printf ("The field %s of the statistics", field);
  g_autofree gchar *name = make_name (prefix, field, unit);
  const GValueArray *array = gst_fasp_value_get_array (value);
  gdouble number;

  if (get_number (value, &number)) {
    add_sample (metrics, name, type, units[unit].unit, help, labels, number * units[unit].factor);
    return;
  }
  for (guint i = 0; array != NULL && i < array->n_values; i++) {
    g_autoptr (GString) more = g_string_new (labels);
    g_autofree gchar *index = g_strdup_printf ("%u", i);

    if (!get_number (&array->values[i], &number))
      break;
    add_label (more, "index", index);
    add_sample (metrics, name, type, units[unit].unit, help, more->str,
        number * units[unit].factor);
  }
}

/* The figures of each way are samples with its number as a label. */
static void
add_ways (Metrics *metrics, const gchar *prefix, const gchar *labels, const GValueArray *ways)
{
  g_autofree gchar *its = g_strconcat (prefix, "_way", NULL);

  for (guint i = 0; ways != NULL && i < ways->n_values; i++) {
    const GstStructure *way = gst_value_get_structure (&ways->values[i]);
    g_autoptr (GString) more = g_string_new (labels);
    g_autofree gchar *number = g_strdup_printf ("%u", i);

    add_label (more, "way", number);
    for (gint j = 0; j < gst_structure_n_fields (way); j++) {
      const gchar *field = gst_structure_nth_field_name (way, j);

      add_known_field (metrics, its, more->str, field, fasp_stat_find_in (FASP_STATS_PATH, field),
          gst_structure_get_value (way, field));
    }
  }
}

/* Adds a label with the number of the source, if it is one of several. */
static void
add_source_label (GString *labels, const GstStructure *of)
{
  g_autofree gchar *text = NULL;
  guint number;

  if (!gst_structure_get_uint (of, "source", &number))
    return;
  text = g_strdup_printf ("%u", number);
  add_label (labels, "source", text);
}

static gboolean
is_label (const gchar *field)
{
  return g_str_equal (field, "source");
}

/* Those of each of several sources, whether it is connected or not.  Why it is as it is, is no
 * number, and not here. */
static void
add_sources (Metrics *metrics, const gchar *labels, const GValueArray *sources)
{
  for (guint i = 0; sources != NULL && i < sources->n_values; i++) {
    const GstStructure *source = gst_value_get_structure (&sources->values[i]);
    g_autoptr (GString) more = g_string_new (labels);
    const gchar *name = gst_structure_get_string (source, "name");

    add_source_label (more, source);
    if (name != NULL && name[0] != '\0')
      add_label (more, "name", name);
    for (gint j = 0; j < gst_structure_n_fields (source); j++) {
      const gchar *field = gst_structure_nth_field_name (source, j);
      const FaspStatField *known = fasp_stat_find_in (FASP_STATS_STANDING, field);

      if (!is_label (field))
        add_known_field (metrics, "source", more->str, field,
            known != NULL ? known : fasp_stat_find (field),
            gst_structure_get_value (source, field));
    }
  }
}

static void
add_field (Metrics *metrics, const gchar *prefix, const gchar *labels, const gchar *field,
    const GValue *value)
{
  if (g_str_equal (field, "way-list"))
    add_ways (metrics, prefix, labels, gst_fasp_value_get_array (value));
  else if (g_str_equal (field, "source-list"))
    add_sources (metrics, labels, gst_fasp_value_get_array (value));
  else if (!is_label (field))
    add_known_field (metrics, prefix, labels, field, find_field (field), value);
}

/* Adds the fields of the end itself.  It leaves out those of a single peer, from
 * caller-address up to callers, as they come and go. */
static void
add_end (Metrics *metrics, const gchar *prefix, const gchar *labels, const RelayEndStats *end)
{
  gboolean of_peer = FALSE;
  g_autofree gchar *running = g_strdup_printf ("fasp_relay_%s_running", prefix);
  g_autofree gchar *refused = g_strdup_printf ("fasp_relay_%s_callers_refused", prefix);

  add_sample (metrics, running, GAUGE, NULL, "1: it plays; 0: it starts, stops, or waits", labels,
      end->state == RELAY_RUNNING);
  add_sample (metrics, refused, COUNTER, NULL, "Callers turned away because of their streamid",
      labels, end->refused);
  for (gint i = 0; end->stats != NULL && i < gst_structure_n_fields (end->stats); i++) {
    const gchar *field = gst_structure_nth_field_name (end->stats, i);

    of_peer |= g_str_equal (field, "caller-address");
    if (g_str_equal (field, "callers"))
      of_peer = FALSE;
    if (!of_peer)
      add_field (metrics, prefix, labels, field, gst_structure_get_value (end->stats, field));
  }
}

static void
add_peers (Metrics *metrics, const gchar *prefix, const gchar *labels, gboolean named,
    const RelayEndStats *end)
{
  const GValueArray *callers = end->stats != NULL ?
      gst_fasp_value_get_array (gst_structure_get_value (end->stats, "callers")) :
      NULL;

  for (guint i = 0; callers != NULL && i < callers->n_values; i++) {
    const GstStructure *peer = gst_value_get_structure (&callers->values[i]);
    g_autoptr (GString) more = g_string_new (labels);
    const gchar *address = gst_structure_get_string (peer, "caller-address-string");

    if (named && address != NULL)
      add_label (more, "receiver", address);
    add_source_label (more, peer);
    for (gint j = 0; j < gst_structure_n_fields (peer); j++) {
      const gchar *field = gst_structure_nth_field_name (peer, j);

      add_field (metrics, prefix, more->str, field, gst_structure_get_value (peer, field));
    }
  }
}

/* --- the page --------------------------------------------------------------------------------- */

/* @stats: NULL: there are no pictures. */
static void
add_picture (Metrics *metrics, const gchar *labels, const RelayPictureStats *stats)
{
  if (stats == NULL)
    return;
  add_sample (metrics, "fasp_relay_stream_pictures", COUNTER, NULL, "Pictures that were made",
      labels, stats->made);
  add_sample (metrics, "fasp_relay_stream_picture_restarts", COUNTER, NULL,
      "Restarts of the process that decodes, after it failed", labels, stats->restarts);
  add_sample (metrics, "fasp_relay_stream_picture_interval_seconds", GAUGE, "seconds",
      "From one picture to the next, as it is configured", labels, stats->interval);
  if (stats->time != 0)
    add_sample (metrics, "fasp_relay_stream_picture_time_seconds", GAUGE, "seconds",
        "When the last picture came, since 1970", labels, stats->time / G_USEC_PER_SEC);
  for (guint i = 0; i < stats->channels; i++) {
    g_autoptr (GString) more = g_string_new (labels);
    g_autofree gchar *channel = g_strdup_printf ("%u", i);

    add_label (more, "channel", channel);
    add_sample (metrics, "fasp_relay_stream_sound_level_dbfs", GAUGE, NULL,
        "The power of the sound, while the last picture was waited for: a sine of full scale has -3",
        more->str, stats->levels[i].rms / 100.0);
  }
}

static void
add_stream (Metrics *metrics, const RelayStreamStats *s, gboolean receiver_metrics)
{
  g_autoptr (GString) labels = g_string_new (NULL);

  add_label (labels, "stream", s->name);
  add_sample (metrics, "fasp_relay_stream_running", GAUGE, NULL, "1: the stream's pipeline plays",
      labels->str, s->state == RELAY_RUNNING);
  add_sample (metrics, "fasp_relay_stream_receiving", GAUGE, NULL,
      "1: the stream's input is connected, and heard", labels->str, s->receiving);
  add_sample (metrics, "fasp_relay_stream_restarts", COUNTER, NULL,
      "Restarts after an error, also of one output, or after the end of the stream", labels->str,
      s->restarts);
  add_picture (metrics, labels->str, s->picture);
  add_end (metrics, "input", labels->str, &s->input);
  add_peers (metrics, "sender", labels->str, FALSE, &s->input);
  for (guint i = 0; i < s->outputs->len; i++) {
    g_autoptr (GString) more = g_string_new (labels->str);
    const RelayEndStats *end = g_ptr_array_index (s->outputs, i);
    g_autofree gchar *id = g_strdup_printf ("%u", end->id);

    add_label (more, "output", id);
    add_end (metrics, "output", more->str, end);
    if (receiver_metrics)
      add_peers (metrics, "receiver", more->str, TRUE, end);
  }
}

static void
append_family (GString *page, const gchar *name, const Family *family)
{
  static const gchar *const types[] = { "counter", "gauge", "unknown", "info" };

  if (family->samples->len == 0)
    return;
  g_string_append_printf (page, "# TYPE %s %s\n", name, types[family->type]);
  if (family->unit != NULL)
    g_string_append_printf (page, "# UNIT %s %s\n", name, family->unit);
  g_string_append_printf (page, "# HELP %s ", name);
  append_escaped (page, family->help);
  g_string_append_printf (page, ".\n%s", family->samples->str);
}

gchar *
relay_status_to_metrics (const RelayStats *stats)
{
  Metrics metrics = { g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                          (GDestroyNotify) free_family),
    g_ptr_array_new_with_free_func (g_free),
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  GString *page = g_string_new (NULL);

  add_sample (&metrics, "fasp_relay", INFO, NULL, "The program", "version=\"" VERSION "\"", 1);
  add_sample (&metrics, "fasp_relay_start_time_seconds", GAUGE, "seconds",
      "When the relay was started, since 1970", "", stats->started);
  add_sample (&metrics, "fasp_relay_ready", GAUGE, NULL,
      "1: all streams that are not optional have their input", "", relay_stats_is_ready (stats));
  add_sample (&metrics, "fasp_relay_reloads", COUNTER, NULL,
      "Configurations that were loaded on a signal", "", stats->reloads);
  add_sample (&metrics, "fasp_relay_reloads_refused", COUNTER, NULL,
      "Configurations that were refused, as they were faulty", "", stats->reloads_refused);
  for (guint i = 0; i < stats->streams->len; i++)
    add_stream (&metrics, g_ptr_array_index (stats->streams, i), stats->receiver_metrics);
  for (guint i = 0; i < metrics.names->len; i++) {
    const gchar *name = g_ptr_array_index (metrics.names, i);

    append_family (page, name, g_hash_table_lookup (metrics.families, name));
  }
  g_string_append (page, "# EOF\n");
  g_hash_table_unref (metrics.families);
  g_ptr_array_unref (metrics.names);
  g_hash_table_unref (metrics.told);
  return g_string_free (page, FALSE);
}
