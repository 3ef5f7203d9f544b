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
  const gchar *interface; /* NULL: as the routes say */
  gint ttl;               /* for what is sent, 0..255 */
  gboolean loop;          /* this machine hears what it sends, too */
};

/* All return FALSE on failure. Those with an @error set it to a sentence that tells the
 * user what to do. */

/* @socket: bound to the group. */
gboolean fasp_membership_join (const FaspMembership *membership, const FaspSocket *socket,
    GError **error);
/* Leaves the group at interface number @from and joins it at @to. */
gboolean fasp_membership_move (const FaspMembership *membership, const FaspSocket *socket,
    guint from, guint to);
/* Prepares @socket for sending to a group. *group: its address as the socket has it. */
gboolean fasp_membership_prepare (const FaspMembership *membership, const FaspSocket *socket,
    FaspAddress *group, GError **error);

G_END_DECLS
