/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picturelook.h"
#include <stdlib.h>
#include <string.h>

#define WHITE 255 /* the largest sample */
#define DARK 26   /* samples below a tenth of white are dark, as in ffmpeg's blackdetect */

PictureLook
picture_looker_take (PictureLooker *looker, const guint8 *samples, gsize size)
{
  gboolean comparable = looker->last != NULL && looker->size == size;
  guint64 dark = 0, change = 0;
  PictureLook look = { 0, PICTURE_LOOK_UNKNOWN };

  if (size == 0)
    return look;
  for (gsize i = 0; i < size; i++)
    dark += samples[i] < DARK;
  for (gsize i = 0; comparable && i < size; i++)
    change += abs (samples[i] - looker->last[i]);
  look.dark = dark * PICTURE_LOOK_WHOLE / size;
  if (comparable)
    look.change = change * PICTURE_LOOK_WHOLE / (size * WHITE);
  picture_looker_clear (looker);
  looker->last = g_memdup2 (samples, size);
  looker->size = size;
  return look;
}

void
picture_looker_clear (PictureLooker *looker)
{
  g_clear_pointer (&looker->last, g_free);
  looker->size = 0;
}
