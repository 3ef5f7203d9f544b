/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timecode.h: a machine-readable time code in the picture.
 *
 * 64 squares, black or white, along the upper edge, beginning at the left. In pictures
 * at least 1024 pixels wide, each is a whole macroblock, so that an encoder at any
 * usual rate leaves it black or white. In others they are smaller. From the left:
 * number of the picture (24 bits), time in µs (32 bits), and a check (CRC-8, polynomial
 * 0x07) of both. The highest bit comes first; white is 1.
 */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

#define TIMECODE_BITS 64

/* For pictures at least 256 pixels wide and 16 high with 8 bits of luma, packed or planar. FALSE:
 * the picture has another format or size or, when read, no valid code. */
gboolean timecode_write (GstVideoFrame *frame, guint32 number, guint32 time);
gboolean timecode_read (const GstVideoFrame *frame, guint32 *number, guint32 *time);

G_END_DECLS
