/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetworks.h: how many receivers of a sender are behind each network. It has an entry for each network with a
 * receiver, and no other. A network is a number (fasp_gate_get_network()).
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct _FaspCrowd FaspCrowd;

FaspCrowd *fasp_crowd_new (void);
void fasp_crowd_free (FaspCrowd * crowd);
void fasp_crowd_join (FaspCrowd * crowd, guint64 network);
/* One that has joined leaves. */
void fasp_crowd_leave (FaspCrowd * crowd, guint64 network);
guint fasp_crowd_count (const FaspCrowd * crowd, guint64 network);

G_END_DECLS
