/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaysummary.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "relayfiguretable.h"
#include "relayjson.h"
#include "relaypictureview.h"
#include "relaystatus.h"

/* --- receivers ---------------------------------------------------------------------------- */

/* Sorts receivers that are not heard first, then those furthest behind. */
static gint
by_need (gconstpointer a, gconstpointer b)
{
  const RelayPeerFigures *x = a, *y = b;

  if (x->interrupted != y->interrupted)
    return y->interrupted - x->interrupted;
  /* NAN counts as -1, so it comes last */
  return (fmax (y->behind, -1) > fmax (x->behind, -1))
      - (fmax (y->behind, -1) < fmax (x->behind, -1));
}

static GArray *
sort_receivers (const RelayEndStats *output, gdouble rate)
{
  GArray *all = relay_figures_list_peers (output, rate);

  g_array_sort (all, by_need);
  return all;
}

gchar *
relay_summary_list_receivers (const RelayEndStats *output, RelayRates rates)
{
  g_autoptr (GArray) all = sort_receivers (output, rates.rate);
  g_autoptr (JsonNode) root =
      relay_json_take_array (relay_figures_to_array (RELAY_OF_RECEIVER, RELAY_IN_EVENTS, all));

  return json_to_string (root, FALSE);
}

gchar *
relay_summary_describe_receiver (const RelayEndStats *output, RelayRates rates,
    const gchar *address)
{
  g_autoptr (GArray) all = sort_receivers (output, rates.rate);

  for (guint i = 0; i < all->len; i++) {
    const RelayPeerFigures *one = &g_array_index (all, RelayPeerFigures, i);
    g_autoptr (JsonNode) root = NULL;
    JsonObject *object;

    if (g_strcmp0 (one->address, address) != 0)
      continue;
    object = relay_figures_to_object (RELAY_OF_RECEIVER, RELAY_IN_EVENTS, one);
    root = relay_json_take (object);
    json_object_set_member (object, "stats", relay_status_translate_structure (one->stats));
    return json_to_string (root, FALSE);
  }
  return NULL;
}

/* --- streams ------------------------------------------------------------------------------ */

/* Adds the errors of the transport stream that have been there, and of an end that is judged, those
 * that are unknown. */
static void
add_errors (JsonObject *object, const RelayEndStats *end, gboolean judged)
{
  g_autoptr (GArray) errors = relay_figures_list_errors (end, judged);

  for (guint i = errors->len; i-- > 0;) {
    const RelayErrorFigures *one = &g_array_index (errors, RelayErrorFigures, i);

    if (one->count == 0 && (one->bad == 0 || !judged))
      g_array_remove_index (errors, i);
  }
  json_object_set_array_member (object, "errors",
      relay_figures_to_array (RELAY_OF_INPUT_ERROR, RELAY_IN_EVENTS, errors));
}

static JsonObject *
describe_output (const RelayEndStats *output, gdouble rate, gboolean receiving)
{
  g_autoptr (GArray) receivers = sort_receivers (output, rate);
  RelayEndFigures figures;
  JsonObject *object;

  relay_figures_get_end (output, rate, &figures);
  figures.judged = relay_figures_is_judged (output, receiving);
  object = relay_figures_to_object (RELAY_OF_OUTPUT, RELAY_IN_EVENTS, &figures);
  add_errors (object, output, figures.judged);
  g_array_set_size (receivers, MIN (receivers->len, RELAY_SUMMARY_RECEIVERS));
  json_object_set_array_member (object, "list",
      relay_figures_to_array (RELAY_OF_RECEIVER, RELAY_IN_EVENTS, receivers));
  return object;
}

static JsonObject *
describe_input (const RelayEndStats *input, gboolean receiving)
{
  g_autoptr (GArray) peers = relay_figures_list_peers (input, NAN);
  g_autoptr (GArray) several = relay_figures_list_sources (input);
  RelayEndFigures figures;
  JsonObject *object;

  relay_figures_get_end (input, NAN, &figures);
  figures.judged = relay_figures_is_judged (input, receiving);
  object = relay_figures_to_object (RELAY_OF_INPUT, RELAY_IN_EVENTS, &figures);
  add_errors (object, input, figures.judged);
  json_object_set_array_member (object, "senders",
      relay_figures_to_array (RELAY_OF_SENDER, RELAY_IN_EVENTS, peers));
  json_object_set_array_member (object, "sources",
      relay_figures_to_array (RELAY_OF_SOURCE, RELAY_IN_EVENTS, several));
  return object;
}

/* @utc: µs, added to monotonic times. */
static JsonObject *
describe_stream (const RelayStreamStats *s, const RelayHistory *history, gint64 now, gint64 utc)
{
  RelayRates rates = relay_history_get_rates (history, s->name);
  const RelayAlarms *alarms = relay_history_get_alarms (history, s->name), none = { 0 };
  JsonArray *outputs = json_array_new ();
  RelayStreamFigures figures;
  JsonObject *object;

  relay_figures_get_stream (s, rates, &figures);
  object = relay_figures_to_object (RELAY_OF_STREAM, RELAY_IN_EVENTS, &figures);
  relay_picture_describe (s->picture, RELAY_IN_EVENTS, object);
  relay_alarms_describe (alarms != NULL ? alarms : &none, now, utc,
      s->picture != NULL ? s->picture->interval : 0, object);
  json_object_set_object_member (object, "input", describe_input (&s->input, s->receiving));
  for (guint i = 0; i < s->outputs->len; i++)
    json_array_add_object_element (outputs,
        describe_output (g_ptr_array_index (s->outputs, i), rates.rate, s->receiving));
  json_object_set_array_member (object, "outputs", outputs);
  return object;
}

/* Bytes of memory that the process has, 0: not known. */
static guint64
get_memory (void)
{
  g_autofree gchar *text = NULL;
  gulong all, resident;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)
      || sscanf (text, "%lu %lu", &all, &resident) != 2)
    return 0;
  return (guint64) resident * sysconf (_SC_PAGESIZE);
}

gchar *
relay_summary_to_json (const RelayStats *stats, const RelayHistory *history, guint64 happened,
    gint64 now, gint64 utc)
{
  RelayOwnFigures figures = {
    .time = (now + utc) / 1e6,
    .happened = happened,
    .memory = get_memory (),
    .history = relay_history_get_size (history),
  };
  JsonArray *streams = json_array_new ();
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object;

  relay_figures_get_own (stats, utc, &figures);
  object = relay_figures_to_object (RELAY_OF_RELAY, RELAY_IN_EVENTS, &figures);
  root = relay_json_take (object);
  for (guint i = 0; i < stats->streams->len; i++) {
    const RelayStreamStats *s = g_ptr_array_index (stats->streams, i);

    json_array_add_object_element (streams, describe_stream (s, history, now, utc));
  }
  json_object_set_array_member (object, "streams", streams);
  return json_to_string (root, FALSE);
}
