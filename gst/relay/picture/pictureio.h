/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pictureio.h: the pipes of fasp-picture: the stream that it reads, and the frames that it writes.
 */
#pragma once

#include "pictureframes.h"

G_BEGIN_DECLS

#define PICTURE_READ (256 * 1024) /* bytes read at a time, at most */

/* Writes a frame to the relay. */
void picture_tell (PictureType type, const guint8 *data, gsize size);
/* Writes a frame of text, which becomes UTF-8 without control characters: elements may quote data
 * of the stream. */
void picture_tell_text (PictureType type, const gchar *text);
/* Reads available data, up to PICTURE_READ, waiting up to @ms for some; -1: for ever. Ends the
 * program when the relay has gone. */
gsize picture_read (guint8 *data, gint ms);

G_END_DECLS
