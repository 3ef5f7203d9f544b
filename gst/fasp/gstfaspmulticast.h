/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspmulticast.h: the settings of multicast, which is where the host of the URI is a
 * multicast address: faspsink sends to it, faspsrc hears it, and dials who is announced there.
 */
#pragma once

#include "gstfasplinks.h"

G_BEGIN_DECLS

void gst_fasp_multicast_install (GObjectClass * klass, FaspRole role);
void gst_fasp_multicast_init (GstFaspMulticast * multicast);

/* Is the host a group? */
gboolean gst_fasp_multicast_is_meant (const GstFaspSettings * settings);
/* Checks what cannot be had with it. */
gboolean gst_fasp_multicast_check (const GstFaspSettings * settings,
    GError ** error);
/* Where an element is to listen at or to leave from, of the group's family. */
const gchar *gst_fasp_multicast_get_local (const GstFaspSettings * settings);
/* Its address alone; new string. */
gchar *gst_fasp_multicast_get_group (const GstFaspSettings * settings);
/* The strings stay those of @settings. */
void gst_fasp_multicast_to_io (const GstFaspSettings * settings,
    FaspMembership * membership);

G_END_DECLS
