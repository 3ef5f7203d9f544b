/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgroupplace.h: keeps a group joined, and at the interface of a name, as faspinterface.h does
 * sockets.
 *
 * The kernel knows by number where a group is joined and sent to: an interface that is removed
 * and comes back has another one.  And switches forget who has joined where no router asks now
 * and then (IGMP and MLD queriers): as long as nothing is heard of the group it is joined anew,
 * by the routes of then if no interface is named, so that they hear of it again.
 */
#pragma once

#include "faspmembership.h"

G_BEGIN_DECLS

typedef struct _FaspGroupPlace FaspGroupPlace;

/* @out: sends to the group, @in: has joined it; NULL: none has.  Both stay the caller's.  NULL: there
 * is nothing to keep. */
FaspGroupPlace *fasp_group_place_new (const FaspMembership * membership,
    const FaspSocket * out, const FaspSocket * in);
void fasp_group_place_free (FaspGroupPlace * place);
/* To be called now and then.  @deaf: nothing is heard of the group. */
void fasp_group_place_follow (FaspGroupPlace * place, FaspTime now,
    gboolean deaf);

G_END_DECLS
