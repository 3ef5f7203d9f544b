/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgroupplace.h: keeps a group at the interface of a name, as faspinterface.h does sockets.
 *
 * The kernel knows by number where a group is joined and sent to: an interface that is removed
 * and comes back has another one.
 */
#pragma once

#include "faspmembership.h"

G_BEGIN_DECLS

typedef struct _FaspGroupPlace FaspGroupPlace;

/* @out: sends to the group, @in: has joined it; NULL: none has.  Both stay the caller's.  NULL: it is
 * at no interface of a name. */
FaspGroupPlace *fasp_group_place_new (const FaspMembership * membership,
    const FaspSocket * out, const FaspSocket * in);
void fasp_group_place_free (FaspGroupPlace * place);
/* To be called now and then. */
void fasp_group_place_follow (FaspGroupPlace * place);

G_END_DECLS
