/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysection.h: the section [relay] of the configuration: where the status and the API are, and
 * which requests are allowed.
 */
#pragma once

#include "relayconfig.h"
#include "relayvalue.h"

G_BEGIN_DECLS

#define RELAY_SECTION "relay"

/* @config: its members before `text' are set. */
gboolean relay_section_read (GKeyFile *file, const RelaySecrets *secrets, RelayConfig *config,
    GError **error);

/* Returns a warning if the file of the history could not be written now; NULL: it could, or there
 * is none. Opens no file: to close one would release the locks of this process on it. */
gchar *relay_section_look_at_history (const RelayConfig *config);

G_END_DECLS
