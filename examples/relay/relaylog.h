/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylog.h: what happens, in a line each on the standard error output; whoever keeps
 * it (journald, a container's runtime) knows the time.
 */
#pragma once

#include <glib.h>

/* @stream: its name, or NULL. */
void relay_log (const gchar * stream, const gchar * format, ...)
G_GNUC_PRINTF (2, 3);
