/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaypictureview.h: a stream's picture and levels as they are shown.
 */
#pragma once

#include "relayfiguretable.h"
#include "relaystream.h"

G_BEGIN_DECLS

/* Levels of one channel of sound, dBFS. */
typedef struct
{
  gdouble peak, rms;
} RelayLevelFigures;

void relay_picture_get_level (const RelayPictureStats *stats, guint channel,
    RelayLevelFigures *figures);
/* Adds `picture' and `levels', which are null and empty if there are no pictures.  In the summary,
 * `levels' are the peaks alone. */
void relay_picture_describe (const RelayPictureStats *stats, RelayFigureIn in, JsonObject *object);

G_END_DECLS
