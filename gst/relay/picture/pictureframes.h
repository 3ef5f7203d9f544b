/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pictureframes.h: what fasp-picture tells the relay, by a socket: frames of a length, a type and
 * what belongs to it.
 *
 *     u32  length of what follows, big-endian
 *     u8   type
 *     ...
 *
 *     WANTS                        it waits for the stream
 *     JPEG, LOOK, LEVELS, PROBLEM  the result, each at most once
 *     DONE                         it needs no more of the stream; then WANTS again
 *
 * and of a preview
 *
 *     MEDIA                        its type, video/mp4 or audio/mp4, as RFC 6381 has it
 *     INIT                         the head of the fragmented MP4
 *     KEY, PIECE                   what follows; with KEY, a player may begin
 *     PROBLEM                      there is no preview, a sentence; nothing follows
 *
 * The program decodes data of strangers, and may have been taken over.  A frame that does not
 * follow this, or is too long, is bad, and then the relay ends the program.  At most one frame of
 * the greatest length is kept.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PICTURE_HEAD 5                /* bytes of length and type */
#define PICTURE_JPEG_MAX (256 * 1024) /* bytes */
#define PICTURE_SIDE_MAX 640          /* pixels of a side */
#define PICTURE_CHANNELS_MAX 16       /* of sound */
#define PICTURE_TEXT_MAX 300          /* bytes of a problem */
#define PICTURE_MEDIA_MAX 100         /* bytes of a type */
#define PICTURE_INIT_MAX (64 * 1024)  /* bytes */
#define PICTURE_PIECE_MAX (64 * 1024) /* bytes of KEY and PIECE */
#define PICTURE_LEVEL_MIN (-12000)    /* silence, 1/100 dBFS */
#define PICTURE_LEVEL_MAX 2000        /* sound in floating point may be above full scale */
#define PICTURE_LOOK_WHOLE 10000      /* parts of a share */
#define PICTURE_LOOK_UNKNOWN 0xffff
#define PICTURE_EXIT_NO_SANDBOX 3 /* exit status of the program if there is no sandbox */

typedef enum
{
  PICTURE_WANTS = 'W',
  PICTURE_JPEG = 'J',
  PICTURE_LOOK = 'K',
  PICTURE_LEVELS = 'L',
  PICTURE_PROBLEM = 'P',
  PICTURE_DONE = 'D',
  PICTURE_MEDIA = 'T',
  PICTURE_INIT = 'I',
  PICTURE_KEY = 'Y',
  PICTURE_PIECE = 'M',
} PictureType;

/* What the program makes of the stream. */
typedef enum
{
  PICTURE_OF_PICTURES,
  PICTURE_OF_PREVIEW,
} PictureOf;

/* Of one channel, in 1/100 dBFS: LEVELS is an array of these, two i16 each, big-endian. */
typedef struct
{
  gint16 peak, rms;
} PictureLevel;

/* Of the picture: LOOK is this, two u16 big-endian. */
typedef struct
{
  guint16 dark;   /* share of the samples that are dark, in parts of PICTURE_LOOK_WHOLE */
  guint16 change; /* mean change of a sample since the picture before, in parts of its range;
                     PICTURE_LOOK_UNKNOWN: there was none of this size */
} PictureLook;

typedef struct
{
  PictureType type;
  const guint8 *data; /* valid until the next call of picture_frames_push() */
  gsize size;
} PictureFrame;

typedef enum
{
  PICTURE_MORE, /* the frame is not complete yet */
  PICTURE_FRAME,
  PICTURE_BAD, /* invalid; so are all later calls */
} PictureResult;

typedef struct _PictureFrames PictureFrames;

PictureFrames *picture_frames_new (PictureOf of);
void picture_frames_free (PictureFrames *frames);
/* Takes bytes as they come, and drops those of frames that were popped. FALSE: frames pushed before
 * must be popped first. */
gboolean picture_frames_push (PictureFrames *frames, const guint8 *data, gsize size);
PictureResult picture_frames_pop (PictureFrames *frames, PictureFrame *frame);

/* FALSE: it is not a JPEG that can be shown. *width, *height: pixels. */
gboolean picture_frame_look_at_jpeg (const PictureFrame *frame, guint *width, guint *height);
/* Returns how many channels there are. */
guint picture_frame_get_levels (const PictureFrame *frame, PictureLevel *levels);
PictureLook picture_frame_get_look (const PictureFrame *frame);
gchar *picture_frame_get_text (const PictureFrame *frame);

/* Returns the bytes of a frame. */
GByteArray *picture_frame_make (PictureType type, const guint8 *data, gsize size);

G_END_DECLS
