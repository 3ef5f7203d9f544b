/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwhereabouts.h: whose peers are at an address.
 *
 * A list that is made when it is asked for, and again when it has become old, as
 * addresses change all the time and are asked for when the network says that nobody
 * listens there: anybody can forge that, of any address.  So however often it is said,
 * making the list takes little of the time.
 */
#pragma once

#include "faspsession.h"

G_BEGIN_DECLS

typedef struct
{
  GHashTable *first;            /* hash of an address -> place in the list, + 1 */
  GArray *list;
  FaspTime made;
} FaspWhereabouts;

void fasp_whereabouts_clear (FaspWhereabouts * w);
/* @sessions: all that there are. */
void fasp_whereabouts_update (FaspWhereabouts * w, FaspTime now,
    const GPtrArray * sessions);
/* The place in the list of the first session with a flow to @address; 0: there is none. */
guint fasp_whereabouts_find (const FaspWhereabouts * w,
    const FaspAddress * address);
/* Whose id stands there; it may be elsewhere by now, or gone. @place: the next one's; 0: there
 * is none. */
guint32 fasp_whereabouts_take (const FaspWhereabouts * w, guint * place);

G_END_DECLS
