/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspthread.h: threads of an element, which may be one too many for its process.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* To be joined.  NULL and *error: what to do. */
GThread *fasp_thread_new (const gchar * name, GThreadFunc run, gpointer data,
    GError ** error);

G_END_DECLS
