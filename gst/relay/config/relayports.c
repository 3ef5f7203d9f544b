/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspparse.h"
#include "relaygroup.h"
#include "relayprotocoluri.h"
#include "relayports.h"

/* The settings that decide whether two ends may listen at one port. */
typedef struct
{
  const gchar *stream;
  const gchar *key;
  gboolean sends;
  gboolean foreign; /* not of fasp */
  gboolean group;   /* the address is a multicast group's, which has been joined */
  guint first, last;
  gchar *address; /* NULL: all addresses, 0.0.0.0: all of IPv4 */
  gchar *streamid, *interface, *bonds;
  gint tos, ttl;
} Listener;

static void
clear_listener (gpointer data)
{
  Listener *l = data;

  g_free (l->address);
  g_free (l->streamid);
  g_free (l->interface);
  g_free (l->bonds);
}

static gboolean
is_group (const gchar *host)
{
  g_autoptr (GInetAddress) address = host != NULL ? g_inet_address_new_from_string (host) : NULL;

  return address != NULL && g_inet_address_get_is_multicast (address);
}

/* Decides as gst_fasp_settings_get_mode() does. */
static gboolean
is_listening (const gchar *mode, const gchar *host)
{
  g_autoptr (GInetAddress) address = host != NULL ? g_inet_address_new_from_string (host) : NULL;

  if (!g_str_equal (mode, "none"))
    return g_str_equal (mode, "listener");
  return host == NULL || host[0] == '\0'
      || (address != NULL && g_inet_address_get_is_any (address));
}

/* Writes an address in one way, so that texts can be compared; NULL: all of this machine. */
static gchar *
normalize (const gchar *text)
{
  g_autoptr (GInetAddress) address = text != NULL ? g_inet_address_new_from_string (text) : NULL;

  if (address == NULL
      || (g_inet_address_get_is_any (address)
          && g_inet_address_get_family (address) == G_SOCKET_FAMILY_IPV6))
    return NULL;
  return g_inet_address_to_string (address);
}

static gboolean
get_foreign_listener (const RelayStreamConfig *stream, const RelayEnd *end, Listener *l)
{
  g_autoptr (RelayProtocolUri) protocol_uri =
      relay_protocol_uri_parse (end->uri, end->sends, end->passphrase, NULL);

  l->address = normalize (protocol_uri->host != NULL ? protocol_uri->host : "0.0.0.0");
  l->stream = stream->name;
  l->key = end->sends ? "output" : "input";
  l->sends = end->sends;
  l->foreign = TRUE;
  l->first = protocol_uri->port;
  l->last = protocol_uri->port + (protocol_uri->scheme == RELAY_RIST);
  l->group = relay_group_is_heard (protocol_uri);
  return l->group || relay_protocol_uri_listens (protocol_uri);
}

static gboolean
get_listener (const RelayStreamConfig *stream, const RelayEnd *end, Listener *l)
{
  g_autoptr (GstElement) element = NULL;
  g_autoptr (GstUri) uri = gst_fasp_parse_uri (end->uri);
  const gchar *host = gst_uri_get_host (uri);
  g_autofree gchar *mode = NULL, *address = NULL;
  GValue value = G_VALUE_INIT;
  guint flows;

  if (relay_end_has_other_protocol (end))
    return get_foreign_listener (stream, end, l);
  element = gst_object_ref_sink (relay_end_make (end, NULL, NULL));
  g_object_get (element, "localaddress", &address, "flowlets", &flows, "streamid", &l->streamid,
      "interface", &l->interface, "bonding-addresses", &l->bonds, "tos", &l->tos, "ttl", &l->ttl,
      NULL);
  g_value_init (&value,
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), "mode")->value_type);
  g_object_get_property (G_OBJECT (element), "mode", &value);
  mode = gst_value_serialize (&value);
  g_value_unset (&value);
  l->group = !end->sends && is_group (host);
  l->address = normalize (address != NULL && !is_group (host) ? address : host);
  l->stream = stream->name;
  l->key = end->sends ? "output" : "input";
  l->sends = end->sends;
  l->first = gst_uri_get_port (uri);
  l->last = l->first + flows - 1;
  return is_group (host) ? l->group : is_listening (mode, host);
}

/* Is there an address at which both would listen? */
static gboolean
is_same_place (const Listener *a, const Listener *b)
{
  static const gchar all[] = "0.0.0.0";

  if (a->address == NULL || b->address == NULL || g_str_equal (a->address, b->address))
    return TRUE;
  return (g_str_equal (a->address, all) && strchr (b->address, ':') == NULL)
      || (g_str_equal (b->address, all) && strchr (a->address, ':') == NULL);
}

/* With several ports or addresses, an end cannot share them. */
static gboolean
has_several (const Listener *l)
{
  return l->first != l->last || (l->bonds != NULL && l->bonds[0] != '\0');
}

/* Returns why these two cannot share a port, and what to do; NULL: they can. */
static const gchar *
object (const Listener *a, const Listener *b)
{
  if (a->group && b->group)
    return NULL;
  if (a->group || b->group)
    return "where one hears a multicast group and the other one all addresses of this machine: give "
           "that one its own port, or write the address of this machine at which it listens into "
           "its URI";
  if (a->foreign || b->foreign)
    return "and only ends of fasp:// can share ports: give each its own";
  if (has_several (a) || has_several (b))
    return "and an end with flowlets or bonding-addresses cannot share ports: give "
           "each its own";
  if (g_strcmp0 (a->address, b->address) != 0)
    return "with another localaddress, or address in its URI: give each its own "
           "port, or give all the same address";
  if (a->sends == b->sends && g_strcmp0 (a->streamid, b->streamid) == 0)
    return "with the same streamid: give each its own port, or its own streamid";
  if (a->tos != b->tos || a->ttl != b->ttl || g_strcmp0 (a->interface, b->interface) != 0)
    return "with another tos, ttl or interface: give each its own port, or set "
           "the same of these on all";
  return NULL;
}

static gboolean
add_listener (GArray *all, const RelayStreamConfig *stream, const RelayEnd *end, GError **error)
{
  Listener l = { NULL };

  if (!get_listener (stream, end, &l)) {
    clear_listener (&l);
    return TRUE;
  }
  for (guint i = 0; i < all->len; i++) {
    const Listener *o = &g_array_index (all, Listener, i);
    gboolean apart = l.first > o->last || o->first > l.last || !is_same_place (&l, o);
    const gchar *objection = apart ? NULL : object (&l, o);

    if (objection != NULL) {
      g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
          "[stream %s] %s: UDP port %u is also that of the %s of [stream %s], %s.", l.stream, l.key,
          MAX (l.first, o->first), o->key, o->stream, objection);
      clear_listener (&l);
      return FALSE;
    }
  }
  g_array_append_val (all, l);
  return TRUE;
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
    for (guint j = 0; good && j < stream->outputs->len; j++)
      good = add_listener (all, stream, g_ptr_array_index (stream->outputs, j), error);
  }
  return good;
}
