/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaypictureview.h"

#define PER_DB 100.0 /* levels are in 1/100 dBFS */

void
relay_picture_get_level (const RelayPictureStats *stats, guint channel, RelayLevelFigures *figures)
{
  figures->peak = stats->levels[channel].peak / PER_DB;
  figures->rms = stats->levels[channel].rms / PER_DB;
}

void
relay_picture_describe (const RelayPictureStats *stats, RelayFigureIn in, JsonObject *object)
{
  JsonArray *levels = json_array_new ();

  json_object_set_null_member (object, "picture");
  if (stats != NULL)
    json_object_set_object_member (object, "picture",
        relay_figures_to_object (RELAY_OF_PICTURE, in, stats));
  for (guint i = 0; stats != NULL && i < stats->channels; i++) {
    RelayLevelFigures figures;

    relay_picture_get_level (stats, i, &figures);
    if (in == RELAY_IN_EVENTS)
      json_array_add_double_element (levels, figures.peak);
    else
      json_array_add_object_element (levels,
          relay_figures_to_object (RELAY_OF_LEVEL, in, &figures));
  }
  json_object_set_array_member (object, "levels", levels);
}
