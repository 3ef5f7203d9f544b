/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * userns.h: lets a user without rights make networks of their own, in a user namespace.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Becomes root in a user namespace, unless the process is root.  Call it before there are threads.
 * FALSE: the system does not allow that; errno says why. */
gboolean userns_become_root (void);

G_END_DECLS
