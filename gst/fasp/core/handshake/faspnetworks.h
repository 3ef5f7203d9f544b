/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetworks.h: how many receivers of a sender are behind each network. It has an entry for each
 * network with a receiver, and no other. A network is a number (fasp_limiter_get_network()).
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct _FaspNetworks FaspNetworks;

FaspNetworks *fasp_networks_new (void);
void fasp_networks_free (FaspNetworks *networks);
void fasp_networks_join (FaspNetworks *networks, guint64 network);
/* One that has joined leaves. */
void fasp_networks_leave (FaspNetworks *networks, guint64 network);
guint fasp_networks_count (const FaspNetworks *networks, guint64 network);

G_END_DECLS
