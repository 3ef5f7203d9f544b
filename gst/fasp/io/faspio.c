/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "faspioprivate.h"
#include "fasprandom.h"
#include "faspreceivebatch.h"

#define CLOSE_MAX FASP_SEC
/* Events are few; what does not fit waits for the next turn. */
#define EVENTS_BATCH 16
/* Full batches sent before the socket is looked at. */
#define BATCHES_MAX 4
/* Datagrams made, a microsecond each, between two looks at the clock. */
#define SAME_TIME 8
/* Datagrams received under one lock. */
#define LOCKED_MAX 64
/* A socket that takes no more is tried again after that time at the latest. */
#define BLOCKED_MAX (20 * FASP_MSEC)
/* Bytes of memory that the blocks of repairs lie in at most. */
#define FEC_KEPT (20 << 20)

void
fasp_io_wake (FaspIo * io)
{
  guint64 one = 1;

  /* EAGAIN: it is awake already */
  if (write (io->wake_fd, &one, sizeof (one)) < 0 && errno != EAGAIN)
    g_warning ("cannot wake the I/O thread: %s", g_strerror (errno));
}

void
fasp_io_let_go (FaspIo * io)
{
  GPtrArray *forgotten = fasp_endpoint_take_forgotten (io->endpoint);

  g_mutex_unlock (&io->lock);
  g_clear_pointer (&forgotten, g_ptr_array_unref);
}

gboolean
fasp_io_must_wake (FaspIo * io)
{
  return io->sleeping_until > 0
      && fasp_endpoint_get_timeout (io->endpoint) < io->sleeping_until;
}

/* --- the thread ------------------------------------------------------------------- */

static void
note_event (FaspIo * io, const FaspEvent * event)
{
  gboolean receiver = io->role == FASP_ROLE_RECEIVER;
  gboolean finished = event->reason == FASP_REASON_FINISHED;

  if (receiver && event->type == FASP_EVENT_REMOVED && !finished) {
    io->ended = TRUE;
    io->ended_event = *event;
  }
  /* a receiver that was connected has its end above */
  if (event->final && io->mode != FASP_MODE_LISTENER
      && (event->type == FASP_EVENT_REJECTED || (!receiver && !finished))) {
    io->failed = TRUE;
    io->failed_event = *event;
  }
}

/* All that was made has left just now. */
static void
note_lateness (FaspIo * io)
{
  FaspTime now = g_get_monotonic_time (), from;

  if (!fasp_departure_left (&io->departure, now, &from))
    return;
  g_mutex_lock (&io->lock);
  fasp_endpoint_left_late (io->endpoint, from, now);
  fasp_io_let_go (io);
}

/* Makes what is due. FALSE: there is no more. */
static gboolean
make_batch (FaspIo * io)
{
  FaspDatagram *datagram;
  FaspTime now = 0;

  for (guint n = 0; (datagram = fasp_send_batch_next (io->out)) != NULL; n++) {
    if (n % SAME_TIME == 0)
      now = g_get_monotonic_time ();
    if (!fasp_departure_takes (&io->departure, now))
      return TRUE;
    if (!fasp_endpoint_poll (io->endpoint, now, datagram))
      return FALSE;
    fasp_departure_made (&io->departure, now);
    fasp_send_batch_commit (io->out);
  }
  return TRUE;
}

/* Sends what is due; send_lock held. FALSE: the socket takes no more now. */
static gboolean
send_due (FaspIo * io)
{
  for (guint i = 0; i < BATCHES_MAX; i++) {
    gboolean more;

    g_mutex_lock (&io->lock);
    more = make_batch (io);
    fasp_io_let_go (io);
    if (!fasp_send_batch_flush (io->out))
      return FALSE;
    note_lateness (io);
    if (!more)
      break;
  }
  return TRUE;
}

/* The writer sends by itself what may leave now, which spares the thread a
 * wake-up for each write; what must wait is the thread's. */
void
fasp_io_send_or_wake (FaspIo * io)
{
  gboolean must = TRUE;

  if (g_mutex_trylock (&io->send_lock)) {
    gboolean sent = send_due (io);

    g_mutex_unlock (&io->send_lock);
    g_mutex_lock (&io->lock);
    must = !sent || fasp_io_must_wake (io);
    fasp_io_let_go (io);
  }
  if (must)
    fasp_io_wake (io);
}

/* The faster the stream, the more comes while the thread waits for its turn. */
static void
fit_buffer (FaspIo * io)
{
  guint n = fasp_links_count (io->links);
  gsize needed, granted;
  guint64 rate;

  g_mutex_lock (&io->lock);
  rate = io->arriving.rate;
  fasp_io_let_go (io);
  /* of several a larger part may come by one than by another */
  needed = rate / 8 * MIN (2, n) / n * FASP_IO_BUFFER_TIME / FASP_SEC;
  if (needed <= io->buffer)
    return;
  granted = io->place.port != NULL ?
      fasp_port_set_buffer (&io->place, 3 * needed) :
      fasp_links_set_buffer (io->links, 3 * needed);
  io->buffer = granted;
  if (granted >= needed)
    return;
  io->buffer = G_MAXSIZE;       /* told once */
  io->buffer_short (rate, granted, 3 * needed, io->user_data);
}

/* Lock held. */
static void
take (FaspIo * io, FaspTime now, const FaspAddress * from, const guint8 * data,
    gsize size, FaspMemory * memory, gboolean marked, FaspRoute route)
{
  /* of several threads one may have been held up */
  io->newest = MAX (now, io->newest);
  fasp_meter_add (&io->arriving, io->newest, size);
  fasp_endpoint_receive_routed (io->endpoint, io->newest, from, data, size,
      memory, marked, route);
}

static void
receive_from (FaspIo * io, FaspReceiveBatch * in, guint link)
{
  gint fd = fasp_links_get_fds (io->links)[link];
  FaspAddress address;

  for (guint i = 0; i < BATCHES_MAX; i++) {
    gboolean all = fasp_receive_batch_fill (in, fd);
    FaspTime now = g_get_monotonic_time ();
    FaspMemory *memory;
    const guint8 *data;
    gboolean marked;
    gsize size;

    g_mutex_lock (&io->lock);
    for (guint n = 0; (data = fasp_receive_batch_next (in, &size, &address,
                &memory, &marked)) != NULL; n++) {
      if (n % LOCKED_MAX == LOCKED_MAX - 1) {   /* let the others in */
        fasp_io_let_go (io);
        g_mutex_lock (&io->lock);
      }
      address.link = link;
      take (io, now, &address, data, size, memory, marked, FASP_ROUTE_HERE);
    }
    fasp_io_let_go (io);
    if (all)
      break;
  }
  while (fasp_socket_get_unreachable (fasp_links_get (io->links, link),
          &address)) {
    address.link = link;
    g_mutex_lock (&io->lock);
    fasp_endpoint_unreachable (io->endpoint, g_get_monotonic_time (), &address);
    fasp_io_let_go (io);
  }
}

/* @ready: a bit for each link. */
static void
receive_all (FaspIo * io, guint64 ready)
{
  if (io->place.port != NULL && ready != 0)
    fasp_port_receive (&io->place, io->in, io);
  else
    for (; ready != 0; ready &= ready - 1)
      receive_from (io, io->in, __builtin_ctzll (ready));
  fit_buffer (io);
}

/* Is there anything that ends somebody's wait? */
static gboolean
has_news (FaspIo * io)
{
  if (io->failed || io->ended)
    return TRUE;
  if (io->role == FASP_ROLE_RECEIVER)
    return fasp_endpoint_can_read (io->endpoint);
  return fasp_endpoint_can_write (io->endpoint)
      || fasp_endpoint_is_drained (io->endpoint);
}

/* Lock held, which is let go.  From the other threads that receive: what is to be sent,
 * and told but for that there is something to read, is the I/O thread's; as are the
 * blocks that nobody needs any more, whose memory may be an application's. */
static void
end_beside (FaspIo * io)
{
  gboolean must;

  if (io->waiters > 0 && has_news (io))
    g_cond_broadcast (&io->changed);
  must = fasp_io_must_wake (io) || (io->sleeping_until > 0 && (io->closing
          || fasp_endpoint_has_event (io->endpoint)
          || fasp_endpoint_has_forgotten (io->endpoint)));
  if (must)
    io->sleeping_until = 0;     /* as good as awake: once is enough */
  g_mutex_unlock (&io->lock);
  if (must)
    fasp_io_wake (io);
}

static void
receive_beside (FaspReceiveBatch * in, guint link, gpointer data)
{
  FaspIo *io = data;

  receive_from (io, in, link);
  g_mutex_lock (&io->lock);
  end_beside (io);
}

/* --- at a port (faspport.h) ----------------------------------------------------------- */

static void
port_begin (gpointer io)
{
  g_mutex_lock (&((FaspIo *) io)->lock);
}

static void
port_receive (gpointer io, FaspTime now, const FaspAddress * from,
    const guint8 * data, gsize size, FaspMemory * memory, gboolean marked,
    FaspRoute route)
{
  take (io, now, from, data, size, memory, marked, route);
}

static void
port_end (gpointer io, gboolean beside)
{
  if (beside)
    end_beside (io);
  else
    g_mutex_unlock (&((FaspIo *) io)->lock);    /* the rest is next for this thread */
}

static void
port_unreachable (gpointer data, FaspTime now, const FaspAddress * to)
{
  FaspIo *io = data;

  g_mutex_lock (&io->lock);
  fasp_endpoint_unreachable (io->endpoint, now, to);
  end_beside (io);
}

static void
port_relieve (gpointer data)
{
  FaspIo *io = data;

  g_atomic_int_set (&io->relieved, TRUE);
  fasp_io_wake (io);
}

static const FaspPortFunctions port_functions = {
  port_begin, port_receive, port_end, port_unreachable, port_relieve
};

/* Some of the events; FALSE: those were all. */
static gboolean
tell_some (FaspIo * io)
{
  FaspEvent events[EVENTS_BATCH];
  guint n = 0;

  g_mutex_lock (&io->lock);
  while (n < EVENTS_BATCH && fasp_endpoint_poll_event (io->endpoint,
          &events[n]))
    note_event (io, &events[n++]);
  fasp_io_let_go (io);
  for (guint i = 0; i < n; i++) {
    if (io->resolve != NULL && io->peers == NULL
        && (events[i].type == FASP_EVENT_INTERRUPTED
            || events[i].type == FASP_EVENT_REMOVED))
      fasp_resolve_again (io->resolve);
    io->event (io, &events[i], io->user_data);
  }
  return n == EVENTS_BATCH;
}

static gboolean
resolved (GSocketAddress * address, gpointer data)
{
  FaspIo *io = data;
  FaspAddress peer;

  if (!fasp_socket_convert (fasp_links_get (io->links, 0), address, &peer))
    return FALSE;
  g_mutex_lock (&io->lock);
  fasp_endpoint_dial (io->endpoint, g_get_monotonic_time (), &peer);
  fasp_io_let_go (io);
  fasp_io_wake (io);
  return TRUE;
}

static gboolean
is_settled (gpointer data)
{
  FaspIo *io = data;
  FaspEndpointStats stats;
  gboolean settled;

  g_mutex_lock (&io->lock);
  fasp_endpoint_get_stats (io->endpoint, g_get_monotonic_time (), &stats);
  settled = stats.sessions > stats.interrupted || io->failed || io->closing;
  fasp_io_let_go (io);
  return settled;
}

/* Another peer may be wanted by now: its address is looked for. */
static void
follow_peer (FaspIo * io)
{
  guint serial, wanted;

  if (io->peers == NULL)
    return;
  g_mutex_lock (&io->lock);
  wanted = fasp_endpoint_get_wanted_peer (io->endpoint, &serial);
  fasp_io_let_go (io);
  if (serial == io->peer_serial)
    return;
  fasp_resolve_free (io->resolve);
  io->peer_serial = serial;
  io->resolve = fasp_resolve_new (io->peers[wanted].host,
      io->peers[wanted].port, resolved, is_settled, io, io->resolve_failed,
      io->user_data);
}

/* Tells the application and the waiters. */
static void
tell (FaspIo * io)
{
  while (tell_some (io));
  follow_peer (io);
  /* after the events: what was agreed upon is known before data comes */
  g_mutex_lock (&io->lock);
  if (io->waiters > 0 && has_news (io))
    g_cond_broadcast (&io->changed);
  fasp_io_let_go (io);
}

static FaspTime
sleep_until (FaspIo * io)
{
  FaspTime until;

  g_mutex_lock (&io->lock);
  until = fasp_endpoint_get_timeout (io->endpoint);
  if (io->closing)
    until = MIN (until, io->close_deadline);
  /* another thread may have received since it was looked at */
  if (fasp_endpoint_has_event (io->endpoint)
      || (io->closing && fasp_endpoint_is_closed (io->endpoint)))
    until = 0;
  io->sleeping_until = MAX (until, 1);
  fasp_io_let_go (io);
  return until;
}

static void
wait_for_work (FaspIo * io, FaspTime until, gint blocked)
{
  FaspTime timeout = until == FASP_NEVER ? FASP_NEVER :
      MAX (0, until - g_get_monotonic_time ());
  gboolean woken;
  guint64 ready, ignored;

  if (blocked >= 0)
    timeout = BLOCKED_MAX;
  ready = fasp_links_wait (io->links, g_atomic_int_get (&io->relieved) ? 0 :
      io->own, io->wake_fd, &woken, blocked, timeout);
  g_mutex_lock (&io->lock);
  io->sleeping_until = 0;
  fasp_io_let_go (io);
  if (woken && read (io->wake_fd, &ignored, sizeof (ignored)) < 0)
    g_debug ("nothing to read from the event counter");
  receive_all (io, ready);
}

static gboolean
is_done (FaspIo * io)
{
  gboolean done;

  g_mutex_lock (&io->lock);
  done = io->closing && (fasp_endpoint_is_closed (io->endpoint)
      || g_get_monotonic_time () >= io->close_deadline);
  fasp_io_let_go (io);
  return done;
}

/* Once for each kind of trouble. */
static void
tell_send_error (FaspIo * io, gint error)
{
  if (error == 0 || error == io->send_error)
    return;
  io->send_error = error;
  io->send_failed (g_strerror (error), io->user_data);
}

static gpointer
run (gpointer data)
{
  FaspIo *io = data;

  /* the default of 50 µs would be added to every pacing gap */
  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  for (;;) {
    gint error, blocked;

    g_mutex_lock (&io->send_lock);
    send_due (io);
    blocked = fasp_send_batch_get_blocked (io->out);
    error = fasp_send_batch_get_error (io->out);
    g_mutex_unlock (&io->send_lock);
    tell_send_error (io, error);
    tell (io);
    if (is_done (io))           /* what was sent may have been the last */
      break;
    wait_for_work (io, sleep_until (io), blocked);
  }
  return NULL;
}

/* --- life ----------------------------------------------------------------------------- */

static gboolean
can_reach (FaspSocket * socket, GSocketAddress * address, GError ** error)
{
  g_autofree gchar *text = NULL;
  FaspAddress ignored;

  if (fasp_socket_convert (socket, address, &ignored))
    return TRUE;
  text = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address));
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE,
      "%s cannot be reached from this socket: IPv4 and IPv6 do not mix. Change "
      "localaddress, or the host.", text);
  return FALSE;
}

/* The peers behind the first, as the sockets of their flows have them. */
static gboolean
convert_others (FaspIo * io, const FaspIoSettings * settings, GError ** error)
{
  guint flowlets = MAX (settings->flowlets, 1);
  guint n = settings->n_links / flowlets;

  if (settings->others == NULL || n < 2)
    return TRUE;
  io->others = g_new0 (FaspAddress, n - 1);
  for (guint i = 0; i + 1 < n; i++) {
    FaspSocket *socket = fasp_links_get (io->links, (i + 1) * flowlets);

    if (!can_reach (socket, settings->others[i], error)
        || !fasp_socket_convert (socket, settings->others[i], &io->others[i]))
      return FALSE;
  }
  return TRUE;
}

/* Bytes of memory that blocks of what one of so many threads receives may stay in: what
 * repairs may need stays, too. */
static gsize
get_limit (const FaspIoSettings * settings, guint threads)
{
  return (settings->endpoint.buffer_size +
      (settings->endpoint.fec != FASP_FEC_OFF ? FEC_KEPT : 0)) / threads;
}

/* A receiver hears its group on a link of its own, behind the others. */
static gboolean
open_links (FaspIo * io, const FaspIoSettings * settings, GError ** error)
{
  const FaspMembership *multicast = settings->multicast;
  FaspSocketSettings links[2];

  if (multicast == NULL && settings->n_links == 1
      && settings->endpoint.mode == FASP_MODE_LISTENER) {
    if (!fasp_port_join (settings->links, settings->endpoint.role,
            settings->endpoint.streamid, get_limit (settings, 1), &io->place,
            error))
      return FALSE;
    io->links = fasp_port_get_links (&io->place);
    return TRUE;
  }
  if (multicast == NULL) {
    io->links = fasp_links_new (settings->links, settings->n_links, error);
    return io->links != NULL;
  }
  g_return_val_if_fail (settings->n_links == 1, FALSE);
  links[0] = links[1] = settings->links[0];
  links[1].local_address = multicast->group;
  links[1].local_port = multicast->port;
  links[1].joins = multicast;
  io->links = fasp_links_new (links,
      settings->endpoint.role == FASP_ROLE_SENDER ? 1 : 2, error);
  return io->links != NULL && fasp_membership_prepare (multicast,
      fasp_links_get (io->links, 0), &io->group, error);
}

/* What can fail. */
static gboolean
open_all (FaspIo * io, const FaspIoSettings * settings, GError ** error)
{
  g_autoptr (GSocketAddress) literal = NULL;

  if (!open_links (io, settings, error))
    return FALSE;
  /* a name may get other addresses; an address will stay what it is */
  if (settings->peer_host != NULL)
    literal = g_inet_socket_address_new_from_string (settings->peer_host,
        settings->peer_port);
  if (literal != NULL && !can_reach (fasp_links_get (io->links, 0), literal,
          error))
    return FALSE;
  if (!convert_others (io, settings, error))
    return FALSE;
  io->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (io->wake_fd < 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "Cannot make an event counter: %s. Check the limit of open files "
        "(`ulimit -n').", g_strerror (errno));
  return io->wake_fd >= 0;
}

static void
close_links (FaspIo * io)
{
  if (io->place.port != NULL)
    fasp_port_leave (&io->place);
  else if (io->links != NULL)
    fasp_links_free (io->links);
}

static gboolean
make_receivers (FaspIo * io, const FaspIoSettings * settings, GError ** error)
{
  guint links = fasp_links_count (io->links);
  guint threads = fasp_receivers_choose (settings->threads, links,
      g_get_num_processors ());
  gsize limit = get_limit (settings, threads);

  io->own = fasp_receivers_get_share (0, threads, links);
  io->in = fasp_receive_batch_new (limit);
  io->receivers = fasp_receivers_new (io->links, 1, threads, limit,
      receive_beside, io, error);
  return io->receivers != NULL;
}

static void
copy_peers (FaspIo * io, const FaspIoSettings * settings)
{
  if (settings->n_fallbacks == 0)
    return;
  io->n_peers = 1 + settings->n_fallbacks;
  io->peers = g_new (FaspIoPeer, io->n_peers);
  io->peers[0] = (FaspIoPeer) {
  g_strdup (settings->peer_host), settings->peer_port};
  for (guint i = 1; i < io->n_peers; i++)
    io->peers[i] = (FaspIoPeer) {
    g_strdup (settings->fallbacks[i - 1].host),
        settings->fallbacks[i - 1].port};
}

/* What there is, without the threads. */
static void
destroy (FaspIo * io)
{
  g_clear_pointer (&io->receivers, fasp_receivers_free);
  g_clear_pointer (&io->resolve, fasp_resolve_free);
  if (io->peers != NULL)
    for (guint i = 0; i < io->n_peers; i++)
      g_free ((gchar *) io->peers[i].host);
  g_free (io->peers);
  fasp_endpoint_free (io->endpoint);
  fasp_send_batch_free (io->out);
  fasp_receive_batch_free (io->in);
  close_links (io);
  g_free (io->others);
  close (io->wake_fd);
  g_mutex_clear (&io->send_lock);
  g_mutex_clear (&io->lock);
  g_cond_clear (&io->changed);
  g_free (io);
}

FaspIo *
fasp_io_new (const FaspIoSettings * settings, GError ** error)
{
  FaspIo *io = g_new0 (FaspIo, 1);
  FaspEndpointConfig config = settings->endpoint;

  if (!open_all (io, settings, error)) {
    close_links (io);
    g_free (io->others);
    g_free (io);
    return NULL;
  }
  io->out = fasp_send_batch_new (fasp_links_get_fds (io->links),
      fasp_links_count (io->links),
      settings->n_links <= MAX (settings->flowlets, 1));
  g_mutex_init (&io->send_lock);
  g_mutex_init (&io->lock);
  g_cond_init (&io->changed);
  io->event = settings->event;
  io->send_failed = settings->send_failed;
  io->buffer_short = settings->buffer_short;
  io->buffer = fasp_links_get_buffer (io->links);
  io->user_data = settings->user_data;
  io->role = settings->endpoint.role;
  io->mode = settings->endpoint.mode;
  config.flows = settings->n_links;
  config.flowlets = settings->flowlets;
  config.others = io->others;
  config.peers = 1 + settings->n_fallbacks;
  config.group = io->group;
  if (io->place.port != NULL) {
    config.gate = fasp_port_get_gate (&io->place);
    config.id_bits = FASP_ROUTES_BITS;
    config.id_prefix = fasp_port_get_prefix (&io->place);
  }
  io->endpoint = fasp_endpoint_new (&config, fasp_random_bytes, NULL);
  fasp_endpoint_expect (io->endpoint, g_get_monotonic_time ());
  if (!make_receivers (io, settings, error)) {
    destroy (io);
    return NULL;
  }
  io->resolve_failed = settings->resolve_failed;
  copy_peers (io, settings);
  if (settings->peer_host != NULL)
    io->resolve = fasp_resolve_new (settings->peer_host, settings->peer_port,
        resolved, is_settled, io, settings->resolve_failed,
        settings->user_data);
  if (io->place.port != NULL)
    fasp_port_begin (&io->place, &port_functions, io);
  io->thread = g_thread_new ("fasp-io", run, io);
  return io;
}

void
fasp_io_free (FaspIo * io)
{
  FaspTime now = g_get_monotonic_time ();

  if (io == NULL)
    return;
  g_mutex_lock (&io->lock);
  fasp_endpoint_close (io->endpoint, now, FASP_REASON_STOPPED);
  io->closing = TRUE;
  io->close_deadline = now + CLOSE_MAX;
  fasp_io_let_go (io);
  fasp_io_wake (io);
  g_thread_join (io->thread);
  if (io->place.port != NULL)
    fasp_port_end (&io->place);
  fasp_receivers_stop (io->receivers);
  destroy (io);
}

guint16
fasp_io_get_port (FaspIo * io)
{
  return fasp_socket_get_port (fasp_links_get (io->links, 0));
}

gsize
fasp_io_get_socket_buffer (FaspIo * io)
{
  return fasp_links_get_buffer (io->links);
}

FaspEndpoint *
fasp_io_lock (FaspIo * io)
{
  g_mutex_lock (&io->lock);
  return io->endpoint;
}

void
fasp_io_unlock (FaspIo * io, gboolean changed)
{
  fasp_io_let_go (io);
  if (changed)
    fasp_io_wake (io);
}

void
fasp_io_set_flushing (FaspIo * io, gboolean flushing)
{
  if (io == NULL)
    return;
  g_mutex_lock (&io->lock);
  io->flushing = flushing;
  g_cond_broadcast (&io->changed);
  fasp_io_let_go (io);
}
