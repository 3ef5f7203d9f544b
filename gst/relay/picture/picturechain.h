/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * picturechain.h: GStreamer's elements that make a picture, and levels, of a piece of a stream.
 *
 *     appsrc ! tsdemux ! PARSER | ! DECODER | ! videoscale ! videoconvert ! jpegenc ! appsink
 *                    ! [PARSER !] DECODER ! audioconvert ! level ! fakesink
 *
 * The first bar lets one key frame through, and then the end of the stream, so that the decoder
 * gives it out at once.  The second takes the first picture that is not from before the key frame.
 *
 * It is made anew for each picture: what one piece of a stream has done to it, the next does not
 * see.
 */
#pragma once

#include <gst/gst.h>
#include "pictureframes.h"

G_BEGIN_DECLS

typedef struct _PictureChain PictureChain;

/* Loads all elements that can be needed, as the sandbox allows no loading. */
void picture_chain_load (void);

/* NULL: an element that every stream needs is missing (picture_chain_find_missing()). */
PictureChain *picture_chain_new (void);
void picture_chain_free (PictureChain *chain);
/* Returns a sentence that says what to install; NULL: no such element is missing. */
gchar *picture_chain_find_missing (void);

/* FALSE: too many bytes wait, or the pipeline takes no more. */
gboolean picture_chain_push (PictureChain *chain, const guint8 *data, gsize size);
/* Handles pending messages and samples. FALSE: the pipeline has ended or failed. */
gboolean picture_chain_run (PictureChain *chain);

/* NULL: there is none yet. */
GstBuffer *picture_chain_get_picture (const PictureChain *chain);
/* Its samples: red, green and blue of each pixel. NULL: there is none yet. */
GstBuffer *picture_chain_get_samples (const PictureChain *chain);
/* Returns the number of channels. @levels: of all sound measured; may be NULL. */
guint picture_chain_get_levels (const PictureChain *chain, PictureLevel *levels);
/* ms of sound measured. */
guint picture_chain_get_heard (const PictureChain *chain);
/* May a picture, or sound, still come? */
gboolean picture_chain_may_see (const PictureChain *chain);
gboolean picture_chain_may_hear (const PictureChain *chain);
/* Why there is no picture, a sentence. */
gchar *picture_chain_get_problem (const PictureChain *chain);

G_END_DECLS
