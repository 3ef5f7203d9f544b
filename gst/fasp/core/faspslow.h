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

G_END_DECLS
