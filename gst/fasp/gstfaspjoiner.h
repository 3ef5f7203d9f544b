/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspjoiner.h: blocks become buffers.
 *
 * Blocks that the sender's element cut from one buffer have one media time, and
 * those of them that are here together become one buffer again: a frame of
 * uncompressed video is thousands of them.  A block alone is a buffer without
 * a copy.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

/* Bytes of a joined buffer at most: as far as copies stay in the cache. */
#define GST_FASP_JOINED_MAX (128 * 1024)

typedef struct
{
  GstBufferPool *pool;          /* of large ones; made when one is needed */
} GstFaspJoiner;

void gst_fasp_joiner_clear (GstFaspJoiner * joiner);

/* The first @used of the @n > 0 items as a buffer without timestamps, whose
 * blocks it takes over.  None of them may be the end of the stream but one
 * behind those that are used. */
GstBuffer *gst_fasp_joiner_take (GstFaspJoiner * joiner,
    const FaspIoItem * items, guint n, guint * used);

/* One alone, without a copy; takes it over. */
GstBuffer *gst_fasp_joiner_wrap (FaspBlock * block);

G_END_DECLS
