/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A port that several share, with members and a clock of the test's own.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "faspportprivate.h"

#define REPORTS (6 * FASP_FEEDBACK_AT_ONCE)
/* Telling takes so much of the time, and may use so much that was not. */
#define SHARE 20
#define UNUSED (100 * FASP_MSEC)

static FaspTime time_now = 10 * FASP_SEC;
static guint told;

static FaspTime
get_time (void)
{
  return time_now;
}

/* So long a member with many sessions takes for one report. */
#define WORK (2 * FASP_MSEC)

static void
on_unreachable (gpointer member, FaspTime now, const FaspAddress *to)
{
  told++;
  time_now += WORK;
}

/* A port that is closed: it was open a moment ago. */
static struct sockaddr_in6
get_closed (void)
{
  struct sockaddr_in6 address = { .sin6_family = AF_INET6 };
  socklen_t size = sizeof address;
  gint fd = socket (AF_INET6, SOCK_DGRAM, 0);

  address.sin6_addr = in6addr_loopback;
  g_assert_true (fd >= 0);
  g_assert_cmpint (bind (fd, (struct sockaddr *) &address, size), ==, 0);
  g_assert_cmpint (getsockname (fd, (struct sockaddr *) &address, &size), ==, 0);
  close (fd);
  return address;
}

/* Until the network has reported as often; returns what was sent, and is reported at most. */
static guint
provoke (gint fd)
{
  struct sockaddr_in6 closed = get_closed ();
  guint sent = 0;

  for (guint reported = 0; reported < REPORTS;)
    if (sendto (fd, "x", 1, 0, (struct sockaddr *) &closed, sizeof closed) == 1) {
      sent++;
    } else {
      g_assert_cmpint (errno, ==, ECONNREFUSED); /* of one before */
      reported++;
    }
  return sent;
}

/* A stranger can make the network report unreachable addresses, and all members of a port are told
 * of each: what comes in does not wait for that. */
static void
test_reports (void)
{
  const FaspSocketSettings settings = { .buffer = 1 << 20, .tos = -1, .local_address = "::1" };
  const FaspPortFunctions functions = { .unreachable = on_unreachable };
  /* as many as what was not used pays for, the last of them on credit */
  static const struct
  {
    FaspTime quiet;
    guint told;
  } cases[] = {
    { 10 * FASP_SEC, 3 },
    { 0, 1 },
    { 10 * FASP_SEC, 3 },
  };
  FaspReceiveBatch *batch = fasp_receive_batch_new (1 << 20);
  FaspPortHandle handle;
  FaspAddress address;
  guint sent;

  if (!fasp_port_join (&settings, NULL, FASP_ROLE_SENDER, NULL, 1 << 20, &handle, NULL)) {
    g_test_skip ("a machine without IPv6");
    fasp_receive_batch_free (batch);
    return;
  }
  handle.port->get_time = get_time;
  fasp_port_begin (&handle, &functions, NULL);
  sent = provoke (fasp_sockets_get_fds (fasp_port_get_sockets (&handle))[0]);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    FaspTime due = time_now;

    time_now += cases[i].quiet;
    due = MAX (due, time_now - UNUSED) + cases[i].told * SHARE * WORK;
    told = 0;
    fasp_port_receive (&handle, batch, NULL);
    g_assert_cmpuint (told, ==, cases[i].told);
    time_now = due - 1; /* a moment too early */
    fasp_port_receive (&handle, batch, NULL);
    g_assert_cmpuint (told, ==, cases[i].told);
    time_now = due;
  }
  for (guint i = 0; i < sent / FASP_FEEDBACK_AT_ONCE + 1; i++)
    fasp_port_receive (&handle, batch, NULL);
  /* and none is left to be looked at again and again */
  g_assert_false (fasp_socket_get_unreachable (fasp_sockets_get (fasp_port_get_sockets (&handle),
                                                   0),
      &address));
  fasp_port_end (&handle);
  fasp_port_leave (&handle);
  fasp_receive_batch_free (batch);
}

/* A socket for all addresses fails if another one has an IPv6 address at that port; it is not left
 * with those of IPv4. */
static void
test_taken (void)
{
  FaspSocketSettings one = { .local_address = "::1", .tos = -1 };
  FaspSocketSettings all = { .tos = -1 };
  g_autoptr (GError) error = NULL;
  FaspPortHandle first, second;

  if (!fasp_port_join (&one, NULL, FASP_ROLE_SENDER, NULL, 1 << 20, &first, NULL)) {
    g_test_skip ("a machine without IPv6");
    return;
  }
  all.local_port = fasp_socket_get_port (fasp_sockets_get (fasp_port_get_sockets (&first), 0));
  g_assert_false (fasp_port_join (&all, NULL, FASP_ROLE_SENDER, NULL, 1 << 20, &second, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE);
  g_assert_nonnull (strstr (error->message, "Another element"));
  fasp_port_leave (&first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/port/reports", test_reports);
  g_test_add_func ("/port/taken", test_taken);
  return g_test_run ();
}
