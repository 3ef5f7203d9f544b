/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmembership.h: multicast for sockets: joins a group, from any source or from one
 * (RFC 3678), and sets how datagrams to a group leave.
 */
#pragma once

#include "faspsocket.h"

G_BEGIN_DECLS

struct _FaspMembership
{
  const gchar *group; /* an IP address */
  guint16 port;
  const gchar *source;    /* the sender's address; NULL: any */
  const gchar *interface; /* NULL: chosen by the routing table */
  gint ttl;               /* TTL of datagrams to the group, 0..255 */
  gboolean loop;          /* receivers on this machine get the sent datagrams, too */
};

/* All return FALSE on failure. Those with an @error set it to a sentence that tells the
 * user what to do. */

/* Joins the group. @socket: bound to the group's address. */
gboolean fasp_membership_join (const FaspMembership *membership, const FaspSocket *socket,
    GError **error);
/* Leaves the group at interface number @from and joins it at @to. */
gboolean fasp_membership_move (const FaspMembership *membership, const FaspSocket *socket,
    guint from, guint to);
/* Prepares @socket for sending to a group. *group: the group's address in the form that the socket
 * uses. */
gboolean fasp_membership_prepare (const FaspMembership *membership, const FaspSocket *socket,
    FaspAddress *group, GError **error);

G_END_DECLS
