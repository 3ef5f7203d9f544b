/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspshared.h: memory of a buffer that blocks may lie in, so that it goes
 * to the network without a copy, and again when it was lost.
 *
 * The buffer is held until every receiver has confirmed what is in it.
 */
#pragma once

#include <gst/gst.h>
#include "faspblock.h"

G_BEGIN_DECLS

/* Is that of use for memory @i, and harmless?  Not for little, or little in
 * something large; and not for what somebody may have no more of when it is
 * held: buffers of a pool with a limit, like those of a capture card, and memory
 * that belongs to others and may only be read, unless it is @constant. */
gboolean gst_fasp_shared_is_worth (GstBuffer * buffer, guint i,
    gboolean constant);

/* Memory @i of @buffer, mapped; NULL: it cannot be read. */
FaspMemory *gst_fasp_shared_new (GstBuffer * buffer, guint i,
    const guint8 ** data, gsize * size);

G_END_DECLS
