/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspportprivate.h"
#include "fasprandom.h"
#include "faspwire.h"

/* This many full batches are dealt out before other sources of events are served. */
#define BATCHES_MAX 4
/* A member gets at most this many datagrams before its lock is released. */
#define LOCKED_MAX 64
/* Reporting unreachable addresses to all members may take 1 / REPORTS_SHARE of the time; up to
 * REPORTS_UNUSED of unused time is saved up. A report that is dropped comes again with the next
 * datagram to that address. */
#define REPORTS_SHARE 20
#define REPORTS_UNUSED (100 * FASP_MSEC)

/* Guards `ports', the open ports of this process. Taken before any other lock. */
static GMutex ports_lock;
static GList *ports;

/* --- giving datagrams to members ---------------------------------------------------- */

static FaspPortMember *
find (FaspPort *port, guint number)
{
  FaspPortMember *member = number < FASP_ROUTES_MAX ? &port->members[number] : NULL;

  return member != NULL && member->functions != NULL ? member : NULL;
}

static void
let_go (FaspPortMember *member, gpointer self)
{
  if (member != NULL)
    member->functions->end (member->data, member->data != self);
}

/* With the lock held. Returns the number of the member that gets a call for member @number: that
 * one, or one that shares its callers. */
static guint
choose (FaspPort *port, guint number, const FaspAddress *caller)
{
  guint best = number, other = number;
  FaspFit most = FASP_FIT_OCCUPIED;

  for (; other != FASP_ROUTES_NONE; other = fasp_routes_next_beside (port->routes, number, other)) {
    FaspPortMember *member = find (port, other);
    FaspFit fit =
        member != NULL ? member->functions->fits (member->data, caller) : FASP_FIT_OCCUPIED;

    if (fit > most) {
      best = other;
      most = fit;
    }
  }
  return best;
}

/* With the lock held. The member that a datagram is for, or NULL. */
static FaspPortMember *
find_member (FaspPort *port, FaspTime now, const FaspAddress *from, const guint8 *data, gsize size,
    FaspRoute *route)
{
  guint number = fasp_routes_find (port->routes, now, data, size, route);

  if (*route == FASP_ROUTE_HERE && fasp_routes_has_beside (port->routes)
      && !fasp_wire_is_session (data, size))
    number = choose (port, number, from);
  return find (port, number);
}

/* With the lock held. Gives the datagrams of the batch to their members. */
static void
deal_out (FaspPort *port, FaspReceiveBatch *batch, gpointer self)
{
  FaspTime now = port->get_time ();
  FaspPortMember *current = NULL;
  FaspAddress address;
  FaspMemory *memory;
  const guint8 *data;
  gboolean marked;
  guint n = 0;
  gsize size;

  while ((data = fasp_receive_batch_next (batch, &size, &address, &memory, &marked)) != NULL) {
    FaspPortMember *member;
    FaspRoute route;

    address.socket = 0;
    /* find_member() may take the locks of several members */
    if (current != NULL && fasp_routes_has_beside (port->routes)
        && !fasp_wire_is_session (data, size)) {
      let_go (current, self);
      current = NULL;
    }
    member = find_member (port, now, &address, data, size, &route);
    if (member == NULL)
      continue;
    if (member != current || ++n == LOCKED_MAX) {
      let_go (current, self);
      member->functions->begin (member->data);
      current = member;
      n = 0;
    }
    member->functions->receive (member->data, now, &address, data, size, memory, marked, route);
  }
  let_go (current, self);
}

/* With the lock held. Reports an unreachable address to all members, as it is not known which one
 * sent to it; others ignore it. */
static void
report_members (FaspPort *port, const FaspAddress *address)
{
  FaspTime now = port->get_time ();

  if (now < port->reports_from)
    return;
  for (guint i = 0; i < FASP_ROUTES_MAX; i++) {
    FaspPortMember *member = find (port, i);

    if (member != NULL)
      member->functions->unreachable (member->data, now, address);
  }
  port->reports_from =
      MAX (port->reports_from, now - REPORTS_UNUSED) + REPORTS_SHARE * (port->get_time () - now);
}

static void
report_unreachable (FaspPort *port)
{
  FaspAddress address;

  /* reports can be forged, so only some are read before datagrams are served again */
  for (guint n = 0; n < FASP_FEEDBACK_AT_ONCE
      && fasp_socket_get_unreachable (fasp_sockets_get (port->sockets, 0), &address);
      n++) {
    address.socket = 0;
    g_mutex_lock (&port->lock);
    report_members (port, &address);
    g_mutex_unlock (&port->lock);
  }
}

static void
report_deaf (FaspPort *port, gint error)
{
  if (error == 0)
    return;
  g_mutex_lock (&port->lock);
  for (guint i = 0; i < FASP_ROUTES_MAX; i++) {
    FaspPortMember *member = find (port, i);

    if (member != NULL)
      member->functions->deaf (member->data, error);
  }
  g_mutex_unlock (&port->lock);
}

static void
receive (FaspPort *port, FaspReceiveBatch *batch, gpointer self)
{
  gint fd = fasp_sockets_get_fds (port->sockets)[0];
  gboolean all = FALSE;

  for (guint i = 0; i < BATCHES_MAX && !all; i++) {
    all = fasp_receive_batch_fill (batch, fd);
    g_mutex_lock (&port->lock);
    deal_out (port, batch, self);
    g_mutex_unlock (&port->lock);
  }
  report_deaf (port, fasp_receive_batch_take_error (batch));
  report_unreachable (port);
}

void
fasp_port_receive (const FaspPortHandle *handle, FaspReceiveBatch *batch, gpointer self)
{
  receive (handle->port, batch, self);
}

static void
receive_beside (FaspReceiveBatch *batch, guint number, gpointer port)
{
  receive (port, batch, NULL);
}

/* --- members that join and leave ----------------------------------------------------- */

/* Returns the same text for all spellings of an address. */
static gchar *
normalize (const gchar *address)
{
  g_autoptr (GInetAddress) parsed = NULL;
  gchar *text;

  if (address == NULL || address[0] == '\0')
    return g_strdup ("");
  parsed = g_inet_address_new_from_string (address);
  text = parsed != NULL ? g_inet_address_to_string (parsed) : g_strdup (address);
  if (g_str_equal (text, "::"))
    text[0] = '\0'; /* the IPv6 wildcard, which an element without localaddress binds to */
  return text;
}

/* The open port with this address and number; NULL: none. @address: NULL: any. */
static FaspPort *
find_port (const gchar *address, guint16 number)
{
  for (GList *l = ports; l != NULL && number != 0; l = l->next) {
    FaspPort *port = l->data;

    if (port->number == number && (address == NULL || g_str_equal (port->address, address)))
      return port;
  }
  return NULL;
}

static FaspPort *
open_port (const FaspSocketSettings *settings, const gchar *address, GError **error)
{
  g_autoptr (GError) why = NULL;
  FaspSockets *sockets = fasp_sockets_new (settings, 1, &why);
  guint8 secret[16], first[2];
  FaspPort *port;

  if (sockets == NULL && g_error_matches (why, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE)
      && find_port (NULL, settings->local_port) != NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE,
        "Another element of this program listens at UDP port %u with another "
        "localaddress: to share the port, set the same on all of them.",
        settings->local_port);
  else if (sockets == NULL)
    g_propagate_error (error, g_steal_pointer (&why));
  if (sockets == NULL)
    return NULL;
  port = g_new0 (FaspPort, 1);
  port->get_time = g_get_monotonic_time;
  port->address = g_strdup (address);
  port->interface = g_strdup (settings->interface);
  port->tos = settings->tos;
  port->ttl = settings->ttl;
  port->sockets = sockets;
  port->number = fasp_socket_get_port (fasp_sockets_get (sockets, 0));
  port->buffer = fasp_sockets_get_buffer (sockets);
  fasp_random_bytes (NULL, first, sizeof first);
  port->routes = fasp_routes_new (first[0] << 8 | first[1]);
  fasp_random_bytes (NULL, secret, sizeof secret);
  fasp_limiter_init (&port->limiter, secret);
  g_mutex_init (&port->lock);
  ports = g_list_prepend (ports, port);
  return port;
}

static void
close_port (FaspPort *port)
{
  ports = g_list_remove (ports, port);
  if (port->receivers != NULL) {
    fasp_receivers_stop (port->receivers);
    fasp_receivers_free (port->receivers);
  }
  fasp_routes_free (port->routes);
  fasp_sockets_free (port->sockets);
  g_mutex_clear (&port->lock);
  g_free (port->address);
  g_free (port->interface);
  g_free (port);
}

/* Do the settings allow a new member to use the port's socket? */
static gboolean
check_same (const FaspPort *port, const FaspSocketSettings *settings, GError **error)
{
  const gchar *what = port->tos != settings->tos            ? "tos" :
      port->ttl != settings->ttl                            ? "ttl" :
      g_strcmp0 (port->interface, settings->interface) != 0 ? "interface" :
                                                              NULL;

  if (what != NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE,
        "Another element of this program listens at UDP port %u with another "
        "%s: to share the port, set the same on all of them.",
        port->number, what);
  return what == NULL;
}

static gboolean
take_number (FaspPort *port, const FaspPortHandle *beside, FaspRole role, const gchar *streamid,
    guint *number, GError **error)
{
  FaspRoutesResult result;

  g_mutex_lock (&port->lock);
  result = beside != NULL ? fasp_routes_add_beside (port->routes, beside->number, number) :
                            fasp_routes_add (port->routes, role, streamid, number);
  g_mutex_unlock (&port->lock);
  if (result == FASP_ROUTES_FULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
        "There are %u streams at UDP port %u already: take another port.", FASP_ROUTES_MAX,
        port->number);
  else if (result == FASP_ROUTES_TAKEN && streamid != NULL && streamid[0] != '\0')
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE,
        "Another element of this program has the stream \"%s\" at UDP port %u: "
        "give each a streamid of its own, or another port.",
        streamid, port->number);
  else if (result == FASP_ROUTES_TAKEN)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE,
        "Another element of this program listens at UDP port %u, and neither has "
        "a streamid: give each its own, by which callers choose, or another "
        "port.",
        port->number);
  return result == FASP_ROUTES_ADDED;
}

/* A second member has joined. Starts a thread of the port that receives, so that no member depends
 * on another one's thread. */
static gboolean
relieve_members (FaspPort *port, gsize limit, GError **error)
{
  if (port->users == 0 || port->receivers != NULL)
    return TRUE;
  port->receivers = fasp_receivers_new (port->sockets, 0, 1, limit, receive_beside, port, error);
  if (port->receivers == NULL)
    return FALSE;
  g_mutex_lock (&port->lock);
  port->has_receivers = TRUE;
  for (guint i = 0; i < FASP_ROUTES_MAX; i++) {
    FaspPortMember *member = find (port, i);

    if (member != NULL)
      member->functions->relieve (member->data);
  }
  g_mutex_unlock (&port->lock);
  return TRUE;
}

/* With the lock held. Enlarges the socket's buffer to what all members want. */
static void
widen_buffer (FaspPort *port, gsize wanted)
{
  if (port->buffer < wanted)
    port->buffer = fasp_sockets_set_buffer (port->sockets, wanted);
}

gboolean
fasp_port_join (const FaspSocketSettings *settings, const FaspPortHandle *beside, FaspRole role,
    const gchar *streamid, gsize limit, FaspPortHandle *handle, GError **error)
{
  g_autofree gchar *address = normalize (settings->local_address);
  gboolean good = FALSE;
  FaspPort *port;

  handle->port = NULL;
  g_mutex_lock (&ports_lock);
  port = beside != NULL ? beside->port : find_port (address, settings->local_port);
  if (port == NULL)
    port = open_port (settings, address, error);
  else
    good = check_same (port, settings, error);
  if (port != NULL && port->users == 0)
    good = TRUE;
  good = good && take_number (port, beside, role, streamid, &handle->number, error);
  if (good && !relieve_members (port, limit, error)) {
    g_mutex_lock (&port->lock);
    fasp_routes_remove (port->routes, port->get_time (), handle->number);
    g_mutex_unlock (&port->lock);
    good = FALSE;
  }
  if (good) {
    g_mutex_lock (&port->lock);
    widen_buffer (port, settings->buffer);
    g_mutex_unlock (&port->lock);
    port->users++;
    handle->port = port;
  }
  g_mutex_unlock (&ports_lock);
  return good;
}

void
fasp_port_begin (const FaspPortHandle *handle, const FaspPortFunctions *functions, gpointer data)
{
  FaspPort *port = handle->port;

  g_mutex_lock (&port->lock);
  port->members[handle->number] = (FaspPortMember) { functions, data, 0 };
  if (port->has_receivers)
    functions->relieve (data);
  g_mutex_unlock (&port->lock);
}

void
fasp_port_end (const FaspPortHandle *handle)
{
  FaspPort *port = handle->port;

  g_mutex_lock (&port->lock);
  port->members[handle->number].functions = NULL;
  g_mutex_unlock (&port->lock);
}

void
fasp_port_leave (FaspPortHandle *handle)
{
  FaspPort *port = handle->port;

  g_mutex_lock (&ports_lock);
  g_mutex_lock (&port->lock);
  fasp_routes_remove (port->routes, port->get_time (), handle->number);
  g_mutex_unlock (&port->lock);
  if (--port->users == 0)
    close_port (port);
  g_mutex_unlock (&ports_lock);
  handle->port = NULL;
}

/* --- for members ----------------------------------------------------------- */

FaspSockets *
fasp_port_get_sockets (const FaspPortHandle *handle)
{
  return handle->port->sockets;
}

FaspLimiter *
fasp_port_get_limiter (const FaspPortHandle *handle)
{
  return &handle->port->limiter;
}

guint32
fasp_port_get_prefix (const FaspPortHandle *handle)
{
  return fasp_routes_get_prefix (handle->number);
}

void
fasp_port_follow_interface (const FaspPortHandle *handle)
{
  FaspPort *port = handle->port;

  g_mutex_lock (&port->lock);
  fasp_sockets_follow_interfaces (port->sockets);
  g_mutex_unlock (&port->lock);
}

gsize
fasp_port_set_buffer (const FaspPortHandle *handle, gsize wanted)
{
  FaspPort *port = handle->port;
  guint64 sum = 0, share;

  g_mutex_lock (&port->lock);
  port->members[handle->number].wanted = wanted;
  for (guint i = 0; i < FASP_ROUTES_MAX; i++)
    if (find (port, i) != NULL)
      sum += port->members[i].wanted;
  sum = MAX (sum, wanted);
  widen_buffer (port, sum);
  share = (guint64) port->buffer * wanted / sum;
  g_mutex_unlock (&port->lock);
  return share;
}
