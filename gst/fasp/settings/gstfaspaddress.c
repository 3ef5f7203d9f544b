/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspnet.h"
#include "faspsocket.h"
#include "gstfaspaddress.h"

static GSocketAddress *
to_gio (const FaspAddress *address)
{
  return address->len > 0 ? fasp_socket_address_to_gio (address) : NULL;
}

/* Returns %INTERFACE, with the interface's name or, if it has none, its number. */
static gchar *
describe_scope (guint32 scope)
{
  gchar name[IF_NAMESIZE];

  if (scope == 0)
    return g_strdup ("");
  return if_indextoname (scope, name) != NULL ? g_strconcat ("%", name, NULL) :
                                                g_strdup_printf ("%%%u", scope);
}

static gchar *
to_string (GSocketAddress *address)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (address);
  g_autofree gchar *text = g_inet_address_to_string (g_inet_socket_address_get_address (inet));
  g_autofree gchar *scope = NULL;

  if (g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV4)
    return g_strdup_printf ("%s:%u", text, g_inet_socket_address_get_port (inet));
  scope = describe_scope (g_inet_socket_address_get_scope_id (inet));
  return g_strdup_printf ("[%s%s]:%u", text, scope, g_inet_socket_address_get_port (inet));
}

gchar *
gst_fasp_address_to_string (const FaspAddress *address)
{
  g_autoptr (GSocketAddress) gio = to_gio (address);

  return gio != NULL ? to_string (gio) : NULL;
}

void
gst_fasp_address_describe (GstStructure *structure, const gchar *name, const FaspAddress *address)
{
  g_autoptr (GSocketAddress) gio = to_gio (address);
  g_autofree gchar *text = gio != NULL ? to_string (gio) : NULL;
  g_autofree gchar *twin = g_strconcat (name, "-string", NULL);

  gst_structure_set (structure, name, G_TYPE_SOCKET_ADDRESS, gio, twin, G_TYPE_STRING, text, NULL);
}
