/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syslog.h>
#include <unistd.h>
#include <gst/app/app.h>
#include <srt/access_control.h>
#include "relayallowed.h"
#include "relaydial.h"
#include "relayfields.h"
#include "relayprotocol.h"
#include "relaysrtname.h"
#include "relaysrtport.h"
#include "relaysrtsocket.h"

#define TICK 100  /* ms between two looks at calls that are let in or refused */
#define EVENTS 64 /* handled at a time */
/* A sender that is connected and has sent nothing for this long gives way to another one: as
 * encoders send several times a second, it is gone, and SRT will notice that seconds later. */
#define SILENCE (G_TIME_SPAN_SECOND / 2)
#define LET_IN_MAX 64    /* at a port, also those that wait to be accepted, or have failed */
#define CALLERS_MAX 1000 /* of an output */
#define REFUSED_MAX 64   /* at a port, that wait to be reported */
/* How long an end that closes waits for acknowledgements, and how often it looks: µs. */
#define FLUSH (G_USEC_PER_SEC / 5)
#define FLUSH_EACH 5000
#define END 1 /* s; how long the process waits for libsrt when it ends */

typedef struct
{
  gchar *name; /* ADDRESS PORT */
  guint number;
  SRTSOCKET socket;
  gint fd;               /* of its UDP socket; -1: an end that dials has it, too */
  GPtrArray *ends;       /* RelaySrtEnd; none: the port closes; and in the same order: */
  GPtrArray *uris;       /* RelayProtocolUri */
  guint let_in, refused; /* calls that are neither connected nor forgotten */
} Port;

struct _RelaySrtEnd
{
  RelayProtocolPipeline *pipeline;
  const RelayProtocolUri *protocol_uri; /* the pipeline's, with the host's name */
  gchar *address;                       /* at which it listens, or that it dials */
  GstElement *element;                  /* NULL: it has not started */
  Port *port;                           /* NULL: it dials, or has not started */
  GMutex lock;                          /* guards the rest */
  GCond changed;
  GPtrArray *calls; /* Call, those that are connected */
  gint64 heard;     /* when a sender was connected, or has sent: g_get_monotonic_time, µs */
  gchar *failure;   /* why the peer that was dialled is not connected: a sentence; NULL: it is, or
                       may be */
  gboolean closed;
};

/* States of a call; relaysrtport.h draws them. */
typedef enum
{
  LET_IN, /* its handshake goes on; or it is dialled */
  REFUSED,
  FAILED, /* to connect, after it was let in */
  HELD,
  CONNECTED,
} CallState;

/* Whether a caller that is held may come in. */
typedef struct
{
  guint64 caller;
  gchar *refusal; /* why it may not; NULL: it may */
} Answer;

typedef struct
{
  guint64 number; /* of callers, in the order in which they came, from 1; 0: dialled */
  CallState state;
  SRTSOCKET socket;
  RelaySrtEnd *end;
  GSocketAddress *address;
  gchar *streamid;     /* that a caller gives, without a password; NULL: dialled */
  const gchar *reason; /* why the caller was refused, until that is reported */
  gboolean stray;      /* the caller's streamid is that of no end: `end' was there first */
  gboolean heard;      /* data came */
} Call;

/* `working' is held by SRT's thread while it works, and while ends are opened and closed:
 * begin_work().  `lock', taken after it, guards the tables, and is also taken in threads of libsrt.
 * No function of libsrt that may wait for these is called with it. */
static struct
{
  GMutex turn, working, lock;
  GCond closed;      /* a port is closed: `working' */
  GHashTable *ports; /* Port, by name */
  GHashTable *calls; /* Call, by socket: refused, let in, dialled or connected */
  guint64 callers;   /* that came */
  GArray *answers;   /* Answer, until the thread has seen them */
  int epoll;
  GThread *thread;
  gint over; /* atomic */
} srt;

/* SRT's thread takes `working' again at once while media come.  So a thread that waits for it holds
 * `turn' meanwhile, and has it next. */
static void
begin_work (void)
{
  g_mutex_lock (&srt.turn);
  g_mutex_lock (&srt.working);
  g_mutex_unlock (&srt.turn);
}

static void
end_work (void)
{
  g_mutex_unlock (&srt.working);
}

static gboolean
is_closing (gpointer name, gpointer data, gpointer number)
{
  const Port *port = data;

  return port->ends->len == 0 && (number == NULL || port->number == GPOINTER_TO_UINT (number));
}

/* While a port closes, libsrt and the kernel still have its number.  Waits until no port of this
 * number closes; 0: of any. */
static void
wait_for_closed (guint number)
{
  while (g_hash_table_find (srt.ports, is_closing, GUINT_TO_POINTER (number)) != NULL)
    g_cond_wait (&srt.closed, &srt.working);
}

static void
free_call (Call *call)
{
  g_object_unref (call->address);
  g_free (call->streamid);
  g_free (call);
}

static Call *
find_call (SRTSOCKET socket)
{
  Call *call;

  g_mutex_lock (&srt.lock);
  call = g_hash_table_lookup (srt.calls, GINT_TO_POINTER (socket));
  g_mutex_unlock (&srt.lock);
  return call;
}

static void
watch (SRTSOCKET socket, int events)
{
  events |= SRT_EPOLL_ERR;
  srt_epoll_remove_usock (srt.epoll, socket);
  srt_epoll_add_usock (srt.epoll, socket, &events);
}

/* --- whether a caller may connect, in libsrt's threads, under `lock' ---------------------------- */

#define TAKEN \
  "another sender is connected: stop that one, or give each an input, with a streamid or a port of " \
  "its own"

/* Has an input a sender that does not give way? */
static gboolean
is_taken (RelaySrtEnd *end)
{
  const gchar *second = relay_protocol_uri_get (end->protocol_uri, "second-caller");
  gint64 silence;
  guint n;

  g_mutex_lock (&end->lock);
  n = end->calls->len;
  silence = g_get_monotonic_time () - end->heard;
  g_mutex_unlock (&end->lock);
  return !end->protocol_uri->sends && n > 0
      && (g_strcmp0 (second, "refuse") == 0 || silence < SILENCE);
}

/* Has the end room for one more? Returns the code by which it is refused; 0: it has. */
static gint
look_for_room (RelaySrtEnd *end, const gchar **reason)
{
  guint n;

  if (is_taken (end)) {
    *reason = TAKEN;
    return SRT_REJX_CONFLICT;
  }
  g_mutex_lock (&end->lock);
  n = end->calls->len;
  g_mutex_unlock (&end->lock);
  *reason = "too many are connected, or call at once: use more outputs";
  return n >= CALLERS_MAX || end->port->let_in >= LET_IN_MAX ? SRT_REJX_OVERLOAD : 0;
}

/* @reason: why it is refused, which the thread of SRT reports, as this one must not wait; NULL: it
 * is let in. */
static void
add_call (RelaySrtEnd *end, SRTSOCKET socket, GSocketAddress *address, const gchar *streamid,
    const gchar *reason, gboolean stray)
{
  guint *n = reason != NULL ? &end->port->refused : &end->port->let_in;
  Call *call;

  if (reason != NULL && *n >= REFUSED_MAX)
    return;
  ++*n;
  call = g_new0 (Call, 1);
  call->number = ++srt.callers;
  call->state = reason != NULL ? REFUSED : LET_IN;
  call->socket = socket;
  call->end = end;
  call->address = g_object_ref (address);
  call->streamid = relay_srt_name_show (streamid);
  call->reason = reason;
  call->stray = stray;
  g_hash_table_insert (srt.calls, GINT_TO_POINTER (socket), call);
}

/* Returns the code by which a call is refused; 0: it is let in. */
static gint
answer (const Port *port, SRTSOCKET socket, GSocketAddress *address, const gchar *streamid)
{
  const gchar *reason = NULL;
  gint code;
  RelaySrtEnd *end;
  const RelayProtocolUri *chosen = relay_srt_name_choose (port->uris, streamid, &code, &reason);
  guint i = 0;

  if (chosen != NULL)
    g_ptr_array_find (port->uris, chosen, &i);
  end = g_ptr_array_index (port->ends, i);
  if (code == 0 && !relay_allowed_has_socket (end->protocol_uri->allowed, address)) {
    code = SRT_REJX_FORBIDDEN;
    reason = RELAY_NOT_ALLOWED;
  }
  if (code == 0)
    code = look_for_room (end, &reason);
  if (code == 0 && !relay_srt_socket_set (socket, end->protocol_uri)) {
    code = SRT_REJX_ISE;
    reason = "SRT does not take the passphrase, latency, pbkeylen or maxbw of this end";
  }
  if (code != 0) {
    relay_protocol_pipeline_count (end->pipeline, RELAY_CALLERS_REFUSED);
  } else if (!relay_protocol_pipeline_admits (end->pipeline, address, streamid)) {
    code = SRT_REJX_FORBIDDEN;
    reason = "it gives no streamid, which this relay requires: set one there";
  }
  add_call (end, socket, address, streamid, code != 0 ? reason : NULL, chosen == NULL);
  return code;
}

/* libsrt calls this when a handshake has proved the caller's address. */
static int
on_call (void *data, SRTSOCKET socket, int version, const struct sockaddr *peer,
    const char *streamid)
{
  g_autoptr (GSocketAddress) address = g_socket_address_new_from_native ((gpointer) peer,
      peer->sa_family == AF_INET6 ? sizeof (struct sockaddr_in6) : sizeof (struct sockaddr_in));
  const Port *port = data;
  gint code = SRT_REJX_NOTFOUND;

  g_mutex_lock (&srt.lock);
  if (address != NULL && port->ends->len > 0)
    code = answer (port, socket, address, streamid != NULL ? streamid : "");
  g_mutex_unlock (&srt.lock);
  if (code != 0)
    srt_setrejectreason (socket, code);
  return code != 0 ? -1 : 0;
}

/* --- calls, under `working' -------------------------------------------------------------------- */

/* Ends a call.  @reason: of one that was connected; NULL: none is known. */
static void
hang_up (Call *call, const gchar *reason)
{
  RelaySrtEnd *end = call->end;

  srt_epoll_remove_usock (srt.epoll, call->socket);
  g_mutex_lock (&srt.lock);
  g_hash_table_remove (srt.calls, GINT_TO_POINTER (call->socket));
  if (end->port != NULL && call->state != CONNECTED)
    (*(call->state == REFUSED ? &end->port->refused : &end->port->let_in))--;
  g_mutex_unlock (&srt.lock);
  g_mutex_lock (&end->lock);
  g_ptr_array_remove (end->calls, call);
  g_mutex_unlock (&end->lock);
  srt_close (call->socket);
  if (call->state == CONNECTED)
    relay_protocol_pipeline_note_caller (end->pipeline, call->address, call->streamid, FALSE,
        reason);
  free_call (call);
}

static void
begin_call (Call *call)
{
  RelaySrtEnd *end = call->end;

  if (!end->protocol_uri->sends && end->calls->len > 0)
    hang_up (g_ptr_array_index (end->calls, 0), "another sender has taken over");
  if (end->port != NULL) {
    g_mutex_lock (&srt.lock);
    end->port->let_in--;
    g_mutex_unlock (&srt.lock);
  }
  call->state = CONNECTED;
  relay_protocol_pipeline_note_caller (end->pipeline, call->address, call->streamid, TRUE, NULL);
  g_mutex_lock (&end->lock);
  end->heard = g_get_monotonic_time ();
  g_ptr_array_add (end->calls, call);
  g_cond_signal (&end->changed);
  g_mutex_unlock (&end->lock);
  watch (call->socket, end->element != NULL ? SRT_EPOLL_IN : 0);
}

/* The caller's handshake has succeeded.  While it is asked whether it may come in, it gets nothing,
 * and what it sends is dropped. */
static void
hold_call (Call *call)
{
  g_autofree gchar *streamid = relay_srt_socket_get_streamid (call->socket);

  call->state = HELD;
  watch (call->socket, SRT_EPOLL_IN);
  if (!relay_protocol_pipeline_asks (call->end->pipeline, call->address, streamid, call->number))
    begin_call (call);
  explicit_bzero (streamid, strlen (streamid));
}

static void
deny_call (Call *call, const gchar *reason)
{
  relay_protocol_pipeline_refuse (call->end->pipeline, RELAY_CALLERS_REFUSED, call->address,
      call->streamid, reason);
  hang_up (call, NULL);
}

static GError *
make_error (const gchar *text)
{
  return g_error_new_literal (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE, text);
}

/* SRT has ended a call. */
static void
take_end (Call *call)
{
  RelaySrtEnd *end = call->end;
  g_autofree gchar *why = NULL;

  if (end->port != NULL) {
    hang_up (call, NULL);
    return;
  }
  why = call->state == CONNECTED ? g_strdup ("the other side has gone.") :
                                   relay_srt_socket_explain (call->socket, call->address);
  /* the reason of a caller that has gone is part of a sentence */
  hang_up (call, call->state == CONNECTED ? "the other side has gone" : why);
  g_mutex_lock (&end->lock);
  end->failure = g_strdup (why);
  g_cond_signal (&end->changed);
  g_mutex_unlock (&end->lock);
  if (end->element != NULL)
    gst_element_post_message (end->element,
        gst_message_new_error (GST_OBJECT (end->element), make_error (why), NULL));
}

/* Passes on a message of a caller; of one that only listens, or is held, drops it. FALSE: it sends
 * nothing more. No more than one at a time, as libsrt throws an exception where there is none. */
static gboolean
receive (Call *call)
{
  RelaySrtEnd *end = call->end;
  gchar data[SRT_LIVE_MAX_PLSIZE];
  GstBuffer *buffer;
  int size = srt_recvmsg (call->socket, data, sizeof data);

  if (size <= 0)
    return size < 0 && srt_getlasterror (NULL) == SRT_EASYNCRCV;
  if (call->state == HELD) {
    relay_protocol_pipeline_count (end->pipeline, RELAY_DATAGRAMS_REFUSED);
    return TRUE;
  }
  g_mutex_lock (&end->lock);
  end->heard = g_get_monotonic_time ();
  g_mutex_unlock (&end->lock);
  if (end->protocol_uri->sends)
    return TRUE;
  buffer = gst_buffer_new_memdup (data, size);
  if (!call->heard)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  call->heard = TRUE;
  gst_app_src_push_buffer (GST_APP_SRC (end->element), buffer);
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

/* The handshake of a caller that was let in has failed. */
static void
take_failure (Call *call)
{
  call->state = FAILED;
  srt_close (call->socket);
  relay_protocol_pipeline_refuse (call->end->pipeline, RELAY_CALLERS_REFUSED, call->address,
      call->streamid, "it was not connected: set the same passphrase, or none, on both ends");
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  guint64 first = ((const Call *) a)->number, second = ((const Call *) b)->number;

  return first < second ? -1 : first > second;
}

static void
look_at_call (Call *call)
{
  SRT_SOCKSTATUS state = srt_getsockstate (call->socket);

  switch (call->state) {
    case REFUSED:
      relay_protocol_pipeline_note_refusal (call->end->pipeline, call->address, call->streamid,
          call->reason, call->stray ? call->end->protocol_uri->port : 0);
      hang_up (call, NULL);
      break;
    case LET_IN:
      if (state > SRTS_CONNECTED)
        take_failure (call);
      break;
    case FAILED:
      if (state == SRTS_NONEXIST)
        hang_up (call, NULL);
      break;
    case HELD:
    case CONNECTED:
      break;
  }
}

static void
clear_answer (gpointer answer)
{
  g_free (((Answer *) answer)->refusal);
}

static void
take_answer (Call *call, const gchar *refusal)
{
  if (refusal != NULL)
    deny_call (call, refusal);
  else if (is_taken (call->end))
    deny_call (call, TAKEN);
  else
    begin_call (call);
}

/* Returns the calls that are not connected, in the order in which they came, and moves the answers.
 * One that is connected may go before the list is through. */
static GList *
list_calls (GArray *answers)
{
  GHashTableIter iter;
  GList *all = NULL;
  gpointer call;

  g_mutex_lock (&srt.lock);
  g_hash_table_iter_init (&iter, srt.calls);
  while (g_hash_table_iter_next (&iter, NULL, &call))
    if (((Call *) call)->state != CONNECTED)
      all = g_list_insert_sorted (all, call, compare);
  g_array_append_vals (answers, srt.answers->data, srt.answers->len);
  g_array_set_size (srt.answers, 0);
  g_mutex_unlock (&srt.lock);
  return all;
}

/* Reports refusals in the order in which the calls came, also of callers whose handshake has failed
 * after they were let in: their room at the port is free when libsrt has freed their buffers, a
 * second later.  Takes the answers about those that are held. */
static void
look_at_calls (void)
{
  g_autoptr (GArray) answers = g_array_new (FALSE, FALSE, sizeof (Answer));
  g_autoptr (GList) all = list_calls (answers);

  g_array_set_clear_func (answers, clear_answer);
  for (GList *link = all; link != NULL; link = link->next) {
    Call *call = link->data;
    const Answer *answer = NULL;

    for (guint i = 0; call->state == HELD && i < answers->len; i++)
      if (g_array_index (answers, Answer, i).caller == call->number)
        answer = &g_array_index (answers, Answer, i);
    if (answer != NULL)
      take_answer (call, answer->refusal);
    else if (call->end->port != NULL)
      look_at_call (call);
  }
}

void
relay_srt_port_decide (guint64 caller, const gchar *refusal)
{
  Answer answer = { caller, g_strdup (refusal) };

  g_mutex_lock (&srt.lock);
  g_array_append_val (srt.answers, answer);
  g_mutex_unlock (&srt.lock);
}

/* --- the thread ------------------------------------------------------------------------------- */

static gpointer
run (gpointer unused)
{
  SRT_EPOLL_EVENT events[EVENTS];
  gint64 look_at = 0;

  while (!g_atomic_int_get (&srt.over)) {
    int n = srt_epoll_uwait (srt.epoll, events, EVENTS, TICK);

    begin_work ();
    for (int i = 0; i < MIN (n, EVENTS); i++)
      take_event (events[i].fd, events[i].events);
    if (g_get_monotonic_time () >= look_at) {
      look_at_calls ();
      look_at = g_get_monotonic_time () + TICK * G_TIME_SPAN_MILLISECOND;
    }
    end_work ();
  }
  return NULL;
}

static void
leave (int unused)
{
  _exit (EXIT_SUCCESS);
}

/* Before libsrt's own end at exit, for which no thread may use it: this one works for ever.  If it
 * is stuck in libsrt, or a thread of an end is, the process ends without it. */
static void
end_thread (void)
{
  signal (SIGALRM, leave);
  alarm (END);
  g_atomic_int_set (&srt.over, TRUE);
  g_thread_join (srt.thread);
  begin_work ();
  wait_for_closed (0);
  srt_cleanup ();
  alarm (0);
}

static gboolean
start_thread (GError **error)
{
  if (srt.thread != NULL)
    return TRUE;
  if (srt.ports == NULL) {
    srt_startup ();
    /* what it says of calls is said here, of ends */
    srt_setloglevel (LOG_CRIT);
    srt.ports = g_hash_table_new (g_str_hash, g_str_equal);
    srt.calls = g_hash_table_new (NULL, NULL);
    srt.answers = g_array_new (FALSE, FALSE, sizeof (Answer));
    srt.epoll = srt_epoll_create ();
    srt_epoll_set (srt.epoll, SRT_EPOLL_ENABLE_EMPTY);
  }
  srt.thread = g_thread_try_new ("srt", run, NULL, error);
  if (srt.thread != NULL)
    atexit (end_thread);
  return srt.thread != NULL;
}

/* --- ends ------------------------------------------------------------------------------------ */

/* libsrt calls on_call() no more when the socket is closed. */
static void
close_socket (Port *port)
{
  if (port->fd >= 0)
    relay_srt_socket_cut_off (port->fd);
  srt_close (port->socket);
}

static void
free_port (Port *port)
{
  g_ptr_array_unref (port->ends);
  g_ptr_array_unref (port->uris);
  g_free (port->name);
  g_free (port);
}

/* Not under `working', as it may take half a second. */
static void
close_port (Port *port)
{
  close_socket (port);
  begin_work ();
  g_hash_table_remove (srt.ports, port->name);
  g_cond_broadcast (&srt.closed);
  end_work ();
  free_port (port);
}

static Port *
open_port (const gchar *name, const RelaySrtEnd *end, GError **error)
{
  guint number = end->protocol_uri->port;
  SRTSOCKET socket = relay_srt_socket_new (end->protocol_uri);
  Port *port = g_new0 (Port, 1);

  port->name = g_strdup (name);
  port->number = number;
  port->socket = socket;
  port->ends = g_ptr_array_new ();
  port->uris = g_ptr_array_new ();
  srt_listen_callback (socket, on_call, port);
  port->fd = relay_srt_socket_bind_own (socket, end->address, number);
  if ((port->fd >= 0 || relay_srt_socket_bind (socket, end->address, number))
      && srt_listen (socket, LET_IN_MAX) == 0) {
    watch (socket, SRT_EPOLL_IN);
    g_hash_table_insert (srt.ports, port->name, port);
    return port;
  }
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE,
      "UDP port %u cannot be opened: use another one, or stop what uses it (ss -ulpn): %s.", number,
      srt_getlasterror_str ());
  close_socket (port);
  free_port (port);
  return NULL;
}

static gboolean
listen_at (RelaySrtEnd *end, GError **error)
{
  g_autofree gchar *name = g_strdup_printf ("%s %u", end->address, end->protocol_uri->port);
  Port *port;

  wait_for_closed (end->protocol_uri->port);
  port = g_hash_table_lookup (srt.ports, name);
  if (port == NULL)
    port = open_port (name, end, error);
  if (port == NULL)
    return FALSE;
  end->port = port;
  g_mutex_lock (&srt.lock);
  g_ptr_array_add (port->ends, end);
  g_ptr_array_add (port->uris, (gpointer) end->protocol_uri);
  g_mutex_unlock (&srt.lock);
  return TRUE;
}

static gboolean
dial (RelaySrtEnd *end, const RelayProtocolUri *protocol_uri, GError **error)
{
  SRTSOCKET socket = relay_srt_socket_new (protocol_uri);
  GSocketAddress *to =
      g_inet_socket_address_new_from_string (protocol_uri->host, protocol_uri->port);
  Call *call = g_new0 (Call, 1);
  struct sockaddr_storage native;
  guint from = relay_srt_socket_get_local_port (protocol_uri);

  if (from != 0)
    wait_for_closed (from);
  call->socket = socket;
  call->end = end;
  call->address = to;
  watch (socket, SRT_EPOLL_OUT);
  g_mutex_lock (&srt.lock);
  g_hash_table_insert (srt.calls, GINT_TO_POINTER (socket), call);
  g_mutex_unlock (&srt.lock);
  if (g_socket_address_to_native (to, &native, sizeof native, NULL)
      && relay_srt_socket_set (socket, protocol_uri)
      && relay_srt_socket_bind_dialling (socket, protocol_uri)
      && srt_connect (socket, (struct sockaddr *) &native, g_socket_address_get_native_size (to))
          == 0)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE,
      "it cannot dial: %s: check the address, the localport and the interface.",
      srt_getlasterror_str ());
  hang_up (call, NULL);
  return FALSE;
}

static void
on_cancelled (GCancellable *cancellable, RelaySrtEnd *end)
{
  g_mutex_lock (&end->lock);
  g_cond_signal (&end->changed);
  g_mutex_unlock (&end->lock);
}

/* Waits until a dialled peer is connected.  FALSE: it is not. */
static gboolean
wait_for_peer (RelaySrtEnd *end, GCancellable *cancellable, GError **error)
{
  gulong id = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), end, NULL);
  gboolean good;

  g_mutex_lock (&end->lock);
  while (end->calls->len == 0 && end->failure == NULL && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait (&end->changed, &end->lock);
  good = end->calls->len > 0;
  if (!good)
    g_propagate_error (error,
        make_error (end->failure != NULL ? end->failure : "it was cancelled."));
  g_mutex_unlock (&end->lock);
  g_cancellable_disconnect (cancellable, id);
  return good;
}

RelaySrtEnd *
relay_srt_end_open (RelayProtocolPipeline *pipeline, const RelayProtocolUri *protocol_uri,
    GCancellable *cancellable, GError **error)
{
  RelaySrtEnd *end = g_atomic_rc_box_new0 (RelaySrtEnd);
  gboolean dials = relay_protocol_uri_dials (protocol_uri);
  gboolean good;

  end->pipeline = pipeline;
  end->protocol_uri = relay_protocol_pipeline_get_uri (pipeline);
  end->address = g_strdup (relay_protocol_uri_get_address (protocol_uri));
  end->calls = g_ptr_array_new ();
  g_mutex_init (&end->lock);
  g_cond_init (&end->changed);
  good = !dials || relay_srt_socket_is_bound (protocol_uri)
      || relay_dial_srt_answers (protocol_uri->host, protocol_uri->port, cancellable, error);
  begin_work ();
  good = good && start_thread (error) && (!dials || dial (end, protocol_uri, error));
  end_work ();
  if (good && (!dials || wait_for_peer (end, cancellable, error)))
    return end;
  if (good)
    relay_srt_end_close (end);
  relay_srt_end_unref (end);
  return NULL;
}

gboolean
relay_srt_end_start (RelaySrtEnd *end, GstElement *element, GError **error)
{
  gboolean good = TRUE;

  begin_work ();
  end->element = element;
  if (!relay_protocol_uri_dials (end->protocol_uri))
    good = listen_at (end, error);
  else if (end->calls->len > 0)
    watch (((Call *) g_ptr_array_index (end->calls, 0))->socket, SRT_EPOLL_IN);
  else
    g_propagate_error (error, make_error (end->failure));
  good = good && (end->port != NULL || end->calls->len > 0);
  end_work ();
  return good;
}

static void
clear (gpointer data)
{
  RelaySrtEnd *end = data;

  g_ptr_array_unref (end->calls);
  g_free (end->address);
  g_free (end->failure);
  g_cond_clear (&end->changed);
  g_mutex_clear (&end->lock);
}

RelaySrtEnd *
relay_srt_end_ref (RelaySrtEnd *end)
{
  return g_atomic_rc_box_acquire (end);
}

void
relay_srt_end_unref (RelaySrtEnd *end)
{
  g_atomic_rc_box_release_full (end, clear);
}

/* Has SRT nothing more to send? */
static gboolean
is_flushed (RelaySrtEnd *end)
{
  gsize blocks = 0, bytes;

  g_mutex_lock (&end->lock);
  for (guint i = 0; blocks == 0 && i < end->calls->len; i++)
    srt_getsndbuffer (((Call *) g_ptr_array_index (end->calls, i))->socket, &blocks, &bytes);
  g_mutex_unlock (&end->lock);
  return blocks == 0;
}

/* Ends the calls of an end, also those that are not connected. TRUE: another end dials from its
 * port. */
static gboolean
hang_up_all (RelaySrtEnd *end)
{
  gboolean shared = FALSE;
  g_autoptr (GList) all = NULL;

  g_mutex_lock (&srt.lock);
  all = g_hash_table_get_values (srt.calls);
  g_mutex_unlock (&srt.lock);
  for (GList *link = all; link != NULL; link = link->next) {
    const RelaySrtEnd *its = ((Call *) link->data)->end;

    if (its == end)
      hang_up (link->data, NULL);
    else
      shared |= relay_srt_socket_get_local_port (its->protocol_uri) == end->protocol_uri->port;
  }
  return shared;
}

/* Returns the port, if it was the last end there. */
static Port *
leave_port (RelaySrtEnd *end)
{
  Port *port = end->port;
  gboolean shared;

  g_mutex_lock (&srt.lock);
  g_ptr_array_remove (port->ends, end);
  g_ptr_array_remove (port->uris, (gpointer) end->protocol_uri);
  g_mutex_unlock (&srt.lock);
  shared = hang_up_all (end);
  if (port->ends->len > 0)
    return NULL;
  if (shared)
    port->fd = -1;
  srt_epoll_remove_usock (srt.epoll, port->socket);
  return port;
}

void
relay_srt_end_close (RelaySrtEnd *end)
{
  gint64 until = g_get_monotonic_time () + FLUSH;
  Port *left = NULL;

  while (end->protocol_uri->sends && !is_flushed (end) && g_get_monotonic_time () < until)
    g_usleep (FLUSH_EACH);
  begin_work ();
  if (end->port != NULL)
    left = leave_port (end);
  else
    hang_up_all (end);
  end_work ();
  if (left != NULL)
    close_port (left);
  g_mutex_lock (&end->lock);
  end->closed = TRUE;
  g_mutex_unlock (&end->lock);
}

void
relay_srt_end_send (RelaySrtEnd *end, GstBuffer *buffer)
{
  guint64 sent = 0, failed = 0;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  g_mutex_lock (&end->lock);
  for (guint i = 0; i < end->calls->len; i++) {
    const Call *call = g_ptr_array_index (end->calls, i);
    gboolean good = srt_sendmsg (call->socket, (gchar *) map.data, map.size, -1, TRUE) > 0;

    *(good ? &sent : &failed) += map.size;
  }
  if (end->calls->len == 0 && relay_protocol_uri_dials (end->protocol_uri))
    failed = map.size;
  if (!end->closed)
    relay_protocol_pipeline_note_sent (end->pipeline, map.size, sent, failed);
  g_mutex_unlock (&end->lock);
  gst_buffer_unmap (buffer, &map);
}

/* --- figures --------------------------------------------------------------------------------- */

void
relay_srt_end_add_peers (RelaySrtEnd *end, GPtrArray *peers)
{
  g_mutex_lock (&end->lock);
  for (guint i = 0; i < end->calls->len; i++) {
    const Call *call = g_ptr_array_index (end->calls, i);
    GstStructure *peer = gst_structure_new_empty (RELAY_PEER);

    relay_fields_set_address (peer, call->address);
    relay_srt_socket_add_figures (call->socket, end->protocol_uri->sends, peer);
    g_ptr_array_add (peers, peer);
  }
  g_mutex_unlock (&end->lock);
}
