/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspslowpolicy.h: slow-policy: which receivers a full store leaves behind.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Can all receivers that need the oldest block be left behind? */
gboolean fasp_slow_policy_can_leave_behind (const FaspEndpoint *endpoint);
/* Leaves behind receivers that need a block of the store's older half. FALSE: there is no more
 * room than before. */
gboolean fasp_slow_policy_leave_behind (FaspEndpoint *endpoint, FaspTime now);

/* The stream has ended: can receivers that do not take it be given up? They can if slow-policy does
 * not wait, some receiver has all of the stream, and none that takes it lacks any. */
gboolean fasp_slow_policy_lets_go (const FaspEndpoint *endpoint, FaspTime now);

G_END_DECLS
