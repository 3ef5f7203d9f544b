/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "gstfaspcommon.h"
#include "relayedit.h"
#include "relaystreambase.h"
#include "relaytransit.h"
#include "relayvisits.h"

/* Callers can cause what is logged.  The most messages of the elements, and lines about peers that
 * came or went, in that time: a flood of one does not hide the other. */
#define TOLD_MAX 30
#define VISITS_MAX 100
#define TOLD_IN (10 * G_USEC_PER_SEC)

/* --- states ----------------------------------------------------------------------------------- */

static void start (RelayStream *stream);
static void begin_stop (RelayStream *stream);
static void take_down (RelayStream *stream);

static void
set_state (RelayStream *stream, RelayState state)
{
  g_mutex_lock (&stream->lock);
  stream->state = state;
  stream->since = g_get_monotonic_time ();
  g_mutex_unlock (&stream->lock);
}

static gboolean
start_again (gpointer data)
{
  RelayStream *stream = data;

  stream->timer = 0;
  start (stream);
  return G_SOURCE_REMOVE;
}

/* The pipeline has stopped: frees it. */
static void
idle (RelayStream *stream)
{
  GPtrArray *ends;

  g_mutex_lock (&stream->lock);
  ends = g_steal_pointer (&stream->ends);
  g_mutex_unlock (&stream->lock);
  if (stream->watch != 0)
    g_source_remove (stream->watch);
  stream->watch = 0;
  for (guint i = 0; ends != NULL && i < ends->len; i++) {
    relay_branch_disconnect (g_ptr_array_index (ends, i));
    relay_branch_detach (g_ptr_array_index (ends, i));
  }
  g_clear_pointer (&ends, g_ptr_array_unref);
  relay_picture_follow (stream->picture, NULL);
  stream->tee = NULL;
  /* a message has a reference to its element, and so to the pipeline, which has the bus */
  if (stream->pipeline != NULL) {
    g_autoptr (GstBus) bus = gst_element_get_bus (stream->pipeline);

    gst_bus_set_flushing (bus, TRUE);
  }
  gst_clear_object (&stream->pipeline);
  stream->down = FALSE;
  set_state (stream, RELAY_IDLE);
  if (stream->stopped != NULL) {
    RelayStreamFunc func = stream->stopped;

    stream->stopped = NULL;
    func (stream, stream->stopped_data);
  } else if (stream->again) {
    stream->timer = g_timeout_add (stream->delay, start_again, stream);
  }
}

void
relay_stream_log_failure (RelayStream *stream, const gchar *error, const gchar *then)
{
  g_autofree gchar *line = g_strdup_printf ("%s %s", error, then);
  g_autofree gchar *note = relay_repeats_note (stream->repeats, g_get_monotonic_time (), line);

  if (note != NULL)
    relay_log_warning (stream->config->name, "%s%s", line, note);
}

void
relay_stream_ended (RelayStream *stream, const gchar *error)
{
  g_autofree gchar *then = NULL;
  gboolean lasted;

  if (stream->state == RELAY_STOPPING || stream->ending || stream->again)
    return;
  lasted = stream->state == RELAY_RUNNING
      && g_get_monotonic_time () - stream->since >= RELAY_RETRY_LASTED;
  stream->delay = relay_retry_next (stream->delay, error == NULL || lasted);
  stream->again = TRUE;
  g_mutex_lock (&stream->lock);
  stream->restarts++;
  if (error != NULL) {
    g_free (stream->error);
    stream->error = g_strdup (error);
  }
  g_mutex_unlock (&stream->lock);
  then = g_strdup_printf ("It %s again in %.1f s.", error != NULL ? "starts" : "is offered",
      stream->delay / 1e3);
  if (error != NULL)
    relay_stream_log_failure (stream, error, then);
  else
    relay_log (stream->config->name, "the stream has ended. %s", then);
  begin_stop (stream);
}

static void
tell (RelayStream *stream, RelayLogBudget *budget, GstMessage *message, const gchar *text)
{
  guint missed;
  gboolean may = relay_log_may (budget, g_get_monotonic_time (), &missed);

  if (missed > 0)
    relay_log (stream->config->name, "%u more %s were not logged.", missed,
        budget == &stream->visits ? "that came or went" : "messages");
  if (may)
    relay_log_end (stream->config->name, GST_MESSAGE_SRC_NAME (message),
        GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING ? G_LOG_LEVEL_WARNING :
                                                            G_LOG_LEVEL_MESSAGE,
        GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT ? gst_message_get_structure (message) :
                                                            NULL,
        text);
}

/* What has failed, or is not as it should be. */
static void
tell_fault (RelayStream *stream, GstMessage *message, const gchar *text)
{
  g_autofree gchar *line = g_strdup_printf ("%s: %s", GST_MESSAGE_SRC_NAME (message), text);
  g_autofree gchar *note = relay_repeats_note (stream->repeats, g_get_monotonic_time (), line);
  g_autofree gchar *whole = note != NULL ? g_strconcat (text, note, NULL) : NULL;

  if (whole != NULL)
    tell (stream, &stream->told, message, whole);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  RelayStream *stream = data;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *text = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      text = g_strdup_printf ("%s: %s", GST_MESSAGE_SRC_NAME (message), error->message);
      if (!relay_stream_ends_take_error (stream, GST_MESSAGE_SRC (message), text))
        relay_stream_ended (stream, text);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      tell_fault (stream, message, error->message);
      break;
    case GST_MESSAGE_INFO:
      /* what has changed, so the same text again is another change */
      gst_message_parse_info (message, &error, NULL);
      tell (stream, &stream->told, message, error->message);
      break;
    case GST_MESSAGE_ELEMENT:
      text = relay_visits_describe (message);
      if (text != NULL)
        tell (stream, &stream->visits, message, text);
      break;
    case GST_MESSAGE_EOS:
      relay_stream_ended (stream, NULL);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (stream->pipeline));
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

void
relay_stream_drain_bus (RelayStream *stream, const gboolean *told)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (stream->pipeline);
  GstMessage *message;

  while (!*told && (message = gst_bus_pop (bus)) != NULL) {
    on_message (bus, message, stream);
    gst_message_unref (message);
  }
}

void
relay_stream_finish_stop (RelayStream *stream)
{
  if (stream->down && !relay_stream_ends_has_pending (stream, FALSE))
    idle (stream);
}

/* --- the pipeline's states ------------------------------------------------------------------- */

static void
changed (GstElement *pipeline, GstState state, gboolean good, gpointer data)
{
  RelayStream *stream = data;

  if (state == GST_STATE_NULL) {
    relay_stream_drain_bus (stream, &stream->down);
    stream->down = TRUE;
    relay_stream_finish_stop (stream);
  } else if (stream->ending || stream->again) {
    g_atomic_int_set (&stream->ending, FALSE);
    take_down (stream);
  } else if (!good) {
    relay_stream_drain_bus (stream, &stream->again);
    relay_stream_ended (stream, "it could not be started.");
    take_down (stream);
  } else {
    set_state (stream, RELAY_RUNNING);
    relay_retry_go_on (stream->retry);
  }
  relay_stream_unref (stream);
}

static gboolean
has_passphrase (const RelayStreamConfig *config)
{
  gboolean found = relay_end_has_passphrase (config->input);

  for (guint i = 0; i < config->outputs->len; i++)
    found |= relay_end_has_passphrase (g_ptr_array_index (config->outputs, i));
  return found;
}

static void
transit (RelayStream *stream, RelayState meanwhile, GstState state)
{
  set_state (stream, meanwhile);
  relay_transit (stream->pipeline, state, has_passphrase (stream->config), &stream->ending, changed,
      relay_stream_ref (stream));
}

void
relay_stream_keep_counters (RelayStream *stream)
{
  relay_stream_stats_free (relay_stream_get_stats (stream));
}

static void
take_down (RelayStream *stream)
{
  relay_stream_keep_counters (stream);
  /* those that are being opened are not the pipeline's to stop */
  relay_stream_ends_call_off (stream);
  transit (stream, RELAY_STOPPING, GST_STATE_NULL);
}

static void
begin_stop (RelayStream *stream)
{
  relay_retry_hold (stream->retry);
  if (stream->state == RELAY_STARTING)
    g_atomic_int_set (&stream->ending, TRUE);
  else if (stream->state == RELAY_RUNNING)
    take_down (stream);
}

void
relay_stream_start_without (RelayStream *stream)
{
  stream->delay = RELAY_RETRY_FIRST;
  stream->again = TRUE;
  begin_stop (stream);
}

static void
start (RelayStream *stream)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = NULL;

  stream->again = FALSE;
  g_atomic_int_set (&stream->ending, FALSE);
  if (!relay_stream_ends_build (stream, &error)) {
    relay_stream_ended (stream, error->message);
    take_down (stream);
    return;
  }
  bus = gst_element_get_bus (stream->pipeline);
  gst_bus_set_sync_handler (bus, relay_stream_ends_on_posted, relay_stream_ref (stream),
      (GDestroyNotify) relay_stream_unref);
  stream->watch = gst_bus_add_watch (bus, on_message, stream);
  transit (stream, RELAY_STARTING, GST_STATE_PLAYING);
}

/* --- the interface ---------------------------------------------------------------------------- */

RelayStream *
relay_stream_new (RelayStreamConfig *config)
{
  RelayStream *stream = g_new0 (RelayStream, 1);

  stream->users = 1;
  stream->config = relay_stream_config_ref (config);
  stream->require_streamid = config->require_streamid;
  stream->since = g_get_monotonic_time ();
  stream->told = (RelayLogBudget) { .most = TOLD_MAX, .time = TOLD_IN };
  stream->visits = (RelayLogBudget) { .most = VISITS_MAX, .time = TOLD_IN };
  stream->repeats = relay_repeats_new ();
  stream->counters = relay_counters_new ();
  stream->picture = relay_picture_new (config->name);
  relay_picture_set_interval (stream->picture, config->picture_interval);
  stream->retry = relay_retry_new (relay_stream_ends_on_retry, stream);
  g_mutex_init (&stream->lock);
  return stream;
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
  relay_picture_unref (stream->picture);
  g_free (stream->error);
  g_mutex_clear (&stream->lock);
  g_free (stream);
}

RelayStreamConfig *
relay_stream_get_config (RelayStream *stream)
{
  return stream->config;
}

static void
set_config (RelayStream *stream, RelayStreamConfig *config)
{
  RelayStreamConfig *old = stream->config;

  g_mutex_lock (&stream->lock);
  stream->config = relay_stream_config_ref (config);
  g_mutex_unlock (&stream->lock);
  relay_counters_keep (stream->counters, config->outputs);
  relay_picture_set_interval (stream->picture, config->picture_interval);
  g_atomic_int_set (&stream->require_streamid, config->require_streamid);
  relay_stream_config_unref (old);
}

void
relay_stream_start (RelayStream *stream, RelayStreamConfig *config)
{
  g_return_if_fail (stream->state == RELAY_IDLE && stream->timer == 0);
  if (config != NULL)
    set_config (stream, config);
  stream->delay = 0;
  start (stream);
}

void
relay_stream_stop (RelayStream *stream, RelayStreamFunc func, gpointer data)
{
  g_return_if_fail (stream->stopped == NULL);
  relay_picture_end (stream->picture);
  stream->again = FALSE;
  if (stream->state == RELAY_IDLE) {
    if (stream->timer != 0)
      g_source_remove (stream->timer);
    stream->timer = 0;
    func (stream, data);
    return;
  }
  stream->stopped = func;
  stream->stopped_data = data;
  begin_stop (stream);
}

gboolean
relay_stream_change (RelayStream *stream, RelayStreamConfig *config, RelayStreamFunc func,
    gpointer data)
{
  g_autoptr (RelayStreamConfig) old = NULL;

  g_return_val_if_fail (stream->closed == NULL, FALSE);
  if (stream->state == RELAY_STARTING)
    return FALSE;
  old = relay_stream_config_ref (stream->config);
  set_config (stream, config);
  relay_stream_ends_change (stream, old, config);
  stream->closed = func;
  stream->closed_data = data;
  relay_stream_ends_finish_close (stream);
  return TRUE;
}

void
relay_stream_complete (RelayStream *stream)
{
  relay_stream_ends_open_missing (stream);
}

void
relay_stream_switch_source (RelayStream *stream)
{
  gint source = stream->config->switch_source;
  GstElement *input = relay_stream_ends_get_input (stream);
  gboolean done = FALSE;

  if (source < 0 || input == NULL || stream->state != RELAY_RUNNING)
    return;
  g_signal_emit_by_name (input, "switch-source", source, &done);
  if (!done)
    relay_log (stream->config->name,
        "input: source %d (switch-source) cannot lead now: it is not connected, or its bytes are "
        "wrong. Reload again when it is there.",
        source);
}

gboolean
relay_stream_drop (RelayStream *stream, guint output, const gchar *address)
{
  RelayBranch *branch = relay_stream_ends_find (stream, output);
  gboolean dropped = FALSE;

  /* of the ends, only a faspsink can */
  if (branch != NULL && g_signal_lookup ("drop-caller", G_OBJECT_TYPE (branch->element)) != 0)
    g_signal_emit_by_name (branch->element, "drop-caller", address, &dropped);
  if (dropped)
    relay_log (stream->config->name, "%s is disconnected, as somebody wanted that.", address);
  return dropped;
}

gboolean
relay_stream_use_source (RelayStream *stream, guint source)
{
  RelayBranch *branch = relay_stream_ends_find (stream, 0);
  gboolean switched = FALSE;

  if (branch != NULL && g_signal_lookup ("switch-source", G_OBJECT_TYPE (branch->element)) != 0)
    g_signal_emit_by_name (branch->element, "switch-source", source, &switched);
  if (switched)
    relay_log (stream->config->name, "input: source %u is used, as somebody wanted that.", source);
  return switched;
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

/* TRUE: a sender is connected, and not silent.  One that is gone is among the callers until what it
 * sent has been read, and another one may have come meanwhile. */
static gboolean
is_receiving (const GstStructure *stats)
{
  const GValueArray *callers =
      gst_fasp_value_get_array (gst_structure_get_value (stats, "callers"));

  for (guint i = 0; callers != NULL && i < callers->n_values; i++) {
    gboolean interrupted = TRUE;

    gst_structure_get_boolean (gst_value_get_structure (&callers->values[i]), "interrupted",
        &interrupted);
    if (!interrupted)
      return TRUE;
  }
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

/* Lists the ends of the configuration, which wait unless they have an element. Under the lock. */
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
  return add_output (f, id); /* it is being closed */
}

/* An end without an element has counted something before. */
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
  f->state = stream->state;
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

    /* while an input follows another, both are there */
    g_clear_pointer (&end->stats, gst_structure_free);
    relay_branch_get_stats (branch, f->state, end);
    relay_counters_follow (stream->counters, end);
  }
  recall (stream, &f->input);
  for (guint i = 0; i < f->outputs->len; i++)
    recall (stream, g_ptr_array_index (f->outputs, i));
  g_ptr_array_sort (f->outputs, by_id);
  f->picture = relay_picture_get_stats (stream->picture);
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
