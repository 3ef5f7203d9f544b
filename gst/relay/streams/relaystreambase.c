/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory of a stream, and its statistics.
 */
#include "gstfaspcommon.h"
#include "relayauth.h"
#include "relayedit.h"
#include "relaystreambase.h"
#include "relaysourcestats.h"

static const RelayState states[RELAY_PHASES] = {
  [RELAY_PHASE_IDLE] = RELAY_IDLE,
  [RELAY_PHASE_STARTING] = RELAY_STARTING,
  [RELAY_PHASE_CALLED_OFF] = RELAY_STARTING,
  [RELAY_PHASE_RUNNING] = RELAY_RUNNING,
  [RELAY_PHASE_STOPPING] = RELAY_STOPPING,
  [RELAY_PHASE_STOPPED] = RELAY_STOPPING,
};

gboolean
relay_phase_follows (RelayPhase from, RelayPhase to)
{
  static const guint next[RELAY_PHASES] = {
    [RELAY_PHASE_IDLE] = 1 << RELAY_PHASE_STARTING | 1 << RELAY_PHASE_STOPPING,
    [RELAY_PHASE_STARTING] = 1 << RELAY_PHASE_RUNNING | 1 << RELAY_PHASE_CALLED_OFF,
    [RELAY_PHASE_CALLED_OFF] = 1 << RELAY_PHASE_STOPPING,
    [RELAY_PHASE_RUNNING] = 1 << RELAY_PHASE_STOPPING,
    [RELAY_PHASE_STOPPING] = 1 << RELAY_PHASE_STOPPED,
    [RELAY_PHASE_STOPPED] = 1 << RELAY_PHASE_IDLE,
  };

  return (next[from] & 1 << to) != 0;
}

void
relay_stream_set_phase (RelayStream *stream, RelayPhase phase)
{
  g_return_if_fail (relay_phase_follows (stream->phase, phase));
  g_mutex_lock (&stream->lock);
  if (states[stream->phase] != states[phase])
    stream->since = g_get_monotonic_time ();
  g_atomic_int_set (&stream->phase, phase);
  g_mutex_unlock (&stream->lock);
}

RelayStream *
relay_stream_ref (RelayStream *stream)
{
  g_atomic_int_inc (&stream->users);
  return stream;
}

void
relay_stream_unref (RelayStream *stream)
{
  if (!g_atomic_int_dec_and_test (&stream->users))
    return;
  relay_stream_config_unref (stream->config);
  relay_retry_free (stream->retry);
  relay_repeats_free (stream->repeats);
  relay_counters_free (stream->counters);
  relay_judge_free (stream->judge);
  relay_picture_free (stream->picture);
  relay_preview_free (stream->preview);
  g_free (stream->error);
  g_mutex_clear (&stream->lock);
  g_free (stream);
}

/* --- statistics ------------------------------------------------------------------------------- */

static void
clear_end (RelayEndStats *end)
{
  g_clear_pointer (&end->uri, g_free);
  g_clear_pointer (&end->stats, gst_structure_free);
}

static void
free_end (RelayEndStats *end)
{
  clear_end (end);
  g_free (end);
}

static gint
by_id (gconstpointer a, gconstpointer b)
{
  guint x = (*(RelayEndStats **) a)->id, y = (*(RelayEndStats **) b)->id;

  return (x > y) - (x < y);
}

/* TRUE: a sender is connected and heard. `callers' may list several, as a sender that is gone stays
 * there until its data are read, and another one may stand by. */
static gboolean
is_receiving (const GstStructure *stats)
{
  const GValueArray *callers =
      gst_fasp_value_get_array (gst_structure_get_value (stats, "callers"));

  for (guint i = 0; callers != NULL && i < callers->n_values; i++)
    if (relay_source_stats_is_heard (gst_value_get_structure (&callers->values[i])))
      return TRUE;
  return FALSE;
}

static RelayEndStats *
add_output (RelayStreamStats *f, guint id)
{
  RelayEndStats *end = g_new0 (RelayEndStats, 1);

  end->id = id;
  g_ptr_array_add (f->outputs, end);
  return end;
}

/* Lists the ends of the configuration, as waiting; those with an element are filled in later. With
 * the lock held. */
static void
list_configured (const RelayStreamConfig *config, RelayStreamStats *f)
{
  f->input.uri = relay_edit_hide (config->input->uri);
  for (guint i = 0; i < config->outputs->len; i++) {
    const RelayEnd *output = g_ptr_array_index (config->outputs, i);

    add_output (f, output->id)->uri = relay_edit_hide (output->uri);
  }
}

static RelayEndStats *
find_end (RelayStreamStats *f, guint id)
{
  if (id == 0)
    return &f->input;
  for (guint i = 0; i < f->outputs->len; i++) {
    RelayEndStats *end = g_ptr_array_index (f->outputs, i);

    if (end->id == id)
      return end;
  }
  return add_output (f, id); /* not configured any more: the output is being closed */
}

/* Adds the counts of earlier elements to an end without an element. */
static void
recall (RelayStream *stream, RelayEndStats *end)
{
  if (end->serial == 0)
    relay_counters_follow (stream->counters, end);
}

RelayStreamStats *
relay_stream_get_stats (RelayStream *stream)
{
  RelayStreamStats *f = g_new0 (RelayStreamStats, 1);
  g_autoptr (GPtrArray) ends = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_branch_unref);

  f->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) free_end);
  g_mutex_lock (&stream->lock);
  f->name = g_strdup (stream->config->name);
  f->streamid = g_strdup (stream->config->streamid);
  f->optional = stream->config->optional;
  f->state = states[stream->phase];
  f->since = stream->since;
  f->restarts = stream->restarts;
  f->error = g_strdup (stream->error);
  for (guint i = 0; stream->ends != NULL && i < stream->ends->len; i++)
    g_ptr_array_add (ends, relay_branch_ref (g_ptr_array_index (stream->ends, i)));
  list_configured (stream->config, f);
  g_mutex_unlock (&stream->lock);
  for (guint i = 0; i < ends->len; i++) {
    RelayBranch *branch = g_ptr_array_index (ends, i);
    RelayEndStats *end = find_end (f, branch->id);

    /* while an input is replaced, it has two branches */
    g_clear_pointer (&end->stats, gst_structure_free);
    relay_branch_get_stats (branch, f->state, end);
    f->closed |= g_atomic_int_get (&branch->asked) && relay_auth_is_down ();
    relay_counters_follow (stream->counters, end);
  }
  recall (stream, &f->input);
  for (guint i = 0; i < f->outputs->len; i++)
    recall (stream, g_ptr_array_index (f->outputs, i));
  g_ptr_array_sort (f->outputs, by_id);
  f->picture = relay_picture_get_stats (stream->picture);
  f->preview = relay_preview_get_stats (stream->preview);
  f->receiving =
      f->state == RELAY_RUNNING && f->input.stats != NULL && is_receiving (f->input.stats);
  return f;
}

void
relay_stream_stats_free (RelayStreamStats *f)
{
  g_free (f->name);
  g_free (f->streamid);
  g_free (f->error);
  clear_end (&f->input);
  g_ptr_array_unref (f->outputs);
  relay_picture_stats_free (f->picture);
  g_free (f);
}

void
relay_stream_keep_counters (RelayStream *stream)
{
  relay_stream_stats_free (relay_stream_get_stats (stream));
}
