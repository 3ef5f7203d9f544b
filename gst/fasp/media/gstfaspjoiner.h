/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspjoiner.h: makes buffers of blocks.
 *
 * Blocks that the sender's element cut from one buffer have the same media time.  Those that can be
 * read together become one buffer again: a frame of uncompressed video is thousands of blocks.  A
 * single block becomes a buffer without a copy.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

/* The most bytes of a joined buffer: with more, copies would not stay in the cache. */
#define GST_FASP_JOINED_MAX (128 * 1024)

typedef struct
{
  GstBufferPool *pool; /* pool of large buffers; made when one is needed */
} GstFaspJoiner;

void gst_fasp_joiner_clear (GstFaspJoiner *joiner);

/* Makes a buffer without timestamps of the first @used of the @n > 0 items, and
 * takes over their blocks.  The end of the stream may be among the items, but not
 * as the first: it is never used. */
GstBuffer *gst_fasp_joiner_take (GstFaspJoiner *joiner, const FaspRead *items, guint n,
    guint *used);

/* Makes a buffer of a single block without a copy; takes over the block. */
GstBuffer *gst_fasp_joiner_wrap (FaspBlock *block);

G_END_DECLS
