/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "relayfigures.h"
#include <string.h>
#include <gio/gio.h>
#include "gstfaspcommon.h"
#include "gstfaspmonitor.h"
#include "relayprotocol.h"

void
relay_stats_free (RelayStats *stats)
{
  g_ptr_array_unref (stats->streams);
  g_free (stats->refused);
  g_free (stats->unkept);
  g_free (stats);
}

gboolean
relay_stats_is_ready (const RelayStats *stats)
{
  if (stats->ending || stats->loaded == 0)
    return FALSE;
  for (guint i = 0; i < stats->streams->len; i++) {
    const RelayStreamStats *s = g_ptr_array_index (stats->streams, i);

    if (!s->receiving && !s->optional)
      return FALSE;
  }
  return TRUE;
}

/* --- fields of the elements' statistics --------------------------------------------------- */

gdouble
relay_figures_read (const GValue *value)
{
  GValue number = G_VALUE_INIT;

  if (G_VALUE_HOLDS_UINT64 (value) && g_value_get_uint64 (value) >= RELAY_NEVER)
    return g_value_get_uint64 (value) == RELAY_NEVER ? NAN : INFINITY;
  if (G_VALUE_HOLDS_BOOLEAN (value))
    return g_value_get_boolean (value);
  g_value_init (&number, G_TYPE_DOUBLE);
  return g_value_transform (value, &number) ? g_value_get_double (&number) : NAN;
}

/* NAN also if the field is missing. */
static gdouble
get_number (const GstStructure *s, const gchar *field)
{
  const GValue *value = s != NULL ? gst_structure_get_value (s, field) : NULL;

  return value != NULL ? relay_figures_read (value) : NAN;
}

/* FALSE also if the field is missing. */
static gboolean
get_flag (const GstStructure *s, const gchar *field)
{
  gboolean is = FALSE;

  return gst_structure_get_boolean (s, field, &is) && is;
}

static guint64
get_count (const GstStructure *s, const gchar *field)
{
  guint64 n = 0;

  if (s != NULL)
    gst_structure_get_uint64 (s, field, &n);
  return n < RELAY_NEVER ? n : 0;
}

/* A field in ns, as seconds. */
static gdouble
get_interval (const GstStructure *s, const gchar *field)
{
  gdouble value = get_number (s, field);

  return isfinite (value) ? value / GST_SECOND : value;
}

/* The number of structures that a field lists. */
static guint
count_listed (const RelayEndStats *end, const gchar *field)
{
  const GValueArray *list = end->stats != NULL ?
      gst_fasp_value_get_array (gst_structure_get_value (end->stats, field)) :
      NULL;

  return list != NULL ? list->n_values : 0;
}

static const GstStructure *
get_listed (const RelayEndStats *end, const gchar *field, guint i)
{
  return gst_value_get_structure (
      &gst_fasp_value_get_array (gst_structure_get_value (end->stats, field))->values[i]);
}

/* --- peers -------------------------------------------------------------------------------- */

/* How much of the stream a receiver has not confirmed yet, as ms at @rate bit/s. */
static gdouble
get_behind (const GstStructure *receiver, gdouble rate)
{
  guint64 sent = get_count (receiver, "blocks-sent");
  gdouble waiting =
      get_count (receiver, "blocks-queued") + get_count (receiver, "blocks-in-flight");

  if (!gst_structure_has_field (receiver, "blocks-queued"))
    return NAN;
  if (waiting == 0)
    return 0;
  if (sent == 0 || !(rate > 0))
    return NAN;
  return waiting * get_count (receiver, "bytes-sent") / sent * 8 / rate * 1e3;
}

GArray *
relay_figures_list_peers (const RelayEndStats *end, gdouble rate)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (RelayPeerFigures));

  for (guint i = 0; i < count_listed (end, "callers"); i++) {
    const GstStructure *s = get_listed (end, "callers", i);
    RelayPeerFigures one = {
      .stats = s,
      .address = gst_structure_get_string (s, "caller-address-string"),
      .name = gst_structure_get_string (s, "peer-name"),
      .streamid = gst_structure_get_string (s, "streamid"),
      .interrupted = get_flag (s, "interrupted"),
      .stands_by = get_flag (s, "stands-by"),
      .behind = get_behind (s, rate),
      .rtt = get_number (s, "rtt-ms"),
      .loss = get_number (s, "loss"),
      .bytes_sent = get_count (s, "bytes-sent"),
    };

    g_array_append_val (all, one);
  }
  return all;
}

/* --- ends --------------------------------------------------------------------------------- */

GArray *
relay_figures_list_sources (const RelayEndStats *input)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (RelaySourceFigures));

  for (guint i = 0; i < count_listed (input, "source-list"); i++) {
    const GstStructure *s = get_listed (input, "source-list", i);
    RelaySourceFigures one = {
      .name = gst_structure_get_string (s, "name"),
      .why = gst_structure_get_string (s, "why"),
      .connected = get_flag (s, "connected"),
      .leads = get_flag (s, "leads"),
    };

    gst_structure_get_uint (s, "source", &one.number);
    g_array_append_val (all, one);
  }
  return all;
}

/* A structure within another; NULL: it is missing. */
static const GstStructure *
get_structure (const GstStructure *s, const gchar *field)
{
  const GValue *value = s != NULL ? gst_structure_get_value (s, field) : NULL;

  return value != NULL ? gst_value_get_structure (value) : NULL;
}

static RelayErrorFigures
get_error (const GstStructure *measured, TsErrorKind kind, gboolean judged)
{
  const TsErrorRow *row = &ts_error_rows[kind];
  const GstStructure *s = get_structure (measured, row->name);
  RelayErrorFigures one = {
    .name = row->name,
    .state = judged && s != NULL ? gst_structure_get_string (s, "state") : "unknown",
    .priority = row->priority,
    .count = get_count (s, "count"),
    .first = get_interval (s, "first"),
    .last = get_interval (s, "last"),
    .bad = NAN,
  };

  if (!g_str_equal (one.state, "unknown"))
    one.bad = g_str_equal (one.state, "bad");
  return one;
}

GArray *
relay_figures_list_errors (const RelayEndStats *end, gboolean judged)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (RelayErrorFigures));
  const GstStructure *measured = get_structure (end->stats, GST_FASP_MONITOR_FIELD);

  for (guint kind = 0; measured != NULL && kind < TS_ERRORS; kind++) {
    RelayErrorFigures one = get_error (measured, kind, judged);

    g_array_append_val (all, one);
  }
  return all;
}

const gchar *
relay_figures_get_does (guint id, const gchar *uri)
{
  const RelayProtocol *protocol = id != 0 && uri != NULL ? relay_protocol_find (uri) : NULL;

  return protocol != NULL ? protocol->does : NULL;
}

/* Is it the URI of an end that dials one peer, and counts it? */
static gboolean
dials_one (const gchar *uri)
{
  g_autoptr (GUri) parsed = uri != NULL ? g_uri_parse (uri, G_URI_FLAGS_NONE, NULL) : NULL;
  const gchar *host = parsed != NULL ? g_uri_get_host (parsed) : NULL;
  const gchar *query = parsed != NULL ? g_uri_get_query (parsed) : NULL;
  g_autoptr (GInetAddress) address = host != NULL ? g_inet_address_new_from_string (host) : NULL;

  return host != NULL && host[0] != '\0' && (query == NULL || !strstr (query, "mode=listener"))
      && (address == NULL
          || (!g_inet_address_get_is_any (address) && !g_inet_address_get_is_multicast (address)));
}

/* Peers that are connected, and are not heard. */
static guint
count_interrupted (const RelayEndStats *end)
{
  guint found = 0;

  for (guint i = 0; i < count_listed (end, "callers"); i++)
    found += get_flag (get_listed (end, "callers", i), "interrupted");
  return found;
}

/* Does an output run, and hear the one receiver that it dials? */
static gboolean
is_connected (const RelayEndStats *output)
{
  return output->state == RELAY_RUNNING
      && (get_number (output->stats, "connected-callers") != count_interrupted (output)
          || !dials_one (output->uri));
}

gboolean
relay_figures_is_down (const RelayEndStats *output)
{
  return !is_connected (output)
      || (output->stats != NULL && gst_structure_get_string (output->stats, "end-error") != NULL);
}

gdouble
relay_figures_get_loss (const RelayEndStats *output)
{
  gdouble loss = count_listed (output, "callers") == 1 ?
      get_number (get_listed (output, "callers", 0), "loss") :
      NAN;

  /* the URI last: to read it takes longest */
  return !isnan (loss) && is_connected (output) && dials_one (output->uri) ? loss : NAN;
}

gboolean
relay_figures_is_judged (const RelayEndStats *end, gboolean receiving)
{
  /* an output that is not connected is given nothing; one with an error may send a part */
  return receiving && (end->id == 0 || is_connected (end));
}

void
relay_figures_get_end (const RelayEndStats *end, gdouble rate, RelayEndFigures *figures)
{
  const GstStructure *measured;

  *figures = (RelayEndFigures) {
    .behind = NAN,
    .loss = NAN,
    .receivers = NAN,
    .ts_rate = NAN,
    .accuracy = NAN,
    .jitter = NAN,
  };
  if (end == NULL)
    return;
  figures->stats = *end;
  figures->id = end->id;
  figures->uri = end->uri;
  figures->does = relay_figures_get_does (end->id, end->uri);
  figures->open = end->state == RELAY_RUNNING;
  figures->down = end->id != 0 && relay_figures_is_down (end);
  if (end->stats == NULL)
    return;
  if (end->id != 0)
    figures->loss = relay_figures_get_loss (end);
  measured = get_structure (end->stats, GST_FASP_MONITOR_FIELD);
  figures->measured = measured != NULL;
  figures->ts_rate = get_number (measured, "bitrate");
  figures->accuracy = get_number (measured, "pcr-accuracy-ns");
  figures->jitter = get_number (measured, "pcr-jitter-ns");
  figures->error = gst_structure_get_string (end->stats, "end-error");
  figures->receivers = get_number (end->stats, "connected-callers");
  figures->interrupted = count_interrupted (end);
  for (guint i = 0; i < count_listed (end, "callers"); i++)
    figures->behind = fmax (figures->behind, get_behind (get_listed (end, "callers", i), rate));
}

/* --- streams ------------------------------------------------------------------------------ */

/* The sender of the stream: the source that leads, or else one that is heard; none that stands by.
 */
static const GstStructure *
find_sender (const RelayEndStats *input)
{
  const GstStructure *found = NULL;

  for (guint i = 0; i < count_listed (input, "callers"); i++) {
    const GstStructure *peer = get_listed (input, "callers", i);

    if (get_flag (peer, "stands-by"))
      continue;
    if (get_flag (peer, "leads"))
      return peer;
    if (found == NULL || get_flag (found, "interrupted"))
      found = peer;
  }
  return found;
}

static void
get_input (const RelayEndStats *input, RelayStreamFigures *figures)
{
  const GstStructure *sender = find_sender (input);

  figures->rtt = get_number (sender, "rtt-ms");
  figures->lateness =
      sender != NULL ? get_number (input->stats, "lateness-in-order-p99.9-ms") : NAN;
  figures->latency = get_number (sender, "negotiated-latency-ms");
  figures->promised = get_interval (input->stats, "sources-promised-interval");
  if (isnan (figures->promised))
    figures->promised = get_interval (sender, "promised-interval");
  figures->observed = get_interval (sender, "observed-interval");
  figures->bytes = get_count (input->stats, "bytes-received-total");
  figures->skips = get_number (sender, "skips");
  figures->errors = get_number (get_structure (get_structure (input->stats, GST_FASP_MONITOR_FIELD),
                                    ts_error_rows[TS_ERROR_CONTINUITY].name),
      "count");
  figures->missing = get_number (sender, "packets-missing");
  for (guint i = 0; i < count_listed (input, "callers"); i++) {
    const GstStructure *peer = get_listed (input, "callers", i);

    if (get_flag (peer, "stands-by"))
      continue; /* nothing of it is in the stream */
    figures->received += get_count (peer, "packets-received");
    figures->lost += get_count (peer, "packets-received-lost");
  }
}

void
relay_figures_get_stream (const RelayStreamStats *stats, RelayRates rates,
    RelayStreamFigures *figures)
{
  *figures = (RelayStreamFigures) { .rates = rates, .behind = NAN };
  if (stats == NULL)
    return;
  figures->stats = *stats;
  figures->name = stats->name;
  figures->streamid = stats->streamid;
  figures->optional = stats->optional;
  figures->state_seconds = (g_get_monotonic_time () - stats->since) / 1e6;
  figures->running = stats->state == RELAY_RUNNING;
  get_input (&stats->input, figures);
  for (guint i = 0; i < stats->outputs->len; i++) {
    RelayEndFigures output;

    relay_figures_get_end (g_ptr_array_index (stats->outputs, i), rates.rate, &output);
    figures->receivers += isnan (output.receivers) ? 0 : output.receivers;
    figures->behind = fmax (figures->behind, output.behind);
  }
}

/* --- the relay ---------------------------------------------------------------------------- */

void
relay_figures_get_own (const RelayStats *stats, gint64 utc, RelayOwnFigures *figures)
{
  figures->stats = *stats;
  figures->version = VERSION;
  figures->ready = relay_stats_is_ready (stats);
  figures->begun = (stats->begun + utc) / G_USEC_PER_SEC;
}
