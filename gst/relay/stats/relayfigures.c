/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayfigures.h"
#include <math.h>
#include "gstfaspcommon.h"
#include "relaystatus.h"

gdouble
relay_figures_get_number (const GstStructure *s, const gchar *field)
{
  const GValue *value = s != NULL ? gst_structure_get_value (s, field) : NULL;

  if (value == NULL)
    return NAN;
  if (G_VALUE_HOLDS_DOUBLE (value))
    return g_value_get_double (value);
  if (G_VALUE_HOLDS_UINT64 (value) && g_value_get_uint64 (value) >= RELAY_NEVER)
    return g_value_get_uint64 (value) == RELAY_NEVER ? NAN : INFINITY;
  if (G_VALUE_HOLDS_UINT64 (value))
    return g_value_get_uint64 (value);
  if (G_VALUE_HOLDS_UINT (value))
    return g_value_get_uint (value);
  if (G_VALUE_HOLDS_INT (value))
    return g_value_get_int (value);
  return NAN;
}

gboolean
relay_figures_get_flag (const GstStructure *s, const gchar *field)
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

static const GValueArray *
get_peers (const RelayEndStats *end)
{
  return end->stats != NULL ?
      gst_fasp_value_get_array (gst_structure_get_value (end->stats, "callers")) :
      NULL;
}

void
relay_figures_foreach_peer (const RelayEndStats *end,
    void (*func) (const GstStructure *peer, gpointer data), gpointer data)
{
  const GValueArray *peers = get_peers (end);

  for (guint i = 0; peers != NULL && i < peers->n_values; i++)
    func (gst_value_get_structure (&peers->values[i]), data);
}

guint
relay_figures_count_peers (const RelayEndStats *end)
{
  guint n = 0;

  if (end->stats != NULL)
    gst_structure_get_uint (end->stats, "connected-callers", &n);
  return n;
}

/* --- the input ---------------------------------------------------------------------------- */

/* The sender whose stream it is: the one that leads, or else one that is heard. */
static const GstStructure *
find_sender (const RelayEndStats *input)
{
  const GValueArray *peers = get_peers (input);
  const GstStructure *found = NULL;

  for (guint i = 0; peers != NULL && i < peers->n_values; i++) {
    const GstStructure *peer = gst_value_get_structure (&peers->values[i]);

    if (relay_figures_get_flag (peer, "leads"))
      return peer;
    if (found == NULL || relay_figures_get_flag (found, "interrupted"))
      found = peer;
  }
  return found;
}

static void
add_datagrams (const GstStructure *peer, gpointer data)
{
  RelayInputFigures *figures = data;

  figures->received += get_count (peer, "packets-received");
  figures->lost += get_count (peer, "packets-received-lost");
}

/* Seconds of a field in ns. */
static gdouble
get_interval (const GstStructure *s, const gchar *field)
{
  gdouble value = relay_figures_get_number (s, field);

  return isfinite (value) ? value / GST_SECOND : value;
}

void
relay_figures_get_input (const RelayStreamStats *stats, RelayInputFigures *figures)
{
  const RelayEndStats *input = &stats->input;
  const GstStructure *sender = find_sender (input);

  *figures = (RelayInputFigures) {
    .rtt = relay_figures_get_number (sender, "rtt-ms"),
    .lateness = sender != NULL ?
        relay_figures_get_number (input->stats, "lateness-in-order-p99.9-ms") :
        NAN,
    .latency = relay_figures_get_number (sender, "negotiated-latency-ms"),
    .promised = get_interval (input->stats, "sources-promised-interval"),
    .observed = get_interval (sender, "observed-interval"),
    .bytes = get_count (input->stats, "bytes-received-total"),
    .skips = get_count (sender, "skips"),
  };
  if (isnan (figures->promised))
    figures->promised = get_interval (sender, "promised-interval");
  relay_figures_foreach_peer (input, add_datagrams, figures);
}

/* --- outputs ------------------------------------------------------------------------------ */

gdouble
relay_figures_get_behind (const GstStructure *receiver, gdouble rate)
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

typedef struct
{
  gdouble rate, worst;
} Worst;

static void
note_worst (const GstStructure *receiver, gpointer data)
{
  Worst *worst = data;

  worst->worst = fmax (worst->worst, relay_figures_get_behind (receiver, worst->rate));
}

gdouble
relay_figures_get_worst (const RelayStreamStats *stats, gdouble rate)
{
  Worst worst = { rate, NAN };

  for (guint i = 0; i < stats->outputs->len; i++)
    relay_figures_foreach_peer (g_ptr_array_index (stats->outputs, i), note_worst, &worst);
  return worst.worst;
}
