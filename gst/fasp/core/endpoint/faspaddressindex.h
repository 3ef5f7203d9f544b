/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspaddressindex.h: which sessions have their peer at an address.
 *
 * The list is made when it is asked for, and made again when it has become old.
 * Addresses change all the time, but are asked for only when the network says that
 * no program listens there (ICMP). Any host can forge that, for any address. So the list is made
 * seldom enough that it takes little time, however often the report comes. The same goes for the
 * sessions at one address, of which there may be many.
 */
#pragma once

#include "faspsession.h"

G_BEGIN_DECLS

typedef struct
{
  GHashTable *first; /* hash of an address -> index in the list + 1 */
  GArray *list;
  FaspTime made;
  FaspTime busy_until; /* nothing is looked up before this time */
} FaspAddressIndex;

void fasp_address_index_clear (FaspAddressIndex *index);
/* Rebuilds the index if it is old. @sessions: all sessions of the endpoint. */
void fasp_address_index_update (FaspAddressIndex *index, FaspTime now, const GPtrArray *sessions);
/* The index in the list, + 1, of the first session with a flow to @address; 0: there is none. */
guint fasp_address_index_find (const FaspAddressIndex *index, const FaspAddress *address);
/* Notes that @n sessions at one address were handled. After many, no address is looked up for a
 * while. */
void fasp_address_index_dealt_with (FaspAddressIndex *index, FaspTime now, guint n);
/* Returns the session id at *cursor, and moves *cursor on to the next session at the same address;
 * 0: there is none. The session may have moved to another address since, or be gone. */
guint32 fasp_address_index_take (const FaspAddressIndex *index, guint *cursor);

G_END_DECLS
