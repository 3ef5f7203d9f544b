/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaypictureview.h"
#include "relayjson.h"

#define PER_DB 100.0 /* levels are in 1/100 dBFS */

static JsonObject *
describe_picture (const RelayPictureStats *stats)
{
  JsonObject *object = json_object_new ();
  gsize bytes = stats->jpeg != NULL ? g_bytes_get_size (stats->jpeg) : 0;

  json_object_set_member (object, "time",
      stats->time != 0 ? relay_json_time (stats->time) : relay_json_string (NULL));
  json_object_set_int_member (object, "width", stats->width);
  json_object_set_int_member (object, "height", stats->height);
  json_object_set_int_member (object, "bytes", bytes);
  json_object_set_int_member (object, "made", stats->made);
  json_object_set_int_member (object, "restarts", stats->restarts);
  json_object_set_member (object, "error", relay_json_string (stats->error));
  return object;
}

static void
set_picture (const RelayPictureStats *stats, JsonObject *object)
{
  if (stats != NULL)
    json_object_set_object_member (object, "picture", describe_picture (stats));
  else
    json_object_set_null_member (object, "picture");
}

void
relay_picture_describe (const RelayPictureStats *stats, JsonObject *object)
{
  JsonArray *levels = json_array_new ();

  for (guint i = 0; stats != NULL && i < stats->channels; i++) {
    JsonObject *level = json_object_new ();

    json_object_set_double_member (level, "peak", stats->levels[i].peak / PER_DB);
    json_object_set_double_member (level, "rms", stats->levels[i].rms / PER_DB);
    json_array_add_object_element (levels, level);
  }
  set_picture (stats, object);
  json_object_set_array_member (object, "levels", levels);
}

void
relay_picture_summarize (const RelayPictureStats *stats, JsonObject *object)
{
  JsonArray *levels = json_array_new ();

  for (guint i = 0; stats != NULL && i < stats->channels; i++)
    json_array_add_double_element (levels, stats->levels[i].peak / PER_DB);
  set_picture (stats, object);
  json_object_set_array_member (object, "levels", levels);
}
