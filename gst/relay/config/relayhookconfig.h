/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhookconfig.h: a section [hook NAME] of the configuration.
 */
#pragma once

#include "relayvalue.h"

G_BEGIN_DECLS

/* Adds the hook to @hooks. FALSE: the section is wrong. */
gboolean relay_hook_read (GKeyFile *file, const gchar *group, const gchar *name,
    const RelaySecrets *secrets, GPtrArray *hooks, GError **error);

G_END_DECLS
