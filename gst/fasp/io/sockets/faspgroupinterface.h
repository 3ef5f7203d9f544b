/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgroupinterface.h: keeps a multicast group joined at the interface with a given name, as
 * faspinterface.h keeps sockets bound to one.
 *
 * The kernel knows by number at which interface a group is joined and sent to. An
 * interface that is removed and comes back has another number. Also, switches forget
 * the members of a group if no router asks now and then (IGMP and MLD queriers). So as long as
 * nothing is heard of the group, it is joined again and again, which the switches notice. If no
 * interface is named, the routes at that time decide.
 */
#pragma once

#include "faspmembership.h"

G_BEGIN_DECLS

typedef struct _FaspGroupInterface FaspGroupInterface;

/* @out: the socket that sends to the group. @in: the socket that has joined it, or NULL. Neither is
 * owned. Returns NULL if no interface has to be followed. */
FaspGroupInterface *fasp_group_interface_new (const FaspMembership *membership,
    const FaspSocket *out, const FaspSocket *in);
void fasp_group_interface_free (FaspGroupInterface *joined);
/* To be called regularly. Follows the interface if it was replaced, or if the routing table
 * changed. @deaf: nothing is heard of the group. */
void fasp_group_interface_follow (FaspGroupInterface *joined, FaspTime now, gboolean deaf);

G_END_DECLS
