/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayprotocoluri.h: the URI of an end with a pipeline of its own: where it is, and its keys.
 *
 * Each key is one of the protocol's rows, for this kind of end; any other is an error.  The path of
 * a file is taken as it is written, without %-escapes, as its name may have a date in it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RelayProtocol RelayProtocol;

typedef struct _RelayProtocolUri RelayProtocolUri;

struct _RelayProtocolUri
{
  const RelayProtocol *protocol;
  gboolean sends;
  gchar *host;              /* NULL: all addresses of this machine, or a path */
  gchar *source;            /* the only source to receive from, of a multicast group; NULL: any */
  guint port;               /* UDP; 0: a path */
  gchar *path;              /* NULL: a host */
  GHashTable *keys;         /* values, by key */
  gboolean monitored;       /* the end's stream is measured */
  GPtrArray *allowed;       /* whom the end hears (relayallowed.h); NULL: all */
  RelayProtocolUri *second; /* place and interface of the second leg (relaylegs.h); NULL: none */
  gboolean is_second;       /* this is a second leg */
};

/* Is the host a multicast group? Does it stand for all addresses of this machine? */
gboolean relay_host_is_group (const gchar *host);
gboolean relay_host_is_any (const gchar *host);
/* Returns HOST:PORT, or [HOST]:PORT of an IPv6 address.  @host NULL: :PORT. */
gchar *relay_host_with_port (const gchar *host, guint port);

/* Takes a URI apart (see relay_protocol_uri_parse). */
RelayProtocolUri *relay_protocol_uri_split (const RelayProtocol *protocol, const gchar *uri,
    gboolean sends, GError **error);
/* Are the URI's keys, and their values, valid for this protocol and kind of end? */
gboolean relay_protocol_uri_check_keys (const RelayProtocolUri *protocol_uri, GError **error);
/* Sets `second' by the keys `leg2' and `leg2-interface'. */
gboolean relay_protocol_uri_split_leg (RelayProtocolUri *protocol_uri, GError **error);
void relay_protocol_uri_free (RelayProtocolUri *protocol_uri);

const gchar *relay_protocol_uri_get (const RelayProtocolUri *protocol_uri, const gchar *key);
guint64 relay_protocol_uri_get_uint (const RelayProtocolUri *protocol_uri, const gchar *key,
    guint64 otherwise);
/* Do datagrams leave at their time? */
gboolean relay_protocol_uri_is_timed (const RelayProtocolUri *protocol_uri);
gboolean relay_protocol_uri_is_ipv6 (const RelayProtocolUri *protocol_uri);
/* Returns the host; NULL is 0.0.0.0. */
const gchar *relay_protocol_uri_get_address (const RelayProtocolUri *protocol_uri);
/* How many ports of this machine the end binds, from the URI's on. */
guint relay_protocol_uri_count_ports (const RelayProtocolUri *protocol_uri);
/* Does the end bind a port that it does not share? */
gboolean relay_protocol_uri_listens (const RelayProtocolUri *protocol_uri);
/* Does the end dial, with a protocol that has connections? */
gboolean relay_protocol_uri_dials (const RelayProtocolUri *protocol_uri);
/* The URI without secrets. */
gchar *relay_protocol_uri_describe (const RelayProtocolUri *protocol_uri);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayProtocolUri, relay_protocol_uri_free);

G_END_DECLS
