/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsecret.h: comparing and erasing secret bytes.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Compares in constant time. */
gboolean fasp_equal (const guint8 *a, const guint8 *b, gsize size);
/* Overwrites @data. The compiler cannot omit it, even if @data is not read afterwards. */
void fasp_wipe (gpointer data, gsize size);

G_END_DECLS
