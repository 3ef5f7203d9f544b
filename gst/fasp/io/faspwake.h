/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwake.h: wakes a thread that waits for sockets.  An event counter, eventfd(2): it can
 * be read from when it was rung until it is cleared.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A descriptor, to be closed.  -1 and *error: what to do. */
gint fasp_wake_new (GError ** error);
/* From any thread. */
void fasp_wake_ring (gint fd);
void fasp_wake_clear (gint fd);

G_END_DECLS
