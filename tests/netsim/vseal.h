/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vseal.h: closes a datagram as soon as it is written.
 */
#pragma once

#include "faspseal.h"

G_BEGIN_DECLS

/* w->failed: it had, the sealer refused, or there is no room. */
void vseal_close (FaspSealer * sealer, guint8 flow, guint64 pn, FaspWriter * w);

G_END_DECLS
