/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Requests to the relay's pages and its API: METHOD and path, then headers, one a line, each begun
 * by a letter, then an empty line and the body.  Each goes through the decision whether it is
 * allowed; one to the API is answered in any case, as if it were.
 *
 * No request without the token is allowed that needs a role; no answer has a secret of the
 * configuration; a configuration that was changed is still one.
 */
#include "fuzz.h"
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>
#include "fuzzgst.h"
#include "relaylogin.h"

#define TOKEN "a-token-that-is-long"
#define SECRET "horse-battery"
#define NETWORK 1
#define CONFIGURATION \
  "[relay]\nstatus = http://0.0.0.0:1\napi = true\napi-token-file = %s\n" \
  "[user x]\nrole = operate\npassword-hash = $scrypt$ln=15,r=8,p=3$AAAAAAAAAAAAAAAAAAAAAA" \
  "$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n" \
  "[stream a]\ninput = fasp://h:1?passphrase=" SECRET ";srt://:2?passphrase=" SECRET "\n" \
  "output = fasp://:3;udp://127.0.0.1:4\n[stream b]\ninput = rtp://:5\noutput = fasp://:6\n"

static gchar *configuration;
static RelayApi *api;
static RelayAdmission *admission;
static RelayConfig *config;
static gboolean changed; /* since the last request */

static const RelayConfig *
get_config (gpointer data)
{
  return config;
}

static RelayStreamStats *
get_stats (const gchar *stream, gpointer data)
{
  return NULL;
}

static gboolean
change (const gchar *text, gsize size, const RelayKept *kept, GError **error, gpointer data)
{
  RelayConfig *other = relay_config_parse (text, size, config, error);

  if (other == NULL)
    return FALSE;
  relay_config_adopt (other, config, kept);
  relay_config_free (config);
  config = other;
  changed = TRUE;
  return TRUE;
}

static gboolean
drop (const gchar *stream, guint output, const gchar *receiver, gpointer data)
{
  return receiver[0] == 'a';
}

static gboolean
switch_source (const gchar *stream, guint source, gpointer data)
{
  return source == 0;
}

static const gchar *
get_file (gpointer data)
{
  return "file";
}

static gboolean
is_saved (gpointer data)
{
  return !changed;
}

static gboolean
save (GError **error, gpointer data)
{
  return TRUE;
}

static gboolean
log_in (const RelayApiRequest *request, const gchar *name, const gchar *password, RelayPage *page,
    gpointer data)
{
  relay_api_refuse (page, 401, "password", name);
  return FALSE;
}

static void
tell (const RelayApiRequest *request, RelayPage *page, gpointer data)
{
  relay_login_tell (admission, NULL, NULL, RELAY_ROLE_NONE, page);
}

static void
log_out (const RelayApiRequest *request, RelayPage *page, gpointer data)
{
  relay_login_end (admission, request, page);
}

static const RelayApiFuncs funcs = { get_config, get_stats, change, drop, switch_source, get_file,
  is_saved, save, log_in, tell, log_out };

static void
begin_anew (void)
{
  g_autoptr (GError) error = NULL;
  RelayConfig *anew = relay_config_parse (configuration, strlen (configuration), config, &error);

  if (anew == NULL)
    g_error ("%s", error->message);
  g_clear_pointer (&config, relay_config_free);
  config = anew;
  changed = FALSE;
}

static void
begin (void)
{
  g_autofree gchar *path = NULL;
  gint file = g_file_open_tmp ("fuzz-XXXXXX", &path, NULL);

  fuzz_gst_begin ();
  if (file < 0 || !g_file_set_contents (path, TOKEN, -1, NULL))
    abort ();
  g_close (file, NULL);
  configuration = g_strdup_printf (CONFIGURATION, path);
  begin_anew ();
  g_unlink (path); /* the secret stays in force */
  api = relay_api_new (&funcs, NULL);
  admission = relay_admission_new (api);
  relay_admission_use (admission, config);
}

static void
ask (const RelayAsk *one)
{
  g_autofree gchar *stream = NULL;
  RelayAdmitted admitted = { NULL };
  RelayCredentials credentials;
  RelayPage page = { 200 };
  RelayRoute route;
  RelayVerdict verdict = relay_admission_admit (admission, one, &admitted, &page);

  relay_api_find_route (api, one->method, one->path, &route, &stream);
  if (verdict == RELAY_ALLOWED && route.role != RELAY_ROLE_NONE
      && (one->authorization == NULL || strstr (one->authorization, TOKEN) == NULL))
    abort ();
  if ((verdict == RELAY_REFUSED) != (page.text != NULL))
    abort ();
  relay_admission_allows (admission, one);
  relay_access_read_credentials (one->authorization, &credentials);
  relay_access_clear_credentials (&credentials);
  g_free (page.text);
  g_free (admitted.name);
  g_free (admitted.title);
}

/* @may_know: the request itself has the secret. */
static void
answer (const RelayApiRequest *request, gboolean may_know)
{
  RelayPage page = { 200 };

  if (!relay_api_answer (api, request, &page) || page.text == NULL
      || (!may_know && strstr (page.text, SECRET) != NULL)
      || !g_utf8_validate (page.text, -1, NULL))
    abort ();
  if (page.text[0] != '\0') {
    g_autoptr (JsonParser) parser = json_parser_new ();

    if (!json_parser_load_from_data (parser, page.text, -1, NULL))
      abort ();
  }
  g_free (page.text);
  g_free (page.location);
  g_free (page.cookie);
  if (changed)
    begin_anew ();
}

/* The header that a letter stands for. */
static const gchar **
find_header (RelayAsk *one, gchar letter)
{
  switch (letter) {
    case 'h':
      return &one->host;
    case 'o':
      return &one->origin;
    case 's':
      return &one->site;
    case 't':
      return &one->type;
    case 'a':
      return &one->authorization;
    case 'c':
      return &one->cookie;
    default:
      return NULL;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree gchar *text = g_strndup (size > 0 ? (const gchar *) data : "", size);
  gchar *body = strstr (text, "\n\n");
  g_auto (GStrv) lines = NULL, words = NULL;
  RelayAsk one = { .host = "localhost", .address = "192.0.2.1", .network = NETWORK };
  RelayApiRequest request = { .address = "192.0.2.1", .network = NETWORK };
  gboolean knows = strstr (text, SECRET) != NULL;

  if (configuration == NULL)
    begin ();
  if (body != NULL) {
    *body = '\0';
    body += 2;
  }
  lines = g_strsplit (text, "\n", -1);
  if (lines[0] == NULL || strchr (lines[0], ' ') == NULL)
    return 0;
  words = g_strsplit (lines[0], " ", 2);
  one.method = request.method = words[0];
  one.path = request.path = words[1];
  one.has_body = body != NULL;
  for (guint i = 1; lines[i] != NULL; i++) {
    const gchar **header = find_header (&one, lines[i][0]);

    if (header != NULL)
      *header = lines[i] + 1;
    else if (lines[i][0] == 'm')
      request.match = lines[i] + 1;
    request.only_new |= lines[i][0] == 'n';
  }
  request.cookie = one.cookie;
  request.body = body != NULL ? body : "";
  request.size = strlen (request.body);
  ask (&one);
  if (g_str_has_prefix (one.path, RELAY_HTTP_API))
    answer (&request, knows);
  /* a network that gave wrong tokens waits, and this one does not */
  relay_admission_note_hooked (admission, RELAY_LET_IN, one.address, NETWORK);
  return 0;
}
