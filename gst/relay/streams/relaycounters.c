/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaycounters.h"
#include "relayfields.h"

typedef struct
{
  guint64 before; /* counted by elements that are gone */
  guint64 now;    /* counted by the present element: its highest value so far, as an element that
                     has stopped reports 0 */
} Count;

/* The counters of one end. */
typedef struct
{
  guint64 serial;     /* of the present element's branch */
  GHashTable *counts; /* Count, by the field's name */
} Ledger;

struct _RelayCounters
{
  GMutex lock;         /* guards the rest */
  GHashTable *ledgers; /* Ledger, by the end's id */
};

static void
free_ledger (gpointer data)
{
  Ledger *ledger = data;

  g_hash_table_unref (ledger->counts);
  g_free (ledger);
}

RelayCounters *
relay_counters_new (void)
{
  RelayCounters *counters = g_new0 (RelayCounters, 1);

  g_mutex_init (&counters->lock);
  counters->ledgers = g_hash_table_new_full (NULL, NULL, NULL, free_ledger);
  return counters;
}

void
relay_counters_free (RelayCounters *counters)
{
  g_hash_table_unref (counters->ledgers);
  g_mutex_clear (&counters->lock);
  g_free (counters);
}

/* The ledger of an end, after adding the counts of an earlier element if @serial is a new one's.
 * NULL: @serial is an earlier element's, or the end has had none. @serial 0: it has no element
 * now. */
static Ledger *
open_ledger (RelayCounters *counters, guint id, guint64 serial)
{
  Ledger *ledger = g_hash_table_lookup (counters->ledgers, GUINT_TO_POINTER (id));
  GHashTableIter iter;
  gpointer count;

  if (serial == 0)
    return ledger;
  if (ledger == NULL) {
    ledger = g_new0 (Ledger, 1);
    ledger->serial = serial;
    ledger->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    g_hash_table_insert (counters->ledgers, GUINT_TO_POINTER (id), ledger);
  }
  if (serial <= ledger->serial)
    return serial == ledger->serial ? ledger : NULL;
  ledger->serial = serial;
  g_hash_table_iter_init (&iter, ledger->counts);
  while (g_hash_table_iter_next (&iter, NULL, &count)) {
    ((Count *) count)->before += ((Count *) count)->now;
    ((Count *) count)->now = 0;
  }
  return ledger;
}

static guint64
follow (Ledger *ledger, const gchar *field, guint64 value)
{
  Count *count = g_hash_table_lookup (ledger->counts, field);

  if (count == NULL) {
    count = g_new0 (Count, 1);
    g_hash_table_insert (ledger->counts, g_strdup (field), count);
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

static gboolean
follow_field (GQuark id, GValue *value, gpointer ledger)
{
  const gchar *field = g_quark_to_string (id);

  if (G_VALUE_HOLDS_UINT64 (value) && is_own_counter (field))
    g_value_set_uint64 (value, follow (ledger, field, g_value_get_uint64 (value)));
  return TRUE;
}

void
relay_counters_follow (RelayCounters *counters, RelayEndStats *stats)
{
  Ledger *ledger;

  g_mutex_lock (&counters->lock);
  ledger = open_ledger (counters, stats->id, stats->serial);
  if (ledger != NULL) {
    stats->refused = follow (ledger, "callers-refused", stats->refused);
    if (stats->stats != NULL)
      gst_structure_map_in_place (stats->stats, follow_field, ledger);
  }
  g_mutex_unlock (&counters->lock);
}

void
relay_counters_keep (RelayCounters *counters, GPtrArray *outputs)
{
  GHashTableIter iter;
  gpointer id;

  g_mutex_lock (&counters->lock);
  g_hash_table_iter_init (&iter, counters->ledgers);
  while (g_hash_table_iter_next (&iter, &id, NULL)) {
    gboolean found = id == NULL; /* the input */

    for (guint i = 0; i < outputs->len && !found; i++)
      found = ((RelayEnd *) g_ptr_array_index (outputs, i))->id == GPOINTER_TO_UINT (id);
    if (!found)
      g_hash_table_iter_remove (&iter);
  }
  g_mutex_unlock (&counters->lock);
}
