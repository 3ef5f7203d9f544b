/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaylog.h"
#include "relayset.h"

typedef struct
{
  RelayStream *stream;
  RelayStreamConfig *config; /* the stream's new configuration; NULL: it is removed */
  gboolean plays;            /* the stream goes on while some of its ends are opened or closed */
} Change;

struct _RelaySet
{
  GHashTable *streams; /* by name; changed under `lock' */
  GMutex lock;
  GPtrArray *changes; /* Change, of the last relay_set_apply() or _stop(), until it settles */
  guint stopping;     /* number of changes whose streams have not stopped yet */
  gboolean ending;
  void (*settled) (gpointer data);
  gpointer data;
};

static void
free_change (Change *change)
{
  relay_stream_unref (change->stream);
  g_clear_pointer (&change->config, relay_stream_config_unref);
  g_free (change);
}

RelaySet *
relay_set_new (void (*settled) (gpointer data), gpointer data)
{
  RelaySet *set = g_new0 (RelaySet, 1);

  set->streams =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) relay_stream_unref);
  set->changes = g_ptr_array_new_with_free_func ((GDestroyNotify) free_change);
  g_mutex_init (&set->lock);
  set->settled = settled;
  set->data = data;
  return set;
}

void
relay_set_free (RelaySet *set)
{
  g_hash_table_unref (set->streams);
  g_ptr_array_unref (set->changes);
  g_mutex_clear (&set->lock);
  g_free (set);
}

static void
take_out (RelaySet *set, const gchar *name)
{
  g_mutex_lock (&set->lock);
  g_hash_table_remove (set->streams, name);
  g_mutex_unlock (&set->lock);
}

/* Completes the changes, after every stream that had to stop has freed its ports. */
static void
settle (RelaySet *set)
{
  for (guint i = 0; i < set->changes->len; i++) {
    Change *change = g_ptr_array_index (set->changes, i);

    if (change->config == NULL || set->ending)
      take_out (set, relay_stream_get_config (change->stream)->name);
    else if (change->plays)
      relay_stream_complete (change->stream);
    else
      relay_stream_start (change->stream, change->config);
  }
  g_ptr_array_set_size (set->changes, 0);
  set->settled (set->data);
}

static void
on_stopped (RelayStream *stream, gpointer data)
{
  RelaySet *set = data;

  if (--set->stopping == 0)
    settle (set);
}

static Change *
add_change (RelaySet *set, RelayStream *stream, RelayStreamConfig *config)
{
  Change *change = g_new0 (Change, 1);

  change->stream = relay_stream_ref (stream);
  change->config = config != NULL ? relay_stream_config_ref (config) : NULL;
  g_ptr_array_add (set->changes, change);
  return change;
}

/* Begins a change; on_stopped() is called when its stream, or the ends that leave, have stopped. */
static void
begin (RelaySet *set, Change *change)
{
  if (change->plays) {
    if (relay_stream_change (change->stream, change->config, on_stopped, set)) {
      relay_log (change->config->name, "changed while it plays.");
      return;
    }
    change->plays = FALSE;
  }
  relay_log (relay_stream_get_config (change->stream)->name,
      change->config != NULL ? "starts anew, as its configuration changed." :
                               "ends, as it is no longer configured.");
  relay_stream_stop (change->stream, on_stopped, set);
}

static void
find_changes (RelaySet *set, const RelayConfig *config)
{
  GHashTableIter iter;
  gpointer stream;

  g_hash_table_iter_init (&iter, set->streams);
  while (g_hash_table_iter_next (&iter, NULL, &stream)) {
    const RelayStreamConfig *old = relay_stream_get_config (stream);
    RelayStreamConfig *new = relay_config_find (config, old->name);
    RelayDifference difference =
        new != NULL ? relay_stream_config_compare (old, new) : RELAY_RESTART;

    if (difference != RELAY_SAME)
      add_change (set, stream, new)->plays = difference < RELAY_RESTART;
  }
}

void
relay_set_apply (RelaySet *set, const RelayConfig *config)
{
  guint to_begin;

  g_return_if_fail (set->changes->len == 0 && !set->ending);
  find_changes (set, config);
  to_begin = set->changes->len;
  for (guint i = 0; i < config->streams->len; i++) {
    RelayStreamConfig *one = g_ptr_array_index (config->streams, i);
    RelayStream *stream;

    if (g_hash_table_contains (set->streams, one->name))
      continue;
    stream = relay_stream_new (one);
    add_change (set, stream, one);
    g_mutex_lock (&set->lock);
    g_hash_table_insert (set->streams, g_strdup (one->name), stream);
    g_mutex_unlock (&set->lock);
  }
  /* one more than there are, so that the changes do not settle before all have begun */
  set->stopping = to_begin + 1;
  for (guint i = 0; i < to_begin; i++)
    begin (set, g_ptr_array_index (set->changes, i));
  on_stopped (NULL, set);
}

void
relay_set_stop (RelaySet *set)
{
  g_autoptr (GPtrArray) all = relay_set_list (set);
  guint under_way = set->changes->len;

  if (set->ending)
    return;
  set->ending = TRUE;
  set->stopping++;
  for (guint i = 0; i < all->len; i++) {
    RelayStream *stream = g_ptr_array_index (all, i);
    gboolean found = FALSE, plays = FALSE;

    /* a stream whose change is not complete is stopping or not started, unless it plays */
    for (guint j = 0; j < under_way; j++) {
      const Change *change = g_ptr_array_index (set->changes, j);

      found |= change->stream == stream;
      plays |= change->stream == stream && change->plays;
    }
    if (found && !plays)
      continue;
    if (!found)
      add_change (set, stream, NULL);
    set->stopping++;
    relay_stream_stop (stream, on_stopped, set);
  }
  on_stopped (NULL, set);
}

GPtrArray *
relay_set_list (RelaySet *set)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_stream_unref);
  GHashTableIter iter;
  gpointer stream;

  g_mutex_lock (&set->lock);
  g_hash_table_iter_init (&iter, set->streams);
  while (g_hash_table_iter_next (&iter, NULL, &stream))
    g_ptr_array_add (list, relay_stream_ref (stream));
  g_mutex_unlock (&set->lock);
  return list;
}

RelayStream *
relay_set_find (RelaySet *set, const gchar *name)
{
  RelayStream *stream;

  g_mutex_lock (&set->lock);
  stream = g_hash_table_lookup (set->streams, name);
  if (stream != NULL)
    relay_stream_ref (stream);
  g_mutex_unlock (&set->lock);
  return stream;
}
