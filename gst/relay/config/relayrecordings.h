/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayrecordings.h: which outputs can record beside each other.
 */
#pragma once

#include "relayconfig.h"

G_BEGIN_DECLS

/* FALSE: two outputs would write, continue or remove each other's files. @error: a sentence that
 * names both. */
gboolean relay_recordings_check (const RelayConfig *config, GError **error);

G_END_DECLS
