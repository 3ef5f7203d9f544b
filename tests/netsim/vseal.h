/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vseal.h: seals a datagram as soon as it is written.
 */
#pragma once

#include "faspprotection.h"

G_BEGIN_DECLS

/* Sets w->failed if the sealer refuses or there is no room; it may have been set
 * before. */
void vseal_close (FaspSealer *sealer, guint8 flow, guint64 pn, FaspWriter *w);

G_END_DECLS
