/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmembership.h: what sockets need for multicast: joining a group, of any source or of one
 * (RFC 3678), and how what is sent to one leaves.
 */
#pragma once

#include "faspsocket.h"

G_BEGIN_DECLS

struct _FaspMembership
{
  const gchar *group;           /* an IP address */
  guint16 port;
  const gchar *source;          /* the sender's address; NULL: any */
  const gchar *interface;       /* NULL: as routed */
  gint ttl;                     /* of what is sent, 0..255 */
  gboolean loop;                /* what is sent is heard on this machine, too */
};

/* All return FALSE on failure, and a sentence that tells the user what to do if they are asked for it. */

/* @fd: a socket of @family, AF_INET or AF_INET6, bound to the group. */
gboolean fasp_membership_join (const FaspMembership * membership, gint fd,
    gint family, GError ** error);
/* One that has joined at the interface of this number joins at that one. */
gboolean fasp_membership_move (const FaspMembership * membership,
    const FaspSocket * socket, guint from, guint to);
/* @socket: what is sent from it to a group. *group: its address from there. */
gboolean fasp_membership_prepare (const FaspMembership * membership,
    const FaspSocket * socket, FaspAddress * group, GError ** error);

G_END_DECLS
