/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * toolstd.h: makes standard input and outputs usable, and adds --version.
 */
#pragma once

#include <glib.h>

/* Call this before any file or socket is opened, and anything is printed.
 *
 * If the caller of the program has closed standard input or outputs, the next file would get the
 * number of one of them, and the program would print into that file.  This function prevents that;
 * printing still fails.
 *
 * g_print() and g_printerr() print UTF-8 as it is, --help too.  GLib would print a ? for each
 * character that is not ASCII: these programs set no locale, so that numbers have a point. */
void tool_begin_standard (void);
/* Adds --version, which prints the name and version of the program and ends it. */
void tool_add_version (GOptionContext *context);
