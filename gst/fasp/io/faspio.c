/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "faspio.h"
#include "faspgroupplace.h"
#include "fasplanes.h"
#include "faspmeter.h"
#include "faspport.h"
#include "fasprandom.h"
#include "faspreceivebatch.h"
#include "faspreceivers.h"
#include "faspresolve.h"

#define CLOSE_MAX FASP_SEC
/* More than errno has (133 with Linux). */
#define ERRORS_MAX 256
/* Interfaces that went are looked for that often. */
#define FOLLOW_EVERY FASP_SEC
/* Events are few; what does not fit waits for the next turn. */
#define EVENTS_BATCH 16
/* Full batches received before anything else is looked at. */
#define BATCHES_MAX 4
/* Datagrams received under one lock. */
#define LOCKED_MAX 64
/* On which a receiver hears a group; all else is said on the one before. */
#define GROUP_LINK 1
/* Bytes of memory that the blocks of repairs lie in at most. */
#define FEC_KEPT (20 << 20)

struct _FaspIo
{
  FaspGuard guard;
  GCond changed;                /* something a waiter may be waiting for */
  FaspPortPlace place;          /* at a port that may have others, too, */
  FaspLinks *links;             /* which the links are those of then */
  FaspGroupPlace *group_place;  /* NULL: none that may move */
  FaspAddress *others;
  FaspLanes *lanes;             /* the first is the thread's, or the writer's */
  FaspReceiveBatch *in;         /* the thread's */
  guint64 own;                  /* links that it receives from; the others: */
  FaspReceivers *receivers;
  gint relieved;                /* it receives from none, the port does; atomic */
  GThread *thread;
  FaspIoEventFunc event;
  FaspIoSendFunc send_failed;
  FaspIoBufferFunc buffer_short;
  gsize buffer;                 /* as it is now, or enough of that */
  gboolean told[ERRORS_MAX];    /* by errno, of what does not leave; the thread's */
  FaspTime follow_at;           /* the thread's; FASP_NEVER: nothing is of an interface */
  gpointer user_data;
  FaspResolve *resolve;         /* the thread's, once that runs */
  FaspIoPeer *peers;            /* the one to be called, and its fallbacks; NULL: none */
  guint n_peers;
  guint peer_serial;            /* of the one being resolved; the thread's */
  FaspIoResolveFunc resolve_failed;
  FaspRole role;
  FaspMode mode;

  /* under the guard */
  FaspTime newest;              /* datagram's time */
  FaspMeter arriving;           /* what the sockets' buffers are for */
  gboolean flushing, closing, failed, ended;
  FaspEvent failed_event, ended_event;
  guint waiters;
  FaspTime close_deadline;
  FaspAddress group;            /* of a multicast, from the first link */
};

/* Is there anything that ends somebody's wait? */
static gboolean
has_news (FaspIo * io)
{
  if (io->failed || io->ended)
    return TRUE;
  if (io->role == FASP_ROLE_RECEIVER)
    return fasp_endpoint_can_read (io->guard.endpoint);
  return fasp_endpoint_can_write (io->guard.endpoint)
      || fasp_endpoint_is_drained (io->guard.endpoint);
}

/* With the guard held. */
static void
tell_waiters (FaspIo * io)
{
  if (io->waiters > 0 && has_news (io))
    g_cond_broadcast (&io->changed);
}

/* With the guard held, from any thread but the I/O thread: what is to be sent, and told but
 * for that there is something to read, is that one's. */
static void
rouse (FaspLanes * lanes, gpointer data)
{
  FaspIo *io = data;

  tell_waiters (io);
  if (fasp_lanes_oversleeps (lanes) || (fasp_lanes_is_asleep (lanes)
          && (io->closing || fasp_endpoint_has_event (io->guard.endpoint))))
    fasp_lanes_rouse (lanes);
  fasp_lanes_rouse_others (lanes);
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

/* The writer sends by itself what may leave now, which spares the thread a
 * wake-up for each write; what must wait is the thread's. */
static void
send_or_wake (FaspIo * io)
{
  gboolean must = !fasp_lanes_try_send (io->lanes);

  if (!must) {
    fasp_guard_lock (&io->guard);
    must = fasp_lanes_oversleeps (io->lanes);
    fasp_guard_unlock (&io->guard);
  }
  if (must)
    fasp_lanes_wake (io->lanes);
}

/* The faster the stream, the more comes while the thread waits for its turn. */
static void
fit_buffer (FaspIo * io)
{
  guint n = fasp_links_count (io->links);
  gsize needed, granted;
  guint64 rate;

  fasp_guard_lock (&io->guard);
  rate = io->arriving.rate;
  fasp_guard_unlock (&io->guard);
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

/* With the guard held. */
static void
take (FaspIo * io, FaspTime now, const FaspAddress * from, const guint8 * data,
    gsize size, FaspMemory * memory, gboolean marked, FaspRoute route)
{
  /* of several threads one may have been held up */
  io->newest = MAX (now, io->newest);
  fasp_meter_add (&io->arriving, io->newest, size);
  fasp_endpoint_receive_routed (io->guard.endpoint, io->newest, from, data,
      size, memory, marked, route);
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

    fasp_guard_lock (&io->guard);
    for (guint n = 0; (data = fasp_receive_batch_next (in, &size, &address,
                &memory, &marked)) != NULL; n++) {
      if (n % LOCKED_MAX == LOCKED_MAX - 1) {   /* let the others in */
        fasp_guard_unlock (&io->guard);
        fasp_guard_lock (&io->guard);
      }
      address.link = link;
      take (io, now, &address, data, size, memory, marked, FASP_ROUTE_HERE);
    }
    fasp_lanes_rouse_others (io->lanes);
    fasp_guard_unlock (&io->guard);
    if (all)
      break;
  }
  /* anybody can forge them: datagrams are not to wait for all */
  for (guint i = 0; i < FASP_REPORTS_AT_ONCE
      && fasp_socket_get_unreachable (fasp_links_get (io->links, link),
          &address); i++) {
    address.link = link;
    fasp_guard_lock (&io->guard);
    fasp_endpoint_unreachable (io->guard.endpoint, g_get_monotonic_time (),
        &address);
    fasp_guard_unlock (&io->guard);
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

/* From the other threads that receive. */
static void
receive_beside (FaspReceiveBatch * in, guint link, gpointer data)
{
  FaspIo *io = data;

  receive_from (io, in, link);
  fasp_guard_lock (&io->guard);
  rouse (io->lanes, io);
  fasp_guard_unlock (&io->guard);
}

/* --- at a port (faspport.h) ----------------------------------------------------------- */

static void
port_begin (gpointer io)
{
  fasp_guard_lock (&((FaspIo *) io)->guard);
}

static void
port_receive (gpointer io, FaspTime now, const FaspAddress * from,
    const guint8 * data, gsize size, FaspMemory * memory, gboolean marked,
    FaspRoute route)
{
  take (io, now, from, data, size, memory, marked, route);
}

/* The port's lock is held. */
static void
port_end (gpointer data, gboolean beside)
{
  FaspIo *io = data;
  gboolean asleep;

  if (beside)
    rouse (io->lanes, io);
  else
    fasp_lanes_rouse_others (io->lanes);
  asleep = beside && fasp_lanes_is_asleep (io->lanes);
  if (fasp_guard_unlock_only (&io->guard) && asleep)
    fasp_lanes_wake (io->lanes);
}

static void
port_unreachable (gpointer data, FaspTime now, const FaspAddress * to)
{
  FaspIo *io = data;

  fasp_guard_lock (&io->guard);
  fasp_endpoint_unreachable (io->guard.endpoint, now, to);
  port_end (io, TRUE);
}

static void
port_relieve (gpointer data)
{
  FaspIo *io = data;

  g_atomic_int_set (&io->relieved, TRUE);
  fasp_lanes_wake (io->lanes);
}

static const FaspPortFunctions port_functions = {
  port_begin, port_receive, port_end, port_unreachable, port_relieve
};

/* --- what is told ------------------------------------------------------------------------ */

/* Some of the events; FALSE: those were all. */
static gboolean
tell_some (FaspIo * io)
{
  FaspEvent events[EVENTS_BATCH];
  guint n = 0;

  fasp_guard_lock (&io->guard);
  while (n < EVENTS_BATCH && fasp_endpoint_poll_event (io->guard.endpoint,
          &events[n]))
    note_event (io, &events[n++]);
  fasp_guard_unlock (&io->guard);
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
  fasp_guard_lock (&io->guard);
  fasp_endpoint_dial (io->guard.endpoint, g_get_monotonic_time (), &peer);
  fasp_guard_unlock (&io->guard);
  fasp_lanes_wake (io->lanes);
  return TRUE;
}

static gboolean
is_settled (gpointer data)
{
  FaspIo *io = data;
  FaspEndpointStats stats;
  gboolean settled;

  fasp_guard_lock (&io->guard);
  fasp_endpoint_get_stats (io->guard.endpoint, g_get_monotonic_time (), &stats);
  settled = stats.sessions > stats.interrupted || io->failed || io->closing;
  fasp_guard_unlock (&io->guard);
  return settled;
}

/* Another peer may be wanted by now: its address is looked for. */
static void
follow_peer (FaspIo * io)
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
  io->peer_serial = serial;
  io->resolve = fasp_resolve_new (io->peers[wanted].host,
      io->peers[wanted].port, resolved, is_settled, io, io->resolve_failed,
      io->user_data, &error);
  if (io->resolve == NULL)      /* the next has its turn in any case */
    io->resolve_failed (io->peers[wanted].host, error, io->user_data);
}

/* Tells the application and the waiters. */
static void
tell (FaspIo * io)
{
  while (tell_some (io));
  follow_peer (io);
  /* after the events: what was agreed upon is known before data comes */
  fasp_guard_lock (&io->guard);
  tell_waiters (io);
  fasp_guard_unlock (&io->guard);
}

static void
follow_interfaces (FaspIo * io)
{
  FaspTime now;

  if (io->follow_at == FASP_NEVER)
    return;
  now = g_get_monotonic_time ();
  if (now < io->follow_at)
    return;
  io->follow_at = now + FOLLOW_EVERY;
  if (io->place.port != NULL)
    fasp_port_follow_interface (&io->place);
  else
    fasp_links_follow_interfaces (io->links);
  if (io->group_place != NULL)
    fasp_group_place_follow (io->group_place);
}

static FaspTime
sleep_until (FaspIo * io)
{
  FaspTime until;

  fasp_guard_lock (&io->guard);
  fasp_lanes_rouse_others (io->lanes);
  until = MIN (io->follow_at,
      fasp_endpoint_get_lane_timeout (io->guard.endpoint, 0));
  if (io->closing)
    until = MIN (until, io->close_deadline);
  /* another thread may have received since it was looked at */
  if (fasp_endpoint_has_event (io->guard.endpoint)
      || (io->closing && fasp_endpoint_is_closed (io->guard.endpoint)))
    until = 0;
  fasp_lanes_fall_asleep (io->lanes, until);
  fasp_guard_unlock (&io->guard);
  return until;
}

static void
wait_for_work (FaspIo * io, FaspTime until, gint blocked)
{
  guint64 own = g_atomic_int_get (&io->relieved) ? 0 : io->own;

  receive_all (io, fasp_lanes_wait (io->lanes, own, until, blocked));
}

static gboolean
is_done (FaspIo * io)
{
  gboolean done;

  fasp_guard_lock (&io->guard);
  done = io->closing && (fasp_endpoint_is_closed (io->guard.endpoint)
      || g_get_monotonic_time () >= io->close_deadline);
  fasp_guard_unlock (&io->guard);
  return done;
}

/* Once for each kind of trouble: several lines, or lanes, may each have one of their own. */
static void
tell_send_error (FaspIo * io, gint error)
{
  if (error <= 0 || error >= ERRORS_MAX || io->told[error])
    return;
  io->told[error] = TRUE;
  io->send_failed (g_strerror (error), io->user_data);
}

static gpointer
run (gpointer data)
{
  FaspIo *io = data;

  /* the default of 50 µs would be added to every pacing gap */
  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  for (;;) {
    gint blocked = fasp_lanes_send (io->lanes);

    tell_send_error (io, fasp_lanes_take_error (io->lanes));
    tell (io);
    follow_interfaces (io);
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
  FaspSocketSettings links[GROUP_LINK + 1];

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
  links[0] = links[GROUP_LINK] = settings->links[0];
  links[GROUP_LINK].local_address = multicast->group;
  links[GROUP_LINK].local_port = multicast->port;
  links[GROUP_LINK].joins = multicast;
  io->links = fasp_links_new (links,
      settings->endpoint.role == FASP_ROLE_SENDER ? 1 :
      G_N_ELEMENTS (links), error);
  if (io->links == NULL || !fasp_membership_prepare (multicast,
          fasp_links_get (io->links, 0), &io->group, error))
    return FALSE;
  io->group_place = fasp_group_place_new (multicast,
      fasp_links_get (io->links, 0), settings->endpoint.role ==
      FASP_ROLE_SENDER ? NULL : fasp_links_get (io->links, GROUP_LINK));
  return TRUE;
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
  return convert_others (io, settings, error);
}

static void
close_links (FaspIo * io)
{
  fasp_group_place_free (io->group_place);
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

/* What there is, without the thread, and those that receive. */
static void
destroy (FaspIo * io)
{
  if (io->lanes != NULL)
    fasp_lanes_stop (io->lanes);
  g_clear_pointer (&io->receivers, fasp_receivers_free);
  g_clear_pointer (&io->resolve, fasp_resolve_free);
  if (io->peers != NULL)
    for (guint i = 0; i < io->n_peers; i++)
      g_free ((gchar *) io->peers[i].host);
  g_free (io->peers);
  fasp_endpoint_free (io->guard.endpoint);
  fasp_lanes_free (io->lanes);
  fasp_receive_batch_free (io->in);
  close_links (io);
  g_free (io->others);
  g_mutex_clear (&io->guard.mutex);
  g_cond_clear (&io->changed);
  g_free (io);
}

/* Without the thread. */
static void
end (FaspIo * io)
{
  if (io->place.port != NULL)
    fasp_port_end (&io->place);
  fasp_receivers_stop (io->receivers);
  destroy (io);
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
  g_mutex_init (&io->guard.mutex);
  g_cond_init (&io->changed);
  io->event = settings->event;
  io->send_failed = settings->send_failed;
  io->buffer_short = settings->buffer_short;
  io->buffer = fasp_links_get_buffer (io->links);
  io->user_data = settings->user_data;
  io->follow_at = io->group_place != NULL
      || fasp_links_have_interfaces (io->links) ? 0 : FASP_NEVER;
  io->role = settings->endpoint.role;
  io->mode = settings->endpoint.mode;
  config.flows = settings->n_links;
  config.flowlets = settings->flowlets;
  config.others = io->others;
  config.peers = 1 + settings->n_fallbacks;
  config.group = io->group;
  config.group_link = GROUP_LINK;
  if (io->place.port != NULL) {
    config.gate = fasp_port_get_gate (&io->place);
    config.id_bits = FASP_ROUTES_BITS;
    config.id_prefix = fasp_port_get_prefix (&io->place);
  }
  /* who has one peer, or one group, has nothing to deal out */
  config.lanes = io->role == FASP_ROLE_SENDER && io->mode == FASP_MODE_LISTENER
      && settings->multicast == NULL ? fasp_lanes_choose (settings->threads,
      g_get_num_processors ()) : 1;
  io->guard.endpoint = fasp_endpoint_new (&config, fasp_random_bytes, NULL);
  fasp_endpoint_expect (io->guard.endpoint, g_get_monotonic_time ());
  io->lanes = fasp_lanes_new (&io->guard, io->links,
      settings->n_links <= MAX (settings->flowlets, 1), rouse, io, error);
  if (io->lanes == NULL || !make_receivers (io, settings, error)) {
    destroy (io);
    return NULL;
  }
  io->resolve_failed = settings->resolve_failed;
  copy_peers (io, settings);
  if (settings->peer_host != NULL) {
    io->resolve = fasp_resolve_new (settings->peer_host, settings->peer_port,
        resolved, is_settled, io, settings->resolve_failed,
        settings->user_data, error);
    if (io->resolve == NULL) {
      end (io);
      return NULL;
    }
  }
  if (io->place.port != NULL)
    fasp_port_begin (&io->place, &port_functions, io);
  io->thread = g_thread_try_new ("fasp-io", run, io, error);
  if (io->thread == NULL) {
    g_prefix_error (error, "Cannot start its thread: ");
    end (io);
    return NULL;
  }
  return io;
}

void
fasp_io_free (FaspIo * io)
{
  FaspTime now = g_get_monotonic_time ();

  if (io == NULL)
    return;
  fasp_guard_lock (&io->guard);
  fasp_endpoint_close (io->guard.endpoint, now, FASP_REASON_STOPPED);
  io->closing = TRUE;
  io->close_deadline = now + CLOSE_MAX;
  fasp_guard_unlock (&io->guard);
  fasp_lanes_wake (io->lanes);
  g_thread_join (io->thread);
  end (io);
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

gboolean
fasp_io_is_early (FaspIo * io, guint link)
{
  return fasp_socket_is_early (fasp_links_get (io->links, link));
}

FaspEndpoint *
fasp_io_lock (FaspIo * io)
{
  fasp_guard_lock (&io->guard);
  return io->guard.endpoint;
}

void
fasp_io_unlock (FaspIo * io, gboolean changed)
{
  changed |= fasp_guard_unlock_only (&io->guard);
  if (changed)
    fasp_lanes_wake (io->lanes);
}

void
fasp_io_set_flushing (FaspIo * io, gboolean flushing)
{
  if (io == NULL)
    return;
  fasp_guard_lock (&io->guard);
  io->flushing = flushing;
  g_cond_broadcast (&io->changed);
  /* whoever lets go of the application's memory is not to hold what the caller holds */
  fasp_io_unlock (io, FALSE);
}

/* --- the stream -------------------------------------------------------------------------- */

/* Lock held. Is there no point in going on writing? */
static gboolean
is_over (FaspIo * io, FaspIoResult * result, FaspEvent * event)
{
  if (io->failed)
    *event = io->failed_event;
  if (io->flushing || io->failed)
    *result = io->flushing ? FASP_IO_FLUSHING : FASP_IO_FAILED;
  return io->flushing || io->failed;
}

static void
wait_for_change (FaspIo * io)
{
  io->waiters++;
  g_cond_wait (&io->changed, &io->guard.mutex);
  io->waiters--;
}

/* Lock held. Moves *done as far as there is room; TRUE: to the end. */
static gboolean
write_pieces (FaspIo * io, FaspTime media_time, const FaspIoPiece * pieces,
    guint n, gsize * done)
{
  FaspTime now = g_get_monotonic_time ();
  gsize start = 0;

  for (guint i = 0; i < n; start += pieces[i++].size) {
    const FaspPlace *place = pieces[i].place.known ? &pieces[i].place : NULL;
    FaspTime written = place != NULL ? pieces[i].media_time : media_time;
    gsize from = *done - start, taken;

    if (*done >= start + pieces[i].size)
      continue;
    if (from == 0 && !fasp_endpoint_set_place (io->guard.endpoint, now, written,
            place))
      return FALSE;
    if (from == 0 && pieces[i].is_key)
      fasp_endpoint_begin_key_frame (io->guard.endpoint, now, written);
    taken = fasp_endpoint_write (io->guard.endpoint, now, written,
        pieces[i].data + from, pieces[i].size - from, pieces[i].memory);
    *done += taken;
    if (taken < pieces[i].size - from)
      return FALSE;
  }
  return TRUE;
}

FaspIoResult
fasp_io_write (FaspIo * io, FaspTime media_time,
    const FaspIoPiece * pieces, guint n, gsize * done, FaspEvent * event)
{
  FaspIoResult result = FASP_IO_OK;
  gboolean all = FALSE, must = FALSE;

  fasp_guard_lock (&io->guard);
  while (!all) {
    if (is_over (io, &result, event))
      break;
    all = write_pieces (io, media_time, pieces, n, done);
    must = fasp_lanes_oversleeps (io->lanes);
    fasp_lanes_rouse_others (io->lanes);
    if (all)
      break;
    if (must)
      fasp_lanes_wake (io->lanes);
    wait_for_change (io);
  }
  fasp_guard_unlock (&io->guard);
  if (all && must)
    send_or_wake (io);
  return result;
}

FaspIoResult
fasp_io_drain (FaspIo * io, guint64 * lost, FaspEvent * event)
{
  FaspIoResult result = FASP_IO_OK;
  FaspEndpointStats stats;

  fasp_guard_lock (&io->guard);
  while (!fasp_endpoint_can_finish (io->guard.endpoint)
      && !is_over (io, &result, event))
    wait_for_change (io);
  if (result == FASP_IO_OK) {
    fasp_endpoint_finish (io->guard.endpoint, g_get_monotonic_time ());
    fasp_lanes_wake (io->lanes);
  }
  while (result == FASP_IO_OK && !fasp_endpoint_is_drained (io->guard.endpoint)
      && !is_over (io, &result, event))
    wait_for_change (io);
  fasp_endpoint_get_stats (io->guard.endpoint, g_get_monotonic_time (), &stats);
  *lost = stats.bytes_unconfirmed;
  fasp_guard_unlock (&io->guard);
  return result;
}

FaspIoResult
fasp_io_read (FaspIo * io, FaspIoItem * items, guint max, guint * n,
    FaspEvent * event)
{
  FaspIoResult result = FASP_IO_OK;
  gboolean must;

  *n = 0;
  fasp_guard_lock (&io->guard);
  for (;;) {
    FaspTime now = g_get_monotonic_time ();

    if (io->flushing) {
      result = FASP_IO_FLUSHING;
      break;
    }
    while (*n < max) {
      FaspBlock *block = fasp_endpoint_read (io->guard.endpoint, now);

      if (block == NULL)
        break;
      items[*n].block = block;
      items[*n].place = fasp_endpoint_get_stand (io->guard.endpoint);
      items[*n].place.offset = block->offset;
      items[*n].arrival = fasp_endpoint_map_media_time (io->guard.endpoint,
          block->media_time);
      (*n)++;
      if (block->flags & FASP_BLOCK_EOS)
        break;
    }
    if (*n > 0)
      break;
    if (io->ended) {
      io->ended = FALSE;
      *event = io->ended_event;
      result = FASP_IO_ENDED;
      break;
    }
    if (io->failed) {
      *event = io->failed_event;
      result = FASP_IO_FAILED;
      break;
    }
    /* what was taken may have been marks, or known, and the last of a session */
    if (fasp_lanes_oversleeps (io->lanes))
      fasp_lanes_wake (io->lanes);
    wait_for_change (io);
  }
  must = fasp_lanes_oversleeps (io->lanes);
  fasp_guard_unlock (&io->guard);
  if (must)
    fasp_lanes_wake (io->lanes);
  return result;
}
