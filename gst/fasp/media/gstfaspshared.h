/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspshared.h: memory of a buffer that blocks lie in, so that they go to the
 * network without a copy, and again if they were lost.
 *
 * The buffer is held until every receiver has confirmed its bytes.
 */
#pragma once

#include <gst/gst.h>
#include "faspblock.h"

G_BEGIN_DECLS

/* Is it useful and harmless to hold memory @i?  It is not useful for a small piece of memory, or a
 * small part of a large one.  It is harmful if the owner may run out of memory, as with buffers of
 * a pool with a limit, like a capture card's, and with read-only memory of another element, unless
 * it is
 * @constant. */
gboolean gst_fasp_shared_is_worth (GstBuffer *buffer, guint i, gboolean constant);

/* Maps memory @i of @buffer and holds it; NULL: it cannot be read. */
FaspMemory *gst_fasp_shared_new (GstBuffer *buffer, guint i, const guint8 **data, gsize *size);

G_END_DECLS
