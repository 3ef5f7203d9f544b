/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * toolstd.h: standard input and outputs, as programs need them.
 */
#pragma once

#include <glib.h>

/* Call this before any file or socket is opened, and anything is printed.
 *
 * Of standard input and outputs that the caller of the program has closed, the next file
 * would get the number, and what the program prints would be written there.  Printing fails as
 * before.
 *
 * g_print() and g_printerr() print UTF-8 as it is, --help too.  GLib would print a ? for each
 * character that is not ASCII: these programs set no locale, so that numbers have a point. */
void tool_begin_standard (void);
/* Adds --version, which prints the name and version of the program and ends it. */
void tool_add_version (GOptionContext *context);
