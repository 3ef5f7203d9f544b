/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A port that several share, with members of the test's own.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include "faspport.h"

#define REPORTS 64

static guint told;

/* One who has much to look through. */
static void
on_unreachable (gpointer member, FaspTime now, const FaspAddress * to)
{
  told++;
  g_usleep (2000);
}

/* Where nobody listens: somebody did a moment ago. */
static struct sockaddr_in6
get_closed (void)
{
  struct sockaddr_in6 address = {.sin6_family = AF_INET6 };
  socklen_t size = sizeof address;
  gint fd = socket (AF_INET6, SOCK_DGRAM, 0);

  address.sin6_addr = in6addr_loopback;
  g_assert_true (fd >= 0);
  g_assert_cmpint (bind (fd, (struct sockaddr *) &address, size), ==, 0);
  g_assert_cmpint (getsockname (fd, (struct sockaddr *) &address, &size), ==,
      0);
  close (fd);
  return address;
}

/* Anybody can have the network report what he likes, and all members of a port are told of each:
 * what comes in does not wait for that. */
static void
test_reports (void)
{
  const FaspSocketSettings settings = {.buffer = 1 << 20,.tos = -1,
    .local_address = "::1"
  };
  const FaspPortFunctions functions = {.unreachable = on_unreachable };
  FaspReceiveBatch *batch = fasp_receive_batch_new (1 << 20);
  struct sockaddr_in6 closed;
  FaspPortPlace place;
  FaspAddress address;
  gint fd;

  if (!fasp_port_join (&settings, FASP_ROLE_SENDER, NULL, 1 << 20, &place,
          NULL)) {
    g_test_skip ("a machine without IPv6");
    fasp_receive_batch_free (batch);
    return;
  }
  closed = get_closed ();
  fasp_port_begin (&place, &functions, NULL);
  fd = fasp_links_get_fds (fasp_port_get_links (&place))[0];
  for (guint sent = 0; sent < REPORTS;)
    if (sendto (fd, "x", 1, 0, (struct sockaddr *) &closed, sizeof closed) == 1)
      sent++;
    else
      g_assert_cmpint (errno, ==, ECONNREFUSED);        /* of one before */
  for (guint i = 0; i < REPORTS / FASP_REPORTS_AT_ONCE + 1; i++)
    fasp_port_receive (&place, batch, NULL);
  g_assert_cmpuint (told, >, 0);
  g_assert_cmpuint (told, <, REPORTS / 2);
  /* and none is left to be looked at again and again */
  g_assert_false (fasp_socket_get_unreachable (fasp_links_get
          (fasp_port_get_links (&place), 0), &address));
  fasp_port_end (&place);
  fasp_port_leave (&place);
  fasp_receive_batch_free (batch);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/port/reports", test_reports);
  return g_test_run ();
}
