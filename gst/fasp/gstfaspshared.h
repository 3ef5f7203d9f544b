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

/* Is that of use, and harmless?  Not for little, and not for buffers of a pool
 * that has no more when these are held, like those of a capture card. */
gboolean gst_fasp_shared_is_worth (GstBuffer * buffer, gsize size);

/* Memory @i of @buffer, mapped; NULL: it cannot be read. */
FaspMemory *gst_fasp_shared_new (GstBuffer * buffer, guint i,
    const guint8 ** data, gsize * size);

G_END_DECLS
