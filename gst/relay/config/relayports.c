/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "relaykey.h"
#include "relayports.h"
#include "relayprotocol.h"

typedef struct
{
  const gchar *stream;
  const RelayEnd *end;
  RelayBinding at;
} Listener;

static void
clear_listener (gpointer data)
{
  relay_binding_clear (&((Listener *) data)->at);
}

static const gchar *
get_key (const RelayEnd *end)
{
  return end->sends ? "output" : "input";
}

static const gchar all_ipv4[] = "0.0.0.0";

/* Would both listen at a common address? */
static gboolean
is_same_address (const RelayBinding *a, const RelayBinding *b)
{
  if (a->address == NULL || b->address == NULL || g_str_equal (a->address, b->address))
    return TRUE;
  return (g_str_equal (a->address, all_ipv4) && strchr (b->address, ':') == NULL)
      || (g_str_equal (b->address, all_ipv4) && strchr (a->address, ':') == NULL);
}

/* Has the end several ports or addresses, which it cannot share? */
static gboolean
has_several (const RelayBinding *l)
{
  return l->first != l->last || (l->bonds != NULL && l->bonds[0] != '\0');
}

static gboolean
is_at_all_addresses (const RelayBinding *l)
{
  return l->address == NULL || g_str_equal (l->address, all_ipv4);
}

/* Returns the family of IP by which SRT binds the port, 4 or 6; 0: a name decides it. */
static guint
get_family (const RelayBinding *l)
{
  if (l->address != NULL)
    return 4;
  return l->peer != NULL && strchr (l->peer, ':') == NULL ? 0 : 6;
}

/* Can both send from one port, of which one dials at least? SRT's library shares the socket, which
 * it binds to all addresses for an end that dials. */
static gboolean
can_dial_from_one (const Listener *x, const Listener *y)
{
  const RelayProtocol *protocol = relay_protocol_find (x->end->uri);
  guint one = get_family (&x->at), other = get_family (&y->at);

  return protocol->shares_ports && protocol == relay_protocol_find (y->end->uri)
      && is_at_all_addresses (&x->at) && is_at_all_addresses (&y->at)
      && (one == other || one == 0 || other == 0)
      && g_strcmp0 (x->at.interface, y->at.interface) == 0;
}

/* Returns why these two cannot share a port, and what to do; NULL: they can. */
static const gchar *
object (const Listener *x, const Listener *y)
{
  const RelayBinding *a = &x->at, *b = &y->at;

  if (a->group && b->group)
    return NULL;
  if (a->peer != NULL || b->peer != NULL)
    return can_dial_from_one (x, y) ?
        NULL :
        "and an end that dials from a port (localport, rendezvous) "
        "shares it with ends of srt:// alone, if these listen at all "
        "addresses, all by IPv4 or all by IPv6, and all have the same interface: give each its own";
  if (a->group || b->group)
    return "where one hears a multicast group and the other one all addresses of this machine: give "
           "that one its own port, or write the address of this machine at which it listens into "
           "its URI";
  if (a->shares == NULL || g_strcmp0 (a->shares, b->shares) != 0)
    return "and only ends of fasp:// can share ports, or ends of srt:// that have a streamid: give "
           "each its own";
  if (has_several (a) || has_several (b))
    return "and an end with flowlets or bonding-addresses cannot share ports: give "
           "each its own";
  if (g_strcmp0 (a->address, b->address) != 0)
    return "with another localaddress, or address in its URI: give each its own "
           "port, or give all the same address";
  if (x->end->sends == y->end->sends && g_strcmp0 (a->streamid, b->streamid) == 0)
    return "with the same streamid: give each its own port, or its own streamid";
  if (a->tos != b->tos || a->ttl != b->ttl || g_strcmp0 (a->interface, b->interface) != 0)
    return "with another tos, ttl or interface: give each its own port, or set "
           "the same of these on all";
  return NULL;
}

static gboolean
add_leg (GArray *all, const RelayStreamConfig *stream, const RelayEnd *end, guint leg,
    GError **error)
{
  Listener l = { .stream = stream->name, .end = end };

  if (!relay_end_get_binding (end, leg, &l.at)) {
    clear_listener (&l);
    return TRUE;
  }
  for (guint i = 0; i < all->len; i++) {
    const Listener *o = &g_array_index (all, Listener, i);
    gboolean apart =
        l.at.first > o->at.last || o->at.first > l.at.last || !is_same_address (&l.at, &o->at);
    const gchar *objection = apart ? NULL : object (&l, o);

    if (objection != NULL) {
      RELAY_BAD (error, "[stream %s] %s: UDP port %u is also that of the %s of [stream %s], %s.",
          l.stream, get_key (end), MAX (l.at.first, o->at.first), get_key (o->end), o->stream,
          objection);
      clear_listener (&l);
      return FALSE;
    }
  }
  g_array_append_val (all, l);
  return TRUE;
}

static gboolean
add_listener (GArray *all, const RelayStreamConfig *stream, const RelayEnd *end, GError **error)
{
  return add_leg (all, stream, end, 0, error) && add_leg (all, stream, end, 1, error);
}

gboolean
relay_ports_check (const RelayConfig *config, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Listener));
  gboolean good = TRUE;

  g_array_set_clear_func (all, clear_listener);
  for (guint i = 0; good && i < config->streams->len; i++) {
    const RelayStreamConfig *stream = g_ptr_array_index (config->streams, i);

    good = add_listener (all, stream, stream->input, error);
    for (guint j = 0; good && j < relay_end_count_backups (stream->input); j++)
      good = add_listener (all, stream, g_ptr_array_index (stream->input->backups, j), error);
    for (guint j = 0; good && j < stream->outputs->len; j++)
      good = add_listener (all, stream, g_ptr_array_index (stream->outputs, j), error);
  }
  return good;
}
