/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vencoder.h: the sizes of the frames of a live encoder that follows a bit rate.
 *
 * 30 frames a second.  Each 120th is a key frame of four times the size.  The frames behind it are
 * smaller by up to a tenth until that is worked off.  Each size is wrong by up to 20 %.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VENCODER_FPS 30
#define VENCODER_LEAST 150000 /* bit/s */

typedef struct
{
  GRand *rand;
  guint frames; /* so far */
  gdouble owed; /* bytes of the last key frame that are to be worked off */
} Vencoder;

void vencoder_init (Vencoder *encoder, guint32 seed);
void vencoder_clear (Vencoder *encoder);
/* Bytes of the next frame at @rate bit/s. */
gsize vencoder_next (Vencoder *encoder, guint64 rate);
/* When frame @n is captured, µs after the first. */
gint64 vencoder_get_time (guint n);

G_END_DECLS
