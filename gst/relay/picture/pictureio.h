/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pictureio.h: what leads to and from fasp-picture: the stream, in a ring (picturering.h) that is
 * its standard input, and frames, by a socket that is its standard output. A byte in the other
 * direction wakes it.
 */
#pragma once

#include "pictureframes.h"

G_BEGIN_DECLS

#define PICTURE_READ (256 * 1024) /* bytes read at a time, at most */

/* FALSE: there is no ring. */
gboolean picture_open (void);
/* Writes a frame to the relay. */
void picture_tell (PictureType type, const guint8 *data, gsize size);
/* Writes a frame of text, which becomes UTF-8 without control characters: elements may quote data
 * of the stream. */
void picture_tell_text (PictureType type, const gchar *text);
/* Reads available data, up to PICTURE_READ, waiting up to @ms for some; -1: for ever; it may wait
 * for less. Ends the program when the relay has gone. */
gsize picture_read (guint8 *data, gint ms);

G_END_DECLS
