/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timecode.h: a time code that is part of the picture, for a machine to read.
 *
 * 64 squares along the upper edge from the left, black or white, each a whole macroblock
 * where the picture is 1024 pixels wide or more, so that an encoder at any usual rate leaves
 * it black or white; smaller ones where it is not.  From the left: number
 * of the picture (24 bits), time in µs (32 bits), and a check (CRC-8, polynomial
 * 0x07) of both; the highest bit first, white is 1.
 */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

#define TIMECODE_BITS 64

/* For pictures at least 256 wide and 16 high with 8 bits of luma, packed or not. */
gboolean timecode_write (GstVideoFrame * frame, guint32 number, guint32 time);
gboolean timecode_read (const GstVideoFrame * frame, guint32 * number,
    guint32 * time);

G_END_DECLS
