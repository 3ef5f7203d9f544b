/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A socket that is bound to an address that this machine does not have yet.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "faspsocket.h"

/* Of nobody (RFC 5737). */
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/socket/early", test_early);
  return g_test_run ();
}
