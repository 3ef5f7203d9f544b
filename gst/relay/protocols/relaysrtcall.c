/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspstreamid.h"
#include "relaynetwork.h"
#include "relayprotocol.h"
#include "relaysrtcall.h"
#include "relaysrtsocket.h"
#include "relaysrtthread.h"

#define REFUSED_MAX 64 /* at a port, that wait to be reported */

/* States of a call; relaysrtcall.h draws them. */
typedef enum
{
  LET_IN, /* its handshake goes on; or it is dialled */
  REFUSED,
  FAILED, /* to connect, after it was let in */
  HELD,
  CONNECTED,
} CallState;

typedef struct
{
  RelaySrtPeer peer;
  SRTSOCKET listener;  /* 0: it is dialled; so are the next three */
  guint64 number;      /* of callers, in the order in which they came, from 1 */
  const gchar *reason; /* why the caller was refused, until that is reported */
  gboolean stray;      /* the caller's streamid is that of no end: `end' was there first */
  gchar *refusal;      /* why a caller that is held may not come in; NULL: it may */
  gint answered;       /* atomic: `refusal' holds */
  RelaySrtEnd *end;
  CallState state; /* under the work */
  gboolean heard;  /* data came */
} Call;

static struct
{
  GMutex lock;        /* guards the rest */
  GHashTable *all;    /* Call, by socket */
  GPtrArray *waiting; /* Call, of callers that are not connected, in the order in which they came */
  guint64 callers;    /* that came */
} calls;

static Call *
find_call (SRTSOCKET socket)
{
  Call *call;

  g_mutex_lock (&calls.lock);
  call = g_hash_table_lookup (calls.all, GINT_TO_POINTER (socket));
  g_mutex_unlock (&calls.lock);
  return call;
}

/* Takes the reference of @address. Under the lock. */
static Call *
add_call (SRTSOCKET socket, RelaySrtEnd *end, GSocketAddress *address)
{
  Call *call = g_new0 (Call, 1);

  call->peer = (RelaySrtPeer) { .socket = socket, .address = address };
  call->end = end;
  g_hash_table_insert (calls.all, GINT_TO_POINTER (socket), call);
  return call;
}

/* --- in any thread ---------------------------------------------------------------------------- */

static guint64
get_network (GSocketAddress *address)
{
  GInetAddress *host = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address));

  return relay_network_get (g_inet_address_to_bytes (host), g_inet_address_get_native_size (host));
}

/* Counts callers of a listener that are not connected. @network: 0: any. Under the lock. */
static guint
count_waiting (SRTSOCKET listener, gboolean refused, guint64 network)
{
  guint n = 0;

  for (guint i = 0; i < calls.waiting->len; i++) {
    const Call *call = g_ptr_array_index (calls.waiting, i);

    n += call->listener == listener && (call->reason != NULL) == refused
        && (network == 0 || network == get_network (call->peer.address));
  }
  return n;
}

gboolean
relay_srt_call_has_room (SRTSOCKET listener, GSocketAddress *address)
{
  gboolean has;

  g_mutex_lock (&calls.lock);
  has = relay_network_may_have (count_waiting (listener, FALSE, get_network (address)),
      RELAY_SRT_LET_IN_MAX - count_waiting (listener, FALSE, 0));
  g_mutex_unlock (&calls.lock);
  return has;
}

void
relay_srt_call_add (SRTSOCKET listener, SRTSOCKET socket, RelaySrtEnd *end, GSocketAddress *address,
    const gchar *streamid, const gchar *reason, gboolean stray)
{
  g_autofree gchar *shown = fasp_streamid_show (streamid);
  Call *call;

  g_mutex_lock (&calls.lock);
  if (reason == NULL || count_waiting (listener, TRUE, 0) < REFUSED_MAX) {
    call = add_call (socket, end, g_object_ref (address));
    call->listener = listener;
    call->number = ++calls.callers;
    call->state = reason != NULL ? REFUSED : LET_IN;
    call->peer.streamid = g_utf8_make_valid (shown, -1);
    call->reason = reason;
    call->stray = stray;
    g_ptr_array_add (calls.waiting, call);
  }
  g_mutex_unlock (&calls.lock);
}

void
relay_srt_call_decide (guint64 caller, const gchar *refusal)
{
  g_mutex_lock (&calls.lock);
  for (guint i = 0; i < calls.waiting->len; i++) {
    Call *call = g_ptr_array_index (calls.waiting, i);

    if (call->number == caller) {
      call->refusal = g_strdup (refusal);
      g_atomic_int_set (&call->answered, TRUE);
    }
  }
  g_mutex_unlock (&calls.lock);
}

/* --- under the work --------------------------------------------------------------------------- */

/* Ends a call.  @reason: of one that was connected; NULL: none is known. */
static void
hang_up (Call *call, const gchar *reason)
{
  relay_srt_unwatch (call->peer.socket);
  g_mutex_lock (&calls.lock);
  g_hash_table_remove (calls.all, GINT_TO_POINTER (call->peer.socket));
  g_ptr_array_remove (calls.waiting, call);
  g_mutex_unlock (&calls.lock);
  relay_srt_end_remove (call->end, &call->peer);
  srt_close (call->peer.socket);
  if (call->state == CONNECTED)
    relay_protocol_pipeline_note_caller (call->end->pipeline, call->peer.address,
        call->peer.streamid, FALSE, reason);
  g_object_unref (call->peer.address);
  g_free (call->peer.streamid);
  g_free (call->refusal);
  g_free (call);
}

static void
begin_call (Call *call)
{
  RelaySrtEnd *end = call->end;
  RelaySrtPeer *replaced = relay_srt_end_find_replaced (end);

  if (replaced != NULL)
    hang_up ((Call *) replaced, "another sender has taken its place");
  g_mutex_lock (&calls.lock);
  g_ptr_array_remove (calls.waiting, call);
  g_mutex_unlock (&calls.lock);
  call->state = CONNECTED;
  relay_protocol_pipeline_note_caller (end->pipeline, call->peer.address, call->peer.streamid, TRUE,
      NULL);
  relay_srt_end_add (end, &call->peer);
  relay_srt_watch (call->peer.socket, end->element != NULL ? SRT_EPOLL_IN : 0);
}

/* Ends the call of a caller that was let in, and is not connected.  It keeps its room at the port
 * until libsrt has freed its buffers, a second later.  @reason: why it is refused; NULL: it has
 * gone. */
static void
fail_call (Call *call, const gchar *reason)
{
  call->state = FAILED;
  relay_srt_unwatch (call->peer.socket);
  srt_close (call->peer.socket);
  if (reason == NULL)
    return;
  relay_protocol_pipeline_refuse (call->end->pipeline, RELAY_CALLERS_REFUSED, call->peer.address,
      call->peer.streamid, reason);
}

/* Connects a caller, unless its stream's application refuses it, or the end has no room. */
static void
take_answer (Call *call)
{
  const gchar *refusal = call->refusal;

  if (refusal == NULL && relay_srt_end_look_for_room (call->end, &refusal) == 0)
    begin_call (call);
  else
    fail_call (call, refusal);
}

/* The caller's handshake has succeeded.  Others may have come since libsrt's thread looked for
 * room, so the end looks again.  While it is asked whether it may come in, it gets nothing, and
 * what it sends is dropped. */
static void
hold_call (Call *call)
{
  g_autofree gchar *streamid = relay_srt_socket_get_streamid (call->peer.socket);

  call->state = HELD;
  relay_srt_watch (call->peer.socket, SRT_EPOLL_IN);
  if (!relay_protocol_pipeline_asks (call->end->pipeline, call->peer.address, streamid,
          call->number))
    take_answer (call);
  explicit_bzero (streamid, strlen (streamid));
}

/* SRT has ended a call. */
static void
take_end (Call *call)
{
  RelaySrtEnd *end = call->end;
  gboolean connected = call->state == CONNECTED;
  g_autofree gchar *why = NULL;

  if (call->listener != 0 && !connected) {
    fail_call (call, NULL);
    return;
  }
  if (call->listener != 0) {
    hang_up (call, NULL);
    return;
  }
  why = connected ? g_strdup ("the other side has gone.") :
                    relay_srt_socket_explain (call->peer.socket, call->peer.address);
  /* the reason of a caller that has gone is part of a sentence */
  hang_up (call, connected ? "the other side has gone" : why);
  relay_srt_end_fail (end, why);
}

/* Passes on a message of a caller; of one that only listens, or is held, drops it. FALSE: it sends
 * nothing more. No more than one at a time, as libsrt throws an exception where there is none. */
static gboolean
receive (Call *call)
{
  gchar data[SRT_LIVE_MAX_PLSIZE];
  int size = srt_recvmsg (call->peer.socket, data, sizeof data);

  if (size <= 0)
    return size < 0 && srt_getlasterror (NULL) == SRT_EASYNCRCV;
  if (call->state == HELD) {
    relay_protocol_pipeline_count (call->end->pipeline, RELAY_DATAGRAMS_REFUSED);
    return TRUE;
  }
  if (relay_srt_end_take (call->end, &call->peer, data, size, !call->heard))
    relay_protocol_pipeline_note_takeover (call->end->pipeline, call->peer.address,
        call->peer.streamid);
  call->heard = TRUE;
  return TRUE;
}

static void
accept_call (SRTSOCKET listener)
{
  SRTSOCKET socket = srt_accept (listener, NULL, NULL);
  Call *call = find_call (socket);

  if (call != NULL)
    hold_call (call);
  else if (socket != SRT_INVALID_SOCK) /* its end was closed meanwhile */
    srt_close (socket);
}

static void
take_event (SRTSOCKET socket, int events)
{
  Call *call = find_call (socket);

  if (call == NULL)
    accept_call (socket);
  else if (call->state == LET_IN && srt_getsockstate (socket) == SRTS_CONNECTED)
    begin_call (call);
  else if ((call->state != HELD && call->state != CONNECTED) || (events & SRT_EPOLL_IN) == 0
      || !receive (call))
    take_end (call);
}

static void
look_at_call (Call *call)
{
  SRT_SOCKSTATUS state = srt_getsockstate (call->peer.socket);

  switch (call->state) {
    case REFUSED:
      relay_protocol_pipeline_note_refusal (call->end->pipeline, call->peer.address,
          call->peer.streamid, call->reason, call->stray ? call->end->uri->port : 0);
      hang_up (call, NULL);
      break;
    case LET_IN:
      if (state > SRTS_CONNECTED)
        fail_call (call, "it was not connected: set the same passphrase, or none, on both ends");
      break;
    case FAILED:
      if (state == SRTS_NONEXIST)
        hang_up (call, NULL);
      break;
    case HELD:
      if (g_atomic_int_get (&call->answered))
        take_answer (call);
      break;
    case CONNECTED:
      break;
  }
}

/* Reports refusals in the order in which the calls came, also of callers whose handshake has failed
 * after they were let in.  Takes the answers about those that are held. */
static void
look (void)
{
  g_autoptr (GPtrArray) all = NULL;

  g_mutex_lock (&calls.lock);
  all = g_ptr_array_copy (calls.waiting, NULL, NULL);
  g_mutex_unlock (&calls.lock);
  for (guint i = 0; i < all->len; i++)
    look_at_call (g_ptr_array_index (all, i));
}

gboolean
relay_srt_call_dial (RelaySrtEnd *end, const RelayProtocolUri *uri, GError **error)
{
  guint from = relay_srt_socket_get_local_port (uri);
  struct sockaddr_storage native;
  GSocketAddress *to;
  SRTSOCKET socket;
  Call *call;

  if (from != 0 && !relay_srt_wait_for_closed (from, error))
    return FALSE;
  socket = relay_srt_socket_new (uri);
  to = g_inet_socket_address_new_from_string (uri->host, uri->port);
  g_mutex_lock (&calls.lock);
  call = add_call (socket, end, to);
  g_mutex_unlock (&calls.lock);
  relay_srt_watch (socket, SRT_EPOLL_OUT);
  if (g_socket_address_to_native (to, &native, sizeof native, NULL)
      && relay_srt_socket_set (socket, uri) && relay_srt_socket_bind_dialling (socket, uri)
      && srt_connect (socket, (struct sockaddr *) &native, g_socket_address_get_native_size (to))
          == 0)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE,
      "it cannot dial: %s: check the address, the localport and the interface.",
      srt_getlasterror_str ());
  hang_up (call, NULL);
  return FALSE;
}

/* --- all calls -------------------------------------------------------------------------------- */

gboolean
relay_srt_call_start (GError **error)
{
  if (calls.all == NULL) {
    calls.all = g_hash_table_new (NULL, NULL);
    calls.waiting = g_ptr_array_new ();
  }
  return relay_srt_start_thread (take_event, look, error);
}

static Call *
find (GHRFunc matches, gpointer what)
{
  Call *call;

  g_mutex_lock (&calls.lock);
  call = g_hash_table_find (calls.all, matches, what);
  g_mutex_unlock (&calls.lock);
  return call;
}

static gboolean
is_of (gpointer socket, gpointer call, gpointer end)
{
  return ((Call *) call)->end == end;
}

void
relay_srt_call_end_all (RelaySrtEnd *end)
{
  Call *call;

  while ((call = find (is_of, end)) != NULL)
    hang_up (call, NULL);
}

static gboolean
is_from (gpointer socket, gpointer call, gpointer port)
{
  return relay_srt_socket_get_local_port (((Call *) call)->end->uri) == GPOINTER_TO_UINT (port);
}

gboolean
relay_srt_call_comes_from (guint port)
{
  return find (is_from, GUINT_TO_POINTER (port)) != NULL;
}
