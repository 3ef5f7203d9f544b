/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaycounters.h"
#include "gstfaspmonitor.h"
#include "relayfields.h"

/* A counter of an end. */
typedef struct
{
  gint64 key;     /* the end's id, and the quark of the field's name */
  guint64 serial; /* of the present element's branch */
  guint64 before; /* counted by elements that are gone */
  guint64 now;    /* counted by the present element: its highest value so far, as an element that
                     has stopped reports 0 */
  guint64 first;  /* of an error of the transport stream: when it was there first, as the earliest
                     element has it, ns since 1970; 0: not known */
  guint64 last;   /* the same, of the latest element that has it */
} Count;

struct _RelayCounters
{
  GMutex lock;        /* guards the rest */
  GHashTable *counts; /* Count, by its key */
};

RelayCounters *
relay_counters_new (void)
{
  RelayCounters *counters = g_new0 (RelayCounters, 1);

  g_mutex_init (&counters->lock);
  counters->counts = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  return counters;
}

void
relay_counters_free (RelayCounters *counters)
{
  g_hash_table_unref (counters->counts);
  g_mutex_clear (&counters->lock);
  g_free (counters);
}

static Count *
find (RelayCounters *counters, const RelayEndStats *stats, GQuark field)
{
  gint64 key = (gint64) stats->id << 32 | field;

  return g_hash_table_lookup (counters->counts, &key);
}

/* Returns the value of a field of an end, with the counts of earlier elements. That of an earlier
 * element itself is as it is. A serial of 0: the end has no element now. */
static guint64
follow (RelayCounters *counters, const RelayEndStats *stats, GQuark field, guint64 value)
{
  Count *count = find (counters, stats, field);

  if (count == NULL && stats->serial != 0) {
    count = g_new0 (Count, 1);
    count->key = (gint64) stats->id << 32 | field;
    g_hash_table_insert (counters->counts, &count->key, count);
  }
  if (count == NULL || (stats->serial != 0 && stats->serial < count->serial))
    return value;
  if (stats->serial > count->serial) {
    count->serial = stats->serial;
    count->before += count->now;
    count->now = 0;
  }
  count->now = MAX (count->now, value);
  return count->before + count->now;
}

/* Is it a counter of the element itself, not of a peer? */
static gboolean
is_own_counter (const gchar *field)
{
  static const FaspStatsOf own[] = { FASP_STATS_ENDPOINT, FASP_STATS_GROUP, FASP_STATS_LEAD };
  const FaspStatField *known = relay_fields_find (field);

  for (guint i = 0; i < G_N_ELEMENTS (own) && known == NULL; i++)
    known = fasp_stat_find_in (own[i], field);
  return known != NULL && known->kind == FASP_KIND_COUNTER;
}

typedef struct
{
  RelayCounters *counters;
  const RelayEndStats *stats;
} Following;

static gboolean
follow_field (GQuark id, GValue *value, gpointer data)
{
  const Following *f = data;

  if (G_VALUE_HOLDS_UINT64 (value) && is_own_counter (g_quark_to_string (id)))
    g_value_set_uint64 (value, follow (f->counters, f->stats, id, g_value_get_uint64 (value)));
  return TRUE;
}

/* The same of the errors of a transport stream, with the times when they were there. */
static gboolean
follow_error (GQuark id, GValue *value, gpointer data)
{
  const Following *f = data;
  GstStructure *error = GST_VALUE_HOLDS_STRUCTURE (value) ? g_value_get_boxed (value) : NULL;
  guint64 count = 0, first = 0, last = 0;
  Count *kept;

  if (error == NULL || !gst_structure_get_uint64 (error, "count", &count))
    return TRUE;
  count = follow (f->counters, f->stats, id, count);
  kept = find (f->counters, f->stats, id);
  gst_structure_get_uint64 (error, "first", &first);
  gst_structure_get_uint64 (error, "last", &last);
  if (kept != NULL) {
    kept->first = kept->before == 0 && first != 0 ? first : kept->first;
    kept->last = MAX (kept->last, last);
    first = kept->first;
    last = kept->last;
  }
  if (count > 0)
    gst_structure_set (error, "count", G_TYPE_UINT64, count, "first", G_TYPE_UINT64, first, "last",
        G_TYPE_UINT64, last, NULL);
  return TRUE;
}

static void
follow_errors (Following *f)
{
  const GValue *value = gst_structure_get_value (f->stats->stats, GST_FASP_MONITOR_FIELD);

  if (value != NULL)
    gst_structure_map_in_place (g_value_get_boxed (value), follow_error, f);
}

void
relay_counters_follow (RelayCounters *counters, RelayEndStats *stats)
{
  Following f = { counters, stats };

  g_mutex_lock (&counters->lock);
  stats->refused =
      follow (counters, stats, g_quark_from_static_string ("callers-refused"), stats->refused);
  if (stats->stats != NULL) {
    gst_structure_map_in_place (stats->stats, follow_field, &f);
    follow_errors (&f);
  }
  g_mutex_unlock (&counters->lock);
}

static gboolean
is_gone (gpointer key, gpointer count, gpointer outputs)
{
  guint id = *(gint64 *) key >> 32;
  gboolean found = id == 0; /* the input */

  for (guint i = 0; i < ((GPtrArray *) outputs)->len && !found; i++)
    found = ((RelayEnd *) g_ptr_array_index ((GPtrArray *) outputs, i))->id == id;
  return !found;
}

void
relay_counters_keep (RelayCounters *counters, GPtrArray *outputs)
{
  g_mutex_lock (&counters->lock);
  g_hash_table_foreach_remove (counters->counts, is_gone, outputs);
  g_mutex_unlock (&counters->lock);
}
