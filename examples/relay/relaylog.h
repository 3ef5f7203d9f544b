/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylog.h: writes what happens to standard error, in one line each.  Whoever keeps the
 * lines (journald, a container's runtime) adds the time.
 */
#pragma once

#include <glib.h>

/* Returns @text in one line and without control characters, whatever the network has put into it. */
gchar *relay_log_make_plain (const gchar * text);
/* @stream: its name, or NULL. */
void relay_log (const gchar * stream, const gchar * format, ...)
G_GNUC_PRINTF (2, 3);
