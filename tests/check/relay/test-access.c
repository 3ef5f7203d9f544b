/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which clients may use the relay's API and its pages: each path of openapi.json with each role;
 * tokens, sessions and passwords; and that no operation of the API gives its user another role.
 */
#include <string.h>
#include "accesshouse.h"
#include "relaylogin.h"
#include "relaypassword.h"
#include "relaysessions.h"

/* --- without users and tokens ------------------------------------------------------------- */

static const struct
{
  const gchar *token;
  RelayAsk ask;
  guint status;
} asks[] = {
  { NULL, { "GET", "h:1" }, 0 },
  { NULL, { "DELETE", "h:1" }, 0 },
  { NULL, { "POST", "h:1", .type = "application/json", .has_body = TRUE }, 0 },
  { NULL, { "PUT", "h:1", .type = "Application/JSON; charset=utf-8", .has_body = TRUE }, 0 },
  { NULL, { "PATCH", "h:1", .has_body = TRUE }, 415 },
  { NULL, { "POST", "h:1" }, 0 },
  { NULL, { "POST", "h:1", .type = "text/plain", .has_body = TRUE }, 415 },
  { NULL, { "POST", "h:1", .type = "application/jsonp", .has_body = TRUE }, 415 },
  { NULL, { "GET", "h:1", .origin = "http://h:1" }, 0 },
  { NULL, { "GET", "h:1", .origin = "https://H:1" }, 0 },
  { NULL, { "GET", "h:1", .origin = "http://h:2" }, 403 },
  { NULL, { "GET", "h:1", .origin = "h:1" }, 403 },
  { NULL, { "GET", "h:1", .origin = "null" }, 403 },
  { NULL, { "GET", NULL, .origin = "http://h:1" }, 403 },
  { NULL, { "GET", "h:1", .site = "same-origin" }, 0 },
  { NULL, { "GET", "h:1", .site = "none" }, 0 },
  { NULL, { "GET", "h:1", .site = "same-site" }, 403 },
  { NULL, { "GET", "h:1", .site = "cross-site" }, 403 },
  { "token-of-it", { "GET", "h:1" }, 401 },
  { "token-of-it", { "GET", "h:1", .authorization = "" }, 401 },
  { "token-of-it", { "GET", "h:1", .authorization = "token-of-it" }, 401 },
  { "token-of-it", { "GET", "h:1", .authorization = "Bearer token-of-i" }, 401 },
  { "token-of-it", { "GET", "h:1", .authorization = "Bearer token-of-it2" }, 401 },
  { "token-of-it", { "GET", "h:1", .authorization = "Bearer token-of-it" }, 0 },
  { "token-of-it", { "GET", "h:1", .authorization = "bearer token-of-it" }, 0 },
  { "token-of-it", { "POST", "h:1", .authorization = "Bearer token-of-it", .has_body = TRUE },
      415 },
  { "token-of-it", { "POST", "h:1", .has_body = TRUE }, 401 },
  { "token-of-it", { "POST", "h:1", .authorization = "Bearer wrong", .has_body = TRUE }, 401 },
  { "token-of-it", { "GET", "h:1", "http://x", .authorization = "Bearer token-of-it" }, 403 },
};

/* The API of a relay that has at most a token of its own. */
static void
test_alone (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (asks); i++) {
    g_autoptr (GPtrArray) accounts = relay_accounts_new ();
    RelayRules rules = { TRUE, (gchar *) asks[i].token, accounts };
    RelayRoute route = { TRUE, TRUE, RELAY_ROLE_OPERATE };
    RelayIdentity identity;
    RelayRefusal refusal;

    relay_access_identify (&rules, &asks[i].ask, &identity);
    g_assert_cmpuint (relay_access_decide (&rules, &asks[i].ask, &route, &identity, FALSE,
                          &refusal),
        ==, asks[i].status);
    g_assert_true ((refusal.why == NULL) == (asks[i].status == 0)
        && (refusal.code == NULL) == (refusal.why == NULL));
    g_free (refusal.why);
  }
}

/* A network that gives wrong tokens has to wait; others do not, and cost no memory. */
static void
test_tries (void)
{
  RelayAccessTries tries = { 0 };
  const gint64 begun = 7;

  for (guint i = 0; i < RELAY_ACCESS_TRIES; i++) {
    g_assert_true (relay_access_may_try (&tries, begun + i, 1));
    relay_access_note_wrong (&tries, begun + i, 1);
  }
  g_assert_false (relay_access_may_try (&tries, begun + RELAY_ACCESS_TIME - 1, 1));
  g_assert_true (relay_access_may_try (&tries, begun, 2));
  g_assert_true (relay_access_may_try (&tries, begun + RELAY_ACCESS_TIME, 1));
  relay_access_note_wrong (&tries, begun + RELAY_ACCESS_TIME, 1);
  g_assert_true (relay_access_may_try (&tries, begun + RELAY_ACCESS_TIME, 1));
  for (guint i = 0; i < RELAY_ACCESS_TRIES; i++)
    relay_access_note_wrong (&tries, begun + 2 * RELAY_ACCESS_TIME, 1);
  relay_access_note_right (&tries, 1);
  relay_access_note_right (&tries, 2);
  g_assert_true (relay_access_may_try (&tries, begun + 2 * RELAY_ACCESS_TIME, 1));
  relay_access_note_wrong (&tries, begun + 2 * RELAY_ACCESS_TIME, 1);
  /* when more networks come than are remembered, the latest are */
  for (guint64 network = 2; network <= RELAY_ACCESS_NETWORKS; network++)
    relay_access_note_wrong (&tries, begun + 2 * RELAY_ACCESS_TIME + network, network);
  g_assert_false (relay_access_may_try (&tries, begun + 2 * RELAY_ACCESS_TIME + 99, 1));
  relay_access_note_wrong (&tries, begun + 2 * RELAY_ACCESS_TIME + 99, 99);
  g_assert_true (relay_access_may_try (&tries, begun + 2 * RELAY_ACCESS_TIME + 99, 1));
}

/* --- roles -------------------------------------------------------------------------------- */

/* Returns the status with which a request is refused; 0: it is not. @token, @cookie: or NULL. */
static guint
try (House *house, const gchar *method, const gchar *path, const gchar *token, const gchar *cookie)
{
  g_autofree gchar *authorization = token != NULL ? g_strconcat ("Bearer ", token, NULL) : NULL;
  RelayAsk ask = { method, "127.0.0.1:1", .authorization = authorization, .path = path,
    .address = "192.0.2.1", .network = 1, .cookie = cookie };
  RelayAdmitted admitted = { 0 };
  RelayPage page = { 200 };
  gboolean good = relay_admission_admit (house->admission, &ask, &admitted, &page);

  g_assert_true (good == (page.status == 200) && good == (page.text == NULL));
  g_assert_true (good == relay_admission_allows (house->admission, &ask));
  g_free (page.text);
  g_free (admitted.name);
  g_free (admitted.title);
  return good ? 0 : page.status;
}

/* A page of another site may link to the relay's pages. It may not use the API, nor take places
 * that are few. */
static void
test_sites (void)
{
  static const struct
  {
    const gchar *path;
    guint status;
  } paths[] = { { "/", 0 }, { "/status.json", 0 }, { "/streams/a/picture.jpg", 0 },
    { "/events", 403 }, { "/streams/a/preview.mp4", 403 }, { "/streams/%61/preview.mp4", 403 },
    { "/streams/a/pre%76iew.mp4", 403 }, { "/%65vents", 403 }, { "/api/v1/streams", 403 },
    { "/api/v1/openapi.json", 403 } };
  RelayAsk foreign[] = { { .site = "cross-site" }, { .site = "same-site" },
    { .origin = "http://other" } };
  House house = { 0 };

  house_begin (&house);
  for (guint i = 0; i < G_N_ELEMENTS (paths) * G_N_ELEMENTS (foreign); i++) {
    RelayAsk *ask = &foreign[i % G_N_ELEMENTS (foreign)];
    guint path = i / G_N_ELEMENTS (foreign);
    RelayAdmitted admitted = { 0 };
    RelayPage page = { 0 };

    g_test_message ("%s", paths[path].path);
    ask->method = "GET";
    ask->host = "127.0.0.1:1";
    ask->authorization = "Bearer token-of-administer";
    ask->path = paths[path].path;
    relay_admission_admit (house.admission, ask, &admitted, &page);
    g_assert_cmpuint (page.status, ==, paths[path].status);
    g_free (page.text);
    g_free (admitted.name);
    g_free (admitted.title);
  }
  house_end (&house);
}

static void
check_path (House *house, const gchar *method, const gchar *pattern, RelayRole needs)
{
  g_autofree gchar *a = house_fill (pattern, "a"), *b = house_fill (pattern, "b");
  gboolean named = !g_str_equal (a, b);

  g_test_message ("%s %s", method, pattern);
  g_assert_cmpuint (try (house, method, a, NULL, NULL), ==, house_expect (RELAY_ROLE_NONE, needs));
  for (RelayRole role = RELAY_ROLE_VIEW; role <= RELAY_ROLE_ADMINISTER; role++) {
    g_autofree gchar *token = g_strconcat ("token-of-", relay_role_get_name (role), NULL);

    g_assert_cmpuint (try (house, method, a, token, NULL), ==, house_expect (role, needs));
    g_assert_cmpuint (try (house, method, a, NULL, house->cookies[role]), ==,
        house_expect (role, needs));
  }
  g_assert_cmpuint (try (house, method, a, "token-of-narrow", NULL), ==,
      named || needs == RELAY_ROLE_NONE ? 0 : 403);
  g_assert_cmpuint (try (house, method, b, "token-of-narrow", NULL), ==,
      needs == RELAY_ROLE_NONE ? 0 : 403);
}

/* Each path for each role. */
static void
test_roles (void)
{
  House house = { NULL };

  house_begin (&house);
  house_check_paths (&house, check_path);
  /* a path that openapi.json does not have is refused to strangers, and to a token for some streams
   */
  g_assert_cmpuint (try (&house, "GET", "/nothing", NULL, NULL), ==, 401);
  g_assert_cmpuint (try (&house, "GET", "/api/v1/nothing", NULL, NULL), ==, 401);
  g_assert_cmpuint (try (&house, "OPTIONS", "/status.json", NULL, NULL), ==, 401);
  g_assert_cmpuint (try (&house, "GET", "/nothing", "token-of-narrow", NULL), ==, 403);
  g_assert_cmpuint (try (&house, "GET", "/streams//picture.jpg", "token-of-narrow", NULL), ==, 403);
  g_assert_cmpuint (try (&house, "GET", "/streams/%61/picture.jpg", "token-of-narrow", NULL), ==,
      0);
  g_assert_cmpuint (try (&house, "GET", "/streams/a%2F..%2Fb/picture.jpg", "token-of-narrow", NULL),
      ==, 403);
  g_assert_cmpuint (try (&house, "GET", "/status.json", "token-of-nobody", NULL), ==, 401);
  g_assert_cmpuint (try (&house, "GET", "/status.json", HASH, NULL), ==, 401);
  house_end (&house);
}

/* A user with a session cannot try tokens: the relay looks at the token alone, and counts it. Its
 * network has to wait then, but the session goes on, and so do those that listen by a token. */
static void
test_guesses (void)
{
  House house = { NULL };
  RelayAsk listens = { "GET", "127.0.0.1:1", .authorization = "Bearer token-of-view",
    .path = "/events", .network = 1 };

  house_begin (&house);
  for (guint i = 0; i < RELAY_ACCESS_TRIES; i++)
    g_assert_cmpuint (try (&house, "GET", "/api/v1/streams", "guess",
                          house.cookies[RELAY_ROLE_VIEW]),
        ==, 401);
  g_assert_cmpuint (try (&house, "GET", "/api/v1/streams", "guess", house.cookies[RELAY_ROLE_VIEW]),
      ==, 429);
  g_assert_cmpuint (try (&house, "GET", "/api/v1/streams", NULL, house.cookies[RELAY_ROLE_VIEW]),
      ==, 0);
  g_assert_true (relay_admission_allows (house.admission, &listens));
  house_end (&house);
}

/* A server answers before the rules for it are in force: nothing is shown until then. */
static void
test_held (void)
{
  House house = { NULL };
  RelayAdmission *admission;

  house_begin (&house);
  admission = house.admission;
  house.admission = relay_admission_new (house.api);
  g_assert_cmpuint (try (&house, "GET", "/status.json", NULL, NULL), ==, 503);
  g_assert_cmpuint (try (&house, "GET", "/api/v1/streams", NULL, NULL), ==, 503);
  g_assert_cmpuint (try (&house, "GET", "/healthz", NULL, NULL), ==, 0);
  relay_admission_use (house.admission, house.config);
  g_assert_cmpuint (try (&house, "GET", "/status.json", NULL, NULL), ==, 401);
  relay_admission_hold (house.admission, TRUE);
  g_assert_cmpuint (try (&house, "GET", "/status.json", "token-of-view", NULL), ==, 503);
  relay_admission_hold (house.admission, FALSE);
  g_assert_cmpuint (try (&house, "GET", "/status.json", "token-of-view", NULL), ==, 0);
  relay_admission_free (admission);
  house_end (&house);
}

/* A connection that was accepted before a list of addresses is in force gets no further, whatever
 * it asks for and with whatever token. */
static void
test_addresses (void)
{
  static const gchar format[] =
      "[relay]\nstatus = http://127.0.0.1:1\nstatus-allowed-addresses = %s\n" STREAMS;
  static const struct
  {
    const gchar *list;
    guint status;
  } lists[] = { { "192.0.2.2", 403 }, { "192.0.2.0/24", 0 } };
  House house = { NULL };
  RelayAsk local = { "GET", "localhost", .path = "/healthz", .local = TRUE };

  house_begin (&house);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    g_autofree gchar *text = g_strdup_printf (format, lists[i].list);
    g_autoptr (RelayConfig) config = relay_config_parse (text, strlen (text), NULL, NULL);

    relay_admission_use (house.admission, config);
    g_assert_cmpuint (try (&house, "GET", "/healthz", NULL, NULL), ==, lists[i].status);
    g_assert_cmpuint (try (&house, "GET", "/status.json", NULL, NULL), ==, lists[i].status);
    g_assert_true (relay_admission_allows (house.admission, &local));
  }
  house_end (&house);
}

/* A user that a reload takes away does not come back with the sessions of before. */
static void
test_removed (void)
{
  static const gchar none[] = "[relay]\nstatus = http://127.0.0.1:1\n" STREAMS;
  House house = { NULL };
  g_autoptr (RelayConfig) without = NULL;

  house_begin (&house);
  without = relay_config_parse (none, strlen (none), NULL, NULL);
  relay_admission_use (house.admission, without);
  relay_admission_use (house.admission, house.config);
  g_assert_cmpuint (try (&house, "GET", "/status.json", NULL, house.cookies[RELAY_ROLE_VIEW]), ==,
      401);
  house_end (&house);
}

/* An operator's operations change streams, and no account. */
static void
test_climbing (void)
{
  static const gchar more[] = "\n[user evil]\nrole = administer\npassword-hash = " HASH "\n";
  static const struct
  {
    const gchar *method, *path, *key;
    guint status;
  } tries[] = {
    { "PATCH", "/api/v1/streams/a", "\"streamid\":\"x%s\"", 422 },
    { "PATCH", "/api/v1/streams/a", "\"input\":\"fasp://:1?streamid=x%s\"", 0 },
    { "PUT", "/api/v1/streams/a/input", "\"uri\":\"fasp://:1?streamid=x%s\"", 0 },
    { "POST", "/api/v1/streams/a/outputs", "\"uri\":\"fasp://:5?streamid=x%s\"", 0 },
    { "PATCH", "/api/v1/streams/a/outputs/1", "\"parameters\":{\"streamid\":\"x%s\"}", 0 },
    { "PATCH", "/api/v1/streams/a/outputs/1", "\"parameters\":{\"x%s\":\"y\"}", 0 },
    { "PUT", "/api/v1/streams/x%%5D%%0A%%5Buser%%20evil",
        "\"input\":\"fasp://:6\",\"outputs\":[\"fasp://:7%s\"]", 422 },
    { "PUT", "/api/v1/streams/user%%20evil",
        "\"streamid\":\"%s\",\"input\":\"fasp://:6\",\"outputs\":[\"fasp://:7\"]", 0 },
    { "PATCH", "/api/v1/streams/a", "\"role\":\"administer%s\"", 400 },
    { "POST", "/api/v1/streams/a/outputs", "\"uri\":\"file:///tmp/x%s\"", 422 },
    { "PATCH", "/api/v1/streams/a", "\"input\":\"fasp://:1;file:///tmp/x%s\"", 422 },
    { "PATCH", "/api/v1/streams/a", "\"backups\":[\"fasp://:8\",\" File:///tmp/x%s\"]", 422 },
    { "PATCH", "/api/v1/streams/a", "\"backups\":[\"fasp://:8?streamid=x%s\"]", 0 },
    { "PATCH", "/api/v1/streams/a", "\"backups\":[\"fasp://:8?key-file=/tmp/x%s\"]", 422 },
    { "PATCH", "/api/v1/streams/a", "\"backups\":[\"fasp://:8;file:///tmp/x%s\"]", 422 },
    { "PUT", "/api/v1/streams/c",
        "\"input\":\"fasp://:6\",\"backups\":[\"file:///tmp/x%s\"],\"outputs\":[\"fasp://:7\"]",
        422 },
    { "PATCH", "/api/v1/streams/a/input", "\"parameters\":{\"record\":\"/tmp/x%s\"}", 422 },
    { "PATCH", "/api/v1/streams/a/outputs/1", "\"parameters\":{\"log\":\"/tmp/x%s\"}", 422 },
    { "PATCH", "/api/v1/streams/a/outputs/1", "\"parameters\":{\"key-file\":\"/tmp/x%s\"}", 422 },
  };
  House house = { NULL };
  guint accounts;

  house_begin (&house);
  accounts = house.config->accounts->len;
  for (guint i = 0; i < G_N_ELEMENTS (tries); i++) {
    g_autofree gchar *lines = g_strescape (more, NULL);
    g_autofree gchar *fields = g_strdup_printf (tries[i].key, lines);
    g_autofree gchar *body = g_strdup_printf ("{%s}", fields);
    g_autofree gchar *path = g_strdup_printf (tries[i].path, NULL);
    RelayApiRequest request = { tries[i].method, path, body, strlen (body) };
    RelayPage page = { 0 };

    relay_api_answer (house.api, &request, &page);
    g_test_message ("%s %s %s: %u %s", tries[i].method, path, body, page.status, page.text);
    g_assert_cmpuint (page.status, <, 500);
    if (tries[i].status != 0)
      g_assert_cmpuint (page.status, ==, tries[i].status);
    g_assert_cmpuint (house.config->accounts->len, ==, accounts);
    g_assert_null (relay_accounts_find_user (house.config->accounts, "evil"));
    g_free (page.text);
    g_free (page.location);
  }
  house_end (&house);
}

/* --- sessions and passwords ----------------------------------------------------------------- */

static RelayAccount *
add_user (GPtrArray *accounts, const gchar *name, const gchar *password)
{
  RelayAccount *user = g_new0 (RelayAccount, 1);

  user->name = g_strdup (name);
  user->password = g_strdup (password);
  g_ptr_array_add (accounts, user);
  return user;
}

static gchar *
log_in (RelaySessions *sessions, gint64 now, const RelayAccount *user, gboolean secure)
{
  gchar *header = relay_sessions_begin (sessions, now, user, secure);

  g_assert_nonnull (strstr (header, "; HttpOnly; SameSite=Strict"));
  g_assert_true ((strstr (header, "; Secure") != NULL) == secure);
  header[strcspn (header, ";")] = '\0';
  g_assert_cmpuint (strlen (strchr (header, '=') + 1), ==, 64);
  return header;
}

static void
test_sessions (void)
{
  RelaySessions *sessions = relay_sessions_new ();
  g_autoptr (GPtrArray) accounts = relay_accounts_new ();
  RelayAccount *a = add_user (accounts, "a", "p"), *b = add_user (accounts, "b", "p");
  g_autofree gchar *one = log_in (sessions, 0, a, TRUE), *two = log_in (sessions, 0, b, FALSE);
  g_autofree gchar *both = g_strdup_printf ("x=y;  %s ;z", one);
  g_autofree gchar *other = g_strdup_printf ("x%s", one);
  g_autofree gchar *removed = NULL;
  gint64 now = 0;

  g_assert_true (relay_sessions_find (sessions, now, accounts, one) == a);
  g_assert_true (relay_sessions_find (sessions, now, accounts, two) == b);
  g_assert_true (relay_sessions_find (sessions, now, accounts, both) == a);
  g_assert_null (relay_sessions_find (sessions, now, accounts, other));
  g_assert_null (relay_sessions_find (sessions, now, accounts, NULL));
  g_assert_null (relay_sessions_find (sessions, now, accounts, ""));
  one[strlen (one) - 1] ^= 1;
  g_assert_null (relay_sessions_find (sessions, now, accounts, one));
  one[strlen (one) - 1] ^= 1;
  /* as long as it is used, but for a week at most */
  for (now = 0; now < RELAY_SESSION_LASTS; now += RELAY_SESSION_IDLE - 1)
    g_assert_true (relay_sessions_find (sessions, now, accounts, one) == a);
  g_assert_null (relay_sessions_find (sessions, RELAY_SESSION_LASTS, accounts, one));
  g_assert_null (relay_sessions_find (sessions, RELAY_SESSION_IDLE, accounts, two));
  /* logged out */
  g_free (one);
  one = log_in (sessions, now, a, FALSE);
  removed = relay_sessions_end (sessions, one);
  g_assert_nonnull (strstr (removed, "Max-Age=0"));
  g_assert_null (relay_sessions_find (sessions, now, accounts, one));
  /* with another password, it is over */
  g_free (one);
  one = log_in (sessions, now, a, FALSE);
  g_free (a->password);
  a->password = g_strdup ("q");
  g_assert_null (relay_sessions_find (sessions, now, accounts, one));
  relay_sessions_free (sessions);
}

/* A user has some, and a relay has some; those that were used last stay. */
static void
test_room (void)
{
  RelaySessions *sessions = relay_sessions_new ();
  g_autoptr (GPtrArray) accounts = relay_accounts_new ();
  g_autoptr (GPtrArray) cookies = g_ptr_array_new_with_free_func (g_free);
  RelayAccount *other = add_user (accounts, "other", "p");
  g_autofree gchar *its = log_in (sessions, 0, other, FALSE);
  const guint users = RELAY_SESSIONS_MAX / RELAY_SESSIONS_OF_USER;

  for (guint i = 0; i <= RELAY_SESSIONS_OF_USER; i++)
    g_ptr_array_add (cookies, log_in (sessions, i + 1, other, FALSE));
  g_assert_null (relay_sessions_find (sessions, 20, accounts, its));
  g_assert_null (relay_sessions_find (sessions, 20, accounts, cookies->pdata[0]));
  g_assert_true (relay_sessions_find (sessions, 20, accounts, cookies->pdata[1]) == other);
  for (guint i = 0; i < users; i++) {
    g_autofree gchar *name = g_strdup_printf ("u%u", i);
    RelayAccount *user = add_user (accounts, name, "p");

    for (guint k = 0; k < RELAY_SESSIONS_OF_USER; k++)
      g_ptr_array_add (cookies, log_in (sessions, 30, user, FALSE));
  }
  g_assert_null (relay_sessions_find (sessions, 40, accounts, cookies->pdata[1]));
  for (guint i = RELAY_SESSIONS_OF_USER + 1; i < cookies->len; i++)
    g_assert_nonnull (relay_sessions_find (sessions, 40, accounts, cookies->pdata[i]));
  relay_sessions_free (sessions);
}

static void
test_passwords (void)
{
  static const gchar *const bad[] = { "", "horse", "$scrypt$", "$scrypt$ln=15,r=8,p=3$",
    "$scrypt$ln=15,r=8,p=3$AAAA$AAAA", "$scrypt$ln=31,r=8,p=3$AAAAAAAAAAAAAAAAAAAAAA$" HASH,
    HASH "A", HASH "=", HASH "$", HASH " " };
  g_autofree gchar *hash = relay_password_hash ("correct horse"), *other = NULL;

  other = relay_password_hash ("correct horse");
  g_assert_cmpstr (hash, !=, other);
  g_assert_true (relay_password_is_hash (hash) && relay_password_is_hash (HASH));
  g_assert_true (relay_password_check (hash, "correct horse"));
  g_assert_false (relay_password_check (hash, "correct hors"));
  g_assert_false (relay_password_check (hash, ""));
  g_assert_false (relay_password_check (NULL, ""));
  g_assert_false (relay_password_check (NULL, "correct horse"));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (relay_password_is_hash (bad[i]));
}

/* A check of a password, which takes as long as the test wants. */
static GMutex lock;
static GCond changed;
static gboolean begun, held;

gboolean __real_relay_password_check (const gchar *hash, const gchar *password);
gboolean __wrap_relay_password_check (const gchar *hash, const gchar *password);
void __wrap_relay_request_answer (RelayRequest *request, const RelayPage *page);

gboolean
__wrap_relay_password_check (const gchar *hash, const gchar *password)
{
  g_mutex_lock (&lock);
  begun = TRUE;
  g_cond_signal (&changed);
  while (held)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
  return __real_relay_password_check (hash, password);
}

/* @request: gets the status. */
void
__wrap_relay_request_answer (RelayRequest *request, const RelayPage *page)
{
  *(guint *) request = page->status;
  g_free (page->text);
}

/* When the relay ends, it does not wait for a check. */
static void
test_left (void)
{
  House house = { 0 };
  guint status = 0;
  RelayApiRequest request = { .network = 1, .handle = (RelayRequest *) &status };
  RelayPage page = { 0 };
  RelayLogins *logins;

  house_begin (&house);
  held = TRUE;
  logins = relay_logins_new (house.admission);
  g_assert_true (relay_logins_add (logins, &request, "view", "a password", &page));
  g_mutex_lock (&lock);
  while (!begun)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
  relay_logins_free (logins);
  g_assert_cmpuint (status, ==, 503);
  house_end (&house);
  g_mutex_lock (&lock);
  held = FALSE;
  g_cond_signal (&changed);
  g_mutex_unlock (&lock);
  /* the check is over, and nothing comes of it */
  g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (status, ==, 503);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  /* a wrong token is logged as a warning */
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_test_add_func ("/relay/access/alone", test_alone);
  g_test_add_func ("/relay/access/tries", test_tries);
  g_test_add_func ("/relay/access/roles", test_roles);
  g_test_add_func ("/relay/access/sites", test_sites);
  g_test_add_func ("/relay/access/guesses", test_guesses);
  g_test_add_func ("/relay/access/held", test_held);
  g_test_add_func ("/relay/access/addresses", test_addresses);
  g_test_add_func ("/relay/access/removed", test_removed);
  g_test_add_func ("/relay/access/climbing", test_climbing);
  g_test_add_func ("/relay/access/sessions", test_sessions);
  g_test_add_func ("/relay/access/room", test_room);
  g_test_add_func ("/relay/access/passwords", test_passwords);
  g_test_add_func ("/relay/access/left", test_left);
  return g_test_run ();
}
