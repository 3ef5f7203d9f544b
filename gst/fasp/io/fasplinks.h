/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplinks.h: the sockets of an endpoint, one for each flow, and waiting for
 * them.  A link's number is that in its addresses (FaspAddress).
 */
#pragma once

#include "faspsocket.h"

G_BEGIN_DECLS

typedef struct _FaspLinks FaspLinks;

/* Opens @n sockets, all or none. */
FaspLinks *fasp_links_new (const FaspSocketSettings * settings, guint n,
    GError ** error);
void fasp_links_free (FaspLinks * links);

guint fasp_links_count (const FaspLinks * links);
FaspSocket *fasp_links_get (const FaspLinks * links, guint link);
/* Their descriptors, by number. */
const gint *fasp_links_get_fds (const FaspLinks * links);

/* Is one of them bound to a device? Binds each to the one of its name, if it was another one. */
gboolean fasp_links_have_interfaces (const FaspLinks * links);
void fasp_links_follow_interfaces (FaspLinks * links);

/* The smallest receive buffer that one of them has, bytes. */
gsize fasp_links_get_buffer (const FaspLinks * links);
/* Asks for so many bytes for each; returns the smallest granted. */
gsize fasp_links_set_buffer (FaspLinks * links, gsize wanted);

/* Waits until one of @which (a bit for each) can be read, or @other can, or @blocked
 * (a link, -1 for none) can be written to; at most @timeout, FASP_NEVER for ever.  Returns a bit for each
 * link that can be read; *other_ready: and the other.  Either may be wrong where the kernel does
 * not tell. */
guint64 fasp_links_wait (FaspLinks * links, guint64 which, gint other,
    gboolean * other_ready, gint blocked, FaspTime timeout);

G_END_DECLS
