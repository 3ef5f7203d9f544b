/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <gst/base/gstbasesink.h>
#include "faspsocket.h"
#include "gstfaspconnection.h"
#include "gstfaspaddress.h"
#include "gstfaspcallers.h"
#include "gstfaspsockets.h"
#include "gstfaspelements.h"
#include "gstfaspevents.h"
#include "gstfasplogger.h"
#include "gstfasprecordfile.h"
#include "gstfaspstats.h"
#include "gstfaspnotify.h"
#include "gstfasptextfile.h"
#include "gstfaspuri.h"

/* The key under which an element keeps its connection, for code that knows only the element. */
static GQuark
get_quark (void)
{
  return g_quark_from_static_string ("gst-fasp-connection");
}

static GstFaspConnection *
get_connection (gpointer element)
{
  return g_object_get_qdata (element, get_quark ());
}

void
gst_fasp_connection_init (GstFaspConnection *c, GstElement *element, FaspRole role)
{
  g_object_set_qdata (G_OBJECT (element), get_quark (), c);
  c->element = element;
  c->role = role;
  gst_fasp_settings_init (&c->settings, role);
  g_mutex_init (&c->lock);
}

void
gst_fasp_connection_clear (GstFaspConnection *c)
{
  gst_fasp_settings_clear (&c->settings);
  g_mutex_clear (&c->lock);
}

static guint
count_ios (const GstFaspConnection *c)
{
  return c->several != NULL ? fasp_sources_count (c->several) : c->io != NULL ? 1 : 0;
}

static FaspIo *
get_io (const GstFaspConnection *c, guint i)
{
  return c->several != NULL ? fasp_sources_get (c->several, i) : c->io;
}

/* --- statistics ------------------------------------------------------------------- */

static GstStructure *
get_stats (GstFaspConnection *c)
{
  GstStructure *stats;

  g_mutex_lock (&c->lock);
  stats = gst_fasp_stats_new (c->io, c->several, c->role);
  g_mutex_unlock (&c->lock);
  return stats;
}

static void
stop_reporting (GstFaspConnection *c)
{
  g_clear_pointer (&c->report, gst_fasp_stats_end_reports);
}

static void
start_reporting (GstFaspConnection *c)
{
  GstClockTime interval;

  stop_reporting (c);
  GST_OBJECT_LOCK (c->element);
  interval = c->settings.stats_interval * GST_MSECOND;
  GST_OBJECT_UNLOCK (c->element);
  if (interval > 0)
    c->report = gst_fasp_stats_begin_reports (c->element, interval);
}

/* --- properties -------------------------------------------------------------------- */

/* Gives the settings to the core. Needs the connection lock, which keeps changes in order. */
static void
apply (GstFaspConnection *c)
{
  FaspEndpointSettings settings;

  GST_OBJECT_LOCK (c->element);
  gst_fasp_settings_to_endpoint (&c->settings, &settings);
  GST_OBJECT_UNLOCK (c->element);
  for (guint i = 0; i < count_ios (c); i++) {
    FaspIo *io = get_io (c, i);

    fasp_endpoint_configure (fasp_io_lock (io), g_get_monotonic_time (), &settings);
    fasp_io_unlock (io, TRUE);
  }
}

/* Does @value differ from the present one? Secrets are not compared, and always count as new. */
static gboolean
is_new (GstFaspConnection *c, guint id, const GValue *value, GParamSpec *pspec)
{
  g_auto (GValue) old = G_VALUE_INIT;

  if (!(pspec->flags & G_PARAM_READABLE))
    return TRUE;
  g_value_init (&old, G_PARAM_SPEC_VALUE_TYPE (pspec));
  gst_fasp_connection_get_property (c, id, &old, pspec);
  return gst_value_compare (&old, value) != GST_VALUE_EQUAL;
}

/* Passes a changed property on to the core, or warns that it takes effect at the next start. */
static void
property_changed (GstFaspConnection *c, GstFaspProp prop, GParamSpec *pspec, gboolean new)
{
  gboolean too_late;

  g_mutex_lock (&c->lock);
  too_late = new && c->io != NULL && (pspec->flags & GST_PARAM_MUTABLE_READY);
  if (c->io != NULL) {
    apply (c);
    if (prop == GST_FASP_PROP_STATS_INTERVAL)
      start_reporting (c);
  }
  g_mutex_unlock (&c->lock);
  if (too_late)
    GST_WARNING_OBJECT (c->element,
        "%s was set while the element runs: it takes effect when the element "
        "has been set to READY and starts again.",
        pspec->name);
}

void
gst_fasp_connection_set_property (GstFaspConnection *c, guint id, const GValue *value,
    GParamSpec *pspec)
{
  gboolean new = is_new (c, id, value, pspec);
  g_autoptr (GError) error = NULL;

  if (id == GST_FASP_PROP_URI) {
    if (!gst_fasp_uri_set (&c->settings, c->element, g_value_get_string (value), &error)) {
      /* setting a property cannot fail: instead, the element will refuse to start */
      GST_OBJECT_LOCK (c->element);
      gst_fasp_settings_set_bad_uri (&c->settings, g_steal_pointer (&error));
      GST_OBJECT_UNLOCK (c->element);
    }
  } else {
    GST_OBJECT_LOCK (c->element);
    gst_fasp_settings_set (&c->settings, id, value);
    GST_OBJECT_UNLOCK (c->element);
  }
  property_changed (c, id, pspec, new);
}

void
gst_fasp_connection_get_property (GstFaspConnection *c, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == GST_FASP_PROP_STATS) {
    g_value_take_boxed (value, get_stats (c));
    return;
  }
  GST_OBJECT_LOCK (c->element);
  gst_fasp_settings_get (&c->settings, id, value);
  GST_OBJECT_UNLOCK (c->element);
}

/* --- GstURIHandler ------------------------------------------------------------------- */

static GstURIType
get_uri_type (GType type)
{
  return g_type_is_a (type, GST_TYPE_BASE_SINK) ? GST_URI_SINK : GST_URI_SRC;
}

static const gchar *const *
get_protocols (GType type)
{
  static const gchar *protocols[] = { "fasp", NULL };

  return protocols;
}

static gchar *
get_uri (GstURIHandler *handler)
{
  gchar *uri = NULL;

  g_object_get (handler, "uri", &uri, NULL);
  return uri;
}

static gboolean
handle_uri (GstURIHandler *handler, const gchar *uri, GError **error)
{
  GstFaspConnection *c = get_connection (handler);
  gboolean running;

  g_mutex_lock (&c->lock);
  running = c->io != NULL;
  g_mutex_unlock (&c->lock);
  /* the caller expects that this URI is played now */
  if (running)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
        "The URI cannot be changed while the element runs: set it to READY first, or set the "
        "property uri, which takes effect at the next start.");
  return !running && gst_fasp_uri_set (&c->settings, c->element, uri, error);
}

void
gst_fasp_connection_init_uri_handler (gpointer iface, gpointer unused)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = get_uri_type;
  handler->get_protocols = get_protocols;
  handler->get_uri = get_uri;
  handler->set_uri = handle_uri;
}

/* --- running -------------------------------------------------------------------------- */

/* Warns if any host that reaches the port can connect, or any host on the path can read the
 * stream. */
static void
warn_of_keys (GstFaspConnection *c, const GstFaspKeys *keys)
{
  if (keys->encryption == GST_FASP_ENCRYPTION_NONE)
    GST_ELEMENT_WARNING (c->element, RESOURCE, SETTINGS,
        ("The stream is not encrypted: every host on its path can read and "
         "forge it. Leave out encryption=none, and set passphrase."),
        (NULL));
  else if (!gst_fasp_keys_authenticate (keys))
    GST_ELEMENT_WARNING (c->element, RESOURCE, SETTINGS,
        ("The stream is encrypted but not authenticated: every host that reaches the port can "
         "connect. Set passphrase on both ends, or key-file."),
        (NULL));
}

/* Warns about local addresses and interfaces that do not exist yet, as their names may be
 * mistyped. */
static void
warn_of_early (GstFaspConnection *c, FaspIo *io, const GstFaspSockets *sockets)
{
  for (guint i = 0; i < sockets->n; i += sockets->flowlets) {
    const FaspSocketSettings *line = &sockets->list[i];

    if (fasp_io_is_early (io, i))
      GST_ELEMENT_WARNING (c->element, RESOURCE, NOT_FOUND,
          ("This machine has no %s \"%s\" yet: that line will be used when it "
           "is there. `ip address' lists what this machine has.",
              line->interface != NULL ? "interface" : "address",
              line->interface != NULL ? line->interface : line->local_address),
          (NULL));
  }
}

/* Which keys callers may have. A handler of caller-connecting gets the key, so it can decide about
 * unknown ones. */
static GstFaspKeysUse
get_use (GstElement *element, const FaspEndpointConfig *config)
{
  if (fasp_endpoint_config_dials (config))
    return GST_FASP_KEYS_DIAL;
  return gst_fasp_callers_has_handler (element, "caller-identified") ? GST_FASP_KEYS_ASK :
                                                                       GST_FASP_KEYS_LISTEN;
}

/* A copy of the settings, as other threads may set properties meanwhile. */
typedef struct
{
  FaspIoSettings io;
  FaspRedundancy redundancy;
  FaspTime wait_to_restore;
  GstFaspSockets *sockets;
  gchar *streamid, *host, *record, *log;
  GstFaspKeys keys;
} Wanted;

static void
wanted_clear (Wanted *wanted)
{
  g_clear_pointer (&wanted->sockets, gst_fasp_sockets_free);
  fasp_credentials_unref (wanted->io.endpoint.credentials);
  g_free (wanted->streamid);
  g_free (wanted->host);
  g_free (wanted->record);
  g_free (wanted->log);
  gst_fasp_keys_clear (&wanted->keys);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Wanted, wanted_clear);

/* Copies the settings. The caller clears @wanted, also after a failure. */
static gboolean
get_wanted (GstFaspConnection *c, Wanted *wanted, GError **error)
{
  FaspIoSettings *io = &wanted->io;
  gboolean good = FALSE;

  GST_OBJECT_LOCK (c->element);
  if (c->settings.bad_uri != NULL)
    g_propagate_error (error, g_error_copy (c->settings.bad_uri));
  else
    good = gst_fasp_settings_to_io (&c->settings, io, &wanted->sockets, error);
  wanted->redundancy = c->settings.receiving.redundancy;
  wanted->wait_to_restore = c->settings.receiving.wait_to_restore * FASP_MSEC;
  io->endpoint.streamid = wanted->streamid = g_strdup (io->endpoint.streamid);
  io->peer_host = wanted->host = g_strdup (io->peer_host);
  wanted->record = g_strdup (c->settings.record);
  wanted->log = g_strdup (c->settings.log);
  gst_fasp_keys_copy (&c->settings.keys, &wanted->keys);
  GST_OBJECT_UNLOCK (c->element);
  return good;
}

static gboolean
is_set (const gchar *path)
{
  return path != NULL && path[0] != '\0';
}

/* Returns NULL if the files can be written; else a sentence that says which one cannot, and what to
 * do. */
static gchar *
check_files (const Wanted *wanted)
{
  g_autoptr (GError) error = NULL;

  if (is_set (wanted->record) && !gst_fasp_record_file_check (wanted->record, &error))
    return g_strdup_printf (
        "Cannot record to \"%s\": %s. Set record to a file that can be written.", wanted->record,
        error->message);
  if (is_set (wanted->log) && !gst_fasp_text_file_check (wanted->log, &error))
    return g_strdup_printf ("Cannot log to \"%s\": %s. Set log to a file that can be written.",
        wanted->log, error->message);
  return NULL;
}

static gchar *
check (GstElement *element)
{
  GstFaspConnection *c = get_connection (element);
  g_autoptr (GError) error = NULL;
  g_auto (Wanted) wanted = { .sockets = NULL };
  gboolean good = get_wanted (c, &wanted, &error)
      && gst_fasp_keys_check (&wanted.keys, get_use (element, &wanted.io.endpoint), &error);

  for (guint i = 0; good && i < wanted.io.n_sockets; i++)
    good = fasp_socket_check (&wanted.io.sockets[i], &error);
  return good ? check_files (&wanted) : g_strdup (error->message);
}

void
gst_fasp_connection_install_check (GObjectClass *klass)
{
  /**
   * GstFaspSink::check-settings:
   * @sink: a faspsink
   *
   * Could the element start with its present settings?
   *
   * Returns: (nullable): %NULL, or what is wrong with them
   *
   * Since: 1.0
   */
  /**
   * GstFaspSrc::check-settings:
   * @src: a faspsrc
   *
   * Could the element start with its present settings?
   *
   * Returns: (nullable): %NULL, or what is wrong with them
   *
   * Since: 1.0
   */
  g_signal_new_class_handler ("check-settings", G_OBJECT_CLASS_TYPE (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (check), NULL, NULL, NULL, G_TYPE_STRING, 0);
}

void
gst_fasp_connection_follow (GstFaspConnection *c, GstStateChange transition)
{
  GstFaspKeys keys = { NULL };

  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    g_clear_pointer (&c->stretched, gst_fasp_stretched_unref);
  if (transition != GST_STATE_CHANGE_NULL_TO_READY)
    return;
  GST_OBJECT_LOCK (c->element);
  gst_fasp_keys_copy (&c->settings.keys, &keys);
  GST_OBJECT_UNLOCK (c->element);
  if (keys.passphrase != NULL)
    c->stretched = gst_fasp_stretch_begin (keys.passphrase);
  gst_fasp_keys_clear (&keys);
}

/* Each of the following functions posts an error if it fails. */
static gboolean
prepare (GstFaspConnection *c, Wanted *wanted)
{
  FaspIoSettings *io = &wanted->io;
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  if (get_wanted (c, wanted, &error))
    io->endpoint.credentials = gst_fasp_keys_load (&wanted->keys,
        get_use (c->element, &io->endpoint), warnings, &c->stretched, &error);
  if (error != NULL) {
    GST_ELEMENT_ERROR (c->element, RESOURCE, SETTINGS, ("%s", error->message), (NULL));
    return FALSE;
  }
  warn_of_keys (c, &wanted->keys);
  for (guint i = 0; i < warnings->len; i++)
    GST_ELEMENT_WARNING (c->element, RESOURCE, SETTINGS,
        ("%s", (const gchar *) g_ptr_array_index (warnings, i)), (NULL));
  gst_fasp_notify_fill (io);
  io->endpoint.ask |= gst_fasp_callers_have_judge (c->element);
  memset (&c->posted, 0, sizeof c->posted);
  memset (c->changes, 0, sizeof c->changes);
  c->busy_posted = c->failed = FALSE;
  c->is_caller = io->endpoint.mode == FASP_MODE_CALLER;
  return TRUE;
}

static gboolean
open_record (GstFaspSource *source, const Wanted *wanted)
{
  GstElement *element = source->connection->element;
  g_autoptr (GError) error = NULL;

  if (!is_set (wanted->record))
    return TRUE;
  source->recorder = gst_fasp_recorder_new (element, wanted->record, &error);
  if (source->recorder == NULL)
    GST_ELEMENT_ERROR (element, RESOURCE, OPEN_WRITE,
        ("Cannot record to %s. Set record to a file that can be written.", error->message), (NULL));
  return source->recorder != NULL;
}

static gboolean
open_log (GstFaspSource *source, const Wanted *wanted, FaspIoSettings *io)
{
  GstElement *element = source->connection->element;
  g_autoptr (GError) error = NULL;

  if (!gst_fasp_logger_is_wanted (wanted->log))
    return TRUE;
  io->log = gst_fasp_logger_get_keep ();
  source->logger = gst_fasp_logger_new (element, &io->endpoint, wanted->log, &error);
  if (source->logger == NULL)
    GST_ELEMENT_ERROR (element, RESOURCE, OPEN_WRITE,
        ("Cannot log to %s. Set log to a file that can be written.", error->message), (NULL));
  return source->logger != NULL;
}

static void
set_flushing (GstFaspConnection *c)
{
  if (c->several != NULL)
    fasp_sources_set_flushing (c->several, c->flushing > 0);
  else
    fasp_io_set_flushing (c->io, c->flushing > 0);
}

/* Makes each source, with the files that its I/O thread writes. */
static gboolean
open_sources (GstFaspConnection *c, const Wanted *wanted, FaspIoSettings *ios)
{
  c->n_sources = gst_fasp_redundancy_split (&wanted->io, wanted->redundancy, ios);
  for (guint i = 0; i < c->n_sources; i++) {
    GstFaspSource *source = &c->sources[i];

    *source = (GstFaspSource) { .connection = c, .number = i };
    ios[i].user_data = source;
    source->lines = gst_fasp_lines_new (wanted->sockets);
  }
  for (guint i = 0; i < c->n_sources; i++)
    if (!open_record (&c->sources[i], wanted) || !open_log (&c->sources[i], wanted, &ios[i]))
      return FALSE;
  return TRUE;
}

/* With several sources, 1 / RECENT_SHARE of buffer-size holds the newest bytes of the stream, to
 * compare sources with. */
#define RECENT_SHARE 4

/* Opens the ports.  *several: NULL if there is one source. */
static FaspIo *
make_io (GstFaspConnection *c, const Wanted *wanted, const FaspIoSettings *ios,
    FaspSources **several, GError **error)
{
  FaspSourcesSettings settings = {
    .redundancy = wanted->redundancy,
    .wait_to_restore = wanted->wait_to_restore,
    .recent = wanted->io.endpoint.buffer_size / RECENT_SHARE,
  };

  if (wanted->redundancy == FASP_REDUNDANCY_NONE)
    return fasp_io_new (ios, error);
  gst_fasp_notify_fill_sources (c, &settings);
  *several = fasp_sources_new (&settings, ios, c->n_sources, error);
  return *several != NULL ? fasp_sources_get (*several, 0) : NULL;
}

static void
start_recording (GstFaspConnection *c)
{
  for (guint i = 0; i < c->n_sources; i++) {
    if (c->sources[i].recorder != NULL)
      gst_fasp_recorder_start (c->sources[i].recorder, get_io (c, i));
    if (c->sources[i].logger != NULL)
      gst_fasp_recorder_start (c->sources[i].logger, get_io (c, i));
  }
}

static gboolean
start (GstFaspConnection *c, const Wanted *wanted, const FaspIoSettings *ios)
{
  g_autoptr (GError) error = NULL;
  FaspSources *several = NULL;
  FaspIo *io = make_io (c, wanted, ios, &several, &error);

  if (io == NULL) {
    if (c->role == FASP_ROLE_SENDER)
      GST_ELEMENT_ERROR (c->element, RESOURCE, OPEN_WRITE, ("%s", error->message), (NULL));
    else
      GST_ELEMENT_ERROR (c->element, RESOURCE, OPEN_READ, ("%s", error->message), (NULL));
    return FALSE;
  }
  GST_INFO_OBJECT (c->element, "UDP port %u, receive buffer %" G_GSIZE_FORMAT " bytes",
      fasp_io_get_port (io), fasp_io_get_socket_buffer (io));
  warn_of_early (c, io, wanted->sockets);
  g_mutex_lock (&c->lock);
  c->io = io;
  c->several = several;
  set_flushing (c);
  /* properties may have been set since `wanted' was copied */
  apply (c);
  start_reporting (c);
  g_mutex_unlock (&c->lock);
  start_recording (c);
  return TRUE;
}

gboolean
gst_fasp_connection_open (GstFaspConnection *c)
{
  g_auto (Wanted) wanted = { .sockets = NULL };
  FaspIoSettings ios[FASP_SOURCES_MAX];

  if (prepare (c, &wanted) && open_sources (c, &wanted, ios) && start (c, &wanted, ios))
    return TRUE;
  gst_fasp_connection_close (c);
  return FALSE;
}

/* Is this a thread that close() waits for? */
static gboolean
is_own_thread (const GstFaspConnection *c)
{
  gboolean own = gst_fasp_notify_is_self (c);

  for (guint i = 0; i < c->n_sources; i++)
    own |= gst_fasp_recorder_is_self (c->sources[i].recorder)
        || gst_fasp_recorder_is_self (c->sources[i].logger);
  return own;
}

gboolean
gst_fasp_connection_may_close (GstFaspConnection *c)
{
  gboolean known = c->busy_posted;

  if (!is_own_thread (c))
    return TRUE;
  g_critical ("%s cannot be stopped by a handler of its own signals or "
              "messages, whose thread would wait for itself. Stop it from another "
              "thread: gst_element_call_async () does.",
      GST_OBJECT_NAME (c->element));
  c->busy_posted = TRUE; /* first, as a handler of the error may try again */
  if (!known)
    GST_ELEMENT_ERROR (c->element, CORE, STATE_CHANGE,
        ("A handler of this element's signals or messages tried to stop it: its "
         "thread would wait for itself. Stop it from another thread, with "
         "gst_element_call_async()."),
        (NULL));
  return FALSE;
}

void
gst_fasp_connection_close (GstFaspConnection *c)
{
  FaspSources *several;
  FaspIo *io;

  for (guint i = 0; i < c->n_sources; i++)
    g_clear_pointer (&c->sources[i].recorder, gst_fasp_recorder_free);
  g_mutex_lock (&c->lock);
  stop_reporting (c);
  io = c->several == NULL ? c->io : NULL;
  several = c->several;
  c->io = NULL;
  c->several = NULL;
  g_mutex_unlock (&c->lock);
  if (io != NULL)
    fasp_io_close (io);
  if (several != NULL)
    fasp_sources_close (several);
  for (guint i = 0; i < c->n_sources; i++) /* after the session's end, which the logger records */
    g_clear_pointer (&c->sources[i].logger, gst_fasp_recorder_free);
  fasp_io_free (io);
  fasp_sources_free (several);
  for (guint i = 0; i < c->n_sources; i++)
    g_clear_pointer (&c->sources[i].lines, gst_fasp_lines_free);
  g_clear_pointer (&c->stretched, gst_fasp_stretched_unref);
}

GstFlowReturn
gst_fasp_connection_fail (GstFaspConnection *c, const FaspEvent *event)
{
  g_autofree gchar *why = gst_fasp_events_explain (event);
  gboolean sends = c->role == FASP_ROLE_SENDER;
  const gchar *instead = "";

  /* the error is posted only once */
  if (c->failed)
    return GST_FASP_FLOW_POSTED;
  c->failed = TRUE;
  switch (event->reason) {
    case FASP_REASON_REFUSED:
    case FASP_REASON_KEY:
    case FASP_REASON_ENCRYPTION:
      GST_ELEMENT_ERROR_WITH_DETAILS (c->element, RESOURCE, NOT_AUTHORIZED,
          ("Cannot %s: %s.", sends ? "send" : "receive", why), (NULL), GST_FASP_REASON (event));
      return GST_FASP_FLOW_POSTED;
    case FASP_REASON_STOPPED:
    case FASP_REASON_TOO_SLOW:
    case FASP_REASON_BUSY:
    case FASP_REASON_SILENT:
    case FASP_REASON_ENDED_HERE:
      instead = " With auto-reconnect=true, it would be called again.";
      break;
    default:
      break;
  }
  if (sends)
    GST_ELEMENT_ERROR_WITH_DETAILS (c->element, RESOURCE, WRITE,
        ("Cannot send: %s.%s", why, instead), (NULL), GST_FASP_REASON (event));
  else
    GST_ELEMENT_ERROR_WITH_DETAILS (c->element, RESOURCE, READ,
        ("Cannot receive: %s.%s", why, instead), (NULL), GST_FASP_REASON (event));
  return GST_FASP_FLOW_POSTED;
}

FaspIoResult
gst_fasp_connection_read (GstFaspConnection *c, FaspRead *items, guint max, guint *n,
    FaspEvent *event)
{
  return c->several != NULL ? fasp_sources_read (c->several, items, max, n, event) :
                              fasp_io_read (c->io, items, max, n, event);
}

FaspSenderClock
gst_fasp_connection_get_sender_clock (GstFaspConnection *c)
{
  FaspSenderClock sender;

  if (c->several != NULL) {
    fasp_sources_get_sender_clock (c->several, &sender);
    return sender;
  }
  fasp_endpoint_get_sender_clock (fasp_io_lock (c->io), &sender);
  fasp_io_unlock (c->io, FALSE);
  return sender;
}

/* Returns the id of a session; 0: there is none. */
static guint32
find_session (FaspIo *io, const gchar *address)
{
  gint64 now = g_get_monotonic_time ();
  guint64 cursor = 0;
  FaspSessionStats one;
  guint n;

  do {
    g_autofree gchar *text = NULL;

    n = fasp_endpoint_get_sessions (fasp_io_lock (io), now, &cursor, &one, 1);
    fasp_io_unlock (io, FALSE);
    if (n > 0)
      text = gst_fasp_address_to_string (&one.address);
    if (g_strcmp0 (text, address) == 0 && text != NULL)
      return one.session;
  } while (n > 0);
  return 0;
}

gboolean
gst_fasp_connection_drop (GstElement *element, const gchar *address)
{
  GstFaspConnection *c = get_connection (element);
  gboolean dropped = FALSE;

  g_mutex_lock (&c->lock);
  for (guint i = 0; !dropped && i < count_ios (c); i++) {
    FaspIo *io = get_io (c, i);
    guint32 session = find_session (io, address);

    dropped = session != 0
        && fasp_endpoint_drop (fasp_io_lock (io), g_get_monotonic_time (), session,
            "the application there has disconnected it");
    if (session != 0)
      fasp_io_unlock (io, TRUE);
  }
  g_mutex_unlock (&c->lock);
  return dropped;
}

/* The caller drops a text that is not plain, or cut within a character. */
static gboolean
may_be_sent (const gchar *why)
{
  gsize size = why != NULL ? strlen (why) : 0;

  return size > 0 && size <= FASP_TEXT_MAX && fasp_text_is_plain (why, size);
}

gboolean
gst_fasp_connection_decide (GstElement *element, const gchar *ticket, gboolean accept,
    const gchar *why, const gchar *for_caller, gboolean again)
{
  FaspReason refusal = accept ? FASP_REASON_NONE : again ? FASP_REASON_BUSY : FASP_REASON_REFUSED;
  GstFaspConnection *c = get_connection (element);
  FaspEvent asked;
  guint source;
  gboolean good;

  g_mutex_lock (&c->lock);
  good = gst_fasp_callers_read_ticket (ticket, &source, &asked) && source < count_ios (c);
  if (good) {
    FaspIo *io = get_io (c, source);

    good = fasp_endpoint_decide (fasp_io_lock (io), g_get_monotonic_time (), &asked, refusal,
        may_be_sent (why) ? why : NULL, may_be_sent (for_caller) ? for_caller : NULL);
    fasp_io_unlock (io, TRUE);
  }
  g_mutex_unlock (&c->lock);
  return good;
}

void
gst_fasp_connection_refuse (GstFaspConnection *c, const gchar *why)
{
  for (guint i = 0; i < count_ios (c); i++) {
    FaspIo *io = get_io (c, i);

    fasp_endpoint_refuse (fasp_io_lock (io), g_get_monotonic_time (), why);
    fasp_io_unlock (io, TRUE);
  }
}

gboolean
gst_fasp_connection_want_key_frame (GstFaspConnection *c)
{
  gboolean wanted = FALSE;

  g_mutex_lock (&c->lock);
  for (guint i = 0; i < count_ios (c); i++) {
    FaspIo *io = get_io (c, i);
    gboolean now = fasp_endpoint_want_key_frame (fasp_io_lock (io), g_get_monotonic_time ());

    fasp_io_unlock (io, now);
    wanted |= now;
  }
  g_mutex_unlock (&c->lock);
  return wanted;
}

gboolean
gst_fasp_connection_switch_source (GstElement *element, guint source)
{
  GstFaspConnection *c = get_connection (element);
  gboolean done;

  g_mutex_lock (&c->lock);
  done = c->several != NULL && fasp_sources_prefer (c->several, source);
  g_mutex_unlock (&c->lock);
  return done;
}

void
gst_fasp_connection_flush (GstFaspConnection *c, gboolean begins)
{
  g_mutex_lock (&c->lock);
  c->flushing += begins ? 1 : -1;
  set_flushing (c);
  g_mutex_unlock (&c->lock);
}
