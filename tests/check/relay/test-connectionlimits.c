/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which clients may stay connected to the relay's web server, and by which name it is asked.
 */
#include <arpa/inet.h>
#include <string.h>
#include "relayconnectionlimits.h"
#include "relaynames.h"

/* The fd of the client that has to go; -1: none has to. */
static gint
add (RelayConnectionLimits *limits, gint64 now, gint fd, const gchar *address)
{
  struct sockaddr_in four = { .sin_family = AF_INET };
  struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
  const RelayClient *out;

  if (inet_pton (AF_INET, address, &four.sin_addr) == 1)
    relay_connection_limits_add (limits, now, fd, (struct sockaddr *) &four, &out);
  else {
    g_assert_cmpint (inet_pton (AF_INET6, address, &six.sin6_addr), ==, 1);
    relay_connection_limits_add (limits, now, fd, (struct sockaddr *) &six, &out);
  }
  return out != NULL ? out->fd : -1;
}

/* The server has closed all that were told to go. */
static void
close_told (RelayConnectionLimits *limits)
{
  for (GList *l = limits->all.head, *next; l != NULL; l = next) {
    next = l->next;
    if (((RelayClient *) l->data)->leaves)
      relay_connection_limits_remove (limits, l->data);
  }
}

static void
clear (RelayConnectionLimits *limits)
{
  while (limits->all.head != NULL)
    relay_connection_limits_remove (limits, limits->all.head->data);
}

/* A new client finds a place whatever two addresses hold, and one of theirs has to go. */
static void
test_two (void)
{
  RelayConnectionLimits limits = { G_QUEUE_INIT };

  for (gint i = 0; i < 64; i++)
    g_assert_cmpint (add (&limits, i, i, i % 2 ? "192.0.2.1" : "2001:db8::1"), ==, -1);
  g_assert_cmpint (add (&limits, 64, 64, "127.0.0.1"), ==, 0);
  g_assert_cmpint (add (&limits, 65, 65, "127.0.0.1"), ==, 1);
  /* they are not counted before they have gone, and not told twice */
  g_assert_cmpint (add (&limits, 66, 66, "127.0.0.1"), ==, 2);
  close_told (&limits);
  g_assert_cmpuint (limits.all.length, ==, RELAY_CLIENTS_MAX);
  /* the two come again, and only take their own places */
  for (gint i = 67; i < 500; i++) {
    gint out = add (&limits, i, i, i % 2 ? "192.0.2.1" : "2001:db8::1");

    g_assert_cmpint (out, >=, 0);
    g_assert_false (out >= 64 && out <= 66);
    close_told (&limits);
  }
  clear (&limits);
}

/* Behind a proxy all have its address: the oldest of them goes. */
static void
test_one (void)
{
  RelayConnectionLimits limits = { G_QUEUE_INIT };

  for (gint i = 0; i < RELAY_CLIENTS_OF_NETWORK; i++)
    g_assert_cmpint (add (&limits, i, i, i % 2 ? "192.0.2.1" : "::ffff:192.0.2.1"), ==, -1);
  for (gint i = 0; i < 100; i++)
    g_assert_cmpint (add (&limits, 100 + i, 32 + i, "192.0.2.1"), ==, i);
  clear (&limits);
}

/* An IPv6 /48 is one network; a hundred of them have the same right. */
static void
test_many (void)
{
  RelayConnectionLimits limits = { G_QUEUE_INIT };

  for (gint i = 0; i < 40; i++) {
    g_autofree gchar *address = g_strdup_printf ("2001:db8:1:%x::%x", i, i);

    g_assert_cmpint (add (&limits, i, i, address), ==,
        i - RELAY_CLIENTS_OF_NETWORK < 0 ? -1 : i - RELAY_CLIENTS_OF_NETWORK);
  }
  clear (&limits);
  for (gint i = 0; i < 100; i++) {
    g_autofree gchar *address = g_strdup_printf ("2001:db8:%x::1", i);

    g_assert_cmpint (add (&limits, i, i, address), ==,
        i < RELAY_CLIENTS_MAX ? -1 : i - RELAY_CLIENTS_MAX);
  }
  clear (&limits);
}

static void
test_late (void)
{
  RelayConnectionLimits limits = { G_QUEUE_INIT };
  const RelayClient *late;

  add (&limits, 0, 1, "192.0.2.1");
  add (&limits, 0, 2, "192.0.2.1");
  ((RelayClient *) limits.all.head->data)->asked = TRUE;
  g_assert_null (relay_connection_limits_find_late (&limits, RELAY_CLIENTS_ASK - 1));
  late = relay_connection_limits_find_late (&limits, RELAY_CLIENTS_ASK);
  g_assert_cmpint (late->fd, ==, 2);
  g_assert_null (relay_connection_limits_find_late (&limits, RELAY_CLIENTS_STAY - 1));
  late = relay_connection_limits_find_late (&limits, RELAY_CLIENTS_STAY);
  g_assert_cmpint (late->fd, ==, 1);
  g_assert_null (relay_connection_limits_find_late (&limits, G_MAXINT64));
  clear (&limits);
}

/* A client whose answer takes long does not have to go for that. */
static void
test_waiting (void)
{
  RelayConnectionLimits limits = { G_QUEUE_INIT };
  gint64 answered = 3 * RELAY_CLIENTS_STAY;
  RelayClient *client;

  add (&limits, 0, 1, "192.0.2.1");
  client = limits.all.head->data;
  client->asked = TRUE;
  client->waits = TRUE;
  g_assert_null (relay_connection_limits_find_late (&limits, answered));
  relay_connection_limits_served (client, answered);
  g_assert_null (relay_connection_limits_find_late (&limits, answered + RELAY_CLIENTS_STAY - 1));
  g_assert_true (relay_connection_limits_find_late (&limits, answered + RELAY_CLIENTS_STAY)
      == client);
  clear (&limits);
}

/* A page of a stranger's has a name that leads here, by its own DNS: its browser asks by that. */
static void
test_names (void)
{
  static const gchar *const names[] = { "relay.example", "Monitor", "dot.example.", NULL };
  static const struct
  {
    const gchar *host;
    gboolean good;
  } hosts[] = {
    { NULL, TRUE }, /* HTTP/1.0: no browser's */
    { "127.0.0.1", TRUE },
    { "127.0.0.1:8080", TRUE },
    { "192.0.2.7:1", TRUE },
    { "[::1]", TRUE },
    { "[2001:db8::1]:8080", TRUE },
    { "localhost", TRUE },
    { "LocalHost:8080", TRUE },
    { "localhost.:8080", TRUE },
    { "relay.example:8080", TRUE },
    { "RELAY.example", TRUE },
    { "relay.example.", TRUE },
    { "monitor", TRUE },
    { "dot.example:8080", TRUE },
    { "", FALSE },
    { ".", FALSE },
    { ":8080", FALSE },
    { "rebind.example", FALSE },
    { "relay.example.rebind.example", FALSE },
    { "xrelay.example:8080", FALSE },
    { "127.0.0.1.rebind.example:8080", FALSE },
    { "localhost.rebind.example", FALSE },
    { "2130706433", FALSE },
    { "relay.example:8080:1", FALSE },
    { "relay.example@rebind.example", FALSE },
    { "[::1", FALSE },
    { "relay.example,rebind.example", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (hosts); i++)
    if (relay_names_has (names, hosts[i].host) != hosts[i].good)
      g_error ("%s", hosts[i].host);
  g_assert_false (relay_names_has (NULL, "relay.example"));
  g_assert_true (relay_names_has (NULL, "localhost"));
}

/* The newest client wants to listen; the fd of the one that has to go, -1: none, -2: it is
 * refused. */
static gint
listen_to (RelayConnectionLimits *limits, gint64 now)
{
  const RelayClient *out;

  if (!relay_connection_limits_listen (limits, now, limits->all.tail->data, &out))
    return -2;
  return out != NULL ? out->fd : -1;
}

/* Those that listen are not in the way of others, and stay as long as they take what is sent. */
static void
test_listen (void)
{
  RelayConnectionLimits limits = { G_QUEUE_INIT };
  gint64 late = RELAY_CLIENTS_STAY;

  for (gint i = 0; i < RELAY_CLIENTS_LISTEN; i++) {
    g_assert_cmpint (add (&limits, 0, i, "127.0.0.1"), ==, -1);
    g_assert_cmpint (listen_to (&limits, 0), ==, -1);
  }
  /* behind a proxy all have one address: the last one has no place */
  g_assert_cmpint (add (&limits, 0, 32, "127.0.0.1"), ==, -1);
  g_assert_cmpint (listen_to (&limits, 0), ==, -2);
  /* but one from elsewhere has */
  g_assert_cmpint (add (&limits, 0, 33, "192.0.2.1"), ==, -1);
  g_assert_cmpint (listen_to (&limits, 0), ==, 0);
  close_told (&limits);
  for (gint i = 0; i < RELAY_CLIENTS_OF_NETWORK - 1; i++)
    g_assert_cmpint (add (&limits, 0, 100 + i, "127.0.0.1"), ==, -1);
  g_assert_cmpint (add (&limits, 0, 200, "127.0.0.1"), ==, 32);
  /* one that has had a frame stays */
  relay_connection_limits_served (limits.all.head->data, late - 1);
  for (const RelayClient *out; (out = relay_connection_limits_find_late (&limits, late)) != NULL;)
    g_assert_cmpint (out->fd, !=, 1);
  close_told (&limits);
  g_assert_cmpuint (limits.all.length, ==, 1);
  g_assert_nonnull (relay_connection_limits_find_late (&limits, 2 * late));
  clear (&limits);
}

/* Strangers from many networks do not keep out others, nor one that knows the token. */
static void
test_strangers (void)
{
  RelayConnectionLimits limits = { G_QUEUE_INIT };

  for (gint i = 0; i < RELAY_CLIENTS_LISTEN; i++) {
    g_autofree gchar *address = g_strdup_printf ("192.0.2.%d", i);

    g_assert_cmpint (add (&limits, 0, i, address), ==, -1);
    g_assert_cmpint (listen_to (&limits, 0), ==, -1);
  }
  /* the oldest gives way to another network, and not to one that has a place */
  g_assert_cmpint (add (&limits, 0, 100, "198.51.100.1"), ==, -1);
  g_assert_cmpint (listen_to (&limits, 0), ==, 0);
  g_assert_cmpint (add (&limits, 0, 101, "192.0.2.7"), ==, -1);
  g_assert_cmpint (listen_to (&limits, 0), ==, -2);
  /* it has a place wherever it comes from, and keeps it */
  for (gint i = 0; i < RELAY_CLIENTS_LISTEN; i++) {
    g_assert_cmpint (add (&limits, 0, 200 + i, "192.0.2.7"), ==, -1);
    ((RelayClient *) limits.all.tail->data)->trusted = TRUE;
    g_assert_cmpint (listen_to (&limits, 0), ==, i < RELAY_CLIENTS_LISTEN - 1 ? i + 1 : 100);
  }
  g_assert_cmpint (add (&limits, 0, 300, "203.0.113.1"), ==, -1);
  g_assert_cmpint (listen_to (&limits, 0), ==, -2);
  ((RelayClient *) limits.all.tail->data)->trusted = TRUE;
  g_assert_cmpint (listen_to (&limits, 0), ==, 200);
  clear (&limits);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/connection-limits/two", test_two);
  g_test_add_func ("/relay/connection-limits/one", test_one);
  g_test_add_func ("/relay/connection-limits/many", test_many);
  g_test_add_func ("/relay/connection-limits/strangers", test_strangers);
  g_test_add_func ("/relay/connection-limits/late", test_late);
  g_test_add_func ("/relay/connection-limits/waiting", test_waiting);
  g_test_add_func ("/relay/connection-limits/listen", test_listen);
  g_test_add_func ("/relay/connection-limits/names", test_names);
  return g_test_run ();
}
