/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include "linkrelay.h"
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <string.h>
#include <unistd.h>
#include <gio/gio.h>
#include "link.h"

#define CLIENTS (LINK_FDS - 1)
#define OVERHEAD 28 /* 48 with IPv6 */

typedef struct
{
  struct sockaddr_storage address;
  socklen_t size;
  gint fd; /* connected to the server */
} Client;

typedef struct
{
  gint listen;
  struct sockaddr_storage server;
  socklen_t server_size;
  guint overhead;
  GArray *clients; /* of Client */
  guint next;      /* client that is read next */
  gint64 rebind;
} Relay;

static volatile sig_atomic_t stopped;

static void
on_signal (int signal)
{
  stopped = TRUE;
}

static gboolean
parse_address (const gchar *text, struct sockaddr_storage *address, socklen_t *size, GError **error)
{
  g_autoptr (GSocketConnectable) host = NULL;
  g_autoptr (GSocketAddressEnumerator) enumerator = NULL;
  g_autoptr (GSocketAddress) found = NULL;
  g_autofree gchar *full =
      strchr (text, ':') != NULL ? g_strdup (text) : g_strconcat ("0.0.0.0:", text, NULL);

  host = g_network_address_parse (full, 0, error);
  if (host == NULL)
    return FALSE;
  enumerator = g_socket_connectable_enumerate (host);
  found = g_socket_address_enumerator_next (enumerator, NULL, error);
  if (found == NULL)
    return FALSE;
  *size = g_socket_address_get_native_size (found);
  return g_socket_address_to_native (found, address, sizeof *address, error);
}

static gint
open_socket (const struct sockaddr_storage *address)
{
  gint fd = socket (address->ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  gint size = 4 << 20;

  if (fd >= 0) {
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt (fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  }
  return fd;
}

static gint
open_upstream (Relay *relay)
{
  gint fd = open_socket (&relay->server);

  if (fd >= 0 && connect (fd, (struct sockaddr *) &relay->server, relay->server_size) < 0) {
    close (fd);
    return -1;
  }
  return fd;
}

static gboolean
find_client (Relay *relay, const struct sockaddr_storage *address, socklen_t size, guint *route)
{
  Client client = { .address = *address, .size = size };

  for (*route = 0; *route < relay->clients->len; (*route)++) {
    Client *c = &g_array_index (relay->clients, Client, *route);

    if (c->size == size && memcmp (&c->address, address, size) == 0)
      return TRUE;
  }
  if (relay->clients->len >= CLIENTS || (client.fd = open_upstream (relay)) < 0)
    return FALSE;
  g_array_append_val (relay->clients, client);
  return TRUE;
}

/* --- the backend ------------------------------------------------------------- */

static guint
get_fds (gpointer data, struct pollfd *fds)
{
  Relay *relay = data;

  fds[0] = (struct pollfd) { .fd = relay->listen, .events = POLLIN };
  for (guint i = 0; i < relay->clients->len; i++)
    fds[i + 1] = (struct pollfd) {
      .fd = g_array_index (relay->clients, Client, i).fd,
      .events = POLLIN,
    };
  return 1 + relay->clients->len;
}

static gboolean
receive_from_clients (Relay *relay, LinkPacket *packet)
{
  struct sockaddr_storage address;

  memset (&address, 0, sizeof address);
  for (;;) {
    socklen_t length = sizeof address;
    gssize size = recvfrom (relay->listen, packet->data, LINK_PACKET_MAX, 0,
        (struct sockaddr *) &address, &length);

    if (size < 0)
      return FALSE;
    if (!find_client (relay, &address, length, &packet->route))
      continue;
    packet->from = LINK_A;
    packet->size = size;
    return TRUE;
  }
}

static gboolean
receive (gpointer data, LinkPacket *packet)
{
  Relay *relay = data;

  packet->overhead = relay->overhead;
  packet->protect = 0;
  packet->ecn = FALSE;
  for (guint i = 0; i < relay->clients->len; i++) {
    guint route = relay->next++ % relay->clients->len;
    gssize size =
        recv (g_array_index (relay->clients, Client, route).fd, packet->data, LINK_PACKET_MAX, 0);

    if (size < 0)
      continue;
    packet->from = LINK_B;
    packet->size = size;
    packet->route = route;
    return TRUE;
  }
  return receive_from_clients (relay, packet);
}

static void
send_packet (gpointer data, LinkPacket *packet)
{
  Relay *relay = data;
  Client *client = &g_array_index (relay->clients, Client, packet->route);

  /* what is refused is lost, as on a wire */
  if (packet->from == LINK_A)
    send (client->fd, packet->data, packet->size, 0);
  else
    sendto (relay->listen, packet->data, packet->size, 0, (struct sockaddr *) &client->address,
        client->size);
}

static gboolean
tick (gpointer data, gint64 now)
{
  Relay *relay = data;

  if (relay->rebind > 0 && now >= relay->rebind) {
    relay->rebind = 0;
    for (guint i = 0; i < relay->clients->len; i++) {
      Client *client = &g_array_index (relay->clients, Client, i);
      gint fd = open_upstream (relay);

      if (fd < 0)
        continue;
      close (client->fd);
      client->fd = fd;
    }
  }
  return !stopped;
}

gboolean
link_relay_run (LinkOptions *options, GError **error)
{
  LinkBackend backend = {
    .get_fds = get_fds,
    .receive = receive,
    .send = send_packet,
    .tick = tick,
  };
  struct sigaction action = { .sa_handler = on_signal };
  Relay relay = { .listen = -1, .rebind = options->rebind };
  struct sockaddr_storage local;
  socklen_t local_size;
  gboolean good;

  if (options->listen == NULL || options->to == NULL) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "a relay needs --listen [HOST:]PORT and --to HOST:PORT");
    return FALSE;
  }
  if (!parse_address (options->listen, &local, &local_size, error)
      || !parse_address (options->to, &relay.server, &relay.server_size, error))
    return FALSE;
  relay.overhead = relay.server.ss_family == AF_INET6 ? OVERHEAD + 20 : OVERHEAD;
  relay.listen = open_socket (&local);
  if (relay.listen < 0 || bind (relay.listen, (struct sockaddr *) &local, local_size) < 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot listen at %s: %s",
        options->listen, g_strerror (errno));
    if (relay.listen >= 0)
      close (relay.listen);
    return FALSE;
  }
  backend.data = &relay;
  relay.clients = g_array_new (FALSE, FALSE, sizeof (Client));
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  good = link_run (options, &backend, error);
  for (guint i = 0; i < relay.clients->len; i++)
    close (g_array_index (relay.clients, Client, i).fd);
  g_array_unref (relay.clients);
  close (relay.listen);
  return good;
}
