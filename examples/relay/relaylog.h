/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylog.h: what happens, in a line each on the standard error output; whoever keeps
 * it (journald, a container's runtime) knows the time.
 */
#pragma once

#include <glib.h>

/* @text in one line, whatever the network has put into it, and nothing in it for the terminal. */
gchar *relay_log_make_plain (const gchar * text);
/* @stream: its name, or NULL. */
void relay_log (const gchar * stream, const gchar * format, ...)
G_GNUC_PRINTF (2, 3);
