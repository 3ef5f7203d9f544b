/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspiodial.c: chooses which peer to call, of several, and at which address of its
 * name.
 */
#include "faspioprivate.h"

struct _FaspIoDial
{
  FaspIoPeer *peers; /* the first peer, and its fallbacks; owned; NULL: no fallbacks */
  guint n_peers;
  guint peer, peer_serial; /* the peer that is being resolved, and its serial number */
  FaspResolve *resolve;
  /* used only by the thread that resolves the name */
  gboolean *absent;    /* by peer: no address was found, and that was reported */
  gboolean is_claimed; /* an address was left out because another source calls it */
  FaspIoResolveFunc resolve_failed;
  FaspIoClaimFunc claim; /* decides whether an address may be called; NULL: any may */
  gpointer claim_data;
};

static gboolean
resolved (GSocketAddress *address, gpointer data)
{
  FaspIo *io = data;
  FaspIoDial *dial = io->dial;
  FaspAddress peer;
  guint serial;

  if (!fasp_socket_convert (fasp_sockets_get (io->sockets, 0), address, &peer))
    return FALSE;
  if (dial->claim != NULL && !dial->claim (&peer, dial->claim_data)) {
    dial->is_claimed = TRUE;
    return FALSE;
  }
  dial->is_claimed = FALSE;
  if (dial->peers != NULL)
    dial->absent[dial->peer] = FALSE;
  fasp_guard_lock (&io->guard);
  fasp_endpoint_get_wanted_peer (io->guard.endpoint, &serial);
  /* the endpoint may want the next peer by now, and must not call that at this address */
  if (dial->peers == NULL || serial == dial->peer_serial)
    fasp_endpoint_dial (io->guard.endpoint, g_get_monotonic_time (), &peer);
  fasp_guard_unlock (&io->guard);
  fasp_lanes_wake (io->lanes);
  return TRUE;
}

/* Reports a failed look-up; with several peers, once for each, as they are called again every few
 * seconds. */
static void
failed (const gchar *host, const GError *error, gpointer data)
{
  g_autoptr (GError) claimed = NULL;
  FaspIo *io = data;
  FaspIoDial *dial = io->dial;

  /* a name that cannot be looked up fails for that, whatever it led to before */
  if (dial->is_claimed && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE))
    error = claimed = g_error_new (G_IO_ERROR, G_IO_ERROR_BUSY,
        "other sources call all of its addresses (redundancy)");
  dial->is_claimed = FALSE;
  if (dial->peers != NULL && dial->absent[dial->peer])
    return;
  if (dial->peers != NULL)
    dial->absent[dial->peer] = TRUE;
  dial->resolve_failed (host, error, io->user_data);
}

static gboolean
is_settled (gpointer data)
{
  FaspIo *io = data;
  FaspEndpointStats stats;
  gboolean settled;

  fasp_guard_lock (&io->guard);
  fasp_endpoint_get_stats (io->guard.endpoint, &stats);
  settled =
      stats.sessions > stats.interrupted || io->waiters.failed || io->state >= FASP_IO_CLOSING;
  fasp_guard_unlock (&io->guard);
  return settled;
}

static void
copy_peers (FaspIoDial *dial, const FaspIoSettings *settings)
{
  if (settings->n_fallbacks == 0)
    return;
  dial->n_peers = 1 + settings->n_fallbacks;
  dial->peers = g_new (FaspIoPeer, dial->n_peers);
  dial->absent = g_new0 (gboolean, dial->n_peers);
  dial->peers[0] = (FaspIoPeer) { g_strdup (settings->peer_host), settings->peer_port };
  for (guint i = 1; i < dial->n_peers; i++)
    dial->peers[i] = (FaspIoPeer) { g_strdup (settings->fallbacks[i - 1].host),
      settings->fallbacks[i - 1].port };
}

gboolean
fasp_io_dial_begin (FaspIo *io, const FaspIoSettings *settings, GError **error)
{
  FaspIoDial *dial;

  if (settings->peer_host == NULL)
    return TRUE;
  dial = io->dial = g_new0 (FaspIoDial, 1);
  dial->resolve_failed = settings->resolve_failed;
  dial->claim = settings->claim;
  dial->claim_data = settings->claim_data;
  copy_peers (dial, settings);
  dial->resolve = fasp_resolve_new (settings->peer_host, settings->peer_port, resolved, is_settled,
      io, failed, io, error);
  return dial->resolve != NULL;
}

void
fasp_io_dial_note (FaspIo *io, const FaspEvent *event)
{
  if (io->dial != NULL && io->dial->peers == NULL
      && (event->type == FASP_EVENT_INTERRUPTED || event->type == FASP_EVENT_REMOVED))
    fasp_resolve_again (io->dial->resolve);
}

void
fasp_io_dial_follow (FaspIo *io)
{
  g_autoptr (GError) error = NULL;
  FaspIoDial *dial = io->dial;
  guint serial, wanted;

  if (dial == NULL || dial->peers == NULL)
    return;
  fasp_guard_lock (&io->guard);
  wanted = fasp_endpoint_get_wanted_peer (io->guard.endpoint, &serial);
  fasp_guard_unlock (&io->guard);
  if (serial == dial->peer_serial)
    return;
  fasp_resolve_free (dial->resolve);
  dial->peer = wanted;
  dial->peer_serial = serial;
  dial->resolve = fasp_resolve_new (dial->peers[wanted].host, dial->peers[wanted].port, resolved,
      is_settled, io, failed, io, &error);
  if (dial->resolve == NULL) /* without a thread, the endpoint still moves on to the next peer */
    failed (dial->peers[wanted].host, error, io);
}

void
fasp_io_dial_end (FaspIo *io)
{
  FaspIoDial *dial = io->dial;

  if (dial == NULL)
    return;
  fasp_resolve_free (dial->resolve);
  for (guint i = 0; i < dial->n_peers; i++)
    g_free ((gchar *) dial->peers[i].host);
  g_free (dial->peers);
  g_free (dial->absent);
  g_free (dial);
}
