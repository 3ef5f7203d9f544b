/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ends of a stream: how its pipeline is made of them, and how they come and go while it plays.
 */
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

GstElement *
relay_stream_ends_get_input (RelayStream *stream)
{
  RelayBranch *input = relay_stream_ends_find (stream, 0);

  return input != NULL ? input->element : NULL;
}

/* Returns a new reference. May be called from any thread. */
static RelayBranch *
find_branch_of (RelayStream *stream, gpointer element)
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

static gboolean
is_leaving (const RelayBranch *branch)
{
  return branch->state == RELAY_BRANCH_CLOSING || g_atomic_int_get (&branch->given_up);
}

/* How many outputs are there, besides those that are being closed? */
static guint
count_outputs (RelayStream *stream)
{
  guint n = 0;

  for (guint i = 0; stream->ends != NULL && i < stream->ends->len; i++) {
    const RelayBranch *branch = g_ptr_array_index (stream->ends, i);

    n += branch->id != 0 && !is_leaving (branch);
  }
  return n;
}

/* Makes an end, in the pipeline, and not linked. */
static RelayBranch *
add_end (RelayStream *stream, const RelayEnd *end, GError **error)
{
  g_autofree gchar *name = end->id == 0 ? g_strdup ("input") :
      stream->config->outputs->len == 1 ? g_strdup ("output") :
                                          g_strdup_printf ("output-%u", end->id);
  RelayBranch *branch = relay_branch_new (end, name, &stream->require_streamid, error);

  if (branch == NULL)
    return NULL;
  if (!gst_bin_add (GST_BIN (stream->pipeline), branch->element)) {
    /* another one of that name is being closed */
    g_autofree gchar *other = g_strdup_printf ("%s-%u", name, end->id);

    gst_object_set_name (GST_OBJECT (branch->element), other);
    gst_bin_add (GST_BIN (stream->pipeline), branch->element);
  }
  g_mutex_lock (&stream->lock);
  g_ptr_array_add (stream->ends, branch);
  g_mutex_unlock (&stream->lock);
  return branch;
}

static gboolean
build_end (RelayStream *stream, const RelayEnd *end, GError **error)
{
  RelayBranch *branch = add_end (stream, end, error);

  if (branch == NULL)
    return FALSE;
  g_atomic_int_set (&branch->open, TRUE);
  if (relay_branch_link (branch, stream->tee))
    return TRUE;
  g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_PAD,
      "GStreamer does not link the stream's ends");
  return FALSE;
}

/* An output that has failed is no longer of the stream, so that what it returns does not end that.
 * Called in the thread that posts the message. */
GstBusSyncReply
relay_stream_ends_on_posted (GstBus *bus, GstMessage *message, gpointer data)
{
  RelayBranch *branch;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return GST_BUS_PASS;
  branch = find_branch_of (data, GST_MESSAGE_SRC (message));
  if (branch == NULL)
    return GST_BUS_PASS;
  if (!relay_branch_is_alone (branch))
    relay_branch_detach (branch);
  relay_branch_unref (branch);
  return GST_BUS_PASS;
}

/* The tee has no queues: the thread which has received a buffer hands it to each output. */
gboolean
relay_stream_ends_build (RelayStream *stream, GError **error)
{
  const RelayStreamConfig *config = stream->config;
  gboolean all = relay_retry_count (stream->retry) >= config->outputs->len;
  g_autoptr (GstPad) flow = NULL;
  gboolean good;

  stream->pipeline = gst_object_ref_sink (gst_pipeline_new (config->name));
  /* what elements tell while they stop is read when they have: relay_stream_drain_bus () */
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
  good = build_end (stream, config->input, error);
  for (guint i = 0; good && i < config->outputs->len; i++) {
    const RelayEnd *end = g_ptr_array_index (config->outputs, i);

    if (all || !relay_retry_waits (stream->retry, end->id))
      good = build_end (stream, end, error);
  }
  return good;
}

/* --- they come and go ---------------------------------------------------------------------- */

static void output_failed (RelayStream *stream, RelayBranch *branch, const gchar *error);

gboolean
relay_stream_ends_has_pending (RelayStream *stream, gboolean only_leaving)
{
  for (guint i = 0; stream->ends != NULL && i < stream->ends->len; i++) {
    const RelayBranch *branch = g_ptr_array_index (stream->ends, i);

    if (is_leaving (branch) || (!only_leaving && branch->state != RELAY_BRANCH_PLAYS))
      return TRUE;
  }
  return FALSE;
}

void
relay_stream_ends_finish_close (RelayStream *stream)
{
  RelayStreamFunc func = stream->closed;

  if (func == NULL || relay_stream_ends_has_pending (stream, TRUE))
    return;
  stream->closed = NULL;
  func (stream, stream->closed_data);
}

typedef struct
{
  RelayStream *stream;
  RelayBranch *branch;
} Visit;

static Visit *
visit_new (RelayStream *stream, RelayBranch *branch)
{
  Visit *visit = g_new (Visit, 1);

  visit->stream = relay_stream_ref (stream);
  visit->branch = relay_branch_ref (branch);
  return visit;
}

static void
visit_free (Visit *visit)
{
  relay_branch_unref (visit->branch);
  relay_stream_unref (visit->stream);
  g_free (visit);
}

static void
end_closed (GstElement *element, GstState state, gboolean good, gpointer data)
{
  Visit *visit = data;
  RelayStream *stream = visit->stream;

  relay_branch_disconnect (visit->branch);
  gst_bin_remove (GST_BIN (stream->pipeline), element);
  g_mutex_lock (&stream->lock);
  g_ptr_array_remove (stream->ends, visit->branch);
  g_mutex_unlock (&stream->lock);
  relay_stream_ends_finish_close (stream);
  relay_stream_finish_stop (stream);
  visit_free (visit);
}

static void
close_end (RelayStream *stream, RelayBranch *branch)
{
  if (branch->state == RELAY_BRANCH_OPENING) {
    g_atomic_int_set (&branch->given_up, TRUE);
    return;
  }
  if (branch->state == RELAY_BRANCH_CLOSING)
    return;
  relay_stream_keep_counters (stream);
  branch->state = RELAY_BRANCH_CLOSING;
  g_atomic_int_set (&branch->open, FALSE);
  g_atomic_int_set (&branch->closing, TRUE);
  gst_element_set_locked_state (branch->element, TRUE);
  relay_branch_detach (branch);
  relay_transit (branch->element, GST_STATE_NULL, FALSE, &branch->given_up, end_closed,
      visit_new (stream, branch));
}

static void
end_opened (GstElement *element, GstState state, gboolean good, gpointer data)
{
  Visit *visit = data;
  RelayStream *stream = visit->stream;
  RelayBranch *branch = visit->branch;

  if (!good && !is_leaving (branch) && stream->state == RELAY_RUNNING) {
    relay_stream_drain_bus (stream, &branch->failed);
    if (!branch->failed)
      output_failed (stream, branch, "an output could not be started.");
  }
  branch->state = RELAY_BRANCH_PLAYS;
  branch->since = g_get_monotonic_time ();
  if (is_leaving (branch) || branch->failed || stream->state != RELAY_RUNNING
      || (branch->id != 0 && !relay_branch_link (branch, stream->tee)))
    close_end (stream, branch);
  else {
    gst_element_set_locked_state (element, FALSE);
    g_atomic_int_set (&branch->open, TRUE);
  }
  visit_free (visit);
}

/* Opens an end while the stream plays. */
static void
open_end (RelayStream *stream, const RelayEnd *end)
{
  g_autoptr (GError) error = NULL;
  RelayBranch *branch = add_end (stream, end, &error);

  if (branch == NULL) {
    relay_stream_ended (stream, error->message);
    return;
  }
  branch->state = RELAY_BRANCH_OPENING;
  gst_element_set_locked_state (branch->element, TRUE);
  /* an input pushes as soon as it plays, an output is linked when it can take something */
  if (end->id == 0)
    relay_branch_link (branch, stream->tee);
  relay_transit (branch->element, GST_STATE_PLAYING, relay_end_has_passphrase (end),
      &branch->given_up, end_opened, visit_new (stream, branch));
}

void
relay_stream_ends_open_missing (RelayStream *stream)
{
  const RelayStreamConfig *config = stream->config;

  if (stream->state != RELAY_RUNNING || stream->again)
    return;
  for (guint i = 0; i <= config->outputs->len; i++) {
    const RelayEnd *end = i == 0 ? config->input : g_ptr_array_index (config->outputs, i - 1);

    if (relay_stream_ends_find (stream, end->id) == NULL
        && !relay_retry_waits (stream->retry, end->id))
      open_end (stream, end);
  }
}

void
relay_stream_ends_on_retry (guint id, gpointer data)
{
  RelayStream *stream = data;
  RelayBranch *branch = relay_stream_ends_find (stream, id);

  /* it takes longer to close than to wait */
  if (branch != NULL && is_leaving (branch))
    relay_retry_failed (stream->retry, id, TRUE);
  else
    relay_stream_ends_open_missing (stream);
}

/* One output has failed: the stream goes on without it, until it is opened again. */
static void
output_failed (RelayStream *stream, RelayBranch *branch, const gchar *error)
{
  gboolean lasted = g_get_monotonic_time () - branch->since >= RELAY_RETRY_LASTED;
  g_autofree gchar *then = NULL;
  guint delay;

  if (is_leaving (branch) || branch->failed || stream->again || stream->state == RELAY_STOPPING)
    return;
  branch->failed = TRUE;
  delay = relay_retry_failed (stream->retry, branch->id,
      branch->state == RELAY_BRANCH_PLAYS && stream->state == RELAY_RUNNING && lasted);
  g_mutex_lock (&stream->lock);
  stream->restarts++;
  g_free (stream->error);
  stream->error = g_strdup (error);
  g_mutex_unlock (&stream->lock);
  if (stream->state == RELAY_STARTING) {
    /* an element that does not start takes the pipeline with it */
    relay_stream_log_failure (stream, error, "The stream starts without that output.");
    relay_stream_start_without (stream);
    return;
  }
  then = g_strdup_printf ("That output starts again in %.1f s.", delay / 1e3);
  relay_stream_log_failure (stream, error, then);
  close_end (stream, branch);
}

gboolean
relay_stream_ends_take_error (RelayStream *stream, gpointer element, const gchar *text)
{
  RelayBranch *branch = find_branch_of (stream, element);
  gboolean own =
      branch != NULL && (is_leaving (branch) || (branch->id != 0 && count_outputs (stream) > 1));

  if (own)
    output_failed (stream, branch, text);
  g_clear_pointer (&branch, relay_branch_unref);
  return own;
}

void
relay_stream_ends_call_off (RelayStream *stream)
{
  for (guint i = 0; i < stream->ends->len; i++) {
    RelayBranch *branch = g_ptr_array_index (stream->ends, i);

    if (branch->state == RELAY_BRANCH_OPENING)
      close_end (stream, branch);
  }
}

/* Sets what can be set, and closes what cannot. */
static void
change_end (RelayStream *stream, RelayBranch *branch, const RelayStreamConfig *old,
    const RelayStreamConfig *new)
{
  const RelayEnd *before = find_end (old, branch->id), *after = find_end (new, branch->id);
  RelayDifference difference =
      before == NULL || after == NULL ? RELAY_RESTART : relay_end_compare (before, after);

  /* an element that is being opened may have read some of the settings, and not the rest */
  if (difference == RELAY_ADJUST && branch->state == RELAY_BRANCH_PLAYS)
    relay_end_adjust (before, after, branch->element);
  else if (difference != RELAY_SAME)
    close_end (stream, branch);
}

/* Outputs that have changed, or are gone, do not wait after their failure. */
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
  /* a stream that does not run will be built with the new settings */
  if (stream->state != RELAY_RUNNING || stream->again)
    return;
  for (guint i = 0; i < stream->ends->len; i++)
    change_end (stream, g_ptr_array_index (stream->ends, i), old, new);
}
