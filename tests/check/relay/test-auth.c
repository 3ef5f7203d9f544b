/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The questions about callers: how many are under way, which answers are kept, and what a caller is
 * told.
 */
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "relayauth.h"
#include "relayclient.h"

#define LIMIT (30 * G_USEC_PER_SEC)

/* --- the server ------------------------------------------------------------------------------ */

#define LATE "late"
#define OTHER "other"

static gint questions;   /* that it has got; atomic */
static gint goes_on;     /* atomic */
static gchar *last_body; /* of a question; atomic */
static gchar *url;

/* Reads the questions of a connection, and answers each with the status that is the stream's name;
 * 0: does not answer.  Of the URL's path LATE, it answers when it is let go on; of OTHER, it always
 * says yes.  In a thread of its own. */
static gboolean
on_connection (GThreadedSocketService *service, GSocketConnection *connection, GObject *source,
    gpointer unused)
{
  g_autoptr (GDataInputStream) in =
      g_data_input_stream_new (g_io_stream_get_input_stream (G_IO_STREAM (connection)));
  gchar *line, body[4096];
  gboolean late = FALSE, other = FALSE;
  gsize size = 0;

  g_data_input_stream_set_newline_type (in, G_DATA_STREAM_NEWLINE_TYPE_CR_LF);
  while ((line = g_data_input_stream_read_line (in, NULL, NULL, NULL)) != NULL) {
    if (g_str_has_prefix (line, "POST ")) {
      late = strstr (line, LATE) != NULL;
      other = strstr (line, OTHER) != NULL;
    } else if (g_ascii_strncasecmp (line, "content-length:", 15) == 0) {
      size = MIN (atoi (line + 15), (gint) sizeof body - 1);
    } else if (line[0] == '\0'
        && g_input_stream_read_all (G_INPUT_STREAM (in), body, size, &size, NULL, NULL)) {
      const gchar *path;
      guint status;

      body[size] = '\0';
      path = strstr (body, "\"path\":\"");
      status = other ? 200 : atoi (path + strlen ("\"path\":\""));
      g_free (g_atomic_pointer_exchange (&last_body, g_strdup (body)));
      g_atomic_int_inc (&questions);
      while (late && !g_atomic_int_get (&goes_on))
        g_usleep (1000);
      if (status != 0)
        g_output_stream_printf (g_io_stream_get_output_stream (G_IO_STREAM (connection)), NULL,
            NULL, NULL, "HTTP/1.1 %u x\r\nContent-Length: 0\r\n\r\n", status);
    }
    g_free (line);
  }
  return TRUE;
}

static GSocketService *
start_server (void)
{
  GSocketService *service = g_threaded_socket_service_new (2 * RELAY_AUTH_MOST);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new_from_string ("127.0.0.1", 0);
  g_autoptr (GSocketAddress) bound = NULL;

  g_assert_true (g_socket_listener_add_address (G_SOCKET_LISTENER (service), any,
      G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &bound, NULL));
  g_signal_connect (service, "run", G_CALLBACK (on_connection), NULL);
  url = g_strdup_printf ("http://127.0.0.1:%u/",
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)));
  return service;
}

/* --- callers --------------------------------------------------------------------------------- */

typedef struct
{
  guint answers;
  gchar *refusal; /* the last one */
} Caller;

static void
on_decided (const gchar *refusal, gpointer data)
{
  Caller *caller = data;

  caller->answers++;
  g_free (caller->refusal);
  caller->refusal = g_strdup (refusal);
}

/* A caller of another network each. TRUE: the server is asked. */
static gboolean
ask (Caller *caller, guint network, guint status)
{
  g_autofree gchar *ip = g_strdup_printf ("192.0.2.%u", network);
  g_autofree gchar *path = g_strdup_printf ("%u", status);
  RelayQuestion question = { "read", path, "srt", ip, "joe", "secret" };
  guint before = caller->answers;

  return relay_auth_ask (&question, on_decided, caller) == RELAY_AUTH_ASKED
      && caller->answers == before;
}

/* Runs the main loop until @n questions have come, and @callers have @answers each. */
static void
wait_for (guint n, const Caller *callers, guint n_callers, guint answers)
{
  gint64 until = g_get_monotonic_time () + LIMIT;
  guint done = 0;

  while (((guint) g_atomic_int_get (&questions) < n || done < n_callers)
      && g_get_monotonic_time () < until) {
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
    while (done < n_callers && callers[done].answers == answers)
      done++;
  }
  g_assert_cmpint (g_atomic_int_get (&questions), >=, n);
  g_assert_cmpuint (done, ==, n_callers);
}

static void
begin (guint keep)
{
  g_atomic_int_set (&questions, 0);
  relay_auth_use (url, keep);
}

/* --- tests ----------------------------------------------------------------------------------- */

/* Eight networks that ask as often as they may, of a server that does not answer, leave room for
 * others. Callers that are refused unasked are counted, and told so. */
static void
test_fair (void)
{
  Caller greedy = { 0 }, other = { 0 };
  RelayAuthStats before, stats;
  guint asked = 0, refused = 0;

  begin (0);
  relay_auth_get_stats (&before);
  for (guint network = 1; network <= 8; network++)
    for (guint i = 0; i < RELAY_AUTH_MOST; i++)
      *(ask (&greedy, network, 0) ? &asked : &refused) += 1;
  g_assert_cmpuint (asked, ==, 22);
  g_assert_nonnull (strstr (greedy.refusal, "too many questions"));
  g_assert_true (relay_auth_is_undecided (greedy.refusal));
  for (guint network = 9; network <= 18; network++)
    g_assert_true (ask (&other, network, 0));
  g_assert_false (ask (&other, 19, 0));
  relay_auth_get_stats (&stats);
  g_assert_cmpuint (stats.busy - before.busy, ==, refused + 1);
  relay_auth_end ();
  g_assert_cmpuint (greedy.answers, ==, asked + refused);
  g_assert_cmpstr (greedy.refusal, ==, "the relay ends");
  g_free (greedy.refusal);
  g_free (other.refusal);
}

/* TRUE: the server is asked. @network: of the client, which is one that calls, too. */
static gboolean
ask_about_api (Caller *caller, guint network, const gchar *password)
{
  g_autofree gchar *ip = g_strdup_printf ("192.0.2.%u", network);
  RelayQuestion question = { "api", .ip = ip, .user = "joe", .password = password };
  guint before = caller->answers;

  return relay_auth_ask (&question, on_decided, caller) == RELAY_AUTH_ASKED
      && caller->answers == before;
}

/* HTTP clients of any number of networks leave most questions to callers, and callers leave them
 * some. Of both kinds a network has its share. */
static void
test_api (void)
{
  Caller api = { 0 }, caller = { 0 };
  guint asked = 0;

  begin (0);
  for (guint network = 1; network <= RELAY_AUTH_MOST; network++)
    asked += ask_about_api (&api, network, "x");
  g_assert_cmpuint (asked, ==, RELAY_AUTH_MOST_API);
  g_assert_true (relay_auth_is_undecided (api.refusal));
  for (guint network = 1; network <= RELAY_AUTH_MOST - RELAY_AUTH_MOST_API; network++)
    g_assert_true (ask (&caller, network, 0));
  relay_auth_end ();
  g_free (api.refusal);
  g_free (caller.refusal);
}

/* Requests that come at once with the same credentials are one question, whose answer all get; so
 * many others of their network have to wait. */
static void
test_same (void)
{
  Caller same = { 0 }, other = { 0 };
  RelayAuthStats before, stats;

  relay_auth_use ("http://127.0.0.1:1/", 0);
  relay_auth_get_stats (&before);
  for (guint i = 0; i < RELAY_AUTH_SAME; i++)
    g_assert_true (ask_about_api (&same, 1, "x"));
  g_assert_true (ask_about_api (&other, 1, "y"));
  g_assert_false (ask_about_api (&other, 1, "z"));
  g_assert_false (ask_about_api (&other, 1, "x"));
  g_assert_true (ask_about_api (&other, 2, "x"));
  wait_for (0, &same, 1, RELAY_AUTH_SAME);
  wait_for (0, &other, 1, 4);
  relay_auth_get_stats (&stats);
  g_assert_cmpuint (stats.questions - before.questions, ==, 3);
  g_assert_cmpstr (same.refusal, ==, "the server of auth-url cannot be reached");
  relay_auth_end ();
  g_free (same.refusal);
  g_free (other.refusal);
}

/* Callers that wait for their no hold no place of others; their own network's, they do. */
static void
test_paused (void)
{
  enum
  {
    CALLERS = 2 * RELAY_AUTH_MOST
  };
  Caller callers[CALLERS] = { 0 }, again = { 0 };

  begin (0);
  for (guint i = 0; i < CALLERS; i++) {
    g_assert_true (ask (&callers[i], i, 403));
    wait_for (i + 1, NULL, 0, 0);
  }
  wait_for (CALLERS, callers, CALLERS, 1);
  for (guint i = 0; i < CALLERS; i++)
    g_clear_pointer (&callers[i].refusal, g_free);
  for (guint i = 0; i < 4; i++)
    g_assert_true (ask (&again, 1, 403));
  g_assert_false (ask (&again, 1, 403));
  relay_auth_end ();
  g_free (again.refusal);
}

/* What a server says for good is kept, what it may say otherwise later is not. A caller is told
 * which it is, and no more. */
static void
test_reasons (void)
{
  static const struct
  {
    guint status;
    gboolean kept;
    const gchar *refusal;
  } all[] = {
    { 204, TRUE, NULL },
    { 401, TRUE, "does not let it in (status 401)" },
    { 302, TRUE, "does not let it in (status 302)" },
    { 408, FALSE, "puts it off (status 408)" },
    { 429, FALSE, "puts it off (status 429)" },
    { 503, FALSE, "fails (status 503)" },
    { 0, FALSE, "has not answered in time" },
  };
  Caller callers[G_N_ELEMENTS (all)] = { 0 };
  RelayAuthStats before, stats;

  begin (600);
  relay_auth_get_stats (&before);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_assert_true (ask (&callers[i], i, all[i].status));
  wait_for (G_N_ELEMENTS (all), callers, G_N_ELEMENTS (all), 1);
  relay_auth_get_stats (&stats);
  /* 408 and 429 are about one caller */
  g_assert_cmpuint (stats.failures - before.failures, ==, 2);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    g_test_message ("%u: %s", all[i].status, callers[i].refusal);
    if (all[i].refusal == NULL)
      g_assert_null (callers[i].refusal);
    else
      g_assert_nonnull (strstr (callers[i].refusal, all[i].refusal));
    if (all[i].refusal != NULL)
      g_assert_cmpint (relay_auth_is_undecided (callers[i].refusal), !=, all[i].kept);
    g_assert_cmpint (ask (&callers[i], i, all[i].status), ==, !all[i].kept);
    if (all[i].kept && all[i].refusal != NULL)
      g_assert_nonnull (strstr (callers[i].refusal, all[i].refusal));
  }
  relay_auth_end ();
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_free (callers[i].refusal);
}

/* Where nothing listens, the reason says so, and not where that is. */
static void
test_unreached (void)
{
  Caller caller = { 0 };

  relay_auth_use ("http://127.0.0.1:1/", 0);
  g_assert_true (ask (&caller, 1, 200));
  wait_for (0, &caller, 1, 1);
  g_assert_cmpstr (caller.refusal, ==, "the server of auth-url cannot be reached");
  relay_auth_end ();
  g_free (caller.refusal);
}

/* A question whose server is replaced meanwhile is for the other one: what the old one says counts
 * for nothing. */
static void
test_replaced (void)
{
  g_autofree gchar *late = g_strconcat (url, LATE, NULL), *other = g_strconcat (url, OTHER, NULL);
  Caller caller = { 0 };
  RelayAuthStats before, stats;

  begin (0);
  relay_auth_get_stats (&before);
  relay_auth_use (late, 600);
  g_assert_true (ask (&caller, 1, 503));
  wait_for (1, NULL, 0, 0);
  relay_auth_use (other, 600);
  g_atomic_int_set (&goes_on, TRUE);
  wait_for (2, &caller, 1, 1);
  g_assert_null (caller.refusal);
  g_assert_false (relay_auth_is_down ());
  relay_auth_get_stats (&stats);
  g_assert_cmpuint (stats.failures, ==, before.failures);
  /* the other one's is kept */
  ask (&caller, 1, 503);
  g_assert_cmpint (g_atomic_int_get (&questions), ==, 2);
  relay_auth_end ();
}

/* Whatever bytes a caller sends, a question is JSON with these as strings. */
static void
test_text (void)
{
  static const gchar *const texts[][2] = {
    { "", "" },
    { "\"}, {\"", "\"}, {\"" },
    { "\\\\u0041\\", "\\\\u0041\\" },
    { "\1\n\r\t\37\177 \303\244\360\237\230\200", "\1\n\r\t\37\177 \303\244\360\237\230\200" },
    { "\377a\303", "\357\277\275a\357\277\275" },
  };
  Caller caller = { 0 };

  begin (0);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    RelayQuestion question = { "read", "200", "srt", "192.0.2.1", texts[i][0], texts[i][0] };
    g_autoptr (JsonNode) root = NULL;
    g_autofree gchar *text = NULL;
    JsonObject *object;

    g_assert_cmpint (relay_auth_ask (&question, on_decided, &caller), ==, RELAY_AUTH_ASKED);
    wait_for (i + 1, &caller, 1, i + 1);
    text = g_atomic_pointer_exchange (&last_body, NULL);
    root = json_from_string (text, NULL);
    g_assert_nonnull (root);
    object = json_node_get_object (root);
    g_assert_cmpuint (json_object_get_size (object), ==, 9);
    g_assert_cmpstr (json_object_get_string_member (object, "user"), ==, texts[i][1]);
    g_assert_cmpstr (json_object_get_string_member (object, "password"), ==, texts[i][1]);
    g_assert_cmpstr (json_object_get_string_member (object, "token"), ==, "");
    g_assert_cmpuint (strlen (json_object_get_string_member (object, "id")), ==, 36);
  }
  relay_auth_end ();
}

/* --- memory ---------------------------------------------------------------------------------- */

#define MASK 0x55 /* under which the password is held, so that looking for it leaves no copy */
#define MAPPING (256 * 1024 * 1024) /* bytes; larger ones are a sanitizer's own */

static guint
count_in (const gchar *memory, gsize size, const gchar *masked, gsize n)
{
  guint found = 0;

  for (gsize i = 0; i + n <= size; i++) {
    gsize same = 0;

    while (same < n && (memory[i + same] ^ MASK) == masked[same])
      same++;
    found += same == n;
  }
  return found;
}

/* How often a text is in the memory that this process can write. */
static guint
count_in_memory (const gchar *masked)
{
  g_autoptr (GFile) file = g_file_new_for_path ("/proc/self/mem");
  g_autoptr (GFileInputStream) in = g_file_read (file, NULL, NULL);
  g_autofree gchar *maps = NULL;
  g_auto (GStrv) lines = NULL;
  guint found = 0;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  lines = g_strsplit (maps, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    guint64 from, to;
    g_autofree gchar *memory = NULL;
    gsize size;

    if (sscanf (lines[i], "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x rw", &from, &to) != 2
        || strstr (lines[i], " rw") == NULL || to - from > MAPPING)
      continue;
    memory = g_malloc (to - from);
    /* stacks of threads that have ended are gone meanwhile */
    if (g_seekable_seek (G_SEEKABLE (in), from, G_SEEK_SET, NULL, NULL)
        && g_input_stream_read_all (G_INPUT_STREAM (in), memory, to - from, &size, NULL, NULL))
      found += count_in (memory, size, masked, strlen (masked));
    explicit_bzero (memory, to - from);
  }
  return found;
}

/* After an answer, no memory of the question has its password. The server is not reached, as
 * libsoup and GLib copy what they send. */
static void
test_wiped (void)
{
  Caller caller = { 0 };
  gchar password[] = "0123456789abcdef\"\\\n\377 a secret", masked[sizeof password];
  RelayQuestion question = { "read", "news", "srt", "192.0.2.1", "joe", password };

  for (guint i = 0; i < sizeof password - 1; i++)
    masked[i] = (i < 16 ? (password[i] = g_random_int_range ('a', 'z')) : password[i]) ^ MASK;
  masked[16] = '\0';
  g_assert_cmpuint (count_in_memory (masked), ==, 1);
  relay_auth_use ("http://127.0.0.1:1/", 600);
  g_assert_cmpint (relay_auth_ask (&question, on_decided, &caller), ==, RELAY_AUTH_ASKED);
  explicit_bzero (password, sizeof password);
  g_assert_cmpuint (count_in_memory (masked), ==, 1);
  wait_for (0, &caller, 1, 1);
  g_assert_cmpuint (count_in_memory (masked), ==, 0);
  relay_auth_end ();
  g_free (caller.refusal);
}

/* Drops the lines about failures, which would end a test. */
static GLogWriterOutput
drop_line (GLogLevelFlags level, const GLogField *fields, gsize n, gpointer unused)
{
  return G_LOG_WRITER_HANDLED;
}

int
main (int argc, char **argv)
{
  GSocketService *service;
  int result;

  g_test_init (&argc, &argv, NULL);
  if (!relay_client_check ("http://127.0.0.1/", NULL)) {
    g_print ("1..0 # SKIP built without libsoup, it asks no server\n");
    return 0;
  }
  g_log_set_writer_func (drop_line, NULL, NULL);
  service = start_server ();
  g_test_add_func ("/relay/auth/fair", test_fair);
  g_test_add_func ("/relay/auth/api", test_api);
  g_test_add_func ("/relay/auth/same", test_same);
  g_test_add_func ("/relay/auth/paused", test_paused);
  g_test_add_func ("/relay/auth/reasons", test_reasons);
  g_test_add_func ("/relay/auth/unreached", test_unreached);
  g_test_add_func ("/relay/auth/replaced", test_replaced);
  g_test_add_func ("/relay/auth/text", test_text);
  g_test_add_func ("/relay/auth/wiped", test_wiped);
  result = g_test_run ();
  g_socket_service_stop (service);
  g_object_unref (service);
  g_free (last_body);
  g_free (url);
  return result;
}
