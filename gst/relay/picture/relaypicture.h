/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaypicture.h: the picture of a stream, which a process of its own (fasp-picture) decodes.
 *
 *            the stream flows           WANTS                    DONE
 *     NONE --------------> STARTING ----------> WANTING --------------> RESTING --> WANTS ...
 *      ^                      |                    |                       |
 *      +---- a pause ---------+---- it has ended, is late or talks nonsense: it is killed
 *
 * While it is WANTING, the stream is written to its ring as well, by the thread that passes it on,
 * and never waits for it: once the ring is full, the process gets nothing more until it wants the
 * next picture.  After a failure it is started again 1 s later, then 2 s, up to 64 s; with a
 * picture that begins anew.
 *
 * Call all functions but relay_picture_get_stats from the thread of the main context.
 */
#pragma once

#include <gst/gst.h>
#include "pictureframes.h"
#include "relayrules.h"

G_BEGIN_DECLS

typedef struct _RelayPicture RelayPicture;

typedef struct
{
  GBytes *jpeg; /* NULL: there is none yet */
  guint bytes;  /* of the JPEG */
  gint64 time;  /* of the picture: µs, UTC; 0: there is none */
  guint width, height;
  gdouble dark, change; /* shares, as in PictureLook; NAN: not known */
  gint64 looked, heard; /* when these were last told, and the levels: g_get_monotonic_time, µs */
  guint interval;       /* configured interval between pictures, s */
  guint64 made;         /* pictures */
  guint64 restarts;     /* of the process, after it failed */
  gchar *error;         /* why the last attempt made no picture; NULL: it made one */
  guint channels;       /* of sound; 0: none in the last attempt */
  PictureLevel levels[PICTURE_CHANNELS_MAX];
} RelayPictureStats;

/* @name: of the stream, for the log. */
RelayPicture *relay_picture_new (const gchar *name);
void relay_picture_free (RelayPicture *picture);

/* @interval: s; 0: there are no pictures, and no process. */
void relay_picture_set_interval (RelayPicture *picture, guint interval);
/* The stream flows through this pad; NULL: it does not flow. */
void relay_picture_follow (RelayPicture *picture, GstPad *pad);
/* Ends the process. relay_picture_follow() begins anew. */
void relay_picture_end (RelayPicture *picture);

/* NULL: there are no pictures. May be called from any thread. */
RelayPictureStats *relay_picture_get_stats (RelayPicture *picture);
void relay_picture_stats_free (RelayPictureStats *stats);
/* Of the last picture and its sound; NULL: nothing is known.  Frozen is what has not changed since
 * the picture before, whether it is black or not. */
RelayAnswer relay_picture_is_black (const RelayPictureStats *stats);
RelayAnswer relay_picture_is_frozen (const RelayPictureStats *stats);
RelayAnswer relay_picture_is_silent (const RelayPictureStats *stats);

G_END_DECLS
