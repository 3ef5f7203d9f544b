/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gio/gunixsocketaddress.h>
#include "relayhttpsocket.h"

/* Removes a UNIX socket that no process serves any more.  A file of another kind stays. */
static void
clear_way (const gchar *path)
{
  struct stat what;
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);
  g_autoptr (GSocketConnection) served = NULL;

  if (lstat (path, &what) != 0 || !S_ISSOCK (what.st_mode))
    return;
  served = g_socket_client_connect (client, G_SOCKET_CONNECTABLE (address), NULL, NULL);
  if (served == NULL)
    unlink (path);
}

/* Makes a UNIX socket. As it listens only after chmod(), no other user can connect. */
static GSocket *
listen_at_path (GSocketAddress *address, GError **error)
{
  const gchar *path = g_unix_socket_address_get_path (G_UNIX_SOCKET_ADDRESS (address));
  g_autoptr (GSocket) socket =
      g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, error);

  if (socket == NULL)
    return NULL;
  clear_way (path);
  if (!g_socket_bind (socket, address, FALSE, error))
    return NULL;
  if (chmod (path, S_IRUSR | S_IWUSR) != 0 || !g_socket_listen (socket, error)) {
    if (error != NULL && *error == NULL)
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s", g_strerror (errno));
    unlink (path);
    return NULL;
  }
  return g_steal_pointer (&socket);
}

GSocket *
relay_http_socket_new (GSocketAddress *address, GError **error)
{
  GSocketFamily family = g_socket_address_get_family (address);
  g_autoptr (GSocket) socket = NULL;

  if (family == G_SOCKET_FAMILY_UNIX)
    return listen_at_path (address, error);
  socket = g_socket_new (family, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, error);
  if (socket == NULL)
    return NULL;
  /* [::] stands for all addresses, also those of IPv4 */
  if (family == G_SOCKET_FAMILY_IPV6
      && !g_socket_set_option (socket, IPPROTO_IPV6, IPV6_V6ONLY, FALSE, error))
    return NULL;
  /* TRUE: the port can be bound again at once after another server has closed it */
  if (!g_socket_bind (socket, address, TRUE, error) || !g_socket_listen (socket, error))
    return NULL;
  return g_steal_pointer (&socket);
}
