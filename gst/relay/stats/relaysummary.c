/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "relaysummary.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gstfaspcommon.h"
#include "relayfigures.h"
#include "relayjson.h"
#include "relaypictureview.h"

static void
set_number (JsonObject *object, const gchar *name, gdouble value, gdouble precision)
{
  json_object_set_member (object, name, relay_json_rounded (value, precision));
}

static void
set_text (JsonObject *object, const gchar *name, const gchar *text)
{
  json_object_set_member (object, name,
      relay_json_string (text != NULL && text[0] != '\0' ? text : NULL));
}

static void
set_flag (JsonObject *object, const gchar *name, const GstStructure *s, const gchar *field)
{
  json_object_set_boolean_member (object, name, relay_figures_get_flag (s, field));
}

/* --- receivers ---------------------------------------------------------------------------- */

/* A receiver, and how far it is behind. */
typedef struct
{
  const GstStructure *stats;
  gdouble behind;
} Receiver;

typedef struct
{
  GArray *all;
  gdouble rate; /* of the stream, bit/s */
} Receivers;

static gboolean
is_interrupted (const GstStructure *s)
{
  return relay_figures_get_flag (s, "interrupted");
}

/* The ones that are not heard first, then those that are furthest behind. */
static gint
by_need (gconstpointer a, gconstpointer b)
{
  const Receiver *x = a, *y = b;
  gboolean silent_x = is_interrupted (x->stats), silent_y = is_interrupted (y->stats);

  if (silent_x != silent_y)
    return silent_y - silent_x;
  /* not known: last */
  return (fmax (y->behind, -1) > fmax (x->behind, -1))
      - (fmax (y->behind, -1) < fmax (x->behind, -1));
}

static void
take_receiver (const GstStructure *stats, gpointer data)
{
  Receivers *receivers = data;
  Receiver one = { stats, relay_figures_get_behind (stats, receivers->rate) };

  g_array_append_val (receivers->all, one);
}

static GArray *
sort_receivers (const RelayEndStats *output, gdouble rate)
{
  Receivers receivers = { g_array_new (FALSE, FALSE, sizeof (Receiver)), rate };

  relay_figures_foreach_peer (output, take_receiver, &receivers);
  g_array_sort (receivers.all, by_need);
  return receivers.all;
}

static JsonObject *
describe_receiver (const Receiver *one)
{
  JsonObject *object = json_object_new ();

  set_text (object, "address", gst_structure_get_string (one->stats, "caller-address-string"));
  set_text (object, "name", gst_structure_get_string (one->stats, "peer-name"));
  set_text (object, "streamid", gst_structure_get_string (one->stats, "streamid"));
  set_flag (object, "interrupted", one->stats, "interrupted");
  set_number (object, "behind-ms", one->behind, 0.1);
  set_number (object, "rtt-ms", relay_figures_get_number (one->stats, "rtt-ms"), 0.01);
  set_number (object, "loss", relay_figures_get_number (one->stats, "loss"), 1e-5);
  return object;
}

static JsonArray *
describe_receivers (const GArray *receivers, guint most)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < MIN (receivers->len, most); i++)
    json_array_add_object_element (array,
        describe_receiver (&g_array_index (receivers, Receiver, i)));
  return array;
}

gchar *
relay_summary_list_receivers (const RelayEndStats *output, RelayRates rates)
{
  g_autoptr (GArray) all = sort_receivers (output, rates.rate);
  g_autoptr (JsonNode) root = relay_json_take_array (describe_receivers (all, all->len));

  return json_to_string (root, FALSE);
}

gchar *
relay_summary_describe_receiver (const RelayEndStats *output, RelayRates rates,
    const gchar *address)
{
  g_autoptr (GArray) all = sort_receivers (output, rates.rate);

  for (guint i = 0; i < all->len; i++) {
    const Receiver *one = &g_array_index (all, Receiver, i);
    g_autoptr (JsonNode) root = NULL;
    JsonObject *object;

    if (g_strcmp0 (gst_structure_get_string (one->stats, "caller-address-string"), address) != 0)
      continue;
    object = describe_receiver (one);
    json_object_set_member (object, "stats", relay_status_translate_structure (one->stats));
    root = relay_json_take (object);
    return json_to_string (root, FALSE);
  }
  return NULL;
}

/* --- streams ------------------------------------------------------------------------------ */

static JsonObject *
describe_output (const RelayEndStats *output, gdouble rate)
{
  JsonObject *object = json_object_new ();
  g_autoptr (GArray) receivers = sort_receivers (output, rate);
  guint silent = 0;
  gdouble worst = NAN;

  for (guint i = 0; i < receivers->len; i++) {
    const Receiver *one = &g_array_index (receivers, Receiver, i);

    silent += is_interrupted (one->stats);
    worst = fmax (worst, one->behind);
  }
  json_object_set_int_member (object, "id", output->id);
  set_text (object, "uri", output->uri);
  json_object_set_boolean_member (object, "open", output->state == RELAY_RUNNING);
  set_text (object, "state", relay_state_get_name (output->state));
  json_object_set_int_member (object, "receivers", relay_figures_count_peers (output));
  json_object_set_int_member (object, "interrupted", silent);
  json_object_set_int_member (object, "refused", MIN (output->refused, (guint64) G_MAXINT64));
  set_number (object, "behind-ms", worst, 0.1);
  set_text (object, "error",
      output->stats != NULL ? gst_structure_get_string (output->stats, "end-error") : NULL);
  json_object_set_array_member (object, "list",
      describe_receivers (receivers, RELAY_SUMMARY_RECEIVERS));
  return object;
}

static void
add_sender (const GstStructure *sender, gpointer array)
{
  JsonObject *object = json_object_new ();

  set_text (object, "address", gst_structure_get_string (sender, "caller-address-string"));
  set_text (object, "name", gst_structure_get_string (sender, "peer-name"));
  set_flag (object, "interrupted", sender, "interrupted");
  json_array_add_object_element (array, object);
}

/* Of several sources of an input; an empty list: there is one. */
static JsonArray *
describe_sources (const RelayEndStats *input)
{
  JsonArray *array = json_array_new ();
  const GValueArray *sources = input->stats != NULL ?
      gst_fasp_value_get_array (gst_structure_get_value (input->stats, "source-list")) :
      NULL;

  for (guint i = 0; sources != NULL && i < sources->n_values; i++) {
    const GstStructure *source = gst_value_get_structure (&sources->values[i]);
    JsonObject *object = json_object_new ();

    set_number (object, "source", relay_figures_get_number (source, "source"), 1);
    set_text (object, "name", gst_structure_get_string (source, "name"));
    set_flag (object, "connected", source, "connected");
    set_flag (object, "leads", source, "leads");
    set_text (object, "why", gst_structure_get_string (source, "why"));
    json_array_add_object_element (array, object);
  }
  return array;
}

static JsonObject *
describe_input (const RelayStreamStats *s)
{
  JsonObject *object = json_object_new ();
  JsonArray *senders = json_array_new ();

  set_text (object, "uri", s->input.uri);
  json_object_set_boolean_member (object, "open", s->input.state == RELAY_RUNNING);
  set_text (object, "state", relay_state_get_name (s->input.state));
  relay_figures_foreach_peer (&s->input, add_sender, senders);
  json_object_set_array_member (object, "senders", senders);
  json_object_set_array_member (object, "sources", describe_sources (&s->input));
  set_text (object, "error",
      s->input.stats != NULL ? gst_structure_get_string (s->input.stats, "end-error") : NULL);
  return object;
}

static JsonObject *
describe_stream (const RelayStreamStats *s, RelayRates rates)
{
  JsonObject *object = json_object_new ();
  JsonArray *outputs = json_array_new ();
  RelayInputFigures input;

  relay_figures_get_input (s, &input);
  set_text (object, "name", s->name);
  json_object_set_string_member (object, "state", relay_state_get_name (s->state));
  set_number (object, "state-seconds", (g_get_monotonic_time () - s->since) / 1e6, 0.1);
  json_object_set_boolean_member (object, "receiving", s->receiving);
  json_object_set_boolean_member (object, "optional", s->optional);
  json_object_set_int_member (object, "restarts", s->restarts);
  set_text (object, "last-error", s->error);
  json_object_set_int_member (object, "bytes", MIN (input.bytes, (guint64) G_MAXINT64));
  set_number (object, "rate", rates.rate, 1);
  set_number (object, "loss", rates.loss, 1e-5);
  set_number (object, "rtt-ms", input.rtt, 0.01);
  set_number (object, "lateness-ms", input.lateness, 0.01);
  set_number (object, "latency-ms", input.latency, 1);
  set_number (object, "promised-seconds", input.promised, 0.1);
  set_number (object, "observed-seconds", input.observed, 0.1);
  json_object_set_int_member (object, "skips", MIN (input.skips, (guint64) G_MAXINT64));
  relay_picture_summarize (s->picture, object);
  json_object_set_object_member (object, "input", describe_input (s));
  for (guint i = 0; i < s->outputs->len; i++)
    json_array_add_object_element (outputs,
        describe_output (g_ptr_array_index (s->outputs, i), rates.rate));
  json_object_set_array_member (object, "outputs", outputs);
  return object;
}

/* Bytes of memory that the process has, 0: not known. */
static gint64
get_memory (void)
{
  g_autofree gchar *text = NULL;
  gulong all, resident;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)
      || sscanf (text, "%lu %lu", &all, &resident) != 2)
    return 0;
  return (gint64) resident * sysconf (_SC_PAGESIZE);
}

gchar *
relay_summary_to_json (const RelayStats *stats, const RelayHistory *history, guint64 happened,
    gint64 now, gint64 utc)
{
  JsonObject *object = json_object_new ();
  JsonArray *streams = json_array_new ();
  g_autoptr (JsonNode) root = relay_json_take (object);

  json_object_set_string_member (object, "version", VERSION);
  set_number (object, "time", (now + utc) / 1e6, 0.001);
  json_object_set_int_member (object, "started", (stats->begun + utc) / G_USEC_PER_SEC);
  json_object_set_boolean_member (object, "ready", relay_stats_is_ready (stats));
  json_object_set_boolean_member (object, "ending", stats->ending);
  set_text (object, "configuration-refused", stats->refused);
  set_text (object, "api", stats->api);
  json_object_set_boolean_member (object, "saved", stats->saved);
  json_object_set_int_member (object, "happened", happened);
  json_object_set_int_member (object, "memory", get_memory ());
  json_object_set_int_member (object, "history", relay_history_get_size (history));
  for (guint i = 0; i < stats->streams->len; i++) {
    const RelayStreamStats *s = g_ptr_array_index (stats->streams, i);

    json_array_add_object_element (streams,
        describe_stream (s, relay_history_get_rates (history, s->name)));
  }
  json_object_set_array_member (object, "streams", streams);
  return json_to_string (root, FALSE);
}
