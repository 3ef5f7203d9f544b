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
} RelayPlace;

/* Is this another scheme than fasp's? */
gboolean relay_place_has_other_protocol (const gchar *uri);
/* @passphrase: of SRT, instead of the URI's; NULL: the URI's, if any.  @error: GST_URI_ERROR, with
 * a sentence that does not quote secrets. */
RelayPlace *relay_place_parse (const gchar *uri, gboolean sends, const gchar *passphrase,
    GError **error);
void relay_place_free (RelayPlace *place);

const gchar *relay_place_get (const RelayPlace *place, const gchar *key);
guint64 relay_place_get_uint (const RelayPlace *place, const gchar *key, guint64 otherwise);
/* Do datagrams leave at their time? */
gboolean relay_place_is_timed (const RelayPlace *place);
gboolean relay_place_is_multicast (const RelayPlace *place);
/* Is a port of this machine bound, which nothing else can have? */
gboolean relay_place_listens (const RelayPlace *place);
/* The URI without secrets. */
gchar *relay_place_describe (const RelayPlace *place);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RelayPlace, relay_place_free);

G_END_DECLS
