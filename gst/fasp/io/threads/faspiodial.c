/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspiodial.c: chooses which peer to call, of several, and at which address of its
 * name.
 */
#include "faspioprivate.h"

static gboolean
resolved (GSocketAddress *address, gpointer data)
{
  FaspIo *io = data;
  FaspAddress peer;
  guint serial;

  if (!fasp_socket_convert (fasp_links_get (io->links, 0), address, &peer))
    return FALSE;
  if (io->claim != NULL && !io->claim (&peer, io->claim_data)) {
    io->is_claimed = TRUE;
    return FALSE;
  }
  io->is_claimed = FALSE;
  if (io->peers != NULL)
    io->absent[io->peer] = FALSE;
  fasp_guard_lock (&io->guard);
  fasp_endpoint_get_wanted_peer (io->guard.endpoint, &serial);
  /* the look-up may have taken longer than this peer's turn: the endpoint would take the
   * next peer to be at this address */
  if (io->peers == NULL || serial == io->peer_serial)
    fasp_endpoint_dial (io->guard.endpoint, g_get_monotonic_time (), &peer);
  fasp_guard_unlock (&io->guard);
  fasp_lanes_wake (io->lanes);
  return TRUE;
}

/* One of several peers may have its turn every few seconds, for ever. */
static void
failed (const gchar *host, const GError *error, gpointer data)
{
  g_autoptr (GError) claimed = NULL;
  FaspIo *io = data;

  /* a name that cannot be looked up fails for that, whatever it led to before */
  if (io->is_claimed && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE))
    error = claimed = g_error_new (G_IO_ERROR, G_IO_ERROR_BUSY,
        "other sources call all of its addresses (redundancy)");
  io->is_claimed = FALSE;
  if (io->peers != NULL && io->absent[io->peer])
    return;
  if (io->peers != NULL)
    io->absent[io->peer] = TRUE;
  io->resolve_failed (host, error, io->user_data);
}

static gboolean
is_settled (gpointer data)
{
  FaspIo *io = data;
  FaspEndpointStats stats;
  gboolean settled;

  fasp_guard_lock (&io->guard);
  fasp_endpoint_get_stats (io->guard.endpoint, &stats);
  settled = stats.sessions > stats.interrupted || io->failed || io->closing;
  fasp_guard_unlock (&io->guard);
  return settled;
}

static void
copy_peers (FaspIo *io, const FaspIoSettings *settings)
{
  if (settings->n_fallbacks == 0)
    return;
  io->n_peers = 1 + settings->n_fallbacks;
  io->peers = g_new (FaspIoPeer, io->n_peers);
  io->absent = g_new0 (gboolean, io->n_peers);
  io->peers[0] = (FaspIoPeer) { g_strdup (settings->peer_host), settings->peer_port };
  for (guint i = 1; i < io->n_peers; i++)
    io->peers[i] = (FaspIoPeer) { g_strdup (settings->fallbacks[i - 1].host),
      settings->fallbacks[i - 1].port };
}

gboolean
fasp_io_dial_begin (FaspIo *io, const FaspIoSettings *settings, GError **error)
{
  io->resolve_failed = settings->resolve_failed;
  io->claim = settings->claim;
  io->claim_data = settings->claim_data;
  copy_peers (io, settings);
  if (settings->peer_host == NULL)
    return TRUE;
  io->resolve = fasp_resolve_new (settings->peer_host, settings->peer_port, resolved, is_settled,
      io, failed, io, error);
  return io->resolve != NULL;
}

void
fasp_io_dial_note (FaspIo *io, const FaspEvent *event)
{
  if (io->resolve != NULL && io->peers == NULL
      && (event->type == FASP_EVENT_INTERRUPTED || event->type == FASP_EVENT_REMOVED))
    fasp_resolve_again (io->resolve);
}

void
fasp_io_dial_follow (FaspIo *io)
{
  g_autoptr (GError) error = NULL;
  guint serial, wanted;

  if (io->peers == NULL)
    return;
  fasp_guard_lock (&io->guard);
  wanted = fasp_endpoint_get_wanted_peer (io->guard.endpoint, &serial);
  fasp_guard_unlock (&io->guard);
  if (serial == io->peer_serial)
    return;
  fasp_resolve_free (io->resolve);
  io->peer = wanted;
  io->peer_serial = serial;
  io->resolve = fasp_resolve_new (io->peers[wanted].host, io->peers[wanted].port, resolved,
      is_settled, io, failed, io, &error);
  if (io->resolve == NULL) /* the next peer gets its turn in any case */
    failed (io->peers[wanted].host, error, io);
}

void
fasp_io_dial_end (FaspIo *io)
{
  g_clear_pointer (&io->resolve, fasp_resolve_free);
  if (io->peers != NULL)
    for (guint i = 0; i < io->n_peers; i++)
      g_free ((gchar *) io->peers[i].host);
  g_free (io->peers);
  g_free (io->absent);
}
