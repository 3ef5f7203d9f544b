/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspslow.h: slow-policy: whom a full store leaves behind.
 */
#pragma once

#include "faspendpointprivate.h"

G_BEGIN_DECLS

/* Can all who hold the oldest block be left behind? */
gboolean fasp_slow_can_press (const FaspEndpoint * endpoint);
/* Makes room at the cost of who holds the oldest block. */
gboolean fasp_slow_press (FaspEndpoint * endpoint, FaspTime now);

/* The stream has ended; who is silent need not be waited for any more: others are not
 * waited for either, somebody has all of it, and nobody who is heard lacks any. */
gboolean fasp_slow_lets_go (const FaspEndpoint * endpoint);

G_END_DECLS
