/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "gstfaspmode.h"
#include "gstfaspmulticast.h"

#define BAD(...) g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

/* The addresses that the flows of one set leave from. */
typedef struct
{
  const gchar *address, *interface; /* NULL: any */
  guint port;                       /* 0: any */
} Local;

static const gchar *
take (GstFaspSockets *sockets, gchar *text)
{
  if (text != NULL)
    g_ptr_array_add (sockets->strings, text);
  return text;
}

static const gchar *
keep (GstFaspSockets *sockets, const gchar *text)
{
  return take (sockets, g_strdup (text));
}

/* Checks that there are @n ports from @port on. */
static gboolean
has_ports (guint port, guint n, GError **error)
{
  if (port + n - 1 > G_MAXUINT16)
    BAD ("%u flowlets at port %u go beyond 65535. Choose a lower port.", n, port);
  return port + n - 1 <= G_MAXUINT16;
}

static gboolean
add_set (GstFaspSockets *sockets, const GstFaspSettings *s, const Local *local, GError **error)
{
  /* room for the data of 100 ms at the channel rate */
  gsize buffer = CLAMP (s->sending.max_bitrate / 8 / 10, 4 << 20, 32 << 20);
  /* a listener answers from the address that was called; a caller may change its address */
  gboolean answers = gst_fasp_mode_get (s) == GST_FASP_MODE_LISTENER;

  if (sockets->n + s->flowlets > FASP_FLOWS_MAX) {
    BAD ("There are too many flows: flowlets times the number of addresses "
         "(that of the URI, and bonding-addresses) must be at most %d. Set fewer "
         "of either.",
        FASP_FLOWS_MAX);
    return FALSE;
  }
  if (!has_ports (local->port, s->flowlets, error))
    return FALSE;
  for (guint i = 0; i < s->flowlets; i++)
    sockets->list[sockets->n++] = (FaspSocketSettings) {
      .local_address = local->address,
      .local_port = local->port > 0 ? local->port + i : 0,
      .interface = local->interface,
      .tos = s->tos,
      .ttl = s->ttl,
      .buffer = buffer,
      .answers = answers,
    };
  return TRUE;
}

/* Parses it as a socket's address: GInetAddress does not understand the %INTERFACE of a link-local
 * one. */
static gboolean
is_address (const gchar *text)
{
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string (text, 0);

  return address != NULL;
}

/* Parses ADDRESS:PORT, or [ADDRESS]:PORT. *own: the ADDRESS as it was written. */
static GSocketAddress *
parse_address (const gchar *text, gchar **own)
{
  const gchar *colon = strrchr (text, ':');
  guint64 port;

  if (colon == NULL || colon == text
      || !g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXUINT16, &port, NULL))
    return NULL;
  if (text[0] == '[' && colon[-1] == ']')
    *own = g_strndup (text + 1, colon - text - 2);
  else
    *own = g_strndup (text, colon - text);
  return g_inet_socket_address_new_from_string (*own, port);
}

/* Is @address among those at which the first set listens?  If that listens at all addresses, or at
 * all IPv4 addresses, its port is taken at each of them. */
static gboolean
is_taken (const GstFaspSockets *sockets, const GstFaspSettings *s, GSocketAddress *address)
{
  const gchar *first = sockets->list[0].local_address;
  g_autoptr (GInetAddress) all = first != NULL && first[0] != '\0' ?
      g_inet_address_new_from_string (first) :
      g_inet_address_new_any (G_SOCKET_FAMILY_IPV6);
  guint from = sockets->list[0].local_port;
  guint port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));

  return from > 0 && all != NULL && g_inet_address_get_is_any (all)
      && (g_inet_address_get_family (all) == G_SOCKET_FAMILY_IPV6
          || g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV4)
      && port < from + s->flowlets && from < port + s->flowlets;
}

/* Adds one of bonding-addresses.  For an element that dials it is the peer's address, with
 * @LOCAL for where to send from; for a listener it is its own address. */
static gboolean
add_bond (GstFaspSockets *sockets, const GstFaspSettings *s, const gchar *text, GError **error)
{
  gboolean dials = gst_fasp_mode_get (s) != GST_FASP_MODE_LISTENER;
  g_auto (GStrv) parts = g_strsplit (text, "@", 2);
  g_autofree gchar *own = NULL;
  /* there are no parts if nothing is between two commas */
  g_autoptr (GSocketAddress) address =
      parts[0] != NULL ? parse_address (g_strstrip (parts[0]), &own) : NULL;
  Local local = { 0 };
  guint16 port;

  if (address == NULL || (dials && parts[1] != NULL && *g_strstrip (parts[1]) == '\0')) {
    const gchar *local_part = dials ? " or ADDRESS:PORT@LOCAL" : "";

    BAD ("\"%s\" in bonding-addresses is not ADDRESS:PORT%s. Write IP "
         "addresses, IPv6 ones in brackets, with commas between them.",
        text, local_part);
    return FALSE;
  }
  port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
  if (!dials && parts[1] != NULL) {
    BAD ("A listener's bonding-addresses are its own: \"%s\" has an @ in it. Write ADDRESS:PORT.",
        text);
    return FALSE;
  }
  if (dials) {
    if (!has_ports (port, s->flowlets, error))
      return FALSE;
    g_ptr_array_add (sockets->others, g_object_ref (address));
    /* in a rendezvous, the peer expects us at the same port as its own */
    local.port = gst_fasp_mode_get (s) == GST_FASP_MODE_RENDEZVOUS ? port : 0;
    if (parts[1] != NULL && is_address (parts[1]))
      local.address = keep (sockets, parts[1]);
    else
      local.interface = keep (sockets, parts[1]);
  } else {
    if (is_taken (sockets, s, address)) {
      BAD ("This element listens at port %u of all addresses, so \"%s\" in "
           "bonding-addresses is taken: name the first address, too, with "
           "fasp://ADDRESS:%u?mode=listener, or choose another port.",
          sockets->list[0].local_port, text, sockets->list[0].local_port);
      return FALSE;
    }
    local.address = keep (sockets, own);
    local.port = port;
  }
  return add_set (sockets, s, &local, error);
}

static gboolean
add_all (GstFaspSockets *sockets, const GstFaspSettings *s, GError **error)
{
  Local local = { keep (sockets, gst_fasp_mode_get_localaddress (s)), keep (sockets, s->interface),
    gst_fasp_mode_get_localport (s) };

  if (gst_fasp_multicast_is_meant (s)) {
    /* senders to a group, and callers, do not use the group's port as their own */
    local.address = keep (sockets, gst_fasp_multicast_get_local (s));
    local.port = s->localport_set ? s->localport : 0;
    gst_fasp_multicast_to_io (s, &sockets->multicast);
    sockets->multicast.group = take (sockets, gst_fasp_multicast_get_group (s));
    sockets->multicast.source = keep (sockets, s->multicast.source);
    sockets->multicast.interface = keep (sockets, sockets->multicast.interface);
    return add_set (sockets, s, &local, error);
  }
  if (gst_fasp_mode_get (s) == GST_FASP_MODE_CALLER && !s->localport_set)
    local.port = 0;
  if (!has_ports (s->port, s->flowlets, error) || !add_set (sockets, s, &local, error))
    return FALSE;
  if (s->bonding_addresses != NULL && s->bonding_addresses[0] != '\0') {
    g_auto (GStrv) bonds = g_strsplit (s->bonding_addresses, ",", -1);

    for (gchar **bond = bonds; *bond != NULL; bond++)
      if (!add_bond (sockets, s, *bond, error))
        return FALSE;
  }
  /* with several addresses, the element starts even if one of them has no network yet */
  for (guint i = 0; sockets->n > s->flowlets && i < sockets->n; i++)
    sockets->list[i].may_come = TRUE;
  return TRUE;
}

/* Adds HOST:PORT, or [ADDRESS]:PORT, of fallback-addresses. */
static gboolean
add_fallback (GstFaspSockets *sockets, gchar *text, GError **error)
{
  FaspIoPeer *peer = &sockets->fallbacks[sockets->n_fallbacks];
  gchar *colon = strrchr (g_strstrip (text), ':');
  guint64 port;

  if (colon == NULL || colon == text || (text[0] != '[' && strchr (text, ':') != colon)
      || (text[0] == '[' && (colon[-1] != ']' || colon == text + 2))
      || !g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXUINT16, &port, NULL)) {
    BAD ("\"%s\" in fallback-addresses is not HOST:PORT. Write names or IP "
         "addresses, IPv6 ones in brackets, with commas between them.",
        text);
    return FALSE;
  }
  if (!has_ports (port, sockets->flowlets, error))
    return FALSE;
  if (text[0] == '[')
    colon[-1] = '\0';
  *colon = '\0';
  peer->host = keep (sockets, text[0] == '[' ? text + 1 : text);
  peer->port = port;
  sockets->n_fallbacks++;
  return TRUE;
}

static gboolean
add_fallbacks (GstFaspSockets *sockets, const GstFaspSettings *s, GError **error)
{
  g_auto (GStrv) texts = NULL;

  if (s->receiving.fallback_addresses == NULL || s->receiving.fallback_addresses[0] == '\0')
    return TRUE;
  if (gst_fasp_mode_get (s) != GST_FASP_MODE_CALLER) {
    BAD ("fallback-addresses are for a faspsrc that dials: set "
         "uri=fasp://HOST:PORT, or leave them out.");
    return FALSE;
  }
  if (sockets->others->len > 0) {
    BAD ("fallback-addresses and bonding-addresses cannot be used together, as "
         "all bonding-addresses lead to one peer. Set one of them.");
    return FALSE;
  }
  texts = g_strsplit (s->receiving.fallback_addresses, ",", -1);
  sockets->fallbacks = g_new (FaspIoPeer, g_strv_length (texts));
  for (gchar **text = texts; *text != NULL; text++)
    if (!add_fallback (sockets, *text, error))
      return FALSE;
  return TRUE;
}

GstFaspSockets *
gst_fasp_sockets_new (const GstFaspSettings *settings, GError **error)
{
  GstFaspSockets *sockets = g_new0 (GstFaspSockets, 1);

  sockets->flowlets = settings->flowlets;
  sockets->others = g_ptr_array_new_with_free_func (g_object_unref);
  sockets->strings = g_ptr_array_new_with_free_func (g_free);
  if (add_all (sockets, settings, error) && add_fallbacks (sockets, settings, error))
    return sockets;
  gst_fasp_sockets_free (sockets);
  return NULL;
}

void
gst_fasp_sockets_free (GstFaspSockets *sockets)
{
  g_ptr_array_unref (sockets->others);
  g_ptr_array_unref (sockets->strings);
  g_free (sockets->fallbacks);
  g_free (sockets);
}
