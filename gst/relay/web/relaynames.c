/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "relaynames.h"

/* Bytes of a name without the dot that may end it. */
static gsize
get_length (const gchar *name)
{
  gsize length = strlen (name);

  return length - (length > 0 && name[length - 1] == '.');
}

static gboolean
is_same (const gchar *a, const gchar *b)
{
  gsize length = get_length (a);

  return length == get_length (b) && g_ascii_strncasecmp (a, b, length) == 0;
}

gboolean
relay_names_has (const gchar *const *names, const gchar *host)
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
  if (is_same (name, "localhost"))
    return TRUE;
  for (; names != NULL && *names != NULL; names++)
    if (is_same (name, *names))
      return TRUE;
  return FALSE;
}
