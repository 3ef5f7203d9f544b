/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ends of a stream: how its pipeline is made of them, and how they come and go while it plays.
 */
#include <string.h>
#include "relaybackups.h"
#include "relaystreambase.h"
#include "relaytransit.h"

static const RelayEnd *
find_end (const RelayStreamConfig *config, guint id)
{
  return id == 0 ? config->input : relay_stream_config_find_output (config, id);
}

RelayBranch *
relay_stream_ends_find (RelayStream *stream, guint id)
{
  for (guint i = 0; stream->ends != NULL && i < stream->ends->len; i++) {
    RelayBranch *branch = g_ptr_array_index (stream->ends, i);

    if (branch->id == id)
      return branch;
  }
  return NULL;
}

RelayBranch *
relay_stream_ends_find_element (RelayStream *stream, gpointer element)
{
  RelayBranch *found = NULL;

  g_mutex_lock (&stream->lock);
  for (guint i = 0; found == NULL && stream->ends != NULL && i < stream->ends->len; i++) {
    RelayBranch *branch = g_ptr_array_index (stream->ends, i);

    if (branch->element == element)
      found = relay_branch_ref (branch);
  }
  g_mutex_unlock (&stream->lock);
  return found;
}

guint
relay_stream_ends_count_outputs (RelayStream *stream)
{
  guint n = 0;

  g_mutex_lock (&stream->lock);
  for (guint i = 0; stream->ends != NULL && i < stream->ends->len; i++) {
    const RelayBranch *branch = g_ptr_array_index (stream->ends, i);

    n += branch->id != 0 && !relay_branch_is_leaving (branch);
  }
  g_mutex_unlock (&stream->lock);
  return n;
}

/* Adds an end to the pipeline, not linked. */
static RelayBranch *
add_end (RelayStream *stream, const RelayEnd *end, GError **error)
{
  g_autofree gchar *name = end->id == 0 ? g_strdup ("input") :
      stream->config->outputs->len == 1 ? g_strdup ("output") :
                                          g_strdup_printf ("output-%u", end->id);
  RelayBranch *branch =
      relay_branch_new (end, stream->config->name, name, &stream->require_streamid, error);

  if (branch == NULL)
    return NULL;
  if (!gst_bin_add (GST_BIN (stream->pipeline), branch->element)) {
    /* the former element of that name is still being closed */
    g_autofree gchar *other = g_strdup_printf ("%s-%u", name, end->id);

    gst_object_set_name (GST_OBJECT (branch->element), other);
    gst_bin_add (GST_BIN (stream->pipeline), branch->element);
  }
  g_mutex_lock (&stream->lock);
  g_ptr_array_add (stream->ends, branch);
  g_mutex_unlock (&stream->lock);
  if (end->id == 0)
    relay_judge_follow (stream->judge, branch->element, stream->config);
  return branch;
}

static gboolean
build_end (RelayStream *stream, const RelayEnd *end, GError **error)
{
  RelayBranch *branch = add_end (stream, end, error);

  if (branch == NULL)
    return FALSE;
  relay_branch_set_state (branch, RELAY_BRANCH_OPEN);
  if (relay_branch_link (branch, stream->tee))
    return TRUE;
  g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_PAD,
      "GStreamer does not link the stream's ends");
  return FALSE;
}

/* Unlinks an output that posts an error, so that its flow return does not end the stream, unless it
 * is the only one. Called in the thread that posts the message. */
GstBusSyncReply
relay_stream_ends_on_posted (GstBus *bus, GstMessage *message, gpointer data)
{
  RelayBranch *branch;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return GST_BUS_PASS;
  branch = relay_stream_ends_find_element (data, GST_MESSAGE_SRC (message));
  if (branch == NULL)
    return GST_BUS_PASS;
  if (relay_stream_ends_count_outputs (data) > 1)
    relay_branch_detach (branch);
  relay_branch_unref (branch);
  return GST_BUS_PASS;
}

/* There are no queues behind the tee: the thread that has received a buffer hands it to each
 * output. */
gboolean
relay_stream_ends_build (RelayStream *stream, GError **error)
{
  const RelayStreamConfig *config = stream->config;
  gboolean all = relay_retry_count (stream->retry) >= config->outputs->len;
  g_autoptr (GstPad) flow = NULL;
  gboolean good;

  stream->pipeline = gst_object_ref_sink (gst_pipeline_new (config->name));
  /* messages posted while elements stop are read afterwards: relay_stream_drain_bus () */
  g_object_set (stream->pipeline, "auto-flush-bus", FALSE, NULL);
  g_mutex_lock (&stream->lock);
  stream->ends = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_branch_unref);
  g_mutex_unlock (&stream->lock);
  stream->tee = gst_element_factory_make ("tee", NULL);
  if (stream->tee == NULL) {
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer's core elements are not installed");
    return FALSE;
  }
  g_object_set (stream->tee, "allow-not-linked", TRUE, NULL);
  gst_bin_add (GST_BIN (stream->pipeline), stream->tee);
  flow = gst_element_get_static_pad (stream->tee, "sink");
  relay_picture_follow (stream->picture, flow);
  relay_preview_follow (stream->preview, flow);
  good = build_end (stream, config->input, error);
  for (guint i = 0; good && i < config->outputs->len; i++) {
    const RelayEnd *end = g_ptr_array_index (config->outputs, i);

    if (all || !relay_retry_waits (stream->retry, end->id))
      good = build_end (stream, end, error);
  }
  return good;
}

/* --- ends opened and closed while the stream plays
 * ---------------------------------------------------------------------- */

gboolean
relay_stream_ends_has_pending (RelayStream *stream, gboolean only_leaving)
{
  for (guint i = 0; stream->ends != NULL && i < stream->ends->len; i++) {
    const RelayBranch *branch = g_ptr_array_index (stream->ends, i);

    if (relay_branch_is_leaving (branch) || (!only_leaving && branch->state != RELAY_BRANCH_OPEN))
      return TRUE;
  }
  return FALSE;
}

static RelayVisit *
visit_new (RelayStream *stream, RelayBranch *branch)
{
  RelayVisit *visit = g_new (RelayVisit, 1);

  visit->stream = relay_stream_ref (stream);
  visit->branch = relay_branch_ref (branch);
  return visit;
}

static void
begin_close (RelayStream *stream, RelayBranch *branch)
{
  relay_stream_keep_counters (stream);
  relay_branch_set_state (branch, RELAY_BRANCH_CLOSING);
  gst_element_set_locked_state (branch->element, TRUE);
  relay_branch_detach (branch);
  relay_transit (branch->element, GST_STATE_NULL, FALSE, &branch->state, RELAY_BRANCH_CLOSING,
      stream->end_changed, visit_new (stream, branch));
}

void
relay_stream_ends_close (RelayStream *stream, RelayBranch *branch)
{
  if (branch->state == RELAY_BRANCH_OPENING)
    relay_branch_set_state (branch, RELAY_BRANCH_GIVEN_UP);
  else if (branch->state == RELAY_BRANCH_OPEN)
    begin_close (stream, branch);
}

void
relay_stream_ends_opened (RelayStream *stream, RelayBranch *branch)
{
  branch->since = g_get_monotonic_time ();
  if (branch->state == RELAY_BRANCH_GIVEN_UP || branch->failed
      || stream->phase != RELAY_PHASE_RUNNING
      || (branch->id != 0 && !relay_branch_link (branch, stream->tee))) {
    begin_close (stream, branch);
  } else {
    gst_element_set_locked_state (branch->element, FALSE);
    relay_branch_set_state (branch, RELAY_BRANCH_OPEN);
  }
}

void
relay_stream_ends_closed (RelayStream *stream, RelayBranch *branch)
{
  relay_branch_disconnect (branch);
  gst_bin_remove (GST_BIN (stream->pipeline), branch->element);
  g_mutex_lock (&stream->lock);
  g_ptr_array_remove (stream->ends, branch);
  g_mutex_unlock (&stream->lock);
}

/* Opens an end while the stream plays. */
static gboolean
open_end (RelayStream *stream, const RelayEnd *end, GError **error)
{
  RelayBranch *branch = add_end (stream, end, error);

  if (branch == NULL)
    return FALSE;
  gst_element_set_locked_state (branch->element, TRUE);
  /* an input is linked now, as it pushes as soon as it plays; an output, when it can take
   * buffers */
  if (end->id == 0)
    relay_branch_link (branch, stream->tee);
  relay_transit (branch->element, GST_STATE_PLAYING, relay_end_has_passphrase (end), &branch->state,
      RELAY_BRANCH_OPENING, stream->end_changed, visit_new (stream, branch));
  return TRUE;
}

gboolean
relay_stream_ends_open (RelayStream *stream, guint id, GError **error)
{
  const RelayEnd *end = find_end (stream->config, id);

  return end == NULL || open_end (stream, end, error);
}

gboolean
relay_stream_ends_open_missing (RelayStream *stream, GError **error)
{
  const RelayStreamConfig *config = stream->config;

  for (guint i = 0; i <= config->outputs->len; i++) {
    const RelayEnd *end = i == 0 ? config->input : g_ptr_array_index (config->outputs, i - 1);

    if (relay_stream_ends_find (stream, end->id) == NULL
        && !relay_retry_waits (stream->retry, end->id) && !open_end (stream, end, error))
      return FALSE;
  }
  return TRUE;
}

void
relay_stream_ends_call_off (RelayStream *stream)
{
  for (guint i = 0; i < stream->ends->len; i++) {
    RelayBranch *branch = g_ptr_array_index (stream->ends, i);

    if (branch->state == RELAY_BRANCH_OPENING)
      relay_stream_ends_close (stream, branch);
  }
}

static void
adjust (const RelayEnd *before, const RelayEnd *after, GstElement *element)
{
  if (after->backups != NULL)
    relay_backups_set_times (element, after);
  else
    relay_end_adjust (before, after, element);
}

/* Sets the changed properties of an end, or closes it if they cannot be set. */
static void
change_end (RelayStream *stream, RelayBranch *branch, const RelayStreamConfig *old,
    const RelayStreamConfig *new)
{
  const RelayEnd *before = find_end (old, branch->id), *after = find_end (new, branch->id);
  RelayDifference difference =
      before == NULL || after == NULL ? RELAY_RESTART : relay_end_compare (before, after);

  if (branch->id == 0 && difference <= RELAY_ADJUST
      && (memcmp (before->rules, after->rules, sizeof before->rules) != 0
          || old->picture_interval != new->picture_interval))
    relay_judge_follow (stream->judge, branch->element, new);
  /* not of an element that is being opened, which may have read only some of the settings */
  if (difference == RELAY_ADJUST && branch->state == RELAY_BRANCH_OPEN)
    adjust (before, after, branch->element);
  else if (difference != RELAY_SAME)
    relay_stream_ends_close (stream, branch);
}

/* Forgets the failures of outputs that were changed or removed. */
static void
forget_failures (RelayStream *stream, const RelayStreamConfig *old, const RelayStreamConfig *new)
{
  for (guint i = 0; i < old->outputs->len; i++) {
    const RelayEnd *before = g_ptr_array_index (old->outputs, i);
    const RelayEnd *after = relay_stream_config_find_output (new, before->id);

    if (after == NULL || relay_end_compare (before, after) != RELAY_SAME)
      relay_retry_forget (stream->retry, before->id);
  }
}

void
relay_stream_ends_change (RelayStream *stream, const RelayStreamConfig *old,
    const RelayStreamConfig *new)
{
  forget_failures (stream, old, new);
  /* a stream that does not run will be built with the new configuration */
  if (stream->phase != RELAY_PHASE_RUNNING)
    return;
  for (guint i = 0; i < stream->ends->len; i++)
    change_end (stream, g_ptr_array_index (stream->ends, i), old, new);
}
