/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "relayprotocol.h"

const RelayProtocol *const relay_protocols[] = { &relay_protocol_fasp, &relay_protocol_srt,
  &relay_protocol_rist, &relay_protocol_udp, &relay_protocol_rtp, &relay_protocol_file,
  &relay_protocol_hls, NULL };

const RelayProtocol *
relay_protocol_find (const gchar *uri)
{
  for (guint i = 0; relay_protocols[i] != NULL; i++) {
    gsize size = strlen (relay_protocols[i]->scheme);

    if (g_ascii_strncasecmp (uri, relay_protocols[i]->scheme, size) == 0 && uri[size] == ':')
      return relay_protocols[i];
  }
  return NULL;
}

RelayProtocolUri *
relay_protocol_uri_parse (const gchar *uri, gboolean sends, const gchar *passphrase, GError **error)
{
  const RelayProtocol *protocol = relay_protocol_find (uri);
  g_autoptr (RelayProtocolUri) protocol_uri = NULL;

  g_return_val_if_fail (protocol != NULL && protocol->make_end == NULL, NULL);
  protocol_uri = relay_protocol_uri_split (protocol, uri, sends, error);
  if (protocol_uri == NULL)
    return NULL;
  if (passphrase != NULL && relay_key_find (protocol->keys, "passphrase", RELAY_KEY_BOTH) != NULL)
    g_hash_table_replace (protocol_uri->keys, g_strdup ("passphrase"), g_strdup (passphrase));
  if (!relay_protocol_uri_check_keys (protocol_uri, error)
      || !relay_protocol_uri_split_leg (protocol_uri, error)
      || (protocol->check != NULL && !protocol->check (protocol_uri, error)))
    return NULL;
  return g_steal_pointer (&protocol_uri);
}
