/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictureframes.h"
#include <string.h>

#define LEVEL_BYTES 4
#define LOOK_BYTES 4
#define FRAME_MAX (PICTURE_HEAD + PICTURE_JPEG_MAX)

struct _PictureFrames
{
  GByteArray *bytes; /* FRAME_MAX at most */
  gsize popped;      /* of these, bytes of frames that were popped */
  guint seen;        /* types seen since WANTS, a bit each (get_bit()) */
  PictureOf of;
  gboolean wants; /* between WANTS and DONE */
  gboolean bad;
};

PictureFrames *
picture_frames_new (PictureOf of)
{
  PictureFrames *frames = g_new0 (PictureFrames, 1);

  frames->of = of;
  frames->bytes = g_byte_array_new ();
  return frames;
}

void
picture_frames_free (PictureFrames *frames)
{
  g_byte_array_unref (frames->bytes);
  g_free (frames);
}

gboolean
picture_frames_push (PictureFrames *frames, const guint8 *data, gsize size)
{
  g_byte_array_remove_range (frames->bytes, 0, frames->popped);
  frames->popped = 0;
  if (size > FRAME_MAX - frames->bytes->len)
    return FALSE;
  g_byte_array_append (frames->bytes, data, size);
  return TRUE;
}

/* --- frames that are valid ---------------------------------------------------------------- */

static gboolean
has_good_size (PictureType type, gsize size)
{
  switch (type) {
    case PICTURE_WANTS:
    case PICTURE_DONE:
      return size == 0;
    case PICTURE_JPEG:
      return size > 0 && size <= PICTURE_JPEG_MAX;
    case PICTURE_LOOK:
      return size == LOOK_BYTES;
    case PICTURE_LEVELS:
      return size <= PICTURE_CHANNELS_MAX * LEVEL_BYTES && size % LEVEL_BYTES == 0;
    case PICTURE_PROBLEM:
      return size > 0 && size <= PICTURE_TEXT_MAX;
    case PICTURE_MEDIA:
      return size > 0 && size <= PICTURE_MEDIA_MAX;
    case PICTURE_INIT:
      return size > 0 && size <= PICTURE_INIT_MAX;
    case PICTURE_KEY:
    case PICTURE_PIECE:
      return size > 0 && size <= PICTURE_PIECE_MAX;
    default:
      return FALSE;
  }
}

static guint
get_bit (PictureType type)
{
  static const gchar types[] = { PICTURE_JPEG, PICTURE_LOOK, PICTURE_LEVELS, PICTURE_PROBLEM,
    PICTURE_MEDIA, PICTURE_INIT, PICTURE_KEY, PICTURE_PIECE };

  return 1 << ((const gchar *) memchr (types, type, sizeof types) - types);
}

static gboolean
has_seen (const PictureFrames *frames, PictureType type)
{
  return (frames->seen & get_bit (type)) != 0;
}

static gboolean
follows_in_preview (PictureFrames *frames, PictureType type)
{
  gboolean good = !has_seen (frames, PICTURE_PROBLEM);

  switch (type) {
    case PICTURE_MEDIA:
      good &= !has_seen (frames, type) && !has_seen (frames, PICTURE_INIT);
      break;
    case PICTURE_INIT:
      good &= !has_seen (frames, type) && has_seen (frames, PICTURE_MEDIA);
      break;
    case PICTURE_KEY:
      good &= has_seen (frames, PICTURE_INIT);
      break;
    case PICTURE_PIECE:
      good &= has_seen (frames, PICTURE_KEY);
      break;
    case PICTURE_PROBLEM:
      break;
    default:
      return FALSE;
  }
  frames->seen |= get_bit (type);
  return good;
}

/* May a frame of this type come now? */
static gboolean
follows (PictureFrames *frames, PictureType type)
{
  gboolean good;

  if (frames->of == PICTURE_OF_PREVIEW)
    return follows_in_preview (frames, type);
  if (type == PICTURE_WANTS || type == PICTURE_DONE) {
    good = frames->wants == (type == PICTURE_DONE);
    frames->wants = type == PICTURE_WANTS;
    frames->seen = 0;
    return good;
  }
  good = frames->wants && !has_seen (frames, type) && get_bit (type) < get_bit (PICTURE_MEDIA);
  frames->seen |= get_bit (type);
  return good;
}

static gint16
read_level (const guint8 *at)
{
  return (gint16) (at[0] << 8 | at[1]);
}

static gboolean
has_good_levels (const PictureFrame *frame)
{
  for (gsize i = 0; i < frame->size; i += 2) {
    gint16 level = read_level (frame->data + i);

    if (level < PICTURE_LEVEL_MIN || level > PICTURE_LEVEL_MAX)
      return FALSE;
  }
  return TRUE;
}

static gboolean
has_good_look (const PictureFrame *frame)
{
  PictureLook look = picture_frame_get_look (frame);

  return look.dark <= PICTURE_LOOK_WHOLE
      && (look.change <= PICTURE_LOOK_WHOLE || look.change == PICTURE_LOOK_UNKNOWN);
}

/* Is it a type of MP4, and nothing else?  A browser takes the last one of several types that commas
 * separate: with text/html there, the program could have it run a script as one of the relay's
 * page. */
static gboolean
has_good_media (const PictureFrame *frame)
{
  g_autofree gchar *type = picture_frame_get_text (frame);

  return strlen (type) == frame->size
      && g_regex_match_simple ("^(video|audio)/mp4(; codecs=\"[A-Za-z0-9., ]*\")?\\z", type, 0, 0);
}

/* Is the text fit for the log and the status? */
static gboolean
has_good_text (const PictureFrame *frame)
{
  const gchar *text = (const gchar *) frame->data;

  for (gsize i = 0; i < frame->size; i++)
    if (g_ascii_iscntrl (text[i]))
      return FALSE;
  return g_utf8_validate (text, frame->size, NULL);
}

static gboolean
is_good (const PictureFrame *frame)
{
  guint width, height;

  switch (frame->type) {
    case PICTURE_JPEG:
      return picture_frame_look_at_jpeg (frame, &width, &height);
    case PICTURE_LOOK:
      return has_good_look (frame);
    case PICTURE_LEVELS:
      return has_good_levels (frame);
    case PICTURE_PROBLEM:
      return has_good_text (frame);
    case PICTURE_MEDIA:
      return has_good_media (frame);
    default:
      return TRUE;
  }
}

PictureResult
picture_frames_pop (PictureFrames *frames, PictureFrame *frame)
{
  const guint8 *at = frames->bytes->data + frames->popped;
  gsize left = frames->bytes->len - frames->popped, length;

  if (frames->bad)
    return PICTURE_BAD;
  if (left < PICTURE_HEAD)
    return PICTURE_MORE;
  length = (gsize) at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
  frames->bad = length == 0 || !has_good_size (at[4], length - 1);
  if (frames->bad)
    return PICTURE_BAD;
  if (left < PICTURE_HEAD + length - 1)
    return PICTURE_MORE;
  *frame = (PictureFrame) { at[4], at + PICTURE_HEAD, length - 1 };
  frames->popped += PICTURE_HEAD + length - 1;
  frames->bad = !follows (frames, frame->type) || !is_good (frame);
  return frames->bad ? PICTURE_BAD : PICTURE_FRAME;
}

/* --- JPEG ----------------------------------------------------------------------------------- */

#define JPEG_MARK 0xff
#define JPEG_SOI 0xd8   /* start of image (ITU-T T.81, table B.1) */
#define JPEG_EOI 0xd9   /* its end */
#define JPEG_SOF0 0xc0  /* start of frame: baseline, Huffman */
#define JPEG_SOS 0xda   /* start of scan: compressed data follow */
#define JPEG_SOF_SIZE 6 /* bytes of precision, height, width and number of components */

/* Is the frame exactly one baseline JPEG, and not too large? */
gboolean
picture_frame_look_at_jpeg (const PictureFrame *frame, guint *width, guint *height)
{
  const guint8 *data = frame->data;
  gsize size = frame->size, at = 2;

  *width = *height = 0;
  if (size < 4 || data[0] != JPEG_MARK || data[1] != JPEG_SOI || data[size - 2] != JPEG_MARK
      || data[size - 1] != JPEG_EOI)
    return FALSE;
  while (at + 4 <= size && data[at] == JPEG_MARK) {
    guint8 mark = data[at + 1];
    gsize length = data[at + 2] << 8 | data[at + 3];

    if (mark == JPEG_SOS)
      return *width > 0 && *height > 0;
    if (length < 2 || length > size - at - 2)
      return FALSE;
    if (mark == JPEG_SOF0) {
      if (length < 2 + JPEG_SOF_SIZE || *width > 0)
        return FALSE;
      *height = data[at + 5] << 8 | data[at + 6];
      *width = data[at + 7] << 8 | data[at + 8];
      if (*width == 0 || *height == 0 || *width > PICTURE_SIDE_MAX || *height > PICTURE_SIDE_MAX)
        return FALSE;
    }
    at += 2 + length;
  }
  return FALSE;
}

/* --- contents ------------------------------------------------------------------------------- */

guint
picture_frame_get_levels (const PictureFrame *frame, PictureLevel *levels)
{
  guint n = frame->size / LEVEL_BYTES;

  for (guint i = 0; i < n; i++) {
    levels[i].peak = read_level (frame->data + i * LEVEL_BYTES);
    levels[i].rms = read_level (frame->data + i * LEVEL_BYTES + 2);
  }
  return n;
}

PictureLook
picture_frame_get_look (const PictureFrame *frame)
{
  const guint8 *at = frame->data;

  return (PictureLook) { at[0] << 8 | at[1], at[2] << 8 | at[3] };
}

gchar *
picture_frame_get_text (const PictureFrame *frame)
{
  return g_strndup ((const gchar *) frame->data, frame->size);
}

GByteArray *
picture_frame_make (PictureType type, const guint8 *data, gsize size)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 head[PICTURE_HEAD] = { (size + 1) >> 24, (size + 1) >> 16, (size + 1) >> 8, size + 1,
    type };

  g_byte_array_append (bytes, head, sizeof head);
  if (size > 0)
    g_byte_array_append (bytes, data, size);
  return bytes;
}
