/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Several endpoints at one port: which of them a datagram is for, by name, hint and address.
 */
#include <string.h>
#include "fasproutes.h"
#include "faspstream.h"
#include "faspwire.h"
#include "faspwirehello.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspRoutes, fasp_routes_free)

static guint32
hint_of (guint8 nonce, FaspRole caller, const gchar *streamid)
{
  guint8 bytes[FASP_NONCE_SIZE] = { nonce };
  FaspStreamName name;

  fasp_stream_get_name (caller, streamid, &name);
  return fasp_stream_get_hint (bytes, &name);
}

/* Everything that a hint is made of makes another one. */
static void
test_hints (void)
{
  guint32 one = hint_of (1, FASP_ROLE_RECEIVER, "news");

  g_assert_cmpuint (one, !=, 0);
  g_assert_cmpuint (one, ==, hint_of (1, FASP_ROLE_RECEIVER, "news"));
  g_assert_cmpuint (one, !=, hint_of (2, FASP_ROLE_RECEIVER, "news"));
  g_assert_cmpuint (one, !=, hint_of (1, FASP_ROLE_SENDER, "news"));
  g_assert_cmpuint (one, !=, hint_of (1, FASP_ROLE_RECEIVER, "new"));
  g_assert_cmpuint (one, !=, hint_of (1, FASP_ROLE_RECEIVER, ""));
}

/* Each of many is found, and nobody for what is not there. */
static void
test_find (void)
{
  guint8 nonce[FASP_NONCE_SIZE] = { 7 };
  FaspStreamName names[200];

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree gchar *streamid = g_strdup_printf ("stream %u", i);

    fasp_stream_get_name (FASP_ROLE_SENDER, streamid, &names[i]);
  }
  for (guint n = 0; n < G_N_ELEMENTS (names); n += 33)
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
      guint32 hint = fasp_stream_get_hint (nonce, &names[i]);

      g_assert_cmpuint (fasp_stream_find (nonce, hint, names, n), ==, i < n ? i : n);
    }
}

static guint
add (FaspRoutes *routes, FaspRole role, const gchar *streamid)
{
  guint number;

  g_assert_cmpint (fasp_routes_add (routes, role, streamid, &number), ==, FASP_ROUTES_ADDED);
  return number;
}

static void
test_numbers (void)
{
  g_autoptr (FaspRoutes) routes = fasp_routes_new (FASP_ROUTES_MAX - 1);
  guint number, a, b;

  a = add (routes, FASP_ROLE_SENDER, "news");
  b = add (routes, FASP_ROLE_RECEIVER, "news");
  g_assert_cmpuint (a, ==, FASP_ROUTES_MAX - 1);
  g_assert_cmpuint (b, ==, 0);
  g_assert_cmpint (fasp_routes_add (routes, FASP_ROLE_SENDER, "news", &number), ==,
      FASP_ROUTES_TAKEN);
  add (routes, FASP_ROLE_SENDER, NULL);
  g_assert_cmpint (fasp_routes_add (routes, FASP_ROLE_SENDER, "", &number), ==, FASP_ROUTES_TAKEN);
  g_assert_cmpint (fasp_routes_add (routes, FASP_ROLE_RECEIVER, NULL, &number), ==,
      FASP_ROUTES_TAKEN);
  /* what has left is not taken, and its number not given again at once */
  fasp_routes_remove (routes, 0, a);
  g_assert_cmpuint (add (routes, FASP_ROLE_SENDER, "news"), ==, 2);
  fasp_routes_remove (routes, 0, 2);
  g_assert_cmpuint (add (routes, FASP_ROLE_SENDER, "news"), ==, 3);
  for (guint i = 3; i < FASP_ROUTES_MAX; i++) {
    g_autofree gchar *streamid = g_strdup_printf ("%u", i);

    add (routes, FASP_ROLE_SENDER, streamid);
  }
  g_assert_cmpint (fasp_routes_add (routes, FASP_ROLE_SENDER, "more", &number), ==,
      FASP_ROUTES_FULL);
}

static guint
call (FaspRoutes *routes, FaspTime now, FaspRole role, const gchar *streamid, FaspRoute *route)
{
  FaspHandshake open = {
    .type = FASP_HANDSHAKE_OPEN,
    .version = FASP_VERSION,
    .from_cid = 1,
    .nonce = { 42 },
  };
  guint8 data[FASP_OPEN_SIZE];
  FaspWriter w = { data, sizeof data };

  if (streamid != NULL)
    open.to_cid = hint_of (42, role, streamid);
  fasp_wire_write_handshake (&w, &open);
  return fasp_routes_find (routes, now, data, w.used, route);
}

#define ASSERT_CALL(role, streamid, number, as) \
  G_STMT_START \
  { \
    FaspRoute route_; \
    g_assert_cmpuint (call (routes, now, role, streamid, &route_), ==, number); \
    g_assert_cmpint (route_, ==, as); \
  } \
  G_STMT_END

static void
test_calls (void)
{
  g_autoptr (FaspRoutes) routes = fasp_routes_new (5);
  FaspTime now = FASP_SEC;
  guint news, sport, camera, any;

  ASSERT_CALL (FASP_ROLE_RECEIVER, "news", FASP_ROUTES_NONE, FASP_ROUTE_HERE);
  news = add (routes, FASP_ROLE_SENDER, "news");
  /* alone: who says nothing has no choice */
  ASSERT_CALL (0, NULL, news, FASP_ROUTE_HERE);
  ASSERT_CALL (FASP_ROLE_RECEIVER, "news", news, FASP_ROUTE_HERE);
  ASSERT_CALL (FASP_ROLE_RECEIVER, "sport", news, FASP_ROUTE_ABSENT);
  sport = add (routes, FASP_ROLE_SENDER, "sport");
  camera = add (routes, FASP_ROLE_RECEIVER, "news");
  ASSERT_CALL (0, NULL, news, FASP_ROUTE_UNNAMED);
  ASSERT_CALL (FASP_ROLE_RECEIVER, "news", news, FASP_ROUTE_HERE);
  ASSERT_CALL (FASP_ROLE_SENDER, "news", camera, FASP_ROUTE_HERE);
  ASSERT_CALL (FASP_ROLE_RECEIVER, "sport", sport, FASP_ROUTE_HERE);
  /* who has the wrong role finds who can tell it so */
  ASSERT_CALL (FASP_ROLE_SENDER, "sport", sport, FASP_ROUTE_HERE);
  ASSERT_CALL (FASP_ROLE_SENDER, "weather", news, FASP_ROUTE_ABSENT);
  any = add (routes, FASP_ROLE_SENDER, NULL);
  ASSERT_CALL (0, NULL, any, FASP_ROUTE_HERE);
  ASSERT_CALL (FASP_ROLE_SENDER, "weather", any, FASP_ROUTE_HERE);
  ASSERT_CALL (FASP_ROLE_RECEIVER, "news", news, FASP_ROUTE_HERE);
  fasp_routes_remove (routes, now, any);
  /* one that was here, for a while; whatever comes and goes meanwhile */
  fasp_routes_remove (routes, now, news);
  ASSERT_CALL (FASP_ROLE_RECEIVER, "news", sport, FASP_ROUTE_GONE);
  ASSERT_CALL (FASP_ROLE_SENDER, "news", camera, FASP_ROUTE_HERE);
  fasp_routes_remove (routes, now, camera);
  for (guint i = 0; i < FASP_ROUTES_GONE - 2; i++) {
    g_autofree gchar *streamid = g_strdup_printf ("%u", i);

    fasp_routes_remove (routes, now, add (routes, FASP_ROLE_SENDER, streamid));
    fasp_routes_remove (routes, now, add (routes, FASP_ROLE_SENDER, streamid));
  }
  ASSERT_CALL (FASP_ROLE_RECEIVER, "news", sport, FASP_ROUTE_GONE);
  fasp_routes_remove (routes, now, add (routes, FASP_ROLE_SENDER, "last"));
  ASSERT_CALL (FASP_ROLE_RECEIVER, "news", sport, FASP_ROUTE_ABSENT);
  ASSERT_CALL (FASP_ROLE_RECEIVER, "last", sport, FASP_ROUTE_GONE);
  now += FASP_ROUTES_MEMORY - 1;
  ASSERT_CALL (FASP_ROLE_RECEIVER, "last", sport, FASP_ROUTE_GONE);
  now++;
  ASSERT_CALL (FASP_ROLE_RECEIVER, "last", sport, FASP_ROUTE_ABSENT);
}

static void
test_datagrams (void)
{
  g_autoptr (FaspRoutes) routes = fasp_routes_new (1023);
  guint last = add (routes, FASP_ROLE_SENDER, "a");
  guint first = add (routes, FASP_ROLE_SENDER, "b");
  guint8 data[FASP_OPEN_SIZE] = { 0 };
  FaspRoute route;

  for (guint number = 0; number < FASP_ROUTES_MAX; number++) {
    FaspSessionHeader header = { .cid = fasp_routes_get_prefix (number) | 77 };
    FaspWriter w = { data, sizeof data };

    fasp_wire_write_session (&w, &header);
    /* nobody's is the doorkeeper's, to be counted */
    g_assert_cmpuint (fasp_routes_find (routes, 0, data, 100, &route), ==,
        number == first ? first : last);
    g_assert_cmpint (route, ==, FASP_ROUTE_HERE);
  }
  /* anything, of any length */
  for (guint type = 0; type < 256; type++)
    for (gsize size = 0; size < 60; size++) {
      memset (data, type, sizeof data);
      g_assert_cmpuint (fasp_routes_find (routes, 0, data, size, &route), <, FASP_ROUTES_MAX);
      g_assert_cmpint (route, ==, FASP_ROUTE_HERE);
    }
  /* an OPEN of another version, and one that is cut short */
  data[0] = 0x41;
  data[1] = FASP_VERSION + 1;
  memset (data + 2, 1, sizeof data - 2);
  g_assert_cmpuint (fasp_routes_find (routes, 0, data, sizeof data, &route), ==, last);
  g_assert_cmpint (route, ==, FASP_ROUTE_HERE);
  data[1] = FASP_VERSION;
  data[26] = 0;
  g_assert_cmpuint (fasp_routes_find (routes, 0, data, sizeof data - 1, &route), ==, last);
  g_assert_cmpint (route, ==, FASP_ROUTE_HERE);
}

/* Those beside another one have numbers of their own, and no name. */
static void
test_beside (void)
{
  g_autoptr (FaspRoutes) routes = fasp_routes_new (0);
  guint first = add (routes, FASP_ROLE_RECEIVER, "news"), second, third, other;

  g_assert_false (fasp_routes_has_beside (routes));
  g_assert_cmpint (fasp_routes_add_beside (routes, first, &second), ==, FASP_ROUTES_ADDED);
  other = add (routes, FASP_ROLE_RECEIVER, "weather");
  g_assert_cmpint (fasp_routes_add_beside (routes, first, &third), ==, FASP_ROUTES_ADDED);
  g_assert_true (fasp_routes_has_beside (routes));
  g_assert_cmpuint (fasp_routes_next_beside (routes, first, first), ==, second);
  g_assert_cmpuint (fasp_routes_next_beside (routes, first, second), ==, third);
  g_assert_cmpuint (fasp_routes_next_beside (routes, first, third), ==, FASP_ROUTES_NONE);
  g_assert_cmpuint (fasp_routes_next_beside (routes, other, other), ==, FASP_ROUTES_NONE);
  fasp_routes_remove (routes, 0, second);
  g_assert_cmpuint (fasp_routes_next_beside (routes, first, first), ==, third);
  fasp_routes_remove (routes, 0, third);
  g_assert_false (fasp_routes_has_beside (routes));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/routes/hints", test_hints);
  g_test_add_func ("/routes/find", test_find);
  g_test_add_func ("/routes/numbers", test_numbers);
  g_test_add_func ("/routes/calls", test_calls);
  g_test_add_func ("/routes/datagrams", test_datagrams);
  g_test_add_func ("/routes/beside", test_beside);
  return g_test_run ();
}
