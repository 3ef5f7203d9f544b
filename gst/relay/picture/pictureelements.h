/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pictureelements.h: makes the elements of a pipeline of fasp-picture, and feeds the first one.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define PICTURE_WAITING_MAX (8 * 1024 * 1024) /* bytes that wait in front of one element */

/* Adds an element of that name to the pipeline, and links it behind @before (NULL: behind none).
 * NULL: no such element is installed. */
GstElement *picture_element_add (GstElement *pipeline, GstElement *before, const gchar *name);
/* Adds the appsrc of an MPEG-TS. */
GstElement *picture_element_add_source (GstElement *pipeline);
/* Passes a copy of the data to that appsrc. FALSE: too much waits there, or it has ended. */
gboolean picture_element_push (GstElement *source, const guint8 *data, gsize size);

G_END_DECLS
