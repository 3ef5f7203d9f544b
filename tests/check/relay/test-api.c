/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The relay's API in its parts: how a configuration's text is changed, what is taken and how it is
 * answered.  (tests/check/system/check-relay-api asks a relay that
 * runs.)
 */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "relayapi.h"
#include "relayedit.h"
#include "relaysave.h"
#include "relayjsonvalidation.h"

/* --- the text ------------------------------------------------------------------------------- */

static void
test_uris (void)
{
  static const struct
  {
    const gchar *uri, *key, *value, *result;
  } changes[] = {
    { "fasp://:1", "a", "5", "fasp://:1?a=5" },
    { "fasp://:1?", "a", "5", "fasp://:1?a=5" },
    { "fasp://:1?a=4", "a", "5", "fasp://:1?a=5" },
    { "fasp://:1?b=1&a=4&c=2", "a", "5", "fasp://:1?b=1&a=5&c=2" },
    { "fasp://:1?b=1&a=4&c=2", "a", NULL, "fasp://:1?b=1&c=2" },
    { "fasp://:1?a=4", "a", NULL, "fasp://:1" },
    { "fasp://:1?aa=4", "a", NULL, "fasp://:1?aa=4" },
    { "fasp://:1?%61=4&x", "a", "5", "fasp://:1?a=5&x" },
    { "fasp://:1", "a", "a&b=%;#", "fasp://:1?a=a%26b%3D%25%3B%23" },
    { "fasp://[::1]:1", "a", "[::1]:2,h:3@x", "fasp://[::1]:1?a=[::1]:2,h:3@x" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autofree gchar *result =
        relay_edit_set_key (changes[i].uri, changes[i].key, changes[i].value);

    g_assert_cmpstr (result, ==, changes[i].result);
  }
}

/* A secret is not shown, and a URI that is sent back as it was shown keeps it. */
static void
test_secrets (void)
{
  static const gchar with[] = "fasp://:1?a=1&pass%70hrase=x%26y&b=2";
  g_autofree gchar *shown = relay_edit_hide (with);
  g_autofree gchar *back = relay_edit_keep_secret (shown, with);
  g_autofree gchar *other = relay_edit_keep_secret ("fasp://:1?passphrase=z", with);
  g_autofree gchar *none = relay_edit_keep_secret ("fasp://:1", "fasp://:1");
  g_autofree gchar *udp = relay_edit_keep_secret ("udp://:1", with);
  g_autofree gchar *alone = relay_edit_hide ("srt://:1?passphrase=x&");

  g_assert_cmpstr (shown, ==, "fasp://:1?a=1&b=2");
  g_assert_cmpstr (back, ==, "fasp://:1?a=1&b=2&passphrase=x%26y");
  g_assert_cmpstr (other, ==, "fasp://:1?passphrase=z");
  g_assert_cmpstr (none, ==, "fasp://:1");
  g_assert_cmpstr (udp, ==, "udp://:1");
  g_assert_cmpstr (alone, ==, "srt://:1");
}

/* The same of a password in a streamid that is given to a peer; the name of an end that listens is
 * none.
 */
static void
test_streamids (void)
{
  static const struct
  {
    const gchar *uri, *shown;
  } all[] = {
    { "srt://h:1?streamid=%23!::r=x,u=joe,s=secret&latency=5",
        "srt://h:1?streamid=%23!::r=x,u=joe,s=*&latency=5" },
    { "srt://h:1?streamid=read:x:joe:secret&passphrase=secret", "srt://h:1?streamid=read:x:joe:*" },
    { "fasp://h:1?stream%69d=read%3ax%3ajoe%3asecret%26%23", "fasp://h:1?streamid=read:x:joe:*" },
    { "srt://h:1?streamid=read:x", "srt://h:1?streamid=read:x" },
    { "srt://:1?streamid=a:b:c:d", "srt://:1?streamid=a:b:c:d" },
    { "srt://h:1?streamid=read:x:joe:secret://:w", "srt://h:1?streamid=read:x:joe:*" },
    { "srt:h?streamid=read:x:j://h", "srt:h?streamid=read:x:j://h" }, /* there is no host */
    { "srt://h:1?streamid=x&streamid=read:x:joe:secret", "srt://h:1?streamid=read:x:joe:*" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    g_autofree gchar *shown = relay_edit_hide (all[i].uri);
    g_autofree gchar *back = relay_edit_keep_secret (shown, all[i].uri);
    g_autofree gchar *other = relay_edit_keep_secret ("srt://h:1?streamid=y", all[i].uri);
    g_autofree gchar *again = relay_edit_hide (back);
    g_autofree gchar *query = g_strconcat ("srt://other:1", strchr (shown, '?'), NULL);
    g_autofree gchar *elsewhere =
        relay_edit_keep_secret (query, "srt://h:1?streamid=read:x:joe:secret");

    g_assert_cmpstr (shown, ==, all[i].shown);
    g_assert_cmpint (strstr (back, "secret") != NULL, ==, strstr (all[i].uri, "secret") != NULL);
    g_assert_cmpstr (again, ==, shown);
    g_assert_nonnull (strstr (other, "streamid=y"));
    /* the password of a streamid goes to no other host */
    g_assert_null (strstr (elsewhere, "secret"));
  }
}

static void
test_names (void)
{
  static const gchar *const bad[] = { "", " a", "a ", "a]", "[a", "a\nb", "a\x7f", "\xff" };
  static const gchar *const good[] = { "a", "two words", "a/b", "<b>\"", "\xc3\xa4", "a=b" };
  const gchar *why;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_true (!relay_edit_check_name (bad[i], &why) && why != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_true (relay_edit_check_name (good[i], &why));
}

/* What is not of the changed key stays, byte by byte. */
static void
test_text (void)
{
  static const gchar text[] =
      "# first\n[relay]\n# who\napi = true\n\n\n# of a\n[stream  a ]\n# its input\n"
      "\tinput =  fasp://:1  \n   output=fasp://:2?x=a\\;b;fasp://:3\n"
      "#optional = true\n\n# of b\n\n# of b, too\n[stream b]\r\ninput=x\r\n# last";
  static const gchar *const uris[] = { "fasp://:2?x=a;b", "fasp://:4", NULL };
  static const gchar *const empty[] = { "fasp://:4", "", NULL };
  g_autoptr (RelayEdit) edit = relay_edit_new (text, strlen (text));
  g_autofree gchar *after = NULL, *back = NULL;

  relay_edit_add_stream (edit, "c");
  relay_edit_set_string (edit, "c", "optional", "true");
  relay_edit_remove_stream (edit, "c");
  back = relay_edit_get_text (edit, NULL);
  g_assert_true (g_str_has_prefix (back, text));
  g_assert_cmpstr (back + strlen (text), ==, "\n");
  relay_edit_set_string (edit, "a", "input", "fasp://:5?y= #");
  relay_edit_set_uris (edit, "a", "output", uris);
  relay_edit_set_string (edit, "a", "streamid", " \n[x]");
  relay_edit_set_string (edit, "a", "optional", NULL);
  relay_edit_set_uris (edit, "b", "output", empty);
  relay_edit_add_stream (edit, "c");
  relay_edit_set_string (edit, "c", "input", "z");
  after = relay_edit_get_text (edit, NULL);
  g_assert_cmpstr (after, ==,
      "# first\n[relay]\n# who\napi = true\n\n\n# of a\n[stream  a ]\n# its input\n"
      "\tinput =  fasp://:5?y= #\n   output=fasp://:2?x=a\\;b;fasp://:4\nstreamid =  \\s\\n[x]\n"
      "#optional = true\n\n# of b\n\n# of b, too\n[stream b]\r\ninput=x\r\noutput=fasp://:4;;\r\n# last\n"
      "\n[stream c]\ninput = z\n");
  relay_edit_remove_stream (edit, "a");
  relay_edit_remove_stream (edit, "b");
  g_clear_pointer (&after, g_free);
  after = relay_edit_get_text (edit, NULL);
  g_assert_cmpstr (after, ==,
      "# first\n[relay]\n# who\napi = true\n\n\n#optional = true\n\n# of b\n\n# last\n\n[stream c]\ninput = z\n");
}

/* Millions of lines that are alike: the time does not grow with the square of their number. */
static void
test_many_lines (void)
{
  static const gchar section[] = "x=1\n[stream a]\ninput = u\n";
  g_autofree gchar *blank = g_strnfill (4 * 1024 * 1024, '\n');
  g_autofree gchar *text = g_strconcat (blank, section, blank, "[stream b]\n", NULL);
  g_autoptr (RelayEdit) edit = relay_edit_new (text, strlen (text));
  g_autofree gchar *after = NULL;

  relay_edit_remove_stream (edit, "a");
  after = relay_edit_get_text (edit, NULL);
  g_assert_true (g_str_has_prefix (after, blank));
  g_assert_cmpstr (after + strlen (blank), ==, "x=1\n[stream b]\n");
}

/* Whatever comments hold, and however lines end: no stream is lost when the text is changed. */
static void
test_odd_texts (void)
{
  static const gchar *const texts[] = {
    "#\xff\xfe not UTF-8\n[stream a]\ninput = fasp://:1\n# \xc3\noutput = fasp://:2\n#\xff",
    "\r\n# x\r\n[stream a]\r\ninput = fasp://:1\r\noutput=fasp://:2\r\n\r\n",
    "\n\n  \n\t# x\n[stream a]\n\tinput\t=\tfasp://:1\n  output = fasp://:2",
    "[stream a]\ninput = fasp://:1\noutput = fasp://:2\n\n#\n#[stream b]\n#input = x\n",
    "[stream  a ]\noptional=true\n\n\ninput = fasp://:1\noutput = fasp://:2;\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (RelayConfig) config = relay_config_parse (texts[i], strlen (texts[i]), NULL, &error);
    g_autoptr (RelayConfig) next = NULL;
    g_autoptr (RelayEdit) edit = NULL;
    g_autofree gchar *after = NULL;
    gsize size;

    g_assert_no_error (error);
    edit = relay_edit_new (config->text, config->size);
    relay_edit_add_stream (edit, "c");
    relay_edit_set_string (edit, "c", "input", "fasp://:3");
    relay_edit_set_string (edit, "c", "output", "fasp://:4");
    after = relay_edit_get_text (edit, &size);
    next = relay_config_parse (after, size, config, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (next->streams->len, ==, 2);
    g_assert_cmpint (relay_stream_config_compare (relay_config_find (config, "a"),
                         relay_config_find (next, "a")),
        ==, RELAY_SAME);
  }
}

/* --- the file ------------------------------------------------------------------------------- */

static void
test_save (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("relay-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "real", NULL);
  g_autofree gchar *link = g_build_filename (folder, "link", NULL);
  g_autofree gchar *now = NULL;
  g_autoptr (GError) error = NULL;
  RelaySaved saved = { NULL };
  struct stat what;
  gboolean closed;

  g_assert_true (g_file_set_contents (path, "one", -1, NULL));
  g_assert_cmpint (g_chmod (path, 0640), ==, 0);
  g_assert_cmpint (symlink ("real", link), ==, 0);
  relay_saved_set (&saved, "one", 3);
  g_assert_true (relay_save (link, &saved, "two", 3, FALSE, &closed, &error));
  g_assert_false (closed);
  g_assert_no_error (error);
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_get_contents (path, &now, NULL, NULL));
  g_assert_cmpstr (now, ==, "two");
  g_assert_cmpint (g_stat (path, &what), ==, 0);
  g_assert_cmpuint (what.st_mode & 0777, ==, 0640);
  /* with a secret, it is this user's alone */
  g_assert_true (relay_save (link, &saved, "secret", 6, TRUE, &closed, &error));
  g_assert_true (closed);
  g_assert_cmpint (g_stat (path, &what), ==, 0);
  g_assert_cmpuint (what.st_mode & 0777, ==, 0600);
  /* another program has changed it */
  g_assert_true (g_file_set_contents (path, "three", -1, NULL));
  g_assert_false (relay_save (path, &saved, "four", 4, FALSE, &closed, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);
  g_unlink (path);
  g_assert_false (relay_save (path, &saved, "four", 4, FALSE, &closed, &error));
  g_assert_nonnull (error);
  relay_saved_set (&saved, NULL, 0);
  g_unlink (link);
  g_rmdir (folder);
}

/* --- requests ------------------------------------------------------------------------------- */

typedef struct
{
  RelayConfig *config;
  guint changes;
} Fake;

static const RelayConfig *
get_config (gpointer data)
{
  return ((Fake *) data)->config;
}

static RelayStreamStats *
get_stats (const gchar *stream, gpointer data)
{
  return NULL;
}

static gboolean
change (const gchar *text, gsize size, const RelayKept *kept, GError **error, gpointer data)
{
  RelayConfig *config = relay_config_parse (text, size, ((Fake *) data)->config, error);
  Fake *fake = data;

  if (config == NULL)
    return FALSE;
  relay_config_adopt (config, fake->config, kept);
  relay_config_free (fake->config);
  fake->config = config;
  fake->changes++;
  return TRUE;
}

static gboolean
drop (const gchar *stream, guint output, const gchar *receiver, gpointer data)
{
  return output == 1 && g_str_equal (receiver, "[::1]:5");
}

static gboolean
switch_source (const gchar *stream, guint source, gpointer data)
{
  return source == 1;
}

static const gchar *
get_file (gpointer data)
{
  return "x.conf";
}

static gboolean
is_saved (gpointer data)
{
  return ((Fake *) data)->changes == 0;
}

static gboolean
save (GError **error, gpointer data)
{
  ((Fake *) data)->changes = 0;
  return TRUE;
}

static const RelayApiFuncs funcs = { get_config, get_stats, change, drop, switch_source, get_file,
  is_saved, save };

/* One after the other; what the answer has in it. */
static const struct
{
  const gchar *method, *path, *body;
  guint status;
  const gchar *has;
  gboolean only_new;
} requests[] = {
  { "GET", "/api/v1/configuration", NULL, 200, "\"saved\" : true" },
  { "GET", "/api/v1/streams/a/outputs/2", NULL, 200, "fasp://:3" },
  { "DELETE", "/api/v1/streams/a/outputs/1", NULL, 204, "" },
  { "GET", "/api/v1/streams/a/outputs/1", NULL, 404, "no output" },
  { "GET", "/api/v1/streams/a/outputs/2", NULL, 200, "fasp://:3" },
  { "POST", "/api/v1/streams/a/outputs", "{\"uri\":\"fasp://:4\"}", 201, "\"id\" : 3" },
  { "PATCH", "/api/v1/streams/a/outputs/2", "{\"uri\":\"fasp://:9\"}", 200, "\"id\" : 2" },
  { "DELETE", "/api/v1/streams/a/outputs/3", NULL, 204, "" },
  { "POST", "/api/v1/streams/a/outputs", "{\"uri\":\"fasp://:4\"}", 201, "\"id\" : 4" },
  { "PATCH", "/api/v1/streams/a/outputs/4",
      "{\"parameters\":{\"max-receivers\":5,\"rex\":false,\"latency\":null}}", 200,
      "fasp://:4?max-receivers=5&rex=false" },
  /* of two that are alike, the other one stays */
  { "POST", "/api/v1/streams/a/outputs", "{\"uri\":\"udp://h:5000\"}", 201, "\"id\" : 5" },
  { "POST", "/api/v1/streams/a/outputs", "{\"uri\":\"udp://h:5000\"}", 201, "\"id\" : 6" },
  { "DELETE", "/api/v1/streams/a/outputs/5", NULL, 204, "" },
  { "GET", "/api/v1/streams/a/outputs/5", NULL, 404, "no output" },
  { "DELETE", "/api/v1/streams/a/outputs/6", NULL, 204, "" },
  { "PUT", "/api/v1/streams/a", "{\"input\":\"fasp://:5\",\"outputs\":[\"fasp://:6\"]}", 412,
      "already", TRUE },
  { "DELETE", "/api/v1/streams/a", NULL, 412, "already", TRUE },
  { "PUT", "/api/v1/streams/n", "{\"input\":\"fasp://:7\",\"outputs\":[\"fasp://:8\"]}", 201,
      "\"name\" : \"n\"", TRUE },
  { "GET", "/api/v1/streams/n", NULL, 200, "fasp://:8", TRUE },
  { "DELETE", "/api/v1/streams/n", NULL, 204, "" },
  { "PUT", "/api/v1/streams/a/outputs/4", "{}", 405, "GET, HEAD, PATCH, DELETE" },
  { "PUT", "/api/v1/streams/x%5D", "{\"input\":\"fasp://:5\",\"outputs\":[]}", 422, "brackets" },
  { "PUT", "/api/v1/streams/%0A%5Brelay%5D", "{\"input\":\"a\",\"outputs\":[]}", 422, "space" },
  /* a name that is read from right to left */
  { "PUT", "/api/v1/streams/%E2%80%AEb",
      "{\"input\":\"fasp://:5\",\"outputs\":[\"fasp://:6\"],\"streamid\":\"b\"}", 422,
      "cannot be seen" },
  { "PUT", "/api/v1/streams/b%C2%85",
      "{\"input\":\"fasp://:5\",\"outputs\":[\"fasp://:6\"],\"streamid\":\"b\"}", 422,
      "cannot be seen" },
  { "PUT", "/api/v1/streams/b",
      "{\"input\":\"fasp://:5\\n[stream c]\",\"outputs\":[\"fasp://:6\"]}", 422,
      "[stream b] input" },
  { "PUT", "/api/v1/streams/b%2Fc", "{\"input\":\"fasp://:5\",\"outputs\":[\"fasp://:6\"]}", 201,
      "\"name\" : \"b/c\"" },
  /* no request has a file read or written */
  { "POST", "/api/v1/streams/a/outputs", "{\"uri\":\"file:///tmp/x.ts\"}", 422, "files" },
  { "POST", "/api/v1/streams/a/outputs", "{\"uri\":\"hls:///tmp/x.m3u8\"}", 422, "files" },
  { "PATCH", "/api/v1/streams/a/outputs/2", "{\"uri\":\" FILE:/tmp/x\"}", 422, "files" },
  { "PUT", "/api/v1/streams/a/input", "{\"uri\":\"file:///etc/passwd\"}", 422, "files" },
  { "PATCH", "/api/v1/streams/a", "{\"input\":\"file:x\"}", 422, "files" },
  { "PUT", "/api/v1/streams/c", "{\"input\":\"fasp://:8\",\"outputs\":[\"file:/x\"]}", 422,
      "files" },
  { "GET", "/api/v1/streams/b/c", NULL, 404, "no such path" },
  { "GET", "/api/v1/streams/", NULL, 404, "no such path" },
  { "PATCH", "/api/v1/streams/b%2Fc", "{\"optional\":1}", 400, "\\\"optional\\\" has to be" },
  { "PATCH", "/api/v1/streams/b%2Fc", "{\"optional\":true,\"picture-interval\":7}", 200,
      "\"optional\" : true,\n  \"picture-interval\" : 7" },
  { "PATCH", "/api/v1/streams/b%2Fc", "{\"optional\":null,\"picture-interval\":null}", 200,
      "\"optional\" : false,\n  \"picture-interval\" : 0" },
  { "PATCH", "/api/v1/streams/b%2Fc", "{\"name\":\"x\"}", 400, "not known" },
  { "PUT", "/api/v1/streams/b%2Fc", "{\"input\":\"fasp://:5\"}", 400,
      "\\\"outputs\\\" is missing" },
  { "PUT", "/api/v1/streams/b%2Fc", "{\"input\":\"fasp://:5\",\"outputs\":[5]}", 400, "string" },
  { "PUT", "/api/v1/streams/b%2Fc", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 400, "not JSON" },
  { "PUT", "/api/v1/streams/b%2Fc", "{\"a\":\"[[[[[[[[[[[[[[[[[[[\\\"[[[[[[[[[[[\"}", 400,
      "is missing" },
  /* no comment, and no other quotes, in which a bracket could hide; a / in a string is one */
  { "PUT", "/api/v1/streams/b%2Fc", "/*\"*/[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]", 400, "not JSON" },
  { "PUT", "/api/v1/streams/b%2Fc", "{'\"':[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]}", 400, "not JSON" },
  { "PUT", "/api/v1/streams/b%2Fc", "{\"/*'#\":1}", 400, "is missing" },
  /* json-glib would take these for 5, 8 and 1, a string for its beginning, and the first of two */
  { "PATCH", "/api/v1/streams/a", "{\"picture-interval\":-18446744073709551611}", 400, "not JSON" },
  { "PATCH", "/api/v1/streams/a", "{\"picture-interval\":010}", 400, "not JSON" },
  { "PUT", "/api/v1/streams/a/input/source", "{\"source\":-18446744073709551615}", 400,
      "18 digits" },
  { "PUT", "/api/v1/streams/a/input", "{\"uri\":\"fasp://:5\\u0000?latency=1\"}", 400, "not JSON" },
  { "PUT", "/api/v1/streams/a/input", "{\"uri\":\"fasp://:5\"}{\"uri\":\"fasp://:6\"}", 400,
      "not JSON" },
  { "PATCH", "/api/v1/streams/a/outputs/2", "{\"parameters\":{\"latency\":1e309}}", 400,
      "not JSON" },
  { "DELETE", "/api/v1/streams/a/outputs/2/receivers/%5B::1%5D:5", NULL, 404, "no such receiver" },
  { "PUT", "/api/v1/streams/a/input/source", "{\"source\":1}", 204, "" },
  { "PUT", "/api/v1/streams/a/input/source", "{\"source\":-1}", 409, "source-list" },
  { "GET", "/api/v1/configuration", NULL, 200, "\"saved\" : false" },
  { "POST", "/api/v1/configuration/save", NULL, 200, "\"saved\" : true" },
  { "DELETE", "/api/v1/streams/a", NULL, 204, "" },
  { "DELETE", "/api/v1/streams/b%2Fc", NULL, 422, "nothing to do" },
};

/* What JSON is, and what json-glib takes beside it. */
static void
test_json_validation (void)
{
  static const gchar *const good[] = { "", "{}", " [ ] \n", "{\"a\":[1,-2.5e-3,0,true,null]}",
    "{\"a\":\"\\\\u0000 ' # / {[\"}", "{\"a\":999999999999999999}", "{\"a\":\"\\u00e9\\\"\"}",
    "{\"a\":\"\\ud83d\\uDE00\\n\"}", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
    "{\"a\":0.12345678901234567890}", "{\"a\":1E+2}" };
  static const gchar *const bad[] = { "{\"a\":1000000000000000000}", "{\"a\":-010}", "{\"a\":0x10}",
    "{\"a\":0b11}", "{\"a\":$10}", "{\"a\":1e309}", "{\"a\":-1e309}", "{\"a\":.5}", "{\"a\":1.}",
    "{\"a\":1e}", "{\"a\":+1}", "{\"a\":- 1}", "{\"a\":nan}", "{\"a\":inf}", "{\"a\":TRUE}",
    "{'a':1}", "{a:1}", "var x = {}", "{}{}", "{},", "{} 1", "{} x", "}", "# x\n{}", "{}//x",
    "{}/**/", "{\"a\":\"x\\u0000\"}", "[\"a\\0b\"]", "[\"a\\101\"]", "[\"a\\x41\"]", "[\"a\\u\"]",
    "[\"a\\u000x\"]", "[\"a\\ud800x\"]", "[\"a\\ud800\\n\"]", "[\"a\\ud800\\ud800\"]",
    "[\"a\\udc00\"]", "[\"a\\\n\"]", "{\"a\":\"x", "{\"a\":\"x\ny\"}", "\xff", "{\"a\":1\v}",
    "[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]" };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_test_message ("%s", good[i]);
    g_assert_true (relay_json_validation_check (good[i], strlen (good[i])));
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree gchar *shown = g_strescape (bad[i], NULL);

    g_test_message ("%s", shown);
    g_assert_false (relay_json_validation_check (bad[i], strlen (bad[i])));
  }
  /* not beyond its end */
  g_assert_false (relay_json_validation_check ("\"\\u0000", 6));
  g_assert_false (relay_json_validation_check ("\"\\", 2));
  g_assert_true (relay_json_validation_check ("{\"a\":truely}", 9));
}

static void
ask (RelayApi *api, const gchar *method, const gchar *path, const gchar *body, guint status)
{
  RelayApiRequest request = { method, path, body, body != NULL ? strlen (body) : 0 };
  RelayPage page = { 0 };

  relay_api_answer (api, &request, &page);
  g_test_message ("%s %s: %u %s", method, path, page.status, page.text);
  g_assert_cmpuint (page.status, ==, status);
  g_free (page.text);
  g_free (page.location);
}

/* Each operation of the document has its function, which is looked for before the body is read. */
static void
test_operations (void)
{
  static const gchar *const names[][2] = { { "{stream}", "a" }, { "{output}", "1" },
    { "{receiver}", "x" } };
  static const gchar text[] = "[stream a]\ninput = fasp://:1\noutput = fasp://:2\n";
  RelayApiRequest request = { "GET", RELAY_API_DESCRIPTION };
  RelayPage described = { 0 };
  RelayApi *api = relay_api_new (&funcs, NULL);
  g_autoptr (JsonNode) document = NULL;
  JsonObjectIter paths, methods;
  JsonNode *path, *method;
  const gchar *pattern, *name;
  guint n = 0;

  relay_api_answer (api, &request, &described);
  relay_api_free (api);
  document = json_from_string (described.text, NULL);
  g_free (described.text);
  json_object_iter_init (&paths,
      json_object_get_object_member (json_node_get_object (document), "paths"));
  while (json_object_iter_next (&paths, &pattern, &path)) {
    g_autoptr (GString) its = g_string_new (pattern);

    /* what logs in is not in the fake */
    if (!g_str_has_prefix (pattern, RELAY_HTTP_API) || g_str_equal (pattern, RELAY_API_SESSION))
      continue;
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      g_string_replace (its, names[i][0], names[i][1], 0);
    json_object_iter_init (&methods, json_node_get_object (path));
    while (json_object_iter_next (&methods, &name, &method)) {
      Fake fake = { relay_config_parse (text, strlen (text), NULL, NULL) };
      RelayPage page = { 0 };
      g_autofree gchar *upper = g_ascii_strup (name, -1);

      if (JSON_NODE_HOLDS_OBJECT (method)) {
        api = relay_api_new (&funcs, &fake);
        request = (RelayApiRequest) { upper, its->str, "{}", 2 };
        relay_api_answer (api, &request, &page);
        g_test_message ("%s %s: %u", upper, its->str, page.status);
        g_assert_cmpuint (page.status, !=, 0);
        relay_api_free (api);
        n++;
      }
      g_free (page.text);
      g_free (page.location);
      relay_config_free (fake.config);
    }
  }
  g_assert_cmpuint (n, >, 15);
}

/* Backups stay when the main source changes, and keep their passphrases, at whatever place. What
 * needs backups goes with the last one. */
static void
test_backups (void)
{
  static const struct
  {
    const gchar *method, *path, *body;
    guint status;
    const gchar *input; /* of the configuration, afterwards */
  } changes[] = {
    { "PATCH", "a/input", "{\"uri\":\"udp://:7\"}", 200,
        "udp://:7;srt://h:2?passphrase=correct-horse;file:///etc/passwd\nswitch-after" },
    { "PUT", "a/input", "{\"uri\":\"udp://:7\"}", 200,
        "udp://:7;srt://h:2?passphrase=correct-horse;file:///etc/passwd\nswitch-after" },
    { "PATCH", "a", "{\"backups\":[\"srt://i:3\",\"file:///etc/passwd\"]}", 200,
        "udp://:1;srt://i:3?passphrase=correct-horse;file:///etc/passwd\nswitch-after" },
    { "PATCH", "a", "{\"backups\":[\"rtp://:8\"],\"switch-after\":null,\"wait-to-restore\":0}", 200,
        "udp://:1;rtp://:8\noutput = fasp://:9\nwait-to-restore = 0\n" },
    { "PATCH", "a", "{\"backups\":[]}", 200, "udp://:1\noutput" },
    { "PUT", "a", "{\"input\":\"udp://:1\",\"outputs\":[\"fasp://:9\"]}", 200, "udp://:1\noutput" },
    { "PUT", "b", "{\"input\":\"udp://:5\",\"backups\":[\"udp://:6\"],\"outputs\":[\"fasp://:3\"]}",
        201, "udp://:5;udp://:6\noutput" },
    { "PATCH", "a",
        "{\"backups\":[\"file:///etc/passwd\",\"srt://h:2\",\"udp://:1\"],\"input\":\"udp://:6\"}",
        200, "udp://:6;file:///etc/passwd;srt://h:2?passphrase=correct-horse;udp://:1\nswitch" },
    /* a passphrase goes with its source, and to none that another one has taken the place of */
    { "PATCH", "c", "{\"backups\":[\"srt://i:3\"]}", 200,
        "srt://m:1?passphrase=of-the-main;srt://i:3?passphrase=of-the-second\noutput" },
    { "PATCH", "c", "{\"backups\":[\"srt://j:4\",\"srt://h:2\",\"srt://i:3\"]}", 200,
        "srt://m:1?passphrase=of-the-main;srt://j:4;srt://h:2?passphrase=of-the-first;"
        "srt://i:3?passphrase=of-the-second\noutput" },
    { "PATCH", "c", "{\"input\":\"srt://h:2\",\"backups\":[\"srt://m:1\"]}", 200,
        "srt://h:2?passphrase=of-the-first;srt://m:1?passphrase=of-the-main\noutput" },
    { "PATCH", "c", "{\"backups\":[\"srt://h:2?latency=9\",\"srt://i:3\"]}", 200,
        "srt://m:1?passphrase=of-the-main;srt://h:2?latency=9&passphrase=of-the-first;"
        "srt://i:3?passphrase=of-the-second\noutput" },
    { "PUT", "c",
        "{\"input\":\"srt://m:1\",\"backups\":[\"srt://h:2\"],\"outputs\":[\"fasp://:19\"]}", 200,
        "srt://m:1;srt://h:2\noutput" },
    { "PATCH", "a", "{\"backups\":[\"file:///etc/shadow\"]}", 422, "udp://:1;srt" },
    { "PUT", "b",
        "{\"input\":\"udp://:5\",\"backups\":[\"file:///etc/passwd\"],\"outputs\":[\"fasp://:3\"]}",
        422, "udp://:1;srt" },
    { "PATCH", "a", "{\"backups\":[\"udp://:1\"]}", 422, "udp://:1;srt" },
    { "PATCH", "a",
        "{\"backups\":[\"udp://:11\",\"udp://:12\",\"udp://:13\",\"udp://:14\",\"udp://:15\","
        "\"udp://:16\",\"udp://:17\",\"udp://:18\"]}",
        422, "udp://:1;srt" },
    { "PATCH", "a", "{\"switch-after\":99}", 422, "udp://:1;srt" },
  };
  static const gchar text[] =
      "[stream a]\ninput = udp://:1;srt://h:2?passphrase=correct-horse;file:///etc/passwd\n"
      "switch-after = 500\noutput = fasp://:9\n"
      "[stream c]\ninput = srt://m:1?passphrase=of-the-main;srt://h:2?passphrase=of-the-first;"
      "srt://i:3?passphrase=of-the-second\noutput = fasp://:19\n";

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    Fake fake = { relay_config_parse (text, strlen (text), NULL, NULL) };
    RelayApi *api = relay_api_new (&funcs, &fake);
    g_autofree gchar *path = g_strconcat ("/api/v1/streams/", changes[i].path, NULL);

    g_test_message ("%s", changes[i].body);
    ask (api, changes[i].method, path, changes[i].body, changes[i].status);
    g_test_message ("%s", fake.config->text);
    g_assert_nonnull (strstr (fake.config->text, changes[i].input));
    relay_api_free (api);
    relay_config_free (fake.config);
  }
}

/* A streamid that is given as it is shown keeps its password; with another user, it has none. */
static void
test_parameters (void)
{
  static const struct
  {
    const gchar *body, *output;
  } changes[] = {
    { "{\"parameters\":{\"streamid\":\"read:x:joe:*\",\"latency\":5}}",
        "srt://h:1?streamid=read:x:joe:secret&latency=5\n" },
    { "{\"parameters\":{\"streamid\":\"read:x:ann:*\"}}", "srt://h:1?streamid=read:x:ann:" },
  };
  static const gchar text[] =
      "[stream a]\ninput = udp://:1\noutput = srt://h:1?streamid=read:x:joe:secret\n";

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    Fake fake = { relay_config_parse (text, strlen (text), NULL, NULL) };
    RelayApi *api = relay_api_new (&funcs, &fake);

    ask (api, "PATCH", "/api/v1/streams/a/outputs/1", changes[i].body, 200);
    g_test_message ("%s", fake.config->text);
    g_assert_nonnull (strstr (fake.config->text, changes[i].output));
    relay_api_free (api);
    relay_config_free (fake.config);
  }
}

/* What names files stays, or the new input is refused. */
static void
test_inputs (void)
{
  static const struct
  {
    const gchar *method, *body;
    guint status;
  } changes[] = {
    { "PUT", "{\"uri\":\"fasp://h:1\"}", 200 },
    { "PATCH", "{\"parameters\":{\"redundancy\":null}}", 200 },
    { "PATCH", "{\"parameters\":{\"latency\":300}}", 200 },
    { "PUT", "{\"uri\":\"fasp://h:1?redundancy=hot&fallback-addresses=i:1\"}", 200 },
    /* a recording would end, or a sender without the secret could send, and the API cannot undo it
     */
    { "PUT", "{\"uri\":\"srt://h:1\"}", 422 },
    { "PATCH", "{\"uri\":\"udp://:5000\"}", 422 },
  };
  g_autofree gchar *folder = g_dir_make_tmp ("relay-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "secret", NULL);
  g_autofree gchar *text =
      g_strdup_printf ("[stream a]\ninput = fasp://h:1?redundancy=hot&fallback-addresses=i:1,j:1\n"
                       "input-passphrase-file = %s\ninput-record = %s/x.csv\noutput = fasp://:2\n",
          path, folder);

  g_assert_true (g_file_set_contents (path, "correct-horse", -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    Fake fake = { relay_config_parse (text, strlen (text), NULL, NULL) };
    RelayApi *api = relay_api_new (&funcs, &fake);

    g_test_message ("%s", changes[i].body);
    ask (api, changes[i].method, "/api/v1/streams/a/input", changes[i].body, changes[i].status);
    g_assert_nonnull (strstr (fake.config->text, "input-passphrase-file"));
    g_assert_nonnull (strstr (fake.config->text, "input-record"));
    relay_api_free (api);
    relay_config_free (fake.config);
  }
  g_unlink (path);
  g_rmdir (folder);
}

/* Who changes what another one has changed meanwhile is refused. */
static void
test_tags (void)
{
  static const gchar text[] = "[relay]\napi = true\nstatus = http://127.0.0.1:1\n"
                              "[stream a]\ninput = fasp://:1\noutput = fasp://:2\n"
                              "[stream b]\ninput = fasp://:3\noutput = fasp://:4\n";
  enum
  {
    NONE,
    ANY,
    A,
    B,
    ALL,
    TAGS
  };
  static const gchar *const paths[] = { [A] = "/api/v1/streams/a",
    [B] = "/api/v1/streams/b/outputs/1",
    [ALL] = "/api/v1/configuration" };
  static const struct
  {
    const gchar *method, *path, *body;
    guint match, status;
  } changes[] = {
    { "PATCH", "/api/v1/streams/a", "{\"optional\":true}", A, 200 },
    { "PATCH", "/api/v1/streams/a", "{\"optional\":false}", A, 412 },
    { "POST", "/api/v1/streams/a/outputs", "{\"uri\":\"fasp://:5\"}", A, 412 },
    { "GET", "/api/v1/streams/a", NULL, A, 200 },
    { "POST", "/api/v1/configuration/save", NULL, ALL, 412 },
    { "POST", "/api/v1/configuration/save", NULL, ANY, 200 },
    { "PATCH", "/api/v1/streams/a", "{\"optional\":true}", NONE, 200 },
    { "PATCH", "/api/v1/streams/b/input", "{\"uri\":\"fasp://:3\"}", B, 200 },
    { "DELETE", "/api/v1/streams/b", NULL, B, 204 },
    { "PUT", "/api/v1/streams/b", "{\"input\":\"fasp://:3\",\"outputs\":[\"fasp://:4\"]}", ANY,
        412 },
    { "PUT", "/api/v1/streams/b", "{\"input\":\"fasp://:3\",\"outputs\":[\"fasp://:4\"]}", NONE,
        201 },
    { "DELETE", "/api/v1/streams/b", NULL, B, 412 },
    { "DELETE", "/api/v1/streams/b", NULL, ANY, 204 },
  };
  Fake fake = { relay_config_parse (text, strlen (text), NULL, NULL) };
  RelayApi *api = relay_api_new (&funcs, &fake);
  gchar tags[TAGS][64] = { [ANY] = "*" };

  for (guint i = A; i < TAGS; i++) {
    RelayApiRequest request = { "GET", paths[i] };
    RelayPage page = { 0 };

    relay_api_answer (api, &request, &page);
    g_snprintf (tags[i], sizeof tags[i], "\"x\", %s", page.tag);
    g_assert_true (page.tag[0] == '"');
    g_free (page.text);
  }
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    const gchar *body = changes[i].body;
    RelayApiRequest request = { changes[i].method, changes[i].path, body,
      body != NULL ? strlen (body) : 0, FALSE,
      changes[i].match == NONE ? NULL : tags[changes[i].match] };
    RelayPage page = { 0 };

    relay_api_answer (api, &request, &page);
    g_test_message ("%u: %u %s %s", i, page.status, page.tag, page.text);
    g_assert_cmpuint (page.status, ==, changes[i].status);
    g_free (page.text);
    g_free (page.location);
  }
  relay_api_free (api);
  relay_config_free (fake.config);
}

/* No key of a file can be changed: it would begin files, or say which are removed. */
static void
test_files (void)
{
  static const gchar text[] =
      "[stream a]\ninput = file:///proc/self/exe\noutput = file:///tmp/%s.ts;fasp://:2\n";
  Fake fake = { relay_config_parse (text, strlen (text), NULL, NULL) };
  RelayApi *api = relay_api_new (&funcs, &fake);
  const gchar *keys = "{\"parameters\":{\"buffer-size\":100000}}";

  ask (api, "PATCH", "/api/v1/streams/a/outputs/1", "{\"parameters\":{\"piece\":1}}", 422);
  ask (api, "PATCH", "/api/v1/streams/a/input", keys, 422);
  ask (api, "PATCH", "/api/v1/streams/a/outputs/2", "{\"parameters\":{\"max-receivers\":5}}", 200);
  ask (api, "DELETE", "/api/v1/streams/a/outputs/1", NULL, 204);
  relay_api_free (api);
  relay_config_free (fake.config);
}

static void
test_requests (void)
{
  static const gchar text[] = "[stream a]\ninput = fasp://:1\noutput = fasp://:2;fasp://:3\n";
  Fake fake = { relay_config_parse (text, strlen (text), NULL, NULL) };
  RelayApi *api = relay_api_new (&funcs, &fake);

  for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
    const gchar *body = requests[i].body;
    RelayApiRequest request = { requests[i].method, requests[i].path, body,
      body != NULL ? strlen (body) : 0, requests[i].only_new };
    RelayPage page = { 0 };

    relay_api_answer (api, &request, &page);
    g_test_message ("%s %s: %u %s", requests[i].method, requests[i].path, page.status, page.text);
    g_assert_cmpuint (page.status, ==, requests[i].status);
    g_assert_nonnull (strstr (page.text, requests[i].has));
    g_free (page.text);
    g_free (page.location);
  }
  relay_api_free (api);
  relay_config_free (fake.config);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/api/uris", test_uris);
  g_test_add_func ("/relay/api/secrets", test_secrets);
  g_test_add_func ("/relay/api/streamids", test_streamids);
  g_test_add_func ("/relay/api/parameters", test_parameters);
  g_test_add_func ("/relay/api/names", test_names);
  g_test_add_func ("/relay/api/text", test_text);
  g_test_add_func ("/relay/api/many-lines", test_many_lines);
  g_test_add_func ("/relay/api/odd-texts", test_odd_texts);
  g_test_add_func ("/relay/api/save", test_save);
  g_test_add_func ("/relay/api/json-validation", test_json_validation);
  g_test_add_func ("/relay/api/operations", test_operations);
  g_test_add_func ("/relay/api/tags", test_tags);
  g_test_add_func ("/relay/api/files", test_files);
  g_test_add_func ("/relay/api/requests", test_requests);
  g_test_add_func ("/relay/api/inputs", test_inputs);
  g_test_add_func ("/relay/api/backups", test_backups);
  return g_test_run ();
}
