/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayports.h: which ends can listen at the same UDP port.
 */
#pragma once

#include "relayconfig.h"

G_BEGIN_DECLS

/* @error: a sentence that names both ends. */
gboolean relay_ports_check (const RelayConfig *config, GError **error);

G_END_DECLS
