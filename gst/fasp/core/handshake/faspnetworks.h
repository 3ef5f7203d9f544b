/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetworks.h: the number of a sender's receivers in each network, and their share of the total
 * rate. Only networks with a receiver, and their IPv6 /32, have an entry.
 */
#pragma once

#include "faspfairqueue.h"
#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct _FaspNetworks FaspNetworks;

FaspNetworks *fasp_networks_new (void);
void fasp_networks_free (FaspNetworks *networks);
/* Returns the network's group of receivers, valid until the last one has left. */
FaspFairGroup *fasp_networks_join (FaspNetworks *networks, const FaspNetwork *network);
/* A receiver that has joined leaves. It must not wait in the group. */
void fasp_networks_leave (FaspNetworks *networks, const FaspNetwork *network);
/* The number of receivers in a network, or in an IPv6 /32. @number: as in FaspNetwork. */
guint fasp_networks_count (const FaspNetworks *networks, guint64 number);

G_END_DECLS
