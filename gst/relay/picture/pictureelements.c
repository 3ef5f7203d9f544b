/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictureelements.h"
#include <gst/app/app.h>

GstElement *
picture_element_add (GstElement *pipeline, GstElement *before, const gchar *name)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  if (element == NULL)
    return NULL;
  gst_bin_add (GST_BIN (pipeline), element);
  if (before != NULL)
    gst_element_link (before, element);
  return element;
}

GstElement *
picture_element_add_source (GstElement *pipeline)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/mpegts, systemstream=(boolean)true");
  GstElement *source = picture_element_add (pipeline, NULL, "appsrc");

  g_object_set (source, "caps", caps, "format", GST_FORMAT_BYTES, "max-bytes",
      (guint64) PICTURE_WAITING_MAX, NULL);
  return source;
}

gboolean
picture_element_push (GstElement *source, const guint8 *data, gsize size)
{
  GstAppSrc *app = GST_APP_SRC (source);

  return gst_app_src_get_current_level_bytes (app) + size <= PICTURE_WAITING_MAX
      && gst_app_src_push_buffer (app, gst_buffer_new_memdup (data, size)) == GST_FLOW_OK;
}
