/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsecret.h: what is done to bytes that nobody else may learn.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Compares in constant time. */
gboolean fasp_equal (const guint8 *a, const guint8 *b, gsize size);
/* Overwrites, also where a compiler sees that nobody reads it any more. */
void fasp_wipe (gpointer data, gsize size);

G_END_DECLS
