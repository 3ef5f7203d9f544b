/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspthread.h: starts threads, and explains what to do if the process may have no
 * more.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Starts a thread, which the caller joins. NULL: *error says what to do. */
GThread *fasp_thread_new (const gchar *name, GThreadFunc run, gpointer data, GError **error);

G_END_DECLS
