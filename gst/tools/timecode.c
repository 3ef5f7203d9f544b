/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "timecode.h"

#define BLACK 16
#define WHITE 235
#define SIDE_MAX 16

static guint8
get_check (guint64 code)
{
  guint8 crc = 0;

  for (gint byte = 6; byte >= 0; byte--) {
    crc ^= code >> (8 * byte);
    for (guint bit = 0; bit < 8; bit++)
      crc = crc << 1 ^ (crc & 0x80 ? 0x07 : 0);
  }
  return crc;
}

/* The side of a square; 0: there is no room, or no luma of 8 bits. */
static guint
get_side (const GstVideoFrame *frame)
{
  guint side = MIN (GST_VIDEO_FRAME_WIDTH (frame) / TIMECODE_BITS, SIDE_MAX);

  return GST_VIDEO_FRAME_COMP_DEPTH (frame, 0) != 8 || side < 4
          || GST_VIDEO_FRAME_HEIGHT (frame) < SIDE_MAX ?
      0 :
      side;
}

static guint8 *
get_luma (const GstVideoFrame *frame, guint x, guint y)
{
  return (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, 0)
      + y * GST_VIDEO_FRAME_COMP_STRIDE (frame, 0) + x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, 0);
}

gboolean
timecode_write (GstVideoFrame *frame, guint32 number, guint32 time)
{
  guint64 code = (guint64) (number & 0xffffff) << 32 | time;
  guint side = get_side (frame);

  code = code << 8 | get_check (code);
  for (guint y = 0; y < side; y++)
    for (guint x = 0; x < side * TIMECODE_BITS; x++)
      *get_luma (frame, x, y) = code >> (TIMECODE_BITS - 1 - x / side) & 1 ? WHITE : BLACK;
  return side > 0;
}

gboolean
timecode_read (const GstVideoFrame *frame, guint32 *number, guint32 *time)
{
  guint side = get_side (frame);
  guint64 code = 0;

  if (side == 0)
    return FALSE;
  /* reads the middle of each square, which its neighbours do not affect */
  for (guint bit = 0; bit < TIMECODE_BITS; bit++) {
    guint sum = 0;

    for (guint i = 0; i < 4; i++)
      sum += *get_luma (frame, bit * side + side / 2 - 1 + i % 2, side / 2 - 1 + i / 2);
    code = code << 1 | (sum > 4 * (BLACK + WHITE) / 2);
  }
  if (get_check (code >> 8) != (code & 0xff))
    return FALSE;
  *number = code >> 40;
  *time = code >> 8;
  return TRUE;
}
