/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaysourcestats.h"
#include "gstfaspcommon.h"
#include "gstfaspmonitor.h"

GstStructure *
relay_source_stats_describe (const RelayFailover *failover, guint i, const gchar *name,
    guint64 used, gint64 now)
{
  const RelaySource *source = &failover->sources[i];
  gboolean leads = failover->active == (gint) i;
  g_autofree gchar *fault = relay_failover_say_fault (failover, i);
  GstStructure *s = gst_structure_new ("application/x-relay-source", "source", G_TYPE_UINT, i,
      "leads", G_TYPE_BOOLEAN, leads, "stands-by", G_TYPE_BOOLEAN,
      source->state == RELAY_SOURCE_STANDBY || source->state == RELAY_SOURCE_CUED, "bytes-used",
      G_TYPE_UINT64, used, "name", G_TYPE_STRING, name, "connected", G_TYPE_BOOLEAN,
      relay_source_gives (source->state), "changes", G_TYPE_UINT64, source->changes, "why",
      G_TYPE_STRING,
      fault != NULL && !leads ? fault :
          source->why != NULL ? source->why :
                                "",
      NULL);

  if (fault != NULL)
    gst_structure_set (s, "fault", G_TYPE_STRING, relay_rule_rows[source->fault].name, NULL);
  if (source->changes > 0)
    gst_structure_set (s, "since-ms", G_TYPE_DOUBLE, (now - source->since) / 1e3, NULL);
  return s;
}

void
relay_source_stats_set_lead (GstStructure *all, const RelayFailover *failover, gint64 now)
{
  gst_structure_set (all, "source-changes", G_TYPE_UINT64, failover->takeovers, NULL);
  if (failover->active >= 0)
    gst_structure_set (all, "source-in-use", G_TYPE_UINT, (guint) failover->active,
        "source-in-use-ms", G_TYPE_DOUBLE, (now - failover->taken) / 1e3, "source-in-use-reason",
        G_TYPE_STRING, failover->sources[failover->active].why, "source-in-use-cause",
        G_TYPE_STRING, failover->sources[failover->active].cause, NULL);
}

/* Adds the sum of what the sources count. */
static void
add_counts (GstStructure *all, const GstStructure *its)
{
  static const gchar *const counts[] = { "callers-misdirected", "bytes-dropped-total",
    "bytes-not-ts", "end-restarts" };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    guint64 sum = 0, more = 0;

    gst_structure_get_uint64 (all, counts[i], &sum);
    if (gst_structure_get_uint64 (its, counts[i], &more))
      gst_structure_set (all, counts[i], G_TYPE_UINT64, sum + more, NULL);
  }
}

/* The error of its end says more than the time. */
static void
explain (GstStructure *source, const GstStructure *its)
{
  const gchar *error = gst_structure_get_string (its, "end-error");

  if (error != NULL)
    gst_structure_set (source, "why", G_TYPE_STRING, error, NULL);
}

gboolean
relay_source_stats_is_heard (const GstStructure *caller)
{
  gboolean interrupted = TRUE, stands_by = FALSE;

  gst_structure_get_boolean (caller, "interrupted", &interrupted);
  gst_structure_get_boolean (caller, "stands-by", &stands_by);
  return !interrupted && !stands_by;
}

guint
relay_source_stats_add (GstStructure *all, GstStructure *source, GPtrArray *callers,
    const GstStructure *its)
{
  const GValueArray *peers = gst_fasp_value_get_array (gst_structure_get_value (its, "callers"));
  gboolean leads = FALSE, connected = FALSE;
  guint number = 0, heard = 0;

  gst_structure_get (source, "source", G_TYPE_UINT, &number, "leads", G_TYPE_BOOLEAN, &leads,
      "connected", G_TYPE_BOOLEAN, &connected, NULL);
  add_counts (all, its);
  if (!connected)
    explain (source, its);
  if (gst_structure_has_field (its, GST_FASP_MONITOR_FIELD))
    gst_structure_set_value (source, GST_FASP_MONITOR_FIELD,
        gst_structure_get_value (its, GST_FASP_MONITOR_FIELD));
  for (guint i = 0; peers != NULL && i < peers->n_values; i++) {
    GstStructure *peer = gst_structure_copy (gst_value_get_structure (&peers->values[i]));

    /* what it sends is no media */
    if (!connected)
      gst_structure_set (peer, "interrupted", G_TYPE_BOOLEAN, TRUE, NULL);
    heard += relay_source_stats_is_heard (peer);
    gst_structure_set (peer, "source", G_TYPE_UINT, number, "leads", G_TYPE_BOOLEAN, leads, NULL);
    g_ptr_array_add (callers, peer);
  }
  return heard;
}
