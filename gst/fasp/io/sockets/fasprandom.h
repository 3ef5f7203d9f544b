/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprandom.h: the system's random numbers, for the core.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* FALSE: the system gives no random numbers, as in some sandboxes. To be called before anything
 * that needs them. */
gboolean fasp_random_check (GError **error);
/* A FaspRandomFunc. */
void fasp_random_bytes (gpointer unused, guint8 *data, gsize size);

G_END_DECLS
