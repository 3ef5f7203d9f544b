/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaystreambase.h"
#include "relayvisits.h"

/* The most messages of elements, and lines about callers that came or left, logged in LOGGED_IN, as
 * callers can cause both. They are counted apart, so that a flood of one does not hide the
 * other. */
#define MESSAGES_MAX 30
#define VISITS_MAX 100
#define LOGGED_IN (10 * G_USEC_PER_SEC)

/* --- states ----------------------------------------------------------------------------------- */

static void start (RelayStream *stream);
static void begin_stop (RelayStream *stream);
static void take_down (RelayStream *stream);

static gboolean
is_stopping (RelayStream *stream)
{
  return stream->phase == RELAY_PHASE_CALLED_OFF || stream->phase == RELAY_PHASE_STOPPING
      || stream->phase == RELAY_PHASE_STOPPED;
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
  relay_judge_follow (stream->judge, NULL, NULL);
  relay_picture_follow (stream->picture, NULL);
  relay_preview_follow (stream->preview, NULL);
  stream->tee = NULL;
  /* messages on the bus refer to their elements, and so to the pipeline, which owns the bus */
  if (stream->pipeline != NULL) {
    g_autoptr (GstBus) bus = gst_element_get_bus (stream->pipeline);

    gst_bus_set_flushing (bus, TRUE);
  }
  gst_clear_object (&stream->pipeline);
  relay_stream_set_phase (stream, RELAY_PHASE_IDLE);
  if (stream->stopped != NULL) {
    RelayStreamFunc func = stream->stopped;

    stream->stopped = NULL;
    func (stream, stream->stopped_data);
  } else if (stream->again) {
    stream->timer = g_timeout_add (stream->delay, start_again, stream);
  }
}

/* Logs a failure, unless it is a repetition. @then: says what follows; it is not compared, as the
 * delay in it grows. */
static void
log_failure (RelayStream *stream, const gchar *error, const gchar *then)
{
  relay_repeats_warn (stream->repeats, stream->config->name, NULL, error, then);
}

/* The stream has ended by itself.  @error: why; NULL: it was the end of the stream. */
static void
ended (RelayStream *stream, const gchar *error)
{
  g_autofree gchar *then = NULL;
  gboolean lasted;

  if (is_stopping (stream) || stream->again)
    return;
  lasted = stream->phase == RELAY_PHASE_RUNNING
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
  then = g_strdup_printf (" It %s again in %.1f s.", error != NULL ? "starts" : "is offered",
      stream->delay / 1e3);
  if (error != NULL)
    log_failure (stream, error, then);
  else
    relay_log (stream->config->name, "the stream has ended.%s", then);
  begin_stop (stream);
}

/* Returns the fields of a message about a peer, or a piece; NULL: it is about something else. */
static const GstStructure *
get_peer (GstMessage *message)
{
  const GstStructure *details = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT)
    details = gst_message_get_structure (message);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning_details (message, &details);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_INFO)
    gst_message_parse_info_details (message, &details);
  return details != NULL
          && (gst_structure_has_field (details, "address-string")
              || gst_structure_has_name (details, "piece-finished")) ?
      details :
      NULL;
}

static void
tell (RelayStream *stream, RelayLogBudget *budget, GstMessage *message, const gchar *text)
{
  const GstStructure *details = get_peer (message);
  guint missed, port = relay_visits_get_stray_port (message, details);
  g_autoptr (GstStructure) peer = relay_visits_hide (details);
  g_autofree gchar *place = port != 0 ? g_strdup_printf ("port %u", port) : NULL;
  gboolean may = relay_log_may (budget, g_get_monotonic_time (), &missed);

  if (missed > 0)
    relay_log (stream->config->name, "%u more %s were not logged.", missed,
        budget == &stream->visits ? "that came or went" : "messages");
  if (may)
    relay_log_end (place != NULL ? NULL : stream->config->name,
        place != NULL ? place : GST_MESSAGE_SRC_NAME (message),
        GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING ? G_LOG_LEVEL_WARNING :
                                                            G_LOG_LEVEL_MESSAGE,
        peer, text);
}

/* Logs a warning, unless that is a repetition. */
static void
tell_fault (RelayStream *stream, GstMessage *message, const gchar *text)
{
  const GstStructure *details = NULL;
  g_autofree gchar *what = NULL, *line = NULL;

  /* an end says why it failed, without the delay that follows */
  gst_message_parse_warning_details (message, &details);
  what = g_strdup_printf ("%s: %s", GST_MESSAGE_SRC_NAME (message),
      details != NULL && gst_structure_has_field (details, "why") ?
          gst_structure_get_string (details, "why") :
          text);
  line = relay_repeats_note (stream->repeats, g_get_monotonic_time (), what, text);
  if (line != NULL)
    tell (stream, &stream->messages, message, line);
}

/* An output has failed: the stream goes on without it until it is opened again. */
static void
output_failed (RelayStream *stream, RelayBranch *branch, const gchar *error)
{
  gboolean lasted = g_get_monotonic_time () - branch->since >= RELAY_RETRY_LASTED;
  g_autofree gchar *then = NULL;
  guint delay;

  if (relay_branch_is_leaving (branch) || branch->failed || is_stopping (stream))
    return;
  branch->failed = TRUE;
  delay = relay_retry_failed (stream->retry, branch->id,
      branch->state == RELAY_BRANCH_OPEN && stream->phase == RELAY_PHASE_RUNNING && lasted);
  g_mutex_lock (&stream->lock);
  stream->restarts++;
  g_free (stream->error);
  stream->error = g_strdup (error);
  g_mutex_unlock (&stream->lock);
  if (stream->phase == RELAY_PHASE_STARTING) {
    /* an element that does not start keeps the whole pipeline from starting */
    log_failure (stream, error, " The stream starts without that output.");
    stream->delay = RELAY_RETRY_FIRST;
    stream->again = TRUE;
    begin_stop (stream);
    return;
  }
  then = g_strdup_printf (" That output starts again in %.1f s.", delay / 1e3);
  log_failure (stream, error, then);
  relay_stream_ends_close (stream, branch);
}

/* Handles an error of an output, which is opened again later. FALSE: the error is the stream's.
 */
static gboolean
take_error (RelayStream *stream, gpointer element, const gchar *text)
{
  RelayBranch *branch = relay_stream_ends_find_element (stream, element);
  gboolean own = branch != NULL
      && (relay_branch_is_leaving (branch)
          || (branch->id != 0 && relay_stream_ends_count_outputs (stream) > 1));

  if (own)
    output_failed (stream, branch, text);
  g_clear_pointer (&branch, relay_branch_unref);
  return own;
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
      if (!take_error (stream, GST_MESSAGE_SRC (message), text))
        ended (stream, text);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      tell_fault (stream, message, error->message);
      break;
    case GST_MESSAGE_INFO:
      /* not checked for repetitions, as the same text again reports another change */
      gst_message_parse_info (message, &error, NULL);
      tell (stream, &stream->messages, message, error->message);
      break;
    case GST_MESSAGE_ELEMENT:
      text = relay_visits_describe (message);
      if (text != NULL)
        tell (stream, &stream->visits, message, text);
      break;
    case GST_MESSAGE_EOS:
      ended (stream, NULL);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (stream->pipeline));
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* Handles the messages that are still on the bus, until one of them has set *@failed. */
static void
drain_bus (RelayStream *stream, const gboolean *failed)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (stream->pipeline);
  GstMessage *message;

  while (!*failed && (message = gst_bus_pop (bus)) != NULL) {
    on_message (bus, message, stream);
    gst_message_unref (message);
  }
}

/* The pipeline has stopped. Frees it once the ends that were being opened or closed have stopped,
 * too. */
static void
finish_stop (RelayStream *stream)
{
  if (stream->phase == RELAY_PHASE_STOPPED && !relay_stream_ends_has_pending (stream, FALSE))
    idle (stream);
}

/* --- the ends' states ------------------------------------------------------------------------ */

/* Completes a change if all ends that had to be closed are. */
static void
finish_close (RelayStream *stream)
{
  RelayStreamFunc func = stream->closed;

  if (func == NULL || relay_stream_ends_has_pending (stream, TRUE))
    return;
  stream->closed = NULL;
  func (stream, stream->closed_data);
}

static void
on_end_changed (GstElement *element, GstState state, gboolean good, gpointer data)
{
  g_autofree RelayVisit *visit = data;
  RelayStream *stream = visit->stream;
  RelayBranch *branch = visit->branch;

  if (state == GST_STATE_NULL) {
    relay_stream_ends_closed (stream, branch);
    finish_close (stream);
    finish_stop (stream);
  } else {
    if (!good && !relay_branch_is_leaving (branch) && stream->phase == RELAY_PHASE_RUNNING) {
      drain_bus (stream, &branch->failed);
      if (!branch->failed)
        output_failed (stream, branch, "an output could not be started.");
    }
    relay_stream_ends_opened (stream, branch);
  }
  relay_branch_unref (branch);
  relay_stream_unref (stream);
}

/* The delay of an output that has failed is over. Opens that one alone: others may wait until a
 * change has freed their ports. FALSE: the stream does not run, or the output is still being
 * closed.
 */
static gboolean
on_retry (guint id, gpointer data)
{
  RelayStream *stream = data;
  RelayBranch *branch = relay_stream_ends_find (stream, id);
  g_autoptr (GError) error = NULL;

  if (stream->phase != RELAY_PHASE_RUNNING || (branch != NULL && relay_branch_is_leaving (branch)))
    return FALSE;
  if (branch == NULL && !relay_stream_ends_open (stream, id, &error))
    ended (stream, error->message);
  return TRUE;
}

/* --- the pipeline's states ------------------------------------------------------------------- */

static void
changed (GstElement *pipeline, GstState state, gboolean good, gpointer data)
{
  static const gboolean nothing = FALSE;
  RelayStream *stream = data;

  if (state == GST_STATE_NULL) {
    drain_bus (stream, &nothing);
    relay_stream_set_phase (stream, RELAY_PHASE_STOPPED);
    finish_stop (stream);
  } else if (stream->phase == RELAY_PHASE_CALLED_OFF) {
    take_down (stream);
  } else if (!good) {
    drain_bus (stream, &stream->again);
    ended (stream, "it could not be started.");
    take_down (stream);
  } else {
    relay_stream_set_phase (stream, RELAY_PHASE_RUNNING);
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
transit (RelayStream *stream, RelayPhase meanwhile, GstState state)
{
  relay_stream_set_phase (stream, meanwhile);
  relay_transit (stream->pipeline, state, has_passphrase (stream->config), &stream->phase,
      RELAY_PHASE_STARTING, changed, relay_stream_ref (stream));
}

static void
take_down (RelayStream *stream)
{
  relay_stream_keep_counters (stream);
  /* ends that are being opened do not stop with the pipeline */
  relay_stream_ends_call_off (stream);
  transit (stream, RELAY_PHASE_STOPPING, GST_STATE_NULL);
}

static void
begin_stop (RelayStream *stream)
{
  if (stream->phase == RELAY_PHASE_STARTING)
    relay_stream_set_phase (stream, RELAY_PHASE_CALLED_OFF);
  else if (stream->phase == RELAY_PHASE_RUNNING)
    take_down (stream);
}

static void
start (RelayStream *stream)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = NULL;

  stream->again = FALSE;
  if (!relay_stream_ends_build (stream, &error)) {
    ended (stream, error->message);
    take_down (stream);
    return;
  }
  bus = gst_element_get_bus (stream->pipeline);
  gst_bus_set_sync_handler (bus, relay_stream_ends_on_posted, relay_stream_ref (stream),
      (GDestroyNotify) relay_stream_unref);
  stream->watch = gst_bus_add_watch (bus, on_message, stream);
  transit (stream, RELAY_PHASE_STARTING, GST_STATE_PLAYING);
}

/* --- the interface ---------------------------------------------------------------------------- */

RelayStream *
relay_stream_new (RelayStreamConfig *config)
{
  RelayStream *stream = g_new0 (RelayStream, 1);

  stream->users = 1;
  stream->end_changed = on_end_changed;
  stream->config = relay_stream_config_ref (config);
  stream->require_streamid = config->require_streamid;
  stream->since = g_get_monotonic_time ();
  stream->messages = (RelayLogBudget) { .most = MESSAGES_MAX, .time = LOGGED_IN };
  stream->visits = (RelayLogBudget) { .most = VISITS_MAX, .time = LOGGED_IN };
  stream->repeats = relay_repeats_new ();
  stream->counters = relay_counters_new ();
  stream->judge = relay_judge_new (config->name);
  stream->picture = relay_picture_new (config->name);
  relay_picture_set_interval (stream->picture, config->picture_interval);
  stream->preview = relay_preview_new (config->name);
  relay_preview_set_viewers (stream->preview, config->preview_viewers);
  stream->retry = relay_retry_new (on_retry, stream);
  g_mutex_init (&stream->lock);
  return stream;
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
  relay_preview_set_viewers (stream->preview, config->preview_viewers);
  g_atomic_int_set (&stream->require_streamid, config->require_streamid);
  relay_stream_config_unref (old);
}

void
relay_stream_start (RelayStream *stream, RelayStreamConfig *config)
{
  g_return_if_fail (stream->phase == RELAY_PHASE_IDLE && stream->timer == 0);
  if (config != NULL)
    set_config (stream, config);
  stream->delay = 0;
  start (stream);
}

void
relay_stream_stop (RelayStream *stream, RelayStreamFunc func, gpointer data)
{
  g_return_if_fail (stream->stopped == NULL);
  relay_judge_follow (stream->judge, NULL, NULL);
  relay_picture_end (stream->picture);
  relay_preview_end (stream->preview);
  relay_retry_forget_all (stream->retry);
  stream->again = FALSE;
  if (stream->phase == RELAY_PHASE_IDLE) {
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
  if (stream->phase == RELAY_PHASE_STARTING || stream->phase == RELAY_PHASE_CALLED_OFF)
    return FALSE;
  old = relay_stream_config_ref (stream->config);
  set_config (stream, config);
  relay_stream_ends_change (stream, old, config);
  stream->closed = func;
  stream->closed_data = data;
  finish_close (stream);
  return TRUE;
}

void
relay_stream_complete (RelayStream *stream)
{
  g_autoptr (GError) error = NULL;

  if (stream->phase == RELAY_PHASE_RUNNING && !relay_stream_ends_open_missing (stream, &error))
    ended (stream, error->message);
}

gboolean
relay_stream_drop (RelayStream *stream, guint output, const gchar *address)
{
  RelayBranch *branch = relay_stream_ends_find (stream, output);
  gboolean dropped = FALSE;

  /* only a faspsink has this signal */
  if (branch != NULL && g_signal_lookup ("drop-caller", G_OBJECT_TYPE (branch->element)) != 0)
    g_signal_emit_by_name (branch->element, "drop-caller", address, &dropped);
  if (dropped)
    relay_log (stream->config->name, "%s is disconnected, at a request to the API.", address);
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
    relay_log (stream->config->name, "input: source %u is asked for, by a request to the API.",
        source);
  return switched;
}

void
relay_stream_ask_preview (RelayStream *stream, RelayPreviewFunc func,
    gboolean (*waits) (gpointer data), gpointer data)
{
  relay_preview_ask (stream->preview, func, waits, data);
}
