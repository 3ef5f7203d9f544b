/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "gstfaspcommon.h"
#include "relaylog.h"
#include "relaystream.h"
#include "relayvisits.h"

#define DELAY_FIRST 100 /* ms before a stream starts again */
#define DELAY_MAX 10000
#define LASTED (10 * G_USEC_PER_SEC) /* a stream that ran for this long waits DELAY_FIRST again */
/* Callers can cause what is logged.  The most messages of the elements, and lines about peers that
 * came or went, in that time: a flood of one does not hide the other. */
#define TOLD_MAX 30
#define VISITS_MAX 100
#define TOLD_IN (10 * G_USEC_PER_SEC)

/* An element, and which callers it takes. Shared with the element's threads. */
typedef struct
{
  gint users;             /* atomic */
  gint *require_streamid; /* the stream's, which outlives this; atomic */
  guint64 mute;           /* callers refused as they gave no streamid; under `lock' */
  GMutex lock;
  GstElement *element;
} End;

struct _RelayStream
{
  gint users;                /* atomic */
  RelayStreamConfig *config; /* this and all up to `lock' is under it */
  RelayState state;
  gint64 since;
  guint64 restarts;
  gchar *error;
  GPtrArray *ends; /* End: the input, then the outputs; NULL: not built */
  GMutex lock;

  gint require_streamid; /* atomic */
  /* the rest is used in the main context only */
  GstElement *pipeline;
  guint watch, timer;
  guint delay; /* ms */
  RelayLogBudget told, visits;
  gboolean again; /* to be started when it has stopped */
  gint ending;    /* to be stopped when it has started; atomic */
  RelayStreamFunc stopped;
  gpointer stopped_data;
};

const gchar *
relay_state_get_name (RelayState state)
{
  static const gchar *const names[] = { "waiting", "starting", "running", "stopping" };

  return names[state];
}

/* --- ends -------------------------------------------------------------------------------- */

static void
end_unref (End *end)
{
  if (!g_atomic_int_dec_and_test (&end->users))
    return;
  gst_object_unref (end->element);
  g_mutex_clear (&end->lock);
  g_free (end);
}

/* Called in the element's network thread.  The element itself refuses callers that give
 * another streamid. */
static gboolean
on_connecting (GstElement *element, GSocketAddress *address, const gchar *streamid, End *end)
{
  gboolean good =
      (streamid != NULL && streamid[0] != '\0') || !g_atomic_int_get (end->require_streamid);

  if (!good) {
    g_mutex_lock (&end->lock);
    end->mute++;
    g_mutex_unlock (&end->lock);
  }
  return good;
}

static End *
make_end (RelayStream *stream, const RelayEnd *config, const gchar *name, GError **error)
{
  GstElement *element = relay_end_make (config, name, error);
  End *end;

  if (element == NULL)
    return NULL;
  end = g_new0 (End, 1);
  end->users = 1;
  end->require_streamid = &stream->require_streamid;
  end->element = gst_object_ref_sink (element);
  g_mutex_init (&end->lock);
  g_signal_connect (element, "caller-connecting", G_CALLBACK (on_connecting), end);
  return end;
}

/* Links a single output directly.  Several get a tee, without queues, so that the thread
 * which has received a buffer hands it to each of them. */
static gboolean
link_ends (GstElement *pipeline, GPtrArray *ends)
{
  GstElement *from = ((End *) g_ptr_array_index (ends, 0))->element;

  if (ends->len > 2) {
    GstElement *tee = gst_element_factory_make ("tee", NULL);

    if (tee == NULL)
      return FALSE;
    gst_bin_add (GST_BIN (pipeline), tee);
    if (!gst_element_link (from, tee))
      return FALSE;
    from = tee;
  }
  for (guint i = 1; i < ends->len; i++)
    if (!gst_element_link (from, ((End *) g_ptr_array_index (ends, i))->element))
      return FALSE;
  return TRUE;
}

static gboolean
build (RelayStream *stream, GError **error)
{
  const RelayStreamConfig *config = stream->config;
  GPtrArray *ends = g_ptr_array_new_with_free_func ((GDestroyNotify) end_unref);
  gboolean good = TRUE;

  stream->pipeline = gst_object_ref_sink (gst_pipeline_new (config->name));
  for (guint i = 0; good && i <= config->outputs->len; i++) {
    g_autofree gchar *name = i == 0 ? g_strdup ("input") :
        config->outputs->len == 1   ? g_strdup ("output") :
                                      g_strdup_printf ("output-%u", i);
    End *end = make_end (stream,
        i == 0 ? config->input : g_ptr_array_index (config->outputs, i - 1), name, error);

    good = end != NULL;
    if (good) {
      g_ptr_array_add (ends, end);
      gst_bin_add (GST_BIN (stream->pipeline), end->element);
    }
  }
  if (good && !link_ends (stream->pipeline, ends)) {
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer's core elements are not installed");
    good = FALSE;
  }
  g_mutex_lock (&stream->lock);
  stream->ends = ends;
  g_mutex_unlock (&stream->lock);
  return good;
}

/* --- states ----------------------------------------------------------------------------------- */

static void start (RelayStream *stream);
static void begin_stop (RelayStream *stream);

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
  for (guint i = 0; ends != NULL && i < ends->len; i++)
    g_signal_handlers_disconnect_by_data (((End *) g_ptr_array_index (ends, i))->element,
        g_ptr_array_index (ends, i));
  g_clear_pointer (&ends, g_ptr_array_unref);
  gst_clear_object (&stream->pipeline);
  set_state (stream, RELAY_IDLE);
  if (stream->stopped != NULL) {
    RelayStreamFunc func = stream->stopped;

    stream->stopped = NULL;
    func (stream, stream->stopped_data);
  } else if (stream->again) {
    stream->timer = g_timeout_add (stream->delay, start_again, stream);
  }
}

/* The stream has ended by itself. @error: why; NULL: it was the end of the stream. */
static void
ended (RelayStream *stream, const gchar *error)
{
  gboolean lasted;

  if (stream->state == RELAY_STOPPING || stream->ending || stream->again)
    return;
  lasted = stream->state == RELAY_RUNNING && g_get_monotonic_time () - stream->since >= LASTED;
  stream->delay = error == NULL || lasted || stream->delay == 0 ?
      DELAY_FIRST :
      MIN (2 * stream->delay, DELAY_MAX);
  stream->again = TRUE;
  g_mutex_lock (&stream->lock);
  stream->restarts++;
  if (error != NULL) {
    g_free (stream->error);
    stream->error = g_strdup (error);
  }
  g_mutex_unlock (&stream->lock);
  if (error != NULL)
    relay_log (stream->config->name, "%s It starts again in %.1f s.", error, stream->delay / 1e3);
  else
    relay_log (stream->config->name, "the stream has ended. It is offered again in %.1f s.",
        stream->delay / 1e3);
  begin_stop (stream);
}

static void
tell (RelayStream *stream, RelayLogBudget *budget, const gchar *from, const gchar *text)
{
  guint missed;
  gboolean may = relay_log_may (budget, g_get_monotonic_time (), &missed);

  if (missed > 0)
    relay_log (stream->config->name, "%u more %s were not logged.", missed,
        budget == &stream->visits ? "that came or went" : "messages");
  if (may)
    relay_log (stream->config->name, "%s: %s", from, text);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  RelayStream *stream = data;
  const gchar *from = GST_MESSAGE_SRC_NAME (message);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *text = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      text = g_strdup_printf ("%s: %s", from, error->message);
      ended (stream, text);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      tell (stream, &stream->told, from, error->message);
      break;
    case GST_MESSAGE_INFO:
      gst_message_parse_info (message, &error, NULL);
      tell (stream, &stream->told, from, error->message);
      break;
    case GST_MESSAGE_ELEMENT:
      text = relay_visits_describe (message);
      if (text != NULL)
        tell (stream, &stream->visits, from, text);
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

typedef struct
{
  RelayStream *stream;
  GstElement *pipeline;
  GstState state;
  gboolean queues; /* it has to wait for its turn */
  gboolean good;
} Transition;

/* Elements with a passphrase start one after the other.  A thread that waits for that within
 * an element cannot be called off, so streams take turns here. */
static GMutex turn;

static gboolean
changed (gpointer data)
{
  g_autofree Transition *t = data;
  RelayStream *stream = t->stream;

  gst_object_unref (t->pipeline);
  if (t->state == GST_STATE_NULL) {
    idle (stream);
  } else if (stream->ending || stream->again) {
    g_atomic_int_set (&stream->ending, FALSE);
    set_state (stream, RELAY_RUNNING);
    begin_stop (stream);
  } else if (!t->good) {
    g_autoptr (GstBus) bus = gst_element_get_bus (stream->pipeline);
    GstMessage *message;

    /* the message that says why is still on the bus */
    while (!stream->again && (message = gst_bus_pop (bus)) != NULL) {
      on_message (bus, message, stream);
      gst_message_unref (message);
    }
    ended (stream, "it could not be started.");
    set_state (stream, RELAY_RUNNING);
    begin_stop (stream);
  } else {
    set_state (stream, RELAY_RUNNING);
  }
  relay_stream_unref (stream);
  return G_SOURCE_REMOVE;
}

static gboolean
has_passphrase (const RelayStreamConfig *config)
{
  gboolean found = relay_end_has_passphrase (config->input);

  for (guint i = 0; i < config->outputs->len; i++)
    found |= relay_end_has_passphrase (g_ptr_array_index (config->outputs, i));
  return found;
}

static gpointer
change (gpointer data)
{
  Transition *t = data;

  if (t->queues)
    g_mutex_lock (&turn);
  if (t->state == GST_STATE_NULL || !g_atomic_int_get (&t->stream->ending))
    t->good = gst_element_set_state (t->pipeline, t->state) != GST_STATE_CHANGE_FAILURE;
  if (t->queues)
    g_mutex_unlock (&turn);
  /* at the priority of messages, so as not to wait until there are none */
  g_idle_add_full (G_PRIORITY_DEFAULT, changed, t, NULL);
  return NULL;
}

static void
transit (RelayStream *stream, RelayState meanwhile, GstState state)
{
  Transition *t = g_new0 (Transition, 1);
  GThread *thread;

  set_state (stream, meanwhile);
  t->stream = relay_stream_ref (stream);
  t->pipeline = gst_object_ref (stream->pipeline);
  t->state = state;
  t->queues = state != GST_STATE_NULL && has_passphrase (stream->config);
  thread = g_thread_try_new ("transition", change, t, NULL);
  if (thread != NULL)
    g_thread_unref (thread);
  else /* no thread: the other streams have to wait meanwhile */
    change (t);
}

static void
begin_stop (RelayStream *stream)
{
  if (stream->state == RELAY_RUNNING)
    transit (stream, RELAY_STOPPING, GST_STATE_NULL);
  else if (stream->state == RELAY_STARTING)
    g_atomic_int_set (&stream->ending, TRUE);
}

static void
start (RelayStream *stream)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = NULL;

  stream->again = FALSE;
  g_atomic_int_set (&stream->ending, FALSE);
  if (!build (stream, &error)) {
    set_state (stream, RELAY_RUNNING);
    ended (stream, error->message);
    return;
  }
  bus = gst_element_get_bus (stream->pipeline);
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
relay_stream_adjust (RelayStream *stream, RelayStreamConfig *config)
{
  RelayStreamConfig *old;

  /* the elements may have read some of the settings, and not the rest */
  if (stream->state == RELAY_STARTING)
    return FALSE;
  old = relay_stream_config_ref (stream->config);
  /* a stream that does not run will be built with the new settings */
  if (stream->state == RELAY_RUNNING) {
    for (guint i = 0; i < stream->ends->len; i++)
      relay_end_adjust (i == 0 ? old->input : g_ptr_array_index (old->outputs, i - 1),
          i == 0 ? config->input : g_ptr_array_index (config->outputs, i - 1),
          ((End *) g_ptr_array_index (stream->ends, i))->element);
  }
  set_config (stream, config);
  relay_stream_config_unref (old);
  return TRUE;
}

/* --- statistics ------------------------------------------------------------------------------- */

static void
get_end (End *end, RelayEndStats *figures)
{
  guint64 misdirected = 0;

  g_object_get (end->element, "uri", &figures->uri, "stats", &figures->stats, NULL);
  gst_structure_get_uint64 (figures->stats, "callers-misdirected", &misdirected);
  g_mutex_lock (&end->lock);
  figures->refused = end->mute + misdirected;
  g_mutex_unlock (&end->lock);
}

static void
free_end (RelayEndStats *end)
{
  g_free (end->uri);
  g_clear_pointer (&end->stats, gst_structure_free);
  g_free (end);
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

RelayStreamStats *
relay_stream_get_stats (RelayStream *stream)
{
  RelayStreamStats *f = g_new0 (RelayStreamStats, 1);
  g_autoptr (GPtrArray) ends = g_ptr_array_new_with_free_func ((GDestroyNotify) end_unref);

  f->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) free_end);
  g_mutex_lock (&stream->lock);
  f->name = g_strdup (stream->config->name);
  f->streamid = g_strdup (stream->config->streamid);
  f->optional = stream->config->optional;
  f->state = stream->state;
  f->since = stream->since;
  f->restarts = stream->restarts;
  f->error = g_strdup (stream->error);
  for (guint i = 0; stream->ends != NULL && i < stream->ends->len; i++) {
    End *end = g_ptr_array_index (stream->ends, i);

    g_atomic_int_inc (&end->users);
    g_ptr_array_add (ends, end);
  }
  g_mutex_unlock (&stream->lock);
  for (guint i = 0; i < ends->len; i++) {
    RelayEndStats *end = i == 0 ? &f->input : g_new0 (RelayEndStats, 1);

    get_end (g_ptr_array_index (ends, i), end);
    if (i > 0)
      g_ptr_array_add (f->outputs, end);
  }
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
  g_free (f->input.uri);
  g_clear_pointer (&f->input.stats, gst_structure_free);
  g_ptr_array_unref (f->outputs);
  g_free (f);
}
