/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayprotocoluri.h: the URI of an end that is not fasp: where it is, and its keys.
 *
 * Keys are in a table: which schemes and sides have them, and which values.  Everything else is an
 * error.  The path of a file is taken as it is written, without %-escapes, as its name may have a
 * date in it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  RELAY_UDP,
  RELAY_RTP,
  RELAY_SRT,
  RELAY_RIST,
  RELAY_FILE,
  RELAY_SCHEMES,
} RelayScheme;

typedef struct
{
  RelayScheme scheme;
  gboolean sends;
  gchar *host;      /* NULL: all addresses of this machine, or a file */
  gchar *source;    /* whose datagrams to a multicast group are wanted; NULL: everybody's */
  guint port;       /* UDP; 0: a file */
  gchar *path;      /* of a file; NULL: none */
  GHashTable *keys; /* values, by key */
} RelayProtocolUri;

/* Is this another scheme than fasp's? */
gboolean relay_protocol_uri_is_one (const gchar *uri);
/* @passphrase: of SRT, instead of the URI's; NULL: the URI's, if any.  @error: GST_URI_ERROR, with
 * a sentence that does not quote secrets. */
RelayProtocolUri *relay_protocol_uri_parse (const gchar *uri, gboolean sends,
    const gchar *passphrase, GError **error);
void relay_protocol_uri_free (RelayProtocolUri *protocol_uri);

const gchar *relay_protocol_uri_get (const RelayProtocolUri *protocol_uri, const gchar *key);
guint64 relay_protocol_uri_get_uint (const RelayProtocolUri *protocol_uri, const gchar *key,
    guint64 otherwise);
/* Do datagrams leave at their time? */
gboolean relay_protocol_uri_is_timed (const RelayProtocolUri *protocol_uri);
gboolean relay_protocol_uri_is_multicast (const RelayProtocolUri *protocol_uri);
/* Is a port of this machine bound, which nothing else can have? */
gboolean relay_protocol_uri_listens (const RelayProtocolUri *protocol_uri);
/* The URI without secrets. */
gchar *relay_protocol_uri_describe (const RelayProtocolUri *protocol_uri);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayProtocolUri, relay_protocol_uri_free);

G_END_DECLS
