/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayauth.h"
#include <string.h>
#include <gio/gio.h>
#include "relayanswers.h"
#include "relayclient.h"
#include "relaylog.h"
#include "relaynetwork.h"
#include "relayrepeats.h"

#define ROOM 256  /* bytes for the names and the id of a question */
#define ESCAPED 6 /* bytes that JSON takes for one of a string, at most: \u001f */
#define REFUSED "the server of auth-url does not let it in"
#define BUSY "too many questions about callers are under way here"

/* A question under way.
 *
 *     WAITING --> SENT --> PAUSED (a no) --> answered
 *                   +---------------------->
 */
typedef struct
{
  RelayAuthFunc func;
  gpointer data;
} Asker;

typedef struct
{
  enum
  {
    WAITING,
    SENT,
    PAUSED,
  } state;
  GBytes *body;
  gchar *digest;   /* of the question, by which its answer is kept */
  guint64 network; /* of the caller */
  gboolean is_api;
  guint server; /* which one it is for */
  guint status; /* of HTTP, or as in relayclient.h; when it is PAUSED */
  guint timer;
  GArray *askers; /* Asker: of several requests to the API with the same question */
} Asked;

static struct
{
  RelayClient *client;   /* this and the next are used in the main context */
  RelayRepeats *repeats; /* of failures */
  GMutex lock;           /* guards the rest */
  gchar *url;            /* may hold a secret; NULL: there is no server */
  gint64 keep;           /* µs */
  guint server;          /* which url this is: the number of those before it */
  GPtrArray *asked;      /* Asked */
  RelayAnswers *kept;    /* by the digests of questions */
  gint64 failed;         /* when the server last failed; µs; 0: it has not, or has answered since */
  RelayAuthStats stats;
} auth;

/* --- questions under way, in the main context ------------------------------------------------ */

/* How many of the questions have no answer yet. Under the lock. */
static guint
count_open (void)
{
  guint n = 0;

  for (guint i = 0; i < auth.asked->len; i++)
    n += ((Asked *) g_ptr_array_index (auth.asked, i))->state != PAUSED;
  return n;
}

/* Has the server failed, so that no caller can come in?  A status of 408 or 429 is about one
 * caller, which may try again. */
static gboolean
has_failed (guint status)
{
  return status == 0 || status == RELAY_CLIENT_LATE || status / 100 == 5;
}

/* Returns why a caller is refused; NULL: it is not. */
static gchar *
explain (guint status)
{
  if (status / 100 == 2)
    return NULL;
  if (status == 0)
    return g_strdup ("the server of auth-url cannot be reached");
  if (status == RELAY_CLIENT_LATE)
    return g_strdup ("the server of auth-url has not answered in time");
  return g_strdup_printf (has_failed (status) ? "the server of auth-url fails (status %u)" :
          relay_client_may_help (status)      ? "the server of auth-url puts it off (status %u)" :
                                                REFUSED " (status %u)",
      status);
}

gboolean
relay_auth_is_undecided (const gchar *refusal)
{
  return !g_str_has_prefix (refusal, REFUSED);
}

/* Removes the question, and answers it. */
static void
answer (Asked *asked, const gchar *refusal)
{
  g_mutex_lock (&auth.lock);
  g_ptr_array_remove_fast (auth.asked, asked);
  g_mutex_unlock (&auth.lock);
  for (guint i = 0; i < asked->askers->len; i++) {
    Asker *asker = &g_array_index (asked->askers, Asker, i);

    asker->func (refusal, asker->data);
  }
  g_array_unref (asked->askers);
  if (asked->timer != 0)
    g_source_remove (asked->timer);
  g_bytes_unref (asked->body);
  g_free (asked->digest);
  g_free (asked);
}

static gboolean
on_paused (gpointer data)
{
  Asked *asked = data;
  g_autofree gchar *refusal = explain (asked->status);

  asked->timer = 0;
  answer (asked, refusal);
  return G_SOURCE_REMOVE;
}

static gboolean send_waiting (gpointer unused);

static void
note_failure (guint status, const gchar *why)
{
  g_autofree gchar *code = g_strdup_printf ("it answers with status %u", status);
  g_autofree gchar *line =
      g_strdup_printf ("The server of auth-url lets nobody in: %s.", why != NULL ? why : code);

  relay_repeats_warn (auth.repeats, NULL, "auth-failed", line,
      " Callers are refused until it answers.");
}

/* An answer of the server before the one that is configured does not count: the other one is asked.
 */
static void
on_answer (guint status, const gchar *why, gpointer data)
{
  Asked *asked = data;
  gboolean yes = status / 100 == 2, failed = has_failed (status), was_down, waits;

  g_mutex_lock (&auth.lock);
  if (asked->server != auth.server) {
    asked->state = WAITING;
    g_idle_add_full (G_PRIORITY_DEFAULT, send_waiting, NULL, NULL);
    g_mutex_unlock (&auth.lock);
    return;
  }
  was_down = auth.failed != 0;
  auth.failed = failed ? g_get_monotonic_time () : 0;
  auth.stats.failures += failed;
  if (auth.keep > 0 && (yes || !relay_client_may_help (status)))
    relay_answers_keep (auth.kept, asked->digest, asked->network, status,
        g_get_monotonic_time () + auth.keep);
  asked->state = PAUSED;
  asked->status = status;
  waits = !yes && auth.asked->len - count_open () <= RELAY_AUTH_PAUSED;
  g_mutex_unlock (&auth.lock);
  if (failed)
    note_failure (status, why);
  else if (was_down)
    relay_log (NULL, "The server of auth-url answers again.");
  if (waits)
    asked->timer = g_timeout_add (RELAY_AUTH_PAUSE, on_paused, asked);
  else
    on_paused (asked);
}

/* Returns a question that has not been sent.  NULL: there is none. */
static Asked *
take_waiting (gchar **url)
{
  Asked *found = NULL;

  g_mutex_lock (&auth.lock);
  for (guint i = 0; found == NULL && i < auth.asked->len; i++) {
    Asked *asked = g_ptr_array_index (auth.asked, i);

    found = asked->state == WAITING ? asked : NULL;
  }
  if (found != NULL) {
    found->state = SENT;
    found->server = auth.server;
    auth.stats.questions++;
    *url = g_strdup (auth.url);
  }
  g_mutex_unlock (&auth.lock);
  return found;
}

static gboolean
send_waiting (gpointer unused)
{
  gchar *url = NULL;
  Asked *asked;

  while ((asked = take_waiting (&url)) != NULL) {
    if (url == NULL)
      answer (asked, "the configuration of this relay has changed meanwhile");
    else
      relay_client_post (auth.client, url, asked->body, NULL, RELAY_AUTH_TIME, on_answer, asked);
    g_free (url);
  }
  return G_SOURCE_REMOVE;
}

/* --- asking ---------------------------------------------------------------------------------- */

/* Appends a string as JSON, in which U+FFFD stands for what is no UTF-8. */
static void
append_string (GString *to, const gchar *text)
{
  const gchar *next;

  g_string_append_c (to, '"');
  for (; *text != '\0'; text = next) {
    gunichar c = g_utf8_get_char_validated (text, -1);

    next = c >= (gunichar) -2 ? text + 1 : g_utf8_next_char (text);
    if (c >= (gunichar) -2)
      g_string_append (to, "\357\277\275");
    else if (c < ' ' || c == '"' || c == '\\')
      g_string_append_printf (to, "\\u%04x", c);
    else
      g_string_append_len (to, text, next - text);
  }
  g_string_append_c (to, '"');
}

static void
wipe (gpointer data)
{
  GString *text = data;

  explicit_bzero (text->str, text->len);
  g_string_free (text, TRUE);
}

/* Returns the text of the question, but for its id and its end.  It has a password, so no memory
 * that it leaves behind as it grows may keep a part of it: there is room for all. */
static GString *
describe (const RelayQuestion *question)
{
  const struct
  {
    const gchar *name, *value;
  } fields[] = {
    { "ip", question->ip },
    { "user", question->user },
    { "password", question->password },
    { "token", question->token },
    { "action", question->action },
    { "path", question->path },
    { "protocol", question->protocol },
    { "query", question->query },
  };
  gsize room = ROOM;
  GString *text;

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    room += fields[i].value != NULL ? ESCAPED * strlen (fields[i].value) : 0;
  text = g_string_sized_new (room);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    g_string_append_printf (text, "%s\"%s\":", i == 0 ? "{" : ",", fields[i].name);
    append_string (text, fields[i].value != NULL ? fields[i].value : "");
  }
  return text;
}

static guint64
get_network (const gchar *ip)
{
  g_autoptr (GInetAddress) address = ip != NULL ? g_inet_address_new_from_string (ip) : NULL;

  return address == NULL ? 0 :
                           relay_network_get (g_inet_address_to_bytes (address),
                               g_inet_address_get_native_size (address));
}

/* Under the lock. */
static gboolean
has_room (guint64 network, gboolean is_api)
{
  guint room = RELAY_AUTH_MOST - count_open (), n = 0, n_api = 0;

  for (guint i = 0; i < auth.asked->len; i++) {
    const Asked *asked = g_ptr_array_index (auth.asked, i);

    n += asked->network == network && asked->is_api == is_api;
    n_api += asked->is_api;
  }
  return relay_network_may_have (n, is_api ? MIN (room, RELAY_AUTH_MOST_API - n_api) : room);
}

/* Returns a question about the API that is under way, and the same; NULL: there is none with room
 * for another request. Under the lock. */
static Asked *
find_same (const gchar *digest)
{
  for (guint i = 0; i < auth.asked->len; i++) {
    Asked *asked = g_ptr_array_index (auth.asked, i);

    if (asked->is_api && asked->server == auth.server && asked->askers->len < RELAY_AUTH_SAME
        && g_str_equal (asked->digest, digest))
      return asked;
  }
  return NULL;
}

/* Takes over @text and @digest. Under the lock. */
static Asked *
add_question (GString *text, gchar *digest, guint64 network, gboolean is_api)
{
  g_autofree gchar *id = g_uuid_string_random ();
  Asked *asked = g_new0 (Asked, 1);

  g_string_append_printf (text, ",\"id\":\"%s\"}", id);
  asked->body = g_bytes_new_with_free_func (text->str, text->len, wipe, text);
  asked->digest = digest;
  asked->network = network;
  asked->is_api = is_api;
  asked->server = auth.server;
  asked->askers = g_array_new (FALSE, FALSE, sizeof (Asker));
  g_ptr_array_add (auth.asked, asked);
  g_idle_add_full (G_PRIORITY_DEFAULT, send_waiting, NULL, NULL);
  return asked;
}

/* FALSE: the answer is there. *refusal: that one, as for RelayAuthFunc. Under the lock. */
static gboolean
ask (const RelayQuestion *question, RelayAuthFunc func, gpointer data, gchar **refusal)
{
  GString *text = describe (question);
  g_autofree gchar *digest =
      g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text->str, text->len);
  guint64 network = get_network (question->ip);
  guint kept = relay_answers_find (auth.kept, digest, g_get_monotonic_time ());
  gboolean is_api = question->path == NULL;
  Asked *asked = kept == 0 && is_api ? find_same (digest) : NULL;
  Asker asker = { func, data };

  if (asked != NULL)
    wipe (text);
  else if (kept == 0 && has_room (network, is_api))
    asked = add_question (text, g_steal_pointer (&digest), network, is_api);
  if (asked != NULL) {
    g_array_append_val (asked->askers, asker);
    return TRUE;
  }
  auth.stats.busy += kept == 0;
  *refusal = kept != 0 ? explain (kept) : g_strdup (BUSY);
  wipe (text);
  return FALSE;
}

RelayAuthResult
relay_auth_ask (const RelayQuestion *question, RelayAuthFunc func, gpointer data)
{
  RelayAuthResult result = RELAY_AUTH_NO_SERVER;
  g_autofree gchar *refusal = NULL;

  g_mutex_lock (&auth.lock);
  if (auth.url != NULL)
    result = ask (question, func, data, &refusal) || refusal != NULL ? RELAY_AUTH_ASKED :
                                                                       RELAY_AUTH_KNOWN;
  g_mutex_unlock (&auth.lock);
  if (refusal != NULL)
    func (refusal, data);
  return result;
}

/* --- the whole ------------------------------------------------------------------------------- */

void
relay_auth_use (const gchar *url, guint keep)
{
  gboolean other;

  if (url != NULL && auth.client == NULL) {
    auth.client = relay_client_new ();
    auth.repeats = relay_repeats_new ();
  }
  g_mutex_lock (&auth.lock);
  other = auth.asked == NULL || g_strcmp0 (url, auth.url) != 0;
  if (auth.asked == NULL)
    auth.asked = g_ptr_array_new ();
  if (other || auth.keep != keep * G_USEC_PER_SEC) {
    g_clear_pointer (&auth.kept, relay_answers_free);
    auth.kept = relay_answers_new ();
    auth.keep = keep * G_USEC_PER_SEC;
  }
  if (other) {
    g_free (auth.url);
    auth.url = g_strdup (url);
    auth.server++;
    auth.failed = 0;
  }
  g_mutex_unlock (&auth.lock);
}

void
relay_auth_end (void)
{
  relay_auth_use (NULL, 0);
  g_clear_pointer (&auth.client, relay_client_free);
  g_clear_pointer (&auth.repeats, relay_repeats_free);
  while (auth.asked->len > 0)
    answer (g_ptr_array_index (auth.asked, 0), "the relay ends");
}

gboolean
relay_auth_is_down (void)
{
  gboolean down;

  g_mutex_lock (&auth.lock);
  down = auth.failed != 0 && g_get_monotonic_time () - auth.failed < RELAY_AUTH_DOWN;
  g_mutex_unlock (&auth.lock);
  return down;
}

void
relay_auth_get_stats (RelayAuthStats *stats)
{
  g_mutex_lock (&auth.lock);
  *stats = auth.stats;
  g_mutex_unlock (&auth.lock);
}
