/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Waiting for sockets, and what wakes a thread that waits. It is built twice: with the wait that
 * this system has, and with that of systems without ppoll().
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>
#include "faspnet.h"
#include "faspwake.h"
#include "userns.h"

static void
open_wake (FaspWake *wake)
{
  g_autoptr (GError) error = NULL;

  fasp_wake_open (wake, &error);
  g_assert_no_error (error);
}

static gboolean
is_heard (const FaspWake *wake, FaspTime timeout)
{
  struct pollfd fd = { wake->fd, POLLIN, 0 };

  return fasp_net_poll (&fd, 1, timeout) == 1 && fd.revents == POLLIN;
}

/* A wait that is rounded to milliseconds would hold up what leaves next: a stream of more than
 * 55 Mbit/s would be slower. The least of many waits, as the machine may be busy. */
static void
test_short (void)
{
  struct pollfd none = { -1, POLLIN, 0 };
  gint64 least = G_MAXINT64;

  for (guint i = 0; i < 200; i++) {
    gint64 start = g_get_monotonic_time ();

    g_assert_cmpint (fasp_net_poll (&none, 1, 200), ==, 0);
    least = MIN (least, g_get_monotonic_time () - start);
  }
  g_assert_cmpint (least, >=, 200);
  g_assert_cmpint (least, <, FASP_MSEC);
}

/* Of several, those that are ready are told of, however large their numbers are. */
static void
test_which (void)
{
  FaspWake quiet, rung;
  gint high;

  open_wake (&quiet);
  open_wake (&rung);
  fasp_wake_ring (&rung);
  high = fcntl (rung.fd, F_DUPFD, FD_SETSIZE + 10);
  g_assert_cmpint (high, >=, FD_SETSIZE);
  for (guint i = 0; i < 2; i++) {
    struct pollfd fds[] = { { quiet.fd, POLLIN, 0 }, { -1, POLLIN, 0 },
      { i == 0 ? rung.fd : high, POLLIN, 0 }, { quiet.ring, POLLOUT, 0 } };

    g_assert_cmpint (fasp_net_poll (fds, G_N_ELEMENTS (fds), FASP_NEVER), ==, 2);
    g_assert_cmpint (fds[0].revents, ==, 0);
    g_assert_cmpint (fds[1].revents, ==, 0);
    g_assert_cmpint (fds[2].revents, ==, POLLIN);
    g_assert_cmpint (fds[3].revents, ==, POLLOUT);
    g_assert_cmpint (fasp_net_poll (fds, 2, 0), ==, 0);
  }
  close (high);
  fasp_wake_close (&quiet);
  fasp_wake_close (&rung);
}

/* It is heard once it has been rung, by all that wait, until it is cleared; more rings than a pipe
 * holds do not block. */
static void
test_rings (void)
{
  FaspWake wake;

  open_wake (&wake);
  g_assert_false (is_heard (&wake, 0));
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < (round == 0 ? 1 : 200000); i++)
      fasp_wake_ring (&wake);
    g_assert_true (is_heard (&wake, FASP_NEVER));
    g_assert_true (is_heard (&wake, FASP_NEVER));
    fasp_wake_clear (&wake);
    g_assert_false (is_heard (&wake, 0));
  }
  fasp_wake_close (&wake);
}

/* No network is needed, which could lose what is sent: here, the loopback interface is down. */
static void
test_without_network (void)
{
  FaspWake wake;

  if (!userns_become_root () || unshare (CLONE_NEWNET) != 0) {
    g_test_skip ("this system allows no network namespaces");
    return;
  }
  open_wake (&wake);
  fasp_wake_ring (&wake);
  g_assert_true (is_heard (&wake, FASP_SEC));
  fasp_wake_close (&wake);
}

int
main (int argc, char **argv)
{
  struct rlimit files;

  g_test_init (&argc, &argv, NULL);
  getrlimit (RLIMIT_NOFILE, &files);
  files.rlim_cur = MIN (FD_SETSIZE * 2, files.rlim_max);
  setrlimit (RLIMIT_NOFILE, &files);
  g_test_add_func ("/wait/short", test_short);
  g_test_add_func ("/wait/which", test_which);
  g_test_add_func ("/wait/rings", test_rings);
  /* last, as it is the whole process's */
  g_test_add_func ("/wait/without-network", test_without_network);
  return g_test_run ();
}
