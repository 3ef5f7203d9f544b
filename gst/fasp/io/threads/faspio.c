/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspioprivate.h"
#include "fasprandom.h"
#include "faspthread.h"

/* The socket on which a receiver hears a group. All other datagrams go over socket 0. */
#define GROUP_SOCKET 1
/* The most memory that blocks kept for repairs may take, in bytes. */
#define FEC_KEPT (20 << 20)

/* --- sockets --------------------------------------------------------------------------- */

static gboolean
can_reach (FaspSocket *socket, GSocketAddress *address, GError **error)
{
  g_autofree gchar *text = NULL;
  FaspAddress ignored;

  if (fasp_socket_convert (socket, address, &ignored))
    return TRUE;
  text = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address));
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE,
      "%s cannot be reached from this socket. IPv4 and IPv6 do not mix; a link-local address "
      "needs its interface, ADDRESS%%eth0, in a URI ADDRESS%%25eth0. Change localaddress, or the "
      "host.",
      text);
  return FALSE;
}

/* Converts the further addresses of the peer to the form that the sockets of their
 * flows use. */
static gboolean
convert_others (FaspIo *io, const FaspIoSettings *settings, GError **error)
{
  guint flowlets = MAX (settings->flowlets, 1);
  guint n = settings->n_sockets / flowlets;

  if (settings->others == NULL || n < 2)
    return TRUE;
  io->others = g_new0 (FaspAddress, n - 1);
  for (guint i = 0; i + 1 < n; i++) {
    FaspSocket *socket = fasp_sockets_get (io->sockets, (i + 1) * flowlets);

    if (!can_reach (socket, settings->others[i], error)
        || !fasp_socket_convert (socket, settings->others[i], &io->others[i]))
      return FALSE;
  }
  return TRUE;
}

/* Bytes of memory that blocks received by one of @threads threads may stay in. Includes
 * what repairs may need. */
static gsize
get_limit (const FaspIoSettings *settings, guint threads)
{
  guint64 all = (guint64) settings->endpoint.buffer_size
      + (settings->endpoint.fec != FASP_FEC_OFF ? FEC_KEPT : 0);

  return MIN (all, G_MAXSIZE) / threads;
}

/* Opens the sockets. A receiver hears its group on a socket of its own, after the others. */
static gboolean
open_sockets (FaspIo *io, const FaspIoSettings *settings, GError **error)
{
  const FaspMembership *multicast = settings->multicast;
  FaspSocketSettings sockets[GROUP_SOCKET + 1];

  if (multicast == NULL && settings->n_sockets == 1
      && settings->endpoint.mode == FASP_MODE_LISTENER) {
    if (!fasp_port_join (settings->sockets,
            settings->beside != NULL ? &settings->beside->shared : NULL, settings->endpoint.role,
            settings->endpoint.streamid, get_limit (settings, 1), &io->shared, error))
      return FALSE;
    io->sockets = fasp_port_get_sockets (&io->shared);
    return TRUE;
  }
  if (multicast == NULL) {
    io->sockets = fasp_sockets_new (settings->sockets, settings->n_sockets, error);
    return io->sockets != NULL;
  }
  g_return_val_if_fail (settings->n_sockets == 1, FALSE);
  sockets[0] = sockets[GROUP_SOCKET] = settings->sockets[0];
  sockets[GROUP_SOCKET].local_address = multicast->group;
  sockets[GROUP_SOCKET].local_port = multicast->port;
  sockets[GROUP_SOCKET].joins = multicast;
  io->sockets = fasp_sockets_new (sockets,
      settings->endpoint.role == FASP_ROLE_SENDER ? 1 : G_N_ELEMENTS (sockets), error);
  if (io->sockets == NULL
      || !fasp_membership_prepare (multicast, fasp_sockets_get (io->sockets, 0), &io->group, error))
    return FALSE;
  io->group_interface = fasp_group_interface_new (multicast, fasp_sockets_get (io->sockets, 0),
      settings->endpoint.role == FASP_ROLE_SENDER ? NULL :
                                                    fasp_sockets_get (io->sockets, GROUP_SOCKET));
  return TRUE;
}

/* Opens all that can fail. */
static gboolean
open_all (FaspIo *io, const FaspIoSettings *settings, GError **error)
{
  g_autoptr (GSocketAddress) literal = NULL;

  if (!fasp_random_check (error) || !open_sockets (io, settings, error))
    return FALSE;
  /* only a literal address can be checked now, as those of a name may change */
  if (settings->peer_host != NULL)
    literal = g_inet_socket_address_new_from_string (settings->peer_host, settings->peer_port);
  if (literal != NULL && !can_reach (fasp_sockets_get (io->sockets, 0), literal, error))
    return FALSE;
  return convert_others (io, settings, error);
}

static void
close_sockets (FaspIo *io)
{
  fasp_group_interface_free (io->group_interface);
  if (io->shared.port != NULL)
    fasp_port_leave (&io->shared);
  else if (io->sockets != NULL)
    fasp_sockets_free (io->sockets);
}

/* --- starting and ending -------------------------------------------------------------- */

void
fasp_io_enter (FaspIo *io, FaspIoState state)
{
  g_return_if_fail (state == io->state + 1);
  io->state = state;
}

static gboolean
make_receivers (FaspIo *io, const FaspIoSettings *settings, GError **error)
{
  guint sockets = fasp_sockets_count (io->sockets);
  guint threads = fasp_receivers_choose (settings->threads, sockets, g_get_num_processors ());
  gsize limit = get_limit (settings, threads);

  io->receiving.own = fasp_receivers_get_share (0, threads, sockets);
  io->receiving.in = fasp_receive_batch_new (limit);
  io->receivers =
      fasp_receivers_new (io->sockets, 1, threads, limit, fasp_io_receive_beside, io, error);
  return io->receivers != NULL;
}

/* Frees everything that was made so far; the I/O thread must have ended. */
static void
destroy (FaspIo *io)
{
  if (io->shared.port != NULL)
    fasp_port_end (&io->shared);
  if (io->receivers != NULL)
    fasp_receivers_stop (io->receivers);
  if (io->lanes != NULL)
    fasp_lanes_stop (io->lanes);
  g_clear_pointer (&io->receivers, fasp_receivers_free);
  fasp_io_dial_end (io);
  fasp_endpoint_free (io->guard.endpoint);
  fasp_lanes_free (io->lanes);
  fasp_receive_batch_free (io->receiving.in);
  close_sockets (io);
  g_free (io->others);
  g_mutex_clear (&io->guard.mutex);
  g_cond_clear (&io->waiters.changed);
  g_free (io);
}

static void
make_endpoint (FaspIo *io, const FaspIoSettings *settings)
{
  FaspEndpointConfig config = settings->endpoint;

  config.flows = settings->n_sockets;
  config.flowlets = settings->flowlets;
  config.others = io->others;
  config.peers = 1 + settings->n_fallbacks;
  config.group = io->group;
  config.group_socket = GROUP_SOCKET;
  if (io->shared.port != NULL) {
    config.limiter = fasp_port_get_limiter (&io->shared);
    config.id_bits = FASP_ROUTES_BITS;
    config.id_prefix = fasp_port_get_prefix (&io->shared);
  }
  /* an endpoint with one peer or one group needs only one lane */
  config.lanes = io->role == FASP_ROLE_SENDER && io->mode == FASP_MODE_LISTENER
          && settings->multicast == NULL ?
      fasp_lanes_choose (settings->threads, g_get_num_processors ()) :
      1;
  io->guard.endpoint = fasp_endpoint_new (&config, fasp_random_bytes, NULL);
  fasp_endpoint_set_log (io->guard.endpoint, settings->log);
  /* of listeners that share their callers, only the first one reports that none comes */
  if (settings->beside == NULL)
    fasp_endpoint_expect (io->guard.endpoint, g_get_monotonic_time ());
}

static gboolean
start (FaspIo *io, const FaspIoSettings *settings, GError **error)
{
  io->lanes = fasp_lanes_new (&io->guard, io->sockets,
      settings->n_sockets <= MAX (settings->flowlets, 1), fasp_io_rouse, io, error);
  if (io->lanes == NULL || !make_receivers (io, settings, error)
      || !fasp_io_dial_begin (io, settings, error))
    return FALSE;
  if (io->shared.port != NULL)
    fasp_port_begin (&io->shared, &fasp_io_port_functions, io);
  io->thread = fasp_thread_new ("fasp-io", fasp_io_run, io, error);
  return io->thread != NULL;
}

FaspIo *
fasp_io_new (const FaspIoSettings *settings, GError **error)
{
  FaspIo *io = g_new0 (FaspIo, 1);

  g_mutex_init (&io->guard.mutex);
  g_cond_init (&io->waiters.changed);
  io->role = settings->endpoint.role;
  io->mode = settings->endpoint.mode;
  io->flowlets = MAX (settings->flowlets, 1);
  io->event = settings->event;
  io->send_failed = settings->send_failed;
  io->receive_failed = settings->receive_failed;
  io->buffer_short = settings->buffer_short;
  io->user_data = settings->user_data;
  io->waiters.news = settings->news;
  io->waiters.news_data = settings->news_data;
  if (!open_all (io, settings, error)) {
    destroy (io);
    return NULL;
  }
  io->receiving.buffer = fasp_sockets_get_buffer (io->sockets);
  make_endpoint (io, settings);
  if (!start (io, settings, error)) {
    destroy (io);
    return NULL;
  }
  fasp_guard_lock (&io->guard);
  fasp_io_enter (io, FASP_IO_RUNNING);
  fasp_guard_unlock (&io->guard);
  return io;
}

void
fasp_io_begin_close (FaspIo *io)
{
  FaspTime now = g_get_monotonic_time ();
  gboolean begins;

  fasp_guard_lock (&io->guard);
  begins = io->state == FASP_IO_RUNNING;
  if (begins) {
    fasp_endpoint_close (io->guard.endpoint, now, FASP_REASON_STOPPED);
    fasp_io_enter (io, FASP_IO_CLOSING);
    io->close_deadline = now + FASP_CLOSE_TIMEOUT_MAX;
  }
  fasp_guard_unlock (&io->guard);
  if (begins)
    fasp_lanes_wake (io->lanes);
}

void
fasp_io_close (FaspIo *io)
{
  if (io->thread == NULL)
    return;
  fasp_io_begin_close (io);
  g_thread_join (g_steal_pointer (&io->thread));
  fasp_guard_lock (&io->guard);
  fasp_io_enter (io, FASP_IO_CLOSED);
  fasp_guard_unlock (&io->guard);
}

void
fasp_io_free (FaspIo *io)
{
  if (io == NULL)
    return;
  fasp_io_close (io);
  destroy (io);
}

/* --- for the element ------------------------------------------ */

guint16
fasp_io_get_port (FaspIo *io)
{
  return fasp_socket_get_port (fasp_sockets_get (io->sockets, 0));
}

gsize
fasp_io_get_socket_buffer (FaspIo *io)
{
  return fasp_sockets_get_buffer (io->sockets);
}

gboolean
fasp_io_is_early (FaspIo *io, guint number)
{
  return fasp_socket_is_early (fasp_sockets_get (io->sockets, number));
}

FaspEndpoint *
fasp_io_lock (FaspIo *io)
{
  fasp_guard_lock (&io->guard);
  return io->guard.endpoint;
}

void
fasp_io_unlock (FaspIo *io, gboolean changed)
{
  changed |= fasp_guard_unlock_only (&io->guard);
  if (changed)
    fasp_lanes_wake (io->lanes);
}
