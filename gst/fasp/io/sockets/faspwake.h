/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwake.h: wakes a thread that waits for sockets. This is an event counter, eventfd(2), or
 * elsewhere a socket that sends to itself: once rung, it can be read until it is cleared.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns a descriptor. -1: *error says what to do. */
gint fasp_wake_new (GError **error);
/* Closes it; -1: there is none. */
void fasp_wake_free (gint fd);
/* Wakes the thread that waits for @fd. From any thread. */
void fasp_wake_ring (gint fd);
void fasp_wake_clear (gint fd);

G_END_DECLS
