/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include "faspmembership.h"
#include "faspnet.h"
#include "faspsockets.h"

/* If poll() fails, the sockets are read after this time, µs. */
#define LOOK_EVERY 1000

struct _FaspSockets
{
  guint n;
  FaspSocket *sockets[FASP_FLOWS_MAX];
  gint fds[FASP_FLOWS_MAX];
};

FaspSockets *
fasp_sockets_new (const FaspSocketSettings *settings, guint n, GError **error)
{
  FaspSockets *sockets = g_new0 (FaspSockets, 1);

  g_return_val_if_fail (n > 0 && n <= FASP_FLOWS_MAX, NULL);
  for (guint i = 0; i < n; i++) {
    sockets->sockets[i] = fasp_socket_new (&settings[i], error);
    sockets->n += sockets->sockets[i] != NULL;
    if (sockets->sockets[i] == NULL
        || (settings[i].joins != NULL
            && !fasp_membership_join (settings[i].joins, sockets->sockets[i], error))) {
      fasp_sockets_free (sockets);
      return NULL;
    }
    sockets->fds[i] = fasp_socket_get_fd (sockets->sockets[i]);
  }
  return sockets;
}

void
fasp_sockets_free (FaspSockets *sockets)
{
  for (guint i = 0; i < sockets->n; i++)
    fasp_socket_free (sockets->sockets[i]);
  g_free (sockets);
}

guint
fasp_sockets_count (const FaspSockets *sockets)
{
  return sockets->n;
}

FaspSocket *
fasp_sockets_get (const FaspSockets *sockets, guint number)
{
  return sockets->sockets[number];
}

const gint *
fasp_sockets_get_fds (const FaspSockets *sockets)
{
  return sockets->fds;
}

gboolean
fasp_sockets_have_interfaces (const FaspSockets *sockets)
{
  for (guint i = 0; i < sockets->n; i++)
    if (fasp_socket_has_interface (sockets->sockets[i]))
      return TRUE;
  return FALSE;
}

void
fasp_sockets_follow_interfaces (FaspSockets *sockets)
{
  for (guint i = 0; i < sockets->n; i++)
    fasp_socket_follow_interface (sockets->sockets[i]);
}

gsize
fasp_sockets_get_buffer (const FaspSockets *sockets)
{
  gsize least = G_MAXSIZE;

  for (guint i = 0; i < sockets->n; i++)
    least = MIN (least, fasp_socket_get_buffer (sockets->sockets[i]));
  return least;
}

gsize
fasp_sockets_set_buffer (FaspSockets *sockets, gsize wanted)
{
  gsize least = G_MAXSIZE;

  for (guint i = 0; i < sockets->n; i++) {
    gsize granted = fasp_socket_set_buffer (sockets->sockets[i], wanted);

    least = MIN (least, granted);
  }
  return least;
}

guint64
fasp_sockets_wait (FaspSockets *sockets, guint64 which, gint other, gboolean *other_ready,
    gint blocked, FaspTime timeout)
{
  struct pollfd fds[FASP_FLOWS_MAX + 1];
  guint64 ready = 0;

  for (guint i = 0; i < sockets->n; i++) {
    gshort events = (which >> i & 1 ? POLLIN : 0) | ((gint) i == blocked ? POLLOUT : 0);

    /* poll() reports errors even if no events are asked for, so leave out sockets of
     * other threads */
    fds[i] = (struct pollfd) { events != 0 ? sockets->fds[i] : -1, events, 0 };
  }
  fds[sockets->n] = (struct pollfd) { other, POLLIN, 0 };
  *other_ready = FALSE;
  if (fasp_net_poll (fds, sockets->n + 1, timeout) < 0) {
    if (errno == EINTR)
      return 0;
    /* poll() failed: no memory, or the limit of open files is below the number of descriptors */
    g_usleep (MIN (timeout, LOOK_EVERY));
    *other_ready = TRUE;
    return which;
  }
  for (guint i = 0; i < sockets->n; i++)
    if (which >> i & 1 && fds[i].revents & (POLLIN | POLLERR))
      ready |= FASP_BIT (i);
  *other_ready = (fds[sockets->n].revents & POLLIN) != 0;
  return ready;
}
