/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * picturelook.h: how dark a picture is, and how much of it has changed since the one before.
 */
#pragma once

#include "pictureframes.h"

G_BEGIN_DECLS

typedef struct
{
  guint8 *last; /* samples of the picture before; NULL: there was none */
  gsize size;
} PictureLooker;

/* @samples: red, green and blue of each pixel. */
PictureLook picture_looker_take (PictureLooker *looker, const guint8 *samples, gsize size);
void picture_looker_clear (PictureLooker *looker);

G_END_DECLS
