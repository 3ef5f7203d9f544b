/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A socket that is bound to an address that this machine does not have yet, and one that leaves its
 * port.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "faspsocket.h"

/* No machine has it (RFC 5737). */
#define AWAITED "203.0.113.9"

static gboolean there;

/* In this kernel it comes when we say so. */
int
bind (int fd, const struct sockaddr *address, socklen_t size)
{
  static int (*real) (int, const struct sockaddr *, socklen_t);
  const struct sockaddr_in *four = (const struct sockaddr_in *) address;

  if (there && four->sin_family == AF_INET && four->sin_addr.s_addr != htonl (INADDR_ANY))
    return 0;
  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "bind");
  return real (fd, address, size);
}

static void
test_early (void)
{
  FaspSocketSettings settings = { .local_address = AWAITED, .tos = -1 };
  g_autoptr (GError) error = NULL;
  FaspSocket *s = fasp_socket_new (&settings, &error);

  g_assert_null (s);
  g_assert_error (error, G_IO_ERROR, (gint) g_io_error_from_errno (EADDRNOTAVAIL));
  settings.may_come = TRUE;
  s = fasp_socket_new (&settings, NULL);
  g_assert_nonnull (s);
  for (guint i = 0; i < 2; i++) {
    g_assert_true (fasp_socket_is_early (s));
    g_assert_false (fasp_socket_has_come (s));
  }
  there = TRUE;
  g_assert_true (fasp_socket_has_come (s));
  g_assert_false (fasp_socket_is_early (s));
  there = FALSE;
  g_assert_true (fasp_socket_has_come (s)); /* its trouble is told of from now on */
  fasp_socket_free (s);
}

/* @to: from where something comes. */
static guint16
get_port_seen (const FaspSocket *s, FaspSocket *to)
{
  g_autoptr (GSocketAddress) address =
      g_inet_socket_address_new_from_string ("127.0.0.1", fasp_socket_get_port (to));
  struct sockaddr_storage native;
  struct sockaddr_in6 from;
  socklen_t size = sizeof from;
  gchar byte = 0;

  /* what was sent to it is there at once, over the loopback interface */
  g_assert_true (g_socket_address_to_native (address, &native, sizeof native, NULL));
  g_assert_cmpint (sendto (fasp_socket_get_fd (s), &byte, 1, 0, (struct sockaddr *) &native,
                       sizeof (struct sockaddr_in)),
      ==, 1);
  g_assert_cmpint (recvfrom (fasp_socket_get_fd (to), &byte, 1, 0, (struct sockaddr *) &from,
                       &size),
      ==, 1);
  return ntohs (from.sin6_port);
}

/* The descriptor stays, and what came by the old port can still be read. */
static void
test_change_port (void)
{
  const gchar *interfaces[] = { NULL, "lo" };

  for (guint i = 0; i < G_N_ELEMENTS (interfaces); i++) {
    FaspSocketSettings settings = { .local_address = "127.0.0.1", .tos = -1 };
    FaspSocketSettings peers = { .tos = -1 };
    FaspSocket *peer = fasp_socket_new (&peers, NULL), *s, *fixed;
    guint16 before;
    gchar byte;

    settings.interface = interfaces[i];
    s = fasp_socket_new (&settings, NULL);
    before = fasp_socket_get_port (s);
    g_assert_cmpuint (get_port_seen (s, peer), ==, before);
    g_assert_cmpuint (get_port_seen (s, s), ==, before);
    fasp_socket_change_port (s);
    g_assert_cmpuint (fasp_socket_get_port (s), !=, before);
    g_assert_cmpuint (get_port_seen (s, peer), ==, fasp_socket_get_port (s));
    settings.local_port = fasp_socket_get_port (s);
    fasp_socket_free (s);
    /* a port that was asked for is kept */
    fixed = fasp_socket_new (&settings, NULL);
    fasp_socket_change_port (fixed);
    g_assert_cmpuint (fasp_socket_get_port (fixed), ==, settings.local_port);
    g_assert_cmpuint (get_port_seen (fixed, peer), ==, settings.local_port);
    g_assert_cmpint (recv (fasp_socket_get_fd (fixed), &byte, 1, 0), <, 0);
    fasp_socket_free (fixed);
    fasp_socket_free (peer);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/socket/early", test_early);
  g_test_add_func ("/socket/change-port", test_change_port);
  return g_test_run ();
}
