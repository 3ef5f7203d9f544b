/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayallowed.h"
#include <string.h>
#include "relaynetwork.h"

#define IPV4_SIZE 4 /* bytes */
#define IPV6_SIZE 16

static gboolean
is_mapped (GInetAddress *address)
{
  return relay_network_is_mapped (g_inet_address_to_bytes (address),
      g_inet_address_get_native_size (address));
}

/* Returns the IPv4 address that is mapped to IPv6, or @address. */
static GInetAddress *
unmap (GInetAddress *address)
{
  return is_mapped (address) ?
      g_inet_address_new_from_bytes (g_inet_address_to_bytes (address) + IPV6_SIZE - IPV4_SIZE,
          G_SOCKET_FAMILY_IPV4) :
      g_object_ref (address);
}

/* NULL: it is wrong, or no address is ever like it: IPv4 that is mapped to IPv6 is compared as
 * IPv4, and addresses are compared without a scope. */
static GInetAddressMask *
parse (const gchar *text)
{
  const gchar *slash = strchr (text, '/');
  g_autofree gchar *host = slash != NULL ? g_strndup (text, slash - text) : g_strdup (text);
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (host);
  guint64 most = address != NULL ? 8 * g_inet_address_get_native_size (address) : 0, bits = most;

  return address != NULL && strchr (host, '%') == NULL && !is_mapped (address)
          && (slash == NULL || g_ascii_string_to_unsigned (slash + 1, 10, 0, most, &bits, NULL)) ?
      g_inet_address_mask_new (address, bits, NULL) :
      NULL;
}

GPtrArray *
relay_allowed_parse (gchar *const *texts)
{
  g_autoptr (GPtrArray) allowed = g_ptr_array_new_with_free_func (g_object_unref);

  for (; *texts != NULL; texts++) {
    GInetAddressMask *mask = parse (*texts);

    if (mask == NULL)
      return NULL;
    g_ptr_array_add (allowed, mask);
  }
  return allowed->len > 0 && allowed->len <= RELAY_ALLOWED_MAX ? g_steal_pointer (&allowed) : NULL;
}

gboolean
relay_allowed_has (const GPtrArray *allowed, GInetAddress *address)
{
  g_autoptr (GInetAddress) plain = NULL;

  if (allowed == NULL || address == NULL)
    return allowed == NULL;
  plain = unmap (address);
  for (guint i = 0; i < allowed->len; i++)
    if (g_inet_address_mask_matches (g_ptr_array_index (allowed, i), plain))
      return TRUE;
  return FALSE;
}

gboolean
relay_allowed_has_socket (const GPtrArray *allowed, GSocketAddress *address)
{
  return relay_allowed_has (allowed,
      G_IS_INET_SOCKET_ADDRESS (address) ?
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)) :
          NULL);
}

gboolean
relay_allowed_is_same (const GPtrArray *a, const GPtrArray *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  for (guint i = 0; i < a->len && i < b->len; i++)
    if (!g_inet_address_mask_equal (g_ptr_array_index (a, i), g_ptr_array_index (b, i)))
      return FALSE;
  return a->len == b->len;
}
