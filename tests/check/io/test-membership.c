/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A group stays at the interface of a name, in a kernel of our own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>
#include "faspgroupinterface.h"

static struct
{
  guint there;              /* the interface of the name by now; 0: none */
  gboolean refuses;         /* it is not ready */
  guint joined[8], left[8]; /* at each */
  guint sends;              /* to the group, there */
  guint bound;              /* to that one a socket is */
} kernel;

unsigned
if_nametoindex (const char *name)
{
  g_assert_cmpstr (name, ==, "tun0");
  return kernel.there;
}

char *
if_indextoname (unsigned index, char name[IF_NAMESIZE])
{
  g_assert_cmpuint (index, ==, kernel.there);
  return strcpy (name, "tun0");
}

int
getsockopt (int fd, int level, int name, void *value, socklen_t *size)
{
  int (*real) (int, int, int, void *, socklen_t *) = dlsym (RTLD_NEXT, "getsockopt");

  if (level != SOL_SOCKET || name != SO_BINDTODEVICE)
    return real (fd, level, name, value, size);
  errno = ENODEV;
  return kernel.bound == kernel.there ? 0 : -1;
}

int
setsockopt (int fd, int level, int name, const void *value, socklen_t size)
{
  int (*real) (int, int, int, const void *, socklen_t) = dlsym (RTLD_NEXT, "setsockopt");
  guint index = size >= sizeof index ? *(const guint *) value : 0;

  if (level == SOL_SOCKET && name == SO_BINDTODEVICE) {
    kernel.bound = kernel.there;
    return 0;
  }
  switch (level == IPPROTO_IP ? name : -1) {
    case MCAST_JOIN_GROUP:
    case MCAST_JOIN_SOURCE_GROUP:
      if (kernel.refuses || index != kernel.there) {
        errno = ENODEV;
        return -1;
      }
      kernel.joined[index]++;
      return 0;
    case MCAST_LEAVE_GROUP:
      kernel.left[index]++;
      return 0;
    case MCAST_LEAVE_SOURCE_GROUP: /* not where it is gone */
      errno = ENODEV;
      return -1;
    case IP_MULTICAST_IF:
      kernel.sends = ((const struct ip_mreqn *) value)->imr_ifindex;
      return 0;
    default:
      return real (fd, level, name, value, size);
  }
}

static FaspSocket *
new_socket (const gchar *address, const FaspMembership *joins)
{
  const FaspSocketSettings settings = { .local_address = address, .tos = -1, .joins = joins };
  g_autoptr (GError) error = NULL;
  FaspSocket *socket = fasp_socket_new (&settings, &error);

  g_assert_no_error (error);
  g_assert_true (joins == NULL || fasp_membership_join (joins, socket, NULL));
  return socket;
}

/* One that is another by now is joined as soon as that is possible, and sent to; the number of
 * the old one does not stay.  @data: of one source? */
static void
test_follow (gconstpointer data)
{
  const FaspMembership membership = {
    .group = "239.1.2.3",
    .port = 7001,
    .source = data != NULL ? "192.0.2.1" : NULL,
    .interface = "tun0",
  };
  FaspSocket *in, *out;
  FaspGroupInterface *joined;
  FaspAddress group;

  memset (&kernel, 0, sizeof kernel);
  kernel.there = 3;
  in = new_socket ("127.0.0.1", &membership);
  out = new_socket ("127.0.0.1", NULL);
  g_assert_true (fasp_membership_prepare (&membership, out, &group, NULL));
  g_assert_false (fasp_socket_has_interface (in));
  joined = fasp_group_interface_new (&membership, out, in);
  fasp_group_interface_follow (joined, 0, FALSE);
  kernel.there = 0;
  fasp_group_interface_follow (joined, 0, FALSE);
  g_assert_cmpuint (kernel.joined[3], ==, 1);
  g_assert_cmpuint (kernel.left[3], ==, 0);
  kernel.there = 5;
  kernel.refuses = TRUE;
  fasp_group_interface_follow (joined, 0, FALSE);
  kernel.refuses = FALSE;
  for (guint i = 0; i < 2; i++)
    fasp_group_interface_follow (joined, 0, FALSE);
  g_assert_cmpuint (kernel.left[3], >=, 1);
  g_assert_cmpuint (kernel.joined[5], ==, 1);
  g_assert_cmpuint (kernel.sends, ==, 5);
  fasp_group_interface_free (joined);
  fasp_socket_free (in);
  fasp_socket_free (out);
}

/* To a group of one link the kernel binds a socket at the interface. */
static void
test_link (void)
{
  const FaspMembership membership = { .group = "ff12::77", .port = 7001, .interface = "tun0" };
  FaspSocket *in;

  if (access ("/proc/net/if_inet6", R_OK) != 0) {
    g_test_skip ("no IPv6 here");
    return;
  }
  memset (&kernel, 0, sizeof kernel);
  kernel.there = kernel.bound = 1; /* lo */
  in = new_socket ("ff12::77", &membership);
  g_assert_true (fasp_socket_has_interface (in));
  kernel.there = 5;
  fasp_socket_follow_interface (in);
  g_assert_cmpuint (kernel.bound, ==, 5);
  fasp_socket_free (in);
}

/* Nothing is heard of it: it is joined anew, at once and then now and then, wherever it is. */
static void
test_deaf (gconstpointer interface)
{
  const FaspMembership membership = { .group = "239.1.2.3", .port = 7001, .interface = interface };
  FaspTime now = 1000 * FASP_SEC;
  FaspGroupInterface *joined;
  FaspSocket *in, *out;
  guint index;

  memset (&kernel, 0, sizeof kernel);
  index = kernel.there = interface != NULL ? 3 : 0;
  in = new_socket ("127.0.0.1", &membership);
  out = new_socket ("127.0.0.1", NULL);
  joined = fasp_group_interface_new (&membership, out, in);
  for (guint i = 0; i < 30; i++)
    fasp_group_interface_follow (joined, now + i * FASP_SEC, FALSE);
  g_assert_cmpuint (kernel.joined[index], ==, 1);
  now += 30 * FASP_SEC;
  fasp_group_interface_follow (joined, now, TRUE);
  g_assert_cmpuint (kernel.left[index], ==, 1);
  g_assert_cmpuint (kernel.joined[index], ==, 2);
  kernel.refuses = TRUE; /* no route, for a while */
  for (guint i = 0; i < 25; i++)
    fasp_group_interface_follow (joined, now + i * FASP_SEC, TRUE);
  g_assert_cmpuint (kernel.joined[index], ==, 2);
  kernel.refuses = FALSE;
  fasp_group_interface_follow (joined, now + 30 * FASP_SEC, TRUE);
  g_assert_cmpuint (kernel.joined[index], ==, 3);
  fasp_group_interface_free (joined);
  fasp_socket_free (in);
  fasp_socket_free (out);
}

/* A sender without an interface uses the routes, and has nothing to follow. */
static void
test_routed (void)
{
  const FaspMembership membership = { .group = "239.1.2.3", .port = 7001 };

  g_assert_null (fasp_group_interface_new (&membership, NULL, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/membership/follow/any", NULL, test_follow);
  g_test_add_data_func ("/membership/follow/one-source", GINT_TO_POINTER (TRUE), test_follow);
  g_test_add_func ("/membership/link", test_link);
  g_test_add_data_func ("/membership/deaf/named", "tun0", test_deaf);
  g_test_add_data_func ("/membership/deaf/routed", NULL, test_deaf);
  g_test_add_func ("/membership/routed", test_routed);
  return g_test_run ();
}
