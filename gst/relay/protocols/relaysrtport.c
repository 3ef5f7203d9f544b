/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <srt/access_control.h>
#include "relayallowed.h"
#include "relayprotocol.h"
#include "relaysrtcall.h"
#include "relaysrtname.h"
#include "relaysrtport.h"
#include "relaysrtsocket.h"
#include "relaysrtthread.h"

struct _RelaySrtPort
{
  gchar *address;
  guint number;
  SRTSOCKET listener;
  gint fd;         /* of its UDP socket; -1: an end that dials has it, too */
  GPtrArray *ends; /* RelaySrtEnd; and in the same order: */
  GPtrArray *uris; /* RelayProtocolUri */
};

static GMutex lock;   /* guards `ends' and `uris' of all ports */
static GSList *ports; /* RelaySrtPort that listen: under the work */

/* --- whether a caller may connect, in libsrt's threads, under the lock -------------------------- */

/* Returns the code by which a caller is refused; 0: it is let in. */
static gint
answer (const RelaySrtPort *port, SRTSOCKET socket, GSocketAddress *address, const gchar *streamid)
{
  const gchar *reason = NULL;
  gint code;
  RelaySrtEnd *end;
  const RelayProtocolUri *chosen = relay_srt_name_choose (port->uris, streamid, &code, &reason);
  guint i = 0;

  if (chosen != NULL)
    g_ptr_array_find (port->uris, chosen, &i);
  end = g_ptr_array_index (port->ends, i);
  if (code == 0 && !relay_allowed_has_socket (end->uri->allowed, address)) {
    code = SRT_REJX_FORBIDDEN;
    reason = RELAY_NOT_ALLOWED;
  }
  if (code == 0)
    code = relay_srt_end_look_for_room (end, &reason);
  if (code == 0 && !relay_srt_call_has_room (port->listener, address)) {
    code = SRT_REJX_OVERLOAD;
    reason = "too many call at once, or too many of its network";
  }
  if (code == 0 && !relay_srt_socket_set (socket, end->uri)) {
    code = SRT_REJX_ISE;
    reason = "SRT does not take the passphrase, latency, pbkeylen or maxbw of this end";
  }
  if (code != 0) {
    relay_protocol_pipeline_count (end->pipeline, RELAY_CALLERS_REFUSED);
  } else if (!relay_protocol_pipeline_admits (end->pipeline, address, streamid)) {
    code = SRT_REJX_FORBIDDEN;
    reason = "it gives no streamid, which this relay requires: set one there";
  }
  relay_srt_call_add (port->listener, socket, end, address, streamid, code != 0 ? reason : NULL,
      chosen == NULL);
  return code;
}

/* libsrt calls this when a handshake has proved the caller's address. */
static int
on_call (void *data, SRTSOCKET socket, int version, const struct sockaddr *peer,
    const char *streamid)
{
  g_autoptr (GSocketAddress) address = g_socket_address_new_from_native ((gpointer) peer,
      peer->sa_family == AF_INET6 ? sizeof (struct sockaddr_in6) : sizeof (struct sockaddr_in));
  const RelaySrtPort *port = data;
  gint code = SRT_REJX_NOTFOUND;

  g_mutex_lock (&lock);
  if (address != NULL && port->ends->len > 0)
    code = answer (port, socket, address, streamid != NULL ? streamid : "");
  g_mutex_unlock (&lock);
  if (code != 0)
    srt_setrejectreason (socket, code);
  return code != 0 ? -1 : 0;
}

/* --- ports ------------------------------------------------------------------------------------ */

/* Returns the port of this address; NULL: nothing listens there. */
static RelaySrtPort *
find_port (const RelayProtocolUri *uri)
{
  for (GSList *link = ports; link != NULL; link = link->next) {
    RelaySrtPort *port = link->data;

    if (port->number == uri->port
        && g_str_equal (port->address, relay_protocol_uri_get_address (uri)))
      return port;
  }
  return NULL;
}

void
relay_srt_port_close (RelaySrtPort *port)
{
  relay_srt_close_listener (port->listener, port->fd, port->number);
  g_ptr_array_unref (port->ends);
  g_ptr_array_unref (port->uris);
  g_free (port->address);
  g_free (port);
}

static RelaySrtPort *
open_port (const RelayProtocolUri *uri, GError **error)
{
  const gchar *address = relay_protocol_uri_get_address (uri);
  SRTSOCKET listener = relay_srt_socket_new (uri);
  RelaySrtPort *port = g_new0 (RelaySrtPort, 1);

  port->address = g_strdup (address);
  port->number = uri->port;
  port->listener = listener;
  port->ends = g_ptr_array_new ();
  port->uris = g_ptr_array_new ();
  srt_listen_callback (listener, on_call, port);
  port->fd = relay_srt_socket_bind_own (listener, address, uri->port);
  if ((port->fd >= 0 || relay_srt_socket_bind (listener, address, uri->port))
      && srt_listen (listener, RELAY_SRT_LET_IN_MAX) == 0) {
    relay_srt_watch (listener, SRT_EPOLL_IN);
    ports = g_slist_prepend (ports, port);
    return port;
  }
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE,
      "UDP port %u cannot be opened: use another one, or stop what uses it (ss -ulpn): %s.",
      uri->port, srt_getlasterror_str ());
  relay_srt_begin_close (listener, uri->port);
  relay_srt_end_work ();
  relay_srt_port_close (port);
  relay_srt_begin_work ();
  return NULL;
}

gboolean
relay_srt_port_join (RelaySrtEnd *end, GError **error)
{
  RelaySrtPort *port;

  if (!relay_srt_wait_for_closed (end->uri->port, error))
    return FALSE;
  port = find_port (end->uri);
  if (port == NULL)
    port = open_port (end->uri, error);
  if (port == NULL)
    return FALSE;
  g_mutex_lock (&lock);
  g_ptr_array_add (port->ends, end);
  g_ptr_array_add (port->uris, (gpointer) end->uri);
  g_mutex_unlock (&lock);
  return TRUE;
}

RelaySrtPort *
relay_srt_port_leave (RelaySrtEnd *end)
{
  RelaySrtPort *port = find_port (end->uri);
  gboolean left;

  if (port == NULL)
    return NULL;
  g_mutex_lock (&lock);
  left = g_ptr_array_remove (port->ends, end);
  g_ptr_array_remove (port->uris, (gpointer) end->uri);
  g_mutex_unlock (&lock);
  if (!left || port->ends->len > 0)
    return NULL;
  ports = g_slist_remove (ports, port);
  relay_srt_begin_close (port->listener, port->number);
  if (relay_srt_call_comes_from (port->number))
    port->fd = -1;
  return port;
}
