/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplinks.h: the sockets of an endpoint, one for each flow, and waiting for them. A
 * link's number is the `link' in its addresses (FaspAddress).
 */
#pragma once

#include "faspsocket.h"

G_BEGIN_DECLS

typedef struct _FaspLinks FaspLinks;

/* Opens @n sockets, or none if one fails. */
FaspLinks *fasp_links_new (const FaspSocketSettings *settings, guint n, GError **error);
void fasp_links_free (FaspLinks *links);

guint fasp_links_count (const FaspLinks *links);
FaspSocket *fasp_links_get (const FaspLinks *links, guint link);
/* The sockets' descriptors, by link number. */
const gint *fasp_links_get_fds (const FaspLinks *links);

/* Is any socket bound to an interface? */
gboolean fasp_links_have_interfaces (const FaspLinks *links);
void fasp_links_follow_interfaces (FaspLinks *links);

/* The smallest receive buffer of the sockets, in bytes. */
gsize fasp_links_get_buffer (const FaspLinks *links);
/* Asks for @wanted bytes of buffer for each socket; returns the least that was granted. */
gsize fasp_links_set_buffer (FaspLinks *links, gsize wanted);

/* Waits until one of @which (a bit each) or @other can be read, or @blocked (a link; -1: none) can
 * be written to; at most for @timeout; FASP_NEVER: without limit. Returns the links that can be
 * read, a bit each. *other_ready: @other can be read. If poll() fails, all count as readable. */
guint64 fasp_links_wait (FaspLinks *links, guint64 which, gint other, gboolean *other_ready,
    gint blocked, FaspTime timeout);

G_END_DECLS
