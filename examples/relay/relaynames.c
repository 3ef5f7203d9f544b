/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "relaynames.h"

gboolean
relay_names_has (const gchar * const *names, const gchar * host)
{
  g_autoptr (GSocketConnectable) parsed = NULL;
  g_autofree gchar *name = NULL;

  if (host == NULL)
    return TRUE;
  parsed = g_network_address_parse (host, 80, NULL);
  if (parsed == NULL)
    return FALSE;
  name = g_strdup (g_network_address_get_hostname (G_NETWORK_ADDRESS (parsed)));
  if (g_hostname_is_ip_address (name))
    return TRUE;
  if (g_str_has_suffix (name, "."))
    name[strlen (name) - 1] = '\0';
  if (g_ascii_strcasecmp (name, "localhost") == 0)
    return TRUE;
  for (; names != NULL && *names != NULL; names++)
    if (g_ascii_strcasecmp (name, *names) == 0)
      return TRUE;
  return FALSE;
}
