/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <glib-unix.h>
#include "relayadmission.h"
#include "relayasking.h"
#include "relayauth.h"
#include "relayhooks.h"
#include "relaystatuspages.h"
#include "relaylog.h"
#include "relaylogin.h"
#include "relaysave.h"
#include "relayset.h"

#define HEARTBEAT 1 /* s */
/* The relay counts as hung after so long without a heartbeat. */
#define ALIVE (10 * G_USEC_PER_SEC)

/* How far the streams are with a new configuration. Changes wait until it is SETTLED.
 *
 *     SETTLED -- another is in force --> CHANGING -- all ends of it are there --> SETTLED
 *                                         |   ^
 *                    the file is to be read   read
 *                                         v   |
 *                                         RELOAD
 *
 * A signal leads from each of them to ENDING. */
typedef enum
{
  RELAY_SETTLED,
  RELAY_CHANGING,
  RELAY_RELOAD, /* changing; the file must be read again after that */
  RELAY_ENDING,
} Phase;

typedef struct
{
  GMainLoop *loop;
  const gchar *path;
  RelayConfig *config;
  RelaySet *set;
  RelayHttp *http, *local; /* servers of the status, and of the API's socket; NULL: none */
  RelayApi *api;
  RelayAdmission *admission;
  RelayLogins *logins;
  RelayStatusPages *pages;
  RelayHooks *hooks;
  RelaySaved saved; /* the configuration file as it was last read or written */
  GQueue asked;     /* RelayRequest: changes that wait */
  Phase phase;

  GMutex lock; /* guards the fields below */
  gint64 beat;
  RelayStats stats; /* without streams, and without the members that take_stats() sets */
} Relay;

/* Returns whole seconds, in µs, UTC. */
static gint64
get_time (void)
{
  return g_get_real_time () / G_USEC_PER_SEC * G_USEC_PER_SEC;
}

/* --- statistics -------------------------------------------------------------------------- */

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(RelayStreamStats **) a)->name, (*(RelayStreamStats **) b)->name);
}

/* May be called from any thread. */
static RelayStats *
take_stats (gpointer data)
{
  Relay *relay = data;
  RelayStats *f = g_new (RelayStats, 1);
  g_autoptr (GPtrArray) streams = relay_set_list (relay->set);

  g_mutex_lock (&relay->lock);
  *f = relay->stats;
  f->refused = g_strdup (f->refused);
  f->alive = g_get_monotonic_time () - relay->beat < ALIVE;
  g_mutex_unlock (&relay->lock);
  f->api = relay_admission_get_mode (relay->admission);
  relay_admission_get_refused (relay->admission, &f->unallowed);
  relay_auth_get_stats (&f->auth);
  relay_hooks_get_stats (relay->hooks, &f->hooks);
  f->streams = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_stream_stats_free);
  for (guint i = 0; i < streams->len; i++)
    g_ptr_array_add (f->streams, relay_stream_get_stats (g_ptr_array_index (streams, i)));
  g_ptr_array_sort (f->streams, by_name);
  return f;
}

/* May be called from any thread. */
static void
on_event (const gchar *kind, const gchar *stream, const gchar *json, gpointer data)
{
  relay_hooks_note (((Relay *) data)->hooks, kind, stream, json);
}

static gboolean
make_page (const gchar *path, RelayPage *page, gpointer data)
{
  return relay_status_pages_answer (((Relay *) data)->pages, path, page);
}

static gboolean
accepts (GInetAddress *address, gpointer data)
{
  return relay_admission_accepts (((Relay *) data)->admission, address);
}

static RelayVerdict
admit (const RelayAsk *ask, RelayAdmitted *admitted, RelayPage *page, gpointer data)
{
  return relay_admission_admit (((Relay *) data)->admission, ask, admitted, page);
}

static gboolean
may_stay (const RelayAsk *ask, gpointer data)
{
  return relay_admission_allows (((Relay *) data)->admission, ask);
}

static void
ask (RelayRequest *request, const RelayAsk *asked, gpointer data)
{
  relay_asking_ask (((Relay *) data)->admission, request, asked);
}

static gboolean
beat (gpointer data)
{
  Relay *relay = data;

  g_mutex_lock (&relay->lock);
  relay->beat = g_get_monotonic_time ();
  g_mutex_unlock (&relay->lock);
  return G_SOURCE_CONTINUE;
}

/* --- configuration ------------------------------------------------------------------------- */

static void take (RelayRequest *request, gpointer data);

static const RelayHttpFuncs http_funcs = { accepts, make_page, admit, may_stay, ask, take };

static gboolean
is_same_address (GSocketAddress *a, GSocketAddress *b)
{
  g_autofree gchar *x = NULL, *y = NULL;

  if (a == NULL || b == NULL)
    return a == b;
  x = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (a));
  y = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (b));
  return g_str_equal (x, y);
}

static gboolean
has_same_port (GSocketAddress *a, GSocketAddress *b)
{
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (a))
      == g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (b));
}

/* Starts a server at another address. If the old server occupies that, as one of them has all
 * addresses of the same port, the old one is stopped first. */
static RelayHttp *
serve_instead (Relay *relay, GSocketAddress *address, GError **error)
{
  g_autoptr (GError) in_use = NULL;
  RelayHttp *http = relay_http_new (address, &http_funcs, relay, &in_use);

  if (http != NULL)
    return http;
  if (relay->http == NULL || !has_same_port (relay->config->status, address)
      || !g_error_matches (in_use, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE)) {
    g_propagate_error (error, g_steal_pointer (&in_use));
    return NULL;
  }
  g_clear_pointer (&relay->http, relay_http_free);
  http = relay_http_new (address, &http_funcs, relay, error);
  if (http == NULL) {
    g_autoptr (GError) why = NULL;

    relay->http = relay_http_new (relay->config->status, &http_funcs, relay, &why);
    if (relay->http == NULL)
      relay_log_warning (NULL, "%s. The status is no longer served.", why->message);
  }
  return http;
}

void
relay_tell_warnings (const RelayConfig *config)
{
  for (guint i = 0; i < config->warnings->len; i++)
    relay_log_warning (NULL, "%s", (const gchar *) g_ptr_array_index (config->warnings, i));
}

/* If the new server cannot start, the old one goes on.  What needs a role is refused until the
 * rules of the new configuration are in force: so neither address is served by the rules for the
 * other. */
static gboolean
serve (Relay *relay, GSocketAddress *address, GError **error)
{
  GSocketAddress *old = relay->config != NULL ? relay->config->status : NULL;
  RelayHttp *http = NULL;

  if (relay->config != NULL && is_same_address (old, address)
      && (address == NULL || relay->http != NULL))
    return TRUE;
  relay_admission_hold (relay->admission, TRUE);
  if (address != NULL) {
    http = serve_instead (relay, address, error);
    if (http == NULL) {
      relay_admission_hold (relay->admission, relay->config == NULL);
      g_prefix_error (error, "[relay] status: ");
      return FALSE;
    }
  }
  g_clear_pointer (&relay->http, relay_http_free);
  relay->http = http;
  return TRUE;
}

/* Opens the socket of the API if it has another path: *http, else NULL. */
static gboolean
open_local (Relay *relay, GSocketAddress *address, RelayHttp **http, GError **error)
{
  GSocketAddress *old = relay->config != NULL ? relay->config->api_socket : NULL;

  *http = NULL;
  if (address == NULL || is_same_address (old, address))
    return TRUE;
  *http = relay_http_new (address, &http_funcs, relay, error);
  if (*http == NULL)
    g_prefix_error (error, "[relay] api-socket: ");
  return *http != NULL;
}

static void
use_local (Relay *relay, GSocketAddress *address, RelayHttp *http)
{
  if (address != NULL && http == NULL)
    return;
  g_clear_pointer (&relay->local, relay_http_free);
  relay->local = http;
}

/* Puts a configuration into force, and takes it over. */
static void
use (Relay *relay, RelayConfig *config, gboolean reloads, const RelayKept *kept)
{
  relay_tell_warnings (config);
  g_mutex_lock (&relay->lock);
  relay->stats.receiver_metrics = config->receiver_metrics;
  relay->stats.saved = relay_saved_is (&relay->saved, config->text, config->size);
  g_mutex_unlock (&relay->lock);
  /* a change by the API leaves users, tokens and their roles as they are */
  if (reloads)
    relay_admission_use (relay->admission, config);
  relay_status_pages_keep_history (relay->pages, config->history);
  relay_auth_use (config->auth_url, config->auth_keep);
  relay_hooks_use (relay->hooks, config->hooks);
  if (relay->config != NULL)
    relay_config_adopt (config, relay->config, kept);
  g_clear_pointer (&relay->config, relay_config_free);
  relay->config = config;
  relay->phase = RELAY_CHANGING;
  relay_set_apply (relay->set, config);
}

static gboolean
load (Relay *relay, GError **error)
{
  g_autoptr (RelayConfig) config = relay_config_load (relay->path, error);
  RelayHttp *local;

  if (config == NULL || !open_local (relay, config->api_socket, &local, error))
    return FALSE;
  if (!serve (relay, config->status, error)) {
    g_clear_pointer (&local, relay_http_free);
    return FALSE;
  }
  use_local (relay, config->api_socket, local);
  if (relay->config != NULL && !relay->stats.saved)
    relay_log (NULL, "what was changed by the API and not saved is given up.");
  relay_saved_set (&relay->saved, config->text, config->size);
  use (relay, g_steal_pointer (&config), TRUE, NULL);
  g_mutex_lock (&relay->lock);
  relay->stats.loaded = get_time ();
  g_clear_pointer (&relay->stats.refused, g_free);
  g_mutex_unlock (&relay->lock);
  return TRUE;
}

/* Is it 0.0.0.0 or ::, which stand for all addresses, so that a browser cannot open it? */
static gboolean
is_any (GSocketAddress *address)
{
  return g_inet_address_get_is_any (
      g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)));
}

static void
tell_in_force (const Relay *relay)
{
  GSocketAddress *status = relay->config->status;
  g_autofree gchar *address = NULL;

  if (status == NULL) {
    relay_log (NULL, "%s is in force.", relay->path);
  } else if (is_any (status)) {
    relay_log (NULL,
        "%s is in force; its page is http://localhost:%u/, and at each address of this machine.",
        relay->path, g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (status)));
  } else {
    address = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (status));
    relay_log (NULL, "%s is in force; its page is http://%s/.", relay->path, address);
  }
}

static void
reload (Relay *relay)
{
  g_autoptr (GError) error = NULL;

  if (load (relay, &error)) {
    g_mutex_lock (&relay->lock);
    relay->stats.reloads++;
    g_mutex_unlock (&relay->lock);
    tell_in_force (relay);
    return;
  }
  relay_log_warning (NULL, "the new configuration is refused, the old one stays in force. %s",
      error->message);
  g_mutex_lock (&relay->lock);
  relay->stats.reloads_refused++;
  g_free (relay->stats.refused);
  relay->stats.refused = g_strdup (error->message);
  g_mutex_unlock (&relay->lock);
}

/* --- the API ------------------------------------------------------------------------------- */

static const RelayConfig *
get_config (gpointer data)
{
  return ((Relay *) data)->config;
}

static RelayStreamStats *
get_stream_stats (const gchar *name, gpointer data)
{
  g_autoptr (RelayStream) stream = relay_set_find (((Relay *) data)->set, name);

  return stream != NULL ? relay_stream_get_stats (stream) : NULL;
}

static gboolean
change (const gchar *text, gsize size, const RelayKept *kept, GError **error, gpointer data)
{
  RelayConfig *config = relay_config_parse (text, size, get_config (data), error);

  if (config != NULL)
    use (data, config, FALSE, kept);
  return config != NULL;
}

static gboolean
drop (const gchar *name, guint output, const gchar *receiver, gpointer data)
{
  g_autoptr (RelayStream) stream = relay_set_find (((Relay *) data)->set, name);

  return stream != NULL && relay_stream_drop (stream, output, receiver);
}

static gboolean
switch_source (const gchar *name, guint source, gpointer data)
{
  g_autoptr (RelayStream) stream = relay_set_find (((Relay *) data)->set, name);

  return stream != NULL && relay_stream_use_source (stream, source);
}

static const gchar *
get_file (gpointer data)
{
  return ((Relay *) data)->path;
}

static gboolean
is_saved (gpointer data)
{
  return ((Relay *) data)->stats.saved;
}

static gboolean
save (GError **error, gpointer data)
{
  Relay *relay = data;
  gboolean closed;

  if (!relay_save (relay->path, &relay->saved, relay->config->text, relay->config->size,
          relay_config_has_secret (relay->config), &closed, error))
    return FALSE;
  if (closed)
    relay_log_warning (NULL,
        "%s was open to other users, and is closed to them now, as it has a secret: a "
        "passphrase (which can be in a file of its own: input-passphrase-file, "
        "output-passphrase-file), the hash of a password, or a password in a URL or streamid.",
        relay->path);
  g_mutex_lock (&relay->lock);
  relay->stats.saved = TRUE;
  g_mutex_unlock (&relay->lock);
  relay_log (NULL, "%s is saved, as it is in force.", relay->path);
  return TRUE;
}

static gboolean
log_in (const RelayApiRequest *request, const gchar *name, const gchar *password, RelayPage *page,
    gpointer data)
{
  return relay_logins_add (((Relay *) data)->logins, request, name, password, page);
}

static void
tell (const RelayApiRequest *request, RelayPage *page, gpointer data)
{
  const RelayAdmitted *by = &request->by;

  relay_login_tell (((Relay *) data)->admission, by->known_by, by->name, by->role, page);
}

static void
log_out (const RelayApiRequest *request, RelayPage *page, gpointer data)
{
  relay_login_end (((Relay *) data)->admission, request, page);
}

static const RelayApiFuncs api_funcs = { get_config, get_stream_stats, change, drop, switch_source,
  get_file, is_saved, save, log_in, tell, log_out };

/* Logs what was asked, without the body, which may hold secrets. */
static void
note_change (const RelayApiRequest *request)
{
  const gchar *address =
      request->address != NULL ? request->address : "a program at its UNIX socket";
  g_autofree gchar *text = g_strdup_printf ("The API did %s %s, as %s%s%s asked.", request->method,
      request->path, request->by.title != NULL ? request->by.title : "",
      request->by.title != NULL ? " from " : "", address);

  relay_api_log_request (request, request->by.name, text);
}

static void
answer (Relay *relay, RelayRequest *request)
{
  RelayPage page = { 200, "text/plain; charset=utf-8" };

  if (relay->phase == RELAY_ENDING)
    relay_api_refuse (&page, 503, "ending", "The relay is ending.");
  else if (!relay_api_answer (relay->api, relay_request_get (request), &page))
    return;
  if (page.status < 300 && !relay_api_only_reads (relay_request_get (request)))
    note_change (relay_request_get (request));
  relay_request_answer (request, &page);
}

/* Makes the next waiting change. Each waits until the ports of the last one are free. */
static void
answer_asked (Relay *relay)
{
  while ((relay->phase == RELAY_SETTLED || relay->phase == RELAY_ENDING)
      && !g_queue_is_empty (&relay->asked))
    answer (relay, g_queue_pop_head (&relay->asked));
}

static gboolean
waits (gpointer request)
{
  return relay_request_waits (request);
}

/* @name: of a stream. */
static void
ask_preview (Relay *relay, RelayRequest *request, const gchar *name)
{
  g_autoptr (RelayStream) stream = relay_set_find (relay->set, name);
  RelayPreviewAnswer none = { RELAY_PREVIEW_OFF,
    "There is no stream of this name: /status.json lists them." };

  if (stream != NULL)
    relay_stream_ask_preview (stream, relay_status_pages_answer_preview, waits, request);
  else
    relay_status_pages_answer_preview (&none, request);
}

static void
take (RelayRequest *request, gpointer data)
{
  Relay *relay = data;
  g_autofree gchar *previewed = relay_status_pages_get_preview (relay_request_get (request)->path);

  if (previewed != NULL) {
    ask_preview (relay, request, previewed);
    return;
  }
  if (relay_api_only_reads (relay_request_get (request))) {
    answer (relay, request);
    return;
  }
  g_queue_push_tail (&relay->asked, request);
  answer_asked (relay);
}

static gboolean
answer_later (gpointer data)
{
  answer_asked (data);
  return G_SOURCE_REMOVE;
}

static void
on_settled (gpointer data)
{
  Relay *relay = data;
  Phase phase = relay->phase;

  if (phase == RELAY_ENDING)
    g_main_loop_quit (relay->loop);
  else
    relay->phase = RELAY_SETTLED;
  if (phase == RELAY_RELOAD)
    reload (relay);
  /* later, as the change that has settled must be answered first */
  if (!g_queue_is_empty (&relay->asked))
    g_idle_add_full (G_PRIORITY_DEFAULT, answer_later, relay, NULL);
}

/* --- signals --------------------------------------------------------------------------------- */

static gboolean
on_hangup (gpointer data)
{
  Relay *relay = data;

  if (relay->phase == RELAY_CHANGING)
    relay->phase = RELAY_RELOAD;
  else if (relay->phase == RELAY_SETTLED)
    reload (relay);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_end (gpointer data)
{
  Relay *relay = data;

  if (relay->phase == RELAY_ENDING) {
    relay_log (NULL, "ended at once, as a second signal came.");
    _exit (RELAY_FAILED);
  }
  relay->phase = RELAY_ENDING;
  g_mutex_lock (&relay->lock);
  relay->stats.ending = TRUE;
  g_mutex_unlock (&relay->lock);
  relay_set_stop (relay->set);
  return G_SOURCE_CONTINUE;
}

int
relay_run (const gchar *path)
{
  Relay relay = {
    .path = path,
    .beat = g_get_monotonic_time (),
    .stats = { .started = get_time (), .begun = g_get_monotonic_time () },
  };
  g_autoptr (GError) error = NULL;
  int status = RELAY_ENDED;

  g_mutex_init (&relay.lock);
  relay.loop = g_main_loop_new (NULL, FALSE);
  relay.set = relay_set_new (on_settled, &relay);
  g_unix_signal_add (SIGHUP, on_hangup, &relay);
  g_unix_signal_add (SIGINT, on_end, &relay);
  g_unix_signal_add (SIGTERM, on_end, &relay);
  g_timeout_add_seconds (HEARTBEAT, beat, &relay);
  relay.api = relay_api_new (&api_funcs, &relay);
  relay.admission = relay_admission_new (relay.api);
  relay.logins = relay_logins_new (relay.admission);
  relay.hooks = relay_hooks_new ();
  relay.pages = relay_status_pages_new (take_stats, on_event, &relay);
  relay_log_watch (relay_status_pages_note, relay.pages);
  if (relay_status_pages_begin (relay.pages, &error) && load (&relay, &error)) {
    tell_in_force (&relay);
    g_main_loop_run (relay.loop);
  } else {
    relay_log_warning (NULL, "%s", error->message);
    status = error->domain == G_IO_ERROR ? RELAY_FAILED : RELAY_FAULTY;
  }
  answer_asked (&relay);
  relay_logins_free (relay.logins);
  g_clear_pointer (&relay.http, relay_http_free);
  g_clear_pointer (&relay.local, relay_http_free);
  relay_log_watch (NULL, NULL);
  relay_status_pages_free (relay.pages);
  relay_hooks_free (relay.hooks);
  relay_api_free (relay.api);
  relay_saved_set (&relay.saved, NULL, 0);
  relay_set_free (relay.set);
  relay_auth_end ();
  relay_admission_free (relay.admission);
  g_clear_pointer (&relay.config, relay_config_free);
  g_main_loop_unref (relay.loop);
  g_free (relay.stats.refused);
  g_mutex_clear (&relay.lock);
  return status;
}
