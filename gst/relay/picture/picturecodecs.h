/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * picturecodecs.h: which elements decode what, and which package of Debian has them.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define PICTURE_DECODERS 3

typedef struct
{
  const gchar *name;                           /* the users' name of the codec */
  const gchar *caps;                           /* of tsdemux */
  const gchar *parser;                         /* NULL: it needs none */
  const gchar *decoders[PICTURE_DECODERS + 1]; /* the first one installed is used */
  gboolean is_video;
} PictureCodec;

/* NULL: the codec is not in the table. */
const PictureCodec *picture_codec_find (const GstCaps *caps);
/* All of them. */
const PictureCodec *picture_codec_list (guint *n);
/* NULL: no decoder of it is installed. */
const gchar *picture_codec_get_decoder (const PictureCodec *codec);
/* Loads the plugin of an element; NULL: none. */
void picture_codec_load (const gchar *element);
/* Debian's name of the package with an element of that name. */
const gchar *picture_codec_get_package (const gchar *element);

G_END_DECLS
