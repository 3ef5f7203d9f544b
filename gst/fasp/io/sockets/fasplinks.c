/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include "fasplinks.h"
#include "faspmembership.h"

/* If poll() fails, the sockets are read after this time, µs. */
#define LOOK_EVERY 1000

struct _FaspLinks
{
  guint n;
  FaspSocket *sockets[FASP_FLOWS_MAX];
  gint fds[FASP_FLOWS_MAX];
};

FaspLinks *
fasp_links_new (const FaspSocketSettings *settings, guint n, GError **error)
{
  FaspLinks *links = g_new0 (FaspLinks, 1);

  g_return_val_if_fail (n > 0 && n <= FASP_FLOWS_MAX, NULL);
  for (guint i = 0; i < n; i++) {
    links->sockets[i] = fasp_socket_new (&settings[i], error);
    links->n += links->sockets[i] != NULL;
    if (links->sockets[i] == NULL
        || (settings[i].joins != NULL
            && !fasp_membership_join (settings[i].joins, links->sockets[i], error))) {
      fasp_links_free (links);
      return NULL;
    }
    links->fds[i] = fasp_socket_get_fd (links->sockets[i]);
  }
  return links;
}

void
fasp_links_free (FaspLinks *links)
{
  for (guint i = 0; i < links->n; i++)
    fasp_socket_free (links->sockets[i]);
  g_free (links);
}

guint
fasp_links_count (const FaspLinks *links)
{
  return links->n;
}

FaspSocket *
fasp_links_get (const FaspLinks *links, guint link)
{
  return links->sockets[link];
}

const gint *
fasp_links_get_fds (const FaspLinks *links)
{
  return links->fds;
}

gboolean
fasp_links_have_interfaces (const FaspLinks *links)
{
  for (guint i = 0; i < links->n; i++)
    if (fasp_socket_has_interface (links->sockets[i]))
      return TRUE;
  return FALSE;
}

void
fasp_links_follow_interfaces (FaspLinks *links)
{
  for (guint i = 0; i < links->n; i++)
    fasp_socket_follow_interface (links->sockets[i]);
}

gsize
fasp_links_get_buffer (const FaspLinks *links)
{
  gsize least = G_MAXSIZE;

  for (guint i = 0; i < links->n; i++)
    least = MIN (least, fasp_socket_get_buffer (links->sockets[i]));
  return least;
}

gsize
fasp_links_set_buffer (FaspLinks *links, gsize wanted)
{
  gsize least = G_MAXSIZE;

  for (guint i = 0; i < links->n; i++) {
    gsize granted = fasp_socket_set_buffer (links->sockets[i], wanted);

    least = MIN (least, granted);
  }
  return least;
}

guint64
fasp_links_wait (FaspLinks *links, guint64 which, gint other, gboolean *other_ready, gint blocked,
    FaspTime timeout)
{
  struct pollfd fds[FASP_FLOWS_MAX + 1];
  struct timespec time = { timeout / FASP_SEC, timeout % FASP_SEC * 1000 };
  guint64 ready = 0;

  for (guint i = 0; i < links->n; i++) {
    gshort events = (which >> i & 1 ? POLLIN : 0) | ((gint) i == blocked ? POLLOUT : 0);

    /* poll() reports errors even if no events are asked for, so leave out links of
     * other threads */
    fds[i] = (struct pollfd) { events != 0 ? links->fds[i] : -1, events, 0 };
  }
  fds[links->n] = (struct pollfd) { other, POLLIN, 0 };
  *other_ready = FALSE;
  if (ppoll (fds, links->n + 1, timeout == FASP_NEVER ? NULL : &time, NULL) < 0) {
    if (errno == EINTR)
      return 0;
    /* poll() failed: no memory, or the limit of open files is below the number of descriptors */
    g_usleep (MIN (timeout, LOOK_EVERY));
    *other_ready = TRUE;
    return which;
  }
  for (guint i = 0; i < links->n; i++)
    if (which >> i & 1 && fds[i].revents & (POLLIN | POLLERR))
      ready |= FASP_BIT (i);
  *other_ready = (fds[links->n].revents & POLLIN) != 0;
  return ready;
}
