/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetworks.h: how many receivers of a sender are behind each network, and what they have of its
 * total rate. It has an entry for each network with a receiver, and for each IPv6 /32, and no
 * other.
 */
#pragma once

#include "faspfairqueue.h"
#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct _FaspNetworks FaspNetworks;

FaspNetworks *fasp_networks_new (void);
void fasp_networks_free (FaspNetworks *networks);
/* Returns what receivers of the network share. It is valid until the last one has left. */
FaspFairGroup *fasp_networks_join (FaspNetworks *networks, const FaspNetwork *network);
/* One that has joined leaves, and waits for nothing any more. */
void fasp_networks_leave (FaspNetworks *networks, const FaspNetwork *network);
/* @number: that of a network, or of a /32. */
guint fasp_networks_count (const FaspNetworks *networks, guint64 number);

G_END_DECLS
