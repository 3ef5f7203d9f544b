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
 * newer plugin, get the type `unknown'.  The relay's own figures are those of relayfiguretable.c.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>
#include "gstfaspcommon.h"
#include "relayfields.h"
#include "relayfigures.h"
#include "relayfiguretable.h"
#include "relaypictureview.h"
#include "relaystatus.h"
#include "tserrors.h"

/* A further kind, beside FaspStatKind. */
#define INFO (FASP_KIND_UNKNOWN + 1)

typedef struct
{
  guint kind;
  const gchar *unit; /* NULL: none */
  GString *samples;
  gchar *help;
} Family;

typedef struct
{
  GHashTable *families; /* by name */
  GPtrArray *names;     /* in the order of their first samples */
  GHashTable *added;    /* samples so far, by name and labels, as none may occur twice */
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
get_family (Metrics *metrics, const gchar *name, guint kind, const gchar *unit, const gchar *help)
{
  Family *family = g_hash_table_lookup (metrics->families, name);

  if (family == NULL) {
    family = g_new0 (Family, 1);
    family->kind = kind;
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
add_sample (Metrics *metrics, const gchar *name, guint kind, const gchar *unit, const gchar *help,
    const gchar *labels, gdouble value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value)
      || !g_hash_table_add (metrics->added, g_strconcat (name, "{", labels, NULL)))
    return;
  /* writes integers without exponent, as far as a double is exact */
  if (value == floor (value) && fabs (value) < 1e15)
    g_ascii_formatd (number, sizeof number, "%.0f", value);
  else
    g_ascii_formatd (number, sizeof number, "%.9g", value);
  g_string_append_printf (get_family (metrics, name, kind, unit, help)->samples, "%s%s%s%s%s %s\n",
      name,
      kind == FASP_KIND_COUNTER ? "_total" :
          kind == INFO          ? "_info" :
                                  "",
      labels[0] != '\0' ? "{" : "", labels, labels[0] != '\0' ? "}" : "", number);
}

/* Adds the figures of one owner in the relay's table. */
static void
add_figures (Metrics *metrics, RelayFigureOf of, const gchar *labels, gconstpointer figures)
{
  for (const RelayFigure *row = NULL;
      (row = relay_figure_next (row, of, RELAY_IN_METRICS)) != NULL;) {
    const RelayUnit *unit = &relay_units[row->unit];
    g_autofree gchar *name = relay_figure_make_metric (row, of);

    add_sample (metrics, name, row->kind, unit->metric, row->meaning, labels,
        relay_figure_get_number (row, figures) * unit->factor);
  }
}

/* --- fields ----------------------------------------------------------------------------------- */

/* The row of a field in the table @of, or else in another; NULL: there is none. */
static const FaspStatField *
find_field (FaspStatsOf of, const gchar *name)
{
  const FaspStatField *field = fasp_stat_find_in (of, name);

  if (field == NULL)
    field = relay_fields_find (name);
  return field != NULL ? field : fasp_stat_find (name);
}

static void
add_field (Metrics *metrics, const gchar *prefix, const gchar *labels, const gchar *field,
    const FaspStatField *known, const GValue *value)
{
  FaspStatUnit of = known != NULL ? known->unit : FASP_UNIT_NONE;
  FaspStatKind kind = known != NULL ? known->kind : FASP_KIND_UNKNOWN;
  const RelayUnit *unit = &relay_units[of];
  g_autofree gchar *help = g_strdup_printf ("The field %s of the statistics", field);
  g_autofree gchar *name = relay_figures_make_metric (prefix, field, of);
  const GValueArray *array = gst_fasp_value_get_array (value);

  if (array == NULL)
    add_sample (metrics, name, kind, unit->metric, help, labels,
        relay_figures_read (value) * unit->factor);
  for (guint i = 0; array != NULL && i < array->n_values; i++) {
    g_autoptr (GString) more = g_string_new (labels);
    g_autofree gchar *index = g_strdup_printf ("%u", i);
    gdouble number = relay_figures_read (&array->values[i]);

    if (!isfinite (number))
      break;
    add_label (more, "index", index);
    add_sample (metrics, name, kind, unit->metric, help, more->str, number * unit->factor);
  }
}

static void add_structures (Metrics *metrics, const gchar *prefix, const gchar *labels,
    FaspStatsOf of, const GValue *list, const gchar *label, const gchar *field);

/* Adds the fields of one structure. For an end (FASP_STATS_ENDPOINT), leaves out those of a single
 * peer, from caller-address to callers, as these come and go. */
static void
add_fields (Metrics *metrics, const gchar *prefix, const gchar *labels, FaspStatsOf of,
    const GstStructure *s)
{
  gboolean of_peer = FALSE;

  for (gint i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *field = gst_structure_nth_field_name (s, i);
    const GValue *value = gst_structure_get_value (s, field);

    of_peer |= of == FASP_STATS_ENDPOINT && g_str_equal (field, "caller-address");
    of_peer &= !g_str_equal (field, "callers");
    if (of_peer || g_str_equal (field, "source"))
      continue;
    if (g_str_equal (field, "way-list")) {
      g_autofree gchar *its = g_strconcat (prefix, "_way", NULL);

      add_structures (metrics, its, labels, FASP_STATS_PATH, value, "way", NULL);
    } else if (g_str_equal (field, "source-list")) {
      add_structures (metrics, "source", labels, FASP_STATS_SOURCE_CHANGE, value, "name", "name");
    } else {
      add_field (metrics, prefix, labels, field, find_field (of, field), value);
    }
  }
}

/* Adds the fields of each structure of a list. @label: the label with the value of @field, or with
 * the structure's number in the list; NULL: none. A source, or its sender, gets the source's number
 * as a label. */
static void
add_structures (Metrics *metrics, const gchar *prefix, const gchar *labels, FaspStatsOf of,
    const GValue *list, const gchar *label, const gchar *field)
{
  const GValueArray *array = list != NULL ? gst_fasp_value_get_array (list) : NULL;

  for (guint i = 0; array != NULL && i < array->n_values; i++) {
    const GstStructure *s = gst_value_get_structure (&array->values[i]);
    g_autoptr (GString) more = g_string_new (labels);
    g_autofree gchar *number = g_strdup_printf ("%u", i);
    const gchar *text = field != NULL ? gst_structure_get_string (s, field) : number;
    guint source;

    if (gst_structure_get_uint (s, "source", &source)) {
      g_autofree gchar *value = g_strdup_printf ("%u", source);

      add_label (more, "source", value);
    }
    if (label != NULL && text != NULL && text[0] != '\0')
      add_label (more, label, text);
    add_fields (metrics, prefix, more->str, of, s);
  }
}

/* Adds the errors of the transport stream of an end that have ever been there, and continuity,
 * which is the most frequent one: series of the others would never change. */
static void
add_errors (Metrics *metrics, RelayFigureOf of, const gchar *labels, const RelayEndStats *end,
    gboolean receiving)
{
  g_autoptr (GArray) errors =
      relay_figures_list_errors (end, relay_figures_is_judged (end, receiving));

  for (guint i = 0; i < errors->len; i++) {
    const RelayErrorFigures *one = &g_array_index (errors, RelayErrorFigures, i);
    g_autoptr (GString) more = g_string_new (labels);

    if (one->count == 0 && i != TS_ERROR_CONTINUITY)
      continue;
    add_label (more, "error", one->name);
    add_label (more, "priority", one->priority == 1 ? "1" : "2");
    add_figures (metrics, of, more->str, one);
  }
}

static void
add_end (Metrics *metrics, RelayFigureOf of, const gchar *labels, const RelayEndStats *end)
{
  const gchar *prefix = relay_figure_get_owner (of);
  RelayEndFigures figures;

  relay_figures_get_end (end, NAN, &figures);
  add_figures (metrics, of, labels, &figures);
  if (end->stats != NULL)
    add_fields (metrics, prefix, labels, FASP_STATS_ENDPOINT, end->stats);
}

static void
add_peers (Metrics *metrics, RelayFigureOf of, const gchar *labels, const RelayEndStats *end)
{
  if (end->stats != NULL)
    add_structures (metrics, relay_figure_get_owner (of), labels, FASP_STATS_SESSION,
        gst_structure_get_value (end->stats, "callers"),
        of == RELAY_OF_RECEIVER ? "receiver" : NULL, "caller-address-string");
}

/* --- the page --------------------------------------------------------------------------------- */

/* @stats: NULL: there are no pictures. */
static void
add_picture (Metrics *metrics, const gchar *labels, const RelayPictureStats *stats)
{
  if (stats == NULL)
    return;
  add_figures (metrics, RELAY_OF_PICTURE, labels, stats);
  for (guint i = 0; i < stats->channels; i++) {
    g_autoptr (GString) more = g_string_new (labels);
    g_autofree gchar *channel = g_strdup_printf ("%u", i);
    RelayLevelFigures figures;

    add_label (more, "channel", channel);
    relay_picture_get_level (stats, i, &figures);
    add_figures (metrics, RELAY_OF_LEVEL, more->str, &figures);
  }
}

static void
add_stream (Metrics *metrics, const RelayStreamStats *s, gboolean receiver_metrics)
{
  g_autoptr (GString) labels = g_string_new (NULL);
  RelayStreamFigures figures;

  add_label (labels, "stream", s->name);
  relay_figures_get_stream (s, RELAY_RATES_UNKNOWN, &figures);
  add_figures (metrics, RELAY_OF_STREAM, labels->str, &figures);
  add_picture (metrics, labels->str, s->picture);
  add_end (metrics, RELAY_OF_INPUT, labels->str, &s->input);
  add_errors (metrics, RELAY_OF_INPUT_ERROR, labels->str, &s->input, s->receiving);
  add_peers (metrics, RELAY_OF_SENDER, labels->str, &s->input);
  for (guint i = 0; i < s->outputs->len; i++) {
    g_autoptr (GString) more = g_string_new (labels->str);
    const RelayEndStats *end = g_ptr_array_index (s->outputs, i);
    g_autofree gchar *id = g_strdup_printf ("%u", end->id);

    add_label (more, "output", id);
    add_end (metrics, RELAY_OF_OUTPUT, more->str, end);
    add_errors (metrics, RELAY_OF_OUTPUT_ERROR, more->str, end, s->receiving);
    if (receiver_metrics)
      add_peers (metrics, RELAY_OF_RECEIVER, more->str, end);
  }
}

static void
append_family (GString *page, const gchar *name, const Family *family)
{
  static const gchar *const types[] = {
    [FASP_KIND_GAUGE] = "gauge",
    [FASP_KIND_COUNTER] = "counter",
    [FASP_KIND_UNKNOWN] = "unknown",
    [INFO] = "info",
  };

  if (family->samples->len == 0)
    return;
  g_string_append_printf (page, "# TYPE %s %s\n", name, types[family->kind]);
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
  RelayOwnFigures figures;

  add_sample (&metrics, "fasp_relay", INFO, NULL, "The program", "version=\"" VERSION "\"", 1);
  relay_figures_get_own (stats, 0, &figures);
  add_figures (&metrics, RELAY_OF_RELAY, "", &figures);
  for (guint i = 0; i < stats->streams->len; i++)
    add_stream (&metrics, g_ptr_array_index (stats->streams, i), stats->receiver_metrics);
  for (guint i = 0; i < metrics.names->len; i++) {
    const gchar *name = g_ptr_array_index (metrics.names, i);

    append_family (page, name, g_hash_table_lookup (metrics.families, name));
  }
  g_string_append (page, "# EOF\n");
  g_hash_table_unref (metrics.families);
  g_ptr_array_unref (metrics.names);
  g_hash_table_unref (metrics.added);
  return g_string_free (page, FALSE);
}
