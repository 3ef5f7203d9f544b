/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaydisk.h: the disk that an output writes to: whether it is still mounted, what is wrong with
 * it, and files that others see as a whole or not at all; after a power cut, they may be empty.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Is the disk with @path the one that it was at the first call? *mount: NULL at first; its mount
 * point from then on, to be freed; NULL: it is /. FALSE: nothing may be written there. */
gboolean relay_disk_check (gchar **mount, const gchar *path, GError **error);
/* Says that a file cannot be @what, for the reason in errno. @name: as it is configured: a name
 * that differs at each try would be another fault for the log. Returns FALSE. */
gboolean relay_disk_fail (const gchar *name, const gchar *what, GError **error);
/* Writes a file beside @path, and gives it that name when all is written. FALSE: errno says why,
 * and @path is as it was. */
gboolean relay_disk_replace (const gchar *path, gconstpointer data, gsize size);

G_END_DECLS
