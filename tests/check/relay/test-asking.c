/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Requests about which the server of auth-url decides: which these are, what it is asked, what its
 * answer is worth, and that nobody guesses tokens meanwhile.
 */
#include <string.h>
#include "accesshouse.h"
#include "relayasking.h"
#include "relayauth.h"
#include "relayclient.h"

/* Returns the status with which a request is refused; 0: it is not; 1: the server of auth-url is
 * asked. */
static guint
try (House *house, guint64 network, const gchar *method, const gchar *path,
    const gchar *authorization, const gchar *cookie, RelayHooked hooked)
{
  RelayAsk ask = { method, "127.0.0.1:1", .authorization = authorization, .path = path,
    .address = "192.0.2.1", .network = network, .cookie = cookie, .hooked = hooked,
    .hooked_role = house->auth_role };
  RelayAdmitted admitted = { 0 };
  RelayPage page = { 0 };
  RelayVerdict verdict = relay_admission_admit (house->admission, &ask, &admitted, &page);

  g_assert_true ((verdict == RELAY_REFUSED) == (page.status != 0));
  if (verdict == RELAY_ALLOWED)
    g_assert_true (relay_admission_allows (house->admission, &ask));
  /* nobody is taken for a user of the relay by a name that is sent */
  if (verdict == RELAY_ALLOWED && hooked == RELAY_LET_IN && cookie == NULL
      && !g_str_equal (authorization, "Bearer token-of-view"))
    g_assert_null (admitted.name);
  g_free (page.text);
  g_free (admitted.name);
  g_free (admitted.title);
  return verdict == RELAY_ASKS ? 1 : page.status;
}

/* Whatever a client gives that the relay does not know, and whatever it calls itself, its role is
 * that of auth-role. One that the relay knows has its own role, and the server is not asked. It is
 * not asked either about a client that gives nothing, nor about the page and what that listens to.
 */
static void
check_path (House *house, const gchar *method, const gchar *pattern, RelayRole needs)
{
  /* administer:x, administer:, and no base64 */
  static const struct
  {
    const gchar *authorization;
    gboolean is_asked;
  } given[] = { { NULL }, { "Basic YWRtaW5pc3Rlcjp4", TRUE }, { "Basic YWRtaW5pc3Rlcjo=" },
    { "Basic !" }, { "Basic " }, { "Bearer token-of-nobody", TRUE },
    { "Bearer administer:x", TRUE }, { "Bearer administer:" }, { "Bearer " }, { "Digest x" } };
  static guint64 network;
  g_autofree gchar *path = house_fill (pattern, "a");
  gboolean hooked_path = g_str_has_prefix (path, "/api/") || g_str_equal (path, "/metrics");

  g_test_message ("%s %s", method, path);
  for (guint i = 0; i < G_N_ELEMENTS (given); i++) {
    const gchar *text = given[i].authorization;
    gboolean is_asked = given[i].is_asked && hooked_path;
    guint without = house_expect (RELAY_ROLE_NONE, needs);

    g_assert_cmpuint (try (house, ++network, method, path, text, NULL, RELAY_NOT_ASKED), ==,
        is_asked ? 1 : without);
    if (!is_asked)
      continue;
    g_assert_cmpuint (try (house, network, method, path, text, NULL, RELAY_LET_IN), ==,
        house_expect (house->auth_role, needs));
    g_assert_cmpuint (try (house, network, method, path, text, NULL, RELAY_NOT_LET_IN), ==,
        without);
    g_assert_cmpuint (try (house, network, method, path, text, NULL, RELAY_UNDECIDED), ==,
        without == 0 ? 0 : 503);
  }
  for (RelayHooked hooked = RELAY_NOT_ASKED; hooked <= RELAY_UNDECIDED; hooked++) {
    g_assert_cmpuint (try (house, network, method, path, "Bearer token-of-view", NULL, hooked), ==,
        house_expect (RELAY_ROLE_VIEW, needs));
    g_assert_cmpuint (try (house, network, method, path, NULL, house->cookies[RELAY_ROLE_OPERATE],
                          hooked),
        ==, house_expect (RELAY_ROLE_OPERATE, needs));
  }
}

/* A server of auth-url gives no client another role than auth-role, and takes none from one that
 * the relay knows. */
static void
test_roles (void)
{
  for (RelayRole role = RELAY_ROLE_VIEW; role <= RELAY_ROLE_ADMINISTER; role++) {
    House house = { .auth_role = role };
    RelayAsk foreign = { "GET", "127.0.0.1:1", .origin = "http://other", .path = "/api/v1/streams",
      .authorization = "Basic eDp5", .address = "192.0.2.1", .network = 1, .hooked_role = role };
    RelayAdmitted admitted = { 0 };
    RelayPage page = { 0 };

    house_begin (&house);
    house_check_paths (&house, check_path);
    /* what was decided before a reload is worth what it was then */
    g_assert_cmpuint (try (&(House) { .admission = house.admission, .auth_role = RELAY_ROLE_VIEW },
                          1, "GET", "/api/v1/configuration", "Basic eDp5", NULL, RELAY_LET_IN),
        ==, 403);
    /* pages of other sites are refused, whatever the server says, and are not asked about */
    for (; foreign.hooked <= RELAY_UNDECIDED; foreign.hooked++) {
      g_assert_cmpint (relay_admission_admit (house.admission, &foreign, &admitted, &page), ==,
          RELAY_REFUSED);
      g_assert_cmpuint (page.status, ==, 403);
      g_clear_pointer (&page.text, g_free);
      g_clear_pointer (&admitted.title, g_free);
    }
    house_end (&house);
  }
}

/* A client that the server let in stays no longer than auth-url is in force. */
static void
test_turned_off (void)
{
  House house = { .auth_role = RELAY_ROLE_VIEW }, without = { NULL };
  RelayAsk ask = { "GET", "127.0.0.1:1", .path = "/api/v1/streams", .authorization = "Basic eDp5",
    .address = "192.0.2.1", .network = 1, .hooked = RELAY_LET_IN, .hooked_role = RELAY_ROLE_VIEW };

  house_begin (&house);
  house_begin (&without);
  g_assert_true (relay_admission_allows (house.admission, &ask));
  relay_admission_use (house.admission, without.config);
  g_assert_false (relay_admission_allows (house.admission, &ask));
  house_end (&house);
  house_end (&without);
}

/* --- guesses while a server decides ------------------------------------------------------------
 */

static const gchar *says;      /* what the server says of each question, as for RelayAuthFunc */
static RelayAuthResult result; /* of what is asked: by a server, or by what was kept of it */
static gchar *asked_about;     /* user, password and token of the last question */
static RelayApiRequest asker = { "GET", "/api/v1/streams" };
static RelayHooked hooked_as;

RelayAuthResult __wrap_relay_auth_ask (const RelayQuestion *question, RelayAuthFunc func,
    gpointer data);
const RelayApiRequest *__wrap_relay_request_get (RelayRequest *request);
void __wrap_relay_request_decide (RelayRequest *request, RelayHooked hooked, RelayRole role);

RelayAuthResult
__wrap_relay_auth_ask (const RelayQuestion *question, RelayAuthFunc func, gpointer data)
{
  g_assert_true (question->path == NULL && question->query == NULL && question->protocol == NULL);
  g_free (asked_about);
  asked_about = g_strdup_printf ("%s %s %s %s %s", question->action, question->ip, question->user,
      question->password, question->token);
  if (result == RELAY_AUTH_ASKED)
    func (says, data);
  return result;
}

const RelayApiRequest *
__wrap_relay_request_get (RelayRequest *request)
{
  return &asker;
}

void
__wrap_relay_request_decide (RelayRequest *request, RelayHooked hooked, RelayRole role)
{
  g_assert_cmpint (role, ==, RELAY_ROLE_OPERATE);
  hooked_as = hooked;
}

/* A request as the relay takes it: by its head, then by the server, then by its head again. Returns
 * the status with which it is refused; 0: it is not. */
static guint
pass (House *house, const gchar *method, const gchar *path, const gchar *authorization)
{
  RelayAsk ask = { method, "127.0.0.1:1", .authorization = authorization, .path = path,
    .address = asker.address, .network = asker.network };
  guint status = try (house, ask.network, method, path, authorization, NULL, RELAY_NOT_ASKED);

  if (status != 1)
    return status;
  relay_asking_ask (house->admission, NULL, &ask);
  return try (house, ask.network, method, path, authorization, NULL, hooked_as);
}

/* A client has few guesses at tokens of the relay, whatever the server says of them, and however
 * fast. Only a yes is no guess, unless its role is too low for the request. */
static void
test_guesses (void)
{
  static const struct
  {
    const gchar *says, *path;
    RelayAuthResult result;
    gboolean counts;
    guint status;
  } all[] = {
    { NULL, "/api/v1/streams", RELAY_AUTH_ASKED, FALSE, 0 },
    { NULL, "/metrics", RELAY_AUTH_ASKED, FALSE, 0 },
    { NULL, "/api/v1/configuration", RELAY_AUTH_ASKED, TRUE, 403 },
    { "the server of auth-url does not let it in (status 401)", "/api/v1/streams", RELAY_AUTH_ASKED,
        TRUE, 401 },
    { "the server of auth-url does not let it in (status 401)", "/metrics", RELAY_AUTH_ASKED, TRUE,
        401 },
    { "the server of auth-url fails (status 500)", "/api/v1/streams", RELAY_AUTH_ASKED, TRUE, 503 },
    { "the server of auth-url cannot be reached", "/metrics", RELAY_AUTH_ASKED, TRUE, 503 },
    { "too many questions about callers are under way here", "/metrics", RELAY_AUTH_ASKED, TRUE,
        503 },
    { NULL, "/api/v1/streams", RELAY_AUTH_NO_SERVER, TRUE, 503 },
    { NULL, "/api/v1/streams", RELAY_AUTH_KNOWN, FALSE, 0 },
    { NULL, "/api/v1/configuration", RELAY_AUTH_KNOWN, TRUE, 403 },
    { NULL, "/api/v1/openapi.json", RELAY_AUTH_ASKED, FALSE, 0 },
    { "the server of auth-url does not let it in (status 401)", "/api/v1/openapi.json",
        RELAY_AUTH_ASKED, TRUE, 0 },
  };
  static const gchar *const given[] = { "Basic am9lOng=", "Bearer token-of-nobody",
    "Bearer joe:x" };
  House house = { .auth_role = RELAY_ROLE_OPERATE };

  house_begin (&house);
  asker.address = "192.0.2.1";
  for (guint i = 0; i < G_N_ELEMENTS (all) * G_N_ELEMENTS (given); i++) {
    const gchar *authorization = given[i % G_N_ELEMENTS (given)];
    guint row = i / G_N_ELEMENTS (given);

    g_test_message ("%s: %s", authorization, all[row].says);
    asker.network++;
    says = all[row].says;
    result = all[row].result;
    for (guint n = 0; n < RELAY_ACCESS_TRIES; n++)
      g_assert_cmpuint (pass (&house, "GET", all[row].path, authorization), ==, all[row].status);
    g_clear_pointer (&asked_about, g_free);
    g_assert_cmpuint (pass (&house, "GET", all[row].path, authorization), ==,
        all[row].counts ? 429 : 0);
    /* then it is not asked, and its network may not use a token that is right */
    g_assert_true ((asked_about == NULL) == all[row].counts);
    g_assert_cmpuint (pass (&house, "GET", "/metrics", "Bearer token-of-view"), ==,
        all[row].counts ? 429 : 0);
    g_assert_cmpuint (try (&house, asker.network, "GET", "/metrics", NULL,
                          house.cookies[RELAY_ROLE_VIEW], RELAY_NOT_ASKED),
        ==, 0);
  }
  /* requests that the server is not asked about yet, as the body or the answer is missing: a right
   * token of a role that is too low would be refused at once */
  for (guint n = 0; n < RELAY_ACCESS_TRIES; n++)
    g_assert_cmpuint (try (&house, 99, "PUT", "/api/v1/streams/a", given[1], NULL, RELAY_NOT_ASKED),
        ==, 1);
  g_assert_cmpuint (try (&house, 99, "PUT", "/api/v1/streams/a", given[1], NULL, RELAY_NOT_ASKED),
      ==, 429);
  house_end (&house);
  g_clear_pointer (&asked_about, g_free);
}

/* A body that is not JSON is refused by its head, whether or not the token is one of the relay's.
 */
static void
test_type (void)
{
  static const gchar *const given[] = { "Bearer token-of-view", "Bearer token-of-nobody",
    "Basic am9lOng=" };
  House house = { .auth_role = RELAY_ROLE_OPERATE };

  house_begin (&house);
  for (guint i = 0; i < G_N_ELEMENTS (given); i++) {
    RelayAsk ask = { "GET", "127.0.0.1:1", .type = "text/plain", .authorization = given[i],
      .path = "/api/v1/streams", .has_body = TRUE, .address = "192.0.2.1", .network = 1 };
    RelayAdmitted admitted = { 0 };
    RelayPage page = { 0 };

    g_assert_cmpint (relay_admission_admit (house.admission, &ask, &admitted, &page), ==,
        RELAY_REFUSED);
    g_assert_cmpuint (page.status, ==, 415);
    g_free (page.text);
    g_free (admitted.name);
    g_free (admitted.title);
  }
  house_end (&house);
}

/* The question has what the client gives, and nothing that it has not proved. */
static void
test_question (void)
{
  House house = { .auth_role = RELAY_ROLE_OPERATE };

  house_begin (&house);
  asker.address = "192.0.2.7";
  asker.network++;
  says = NULL;
  result = RELAY_AUTH_ASKED;
  g_assert_cmpuint (pass (&house, "GET", "/metrics", "Basic am9lOng="), ==, 0);
  g_assert_cmpstr (asked_about, ==, "metrics 192.0.2.7 joe x (null)");
  g_assert_cmpuint (pass (&house, "PATCH", "/api/v1/streams/a?token=x", "Bearer y"), ==, 0);
  g_assert_cmpstr (asked_about, ==, "api 192.0.2.7 (null) (null) y");
  g_clear_pointer (&asked_about, g_free);
  g_assert_cmpuint (pass (&house, "GET", "/metrics", "Basic am9lOg=="), ==, 401);
  g_assert_null (asked_about);
  house_end (&house);
}

/* What the server gets, as it gets it from MediaMTX. */
static void
test_credentials (void)
{
  static const struct
  {
    const gchar *authorization, *user, *password, *token;
  } all[] = {
    { NULL },
    { "" },
    { "Basic am9lOnNlY3JldDp4", "joe", "secret:x" },
    { "basic am9lOg==" }, /* joe: */
    { "Basic am9l" },     /* joe */
    { "Basic am9lOgBh" }, /* with a NUL */
    { "Basic " },
    { "Bearer token", .token = "token" },
    { "bearer joe:secret", "joe", "secret" },
    { "Basic OnNlY3JldA==" }, /* :secret */
    { "Bearer :secret" },
    { "Bearer joe:" },
    { "Bearer a:b:c", .token = "a:b:c" },
    { "Bearer " },
    { "Digest x" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    RelayCredentials given;

    g_assert_true (relay_access_read_credentials (all[i].authorization, &given)
        == (all[i].password != NULL || all[i].token != NULL));
    g_assert_cmpstr (given.user, ==, all[i].user);
    g_assert_cmpstr (given.password, ==, all[i].password);
    g_assert_cmpstr (given.token, ==, all[i].token);
    relay_access_clear_credentials (&given);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/asking/credentials", test_credentials);
  if (!relay_client_check ("http://127.0.0.1/",
          NULL)) /* built without libsoup, it asks no server */
    return g_test_run ();
  /* a wrong token is logged as a warning */
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_test_add_func ("/relay/asking/roles", test_roles);
  g_test_add_func ("/relay/asking/turned-off", test_turned_off);
  g_test_add_func ("/relay/asking/guesses", test_guesses);
  g_test_add_func ("/relay/asking/type", test_type);
  g_test_add_func ("/relay/asking/question", test_question);
  return g_test_run ();
}
