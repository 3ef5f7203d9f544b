/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A socket stays at the interface of a name, in a kernel of our own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include "faspinterface.h"

#define LOOPBACK 1

static struct
{
  gint there; /* the interface of the name by now; 0: none */
  gint bound; /* to this one; 0: any */
  gboolean privileged;
  gboolean chosen; /* port, by the user */
  gint port;
  guint binds; /* to an interface, tried */
} kernel;

int
setsockopt (int fd, int level, int name, const void *value, socklen_t size)
{
  g_assert_true (level == SOL_SOCKET && name == SO_BINDTODEVICE);
  if (size == 2 && memcmp (value, "lo", 2) == 0) {
    kernel.bound = LOOPBACK;
    return 0;
  }
  g_assert_cmpmem (value, size, "wwan0", 5);
  kernel.binds++;
  errno = kernel.there == 0 ? ENODEV : EPERM;
  if (kernel.there == 0 || (kernel.bound != 0 && !kernel.privileged))
    return -1;
  kernel.bound = kernel.there;
  return 0;
}

int
getsockopt (int fd, int level, int name, void *value, socklen_t *size)
{
  g_assert_true (level == SOL_SOCKET && name == SO_BINDTODEVICE);
  g_assert_cmpuint (*size, >=, IFNAMSIZ);
  *size = kernel.bound == 0 ? 0 : sizeof "wwan0";
  memcpy (value, kernel.bound == LOOPBACK ? "lo\0\0\0" : "wwan0", *size);
  errno = ENODEV;
  return kernel.bound == 0 || kernel.bound == LOOPBACK || kernel.bound == kernel.there ? 0 : -1;
}

int
getsockname (int fd, struct sockaddr *address, socklen_t *size)
{
  *address = (struct sockaddr) { AF_INET };
  *size = sizeof *address;
  address->sa_data[0] = kernel.port;
  return 0;
}

int
connect (int fd, const struct sockaddr *address, socklen_t size)
{
  g_assert_cmpint (address->sa_family, ==, AF_UNSPEC);
  kernel.bound = 0;
  if (!kernel.chosen)
    kernel.port = 0;
  return 0;
}

int
bind (int fd, const struct sockaddr *address, socklen_t size)
{
  errno = EINVAL;
  if (kernel.port != 0)
    return -1;
  kernel.port = address->sa_data[0];
  return 0;
}

/* Where it was bound it stays, until that is gone and there is another one; its port is the
 * same, whether the user chose it or the kernel. @data: with privileges? */
static void
test_follow (gconstpointer data)
{
  for (guint chosen = 0; chosen < 2; chosen++) {
    memset (&kernel, 0, sizeof kernel);
    kernel.privileged = GPOINTER_TO_INT (data);
    kernel.chosen = chosen;
    kernel.port = 77;
    kernel.there = 3;
    g_assert_true (fasp_interface_bind (-1, "wwan0"));
    for (guint i = 0; i < 2; i++)
      fasp_interface_follow (-1, "wwan0");
    g_assert_cmpuint (kernel.binds, ==, 1);
    kernel.there = 0;
    for (guint i = 0; i < 2; i++)
      fasp_interface_follow (-1, "wwan0");
    g_assert_cmpint (kernel.bound, ==, 3); /* and so sends by no other */
    kernel.there = 4;
    fasp_interface_follow (-1, "wwan0");
    g_assert_cmpint (kernel.bound, ==, 4);
    g_assert_cmpint (kernel.port, ==, 77);
    kernel.binds = 0;
    fasp_interface_follow (-1, "wwan0");
    g_assert_cmpuint (kernel.binds, ==, 0);
  }
}

/* One that was not there at first is awaited, and nothing leaves by another. */
static void
test_await (gconstpointer data)
{
  memset (&kernel, 0, sizeof kernel);
  kernel.privileged = GPOINTER_TO_INT (data);
  kernel.port = 77;
  g_assert_false (fasp_interface_bind (-1, "wwan0"));
  g_assert_true (fasp_interface_await (-1));
  fasp_interface_follow (-1, "wwan0");
  g_assert_cmpint (kernel.bound, ==, LOOPBACK);
  kernel.there = 3;
  fasp_interface_follow (-1, "wwan0");
  g_assert_cmpint (kernel.bound, ==, 3);
  g_assert_cmpint (kernel.port, ==, 77);
  /* it is where it was told to be */
  g_assert_true (fasp_interface_await (-1));
  kernel.binds = 0;
  fasp_interface_follow (-1, "lo");
  g_assert_cmpuint (kernel.binds, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/interface/follow/privileged", GINT_TO_POINTER (TRUE), test_follow);
  g_test_add_data_func ("/interface/follow/as-anybody", GINT_TO_POINTER (FALSE), test_follow);
  g_test_add_data_func ("/interface/await/privileged", GINT_TO_POINTER (TRUE), test_await);
  g_test_add_data_func ("/interface/await/as-anybody", GINT_TO_POINTER (FALSE), test_await);
  return g_test_run ();
}
