/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspmulticast.h: the settings for multicast, which is used if the host of the URI is a
 * multicast address.  faspsink sends to that group.  faspsrc joins it, and dials the sender that
 * is announced there.
 */
#pragma once

#include "gstfaspsockets.h"

G_BEGIN_DECLS

void gst_fasp_multicast_install (GObjectClass *klass, FaspRole role);
void gst_fasp_multicast_init (GstFaspMulticast *multicast);

/* Is the host a multicast group? */
gboolean gst_fasp_multicast_is_meant (const GstFaspSettings *settings);
/* Checks for settings that are not possible with multicast. */
gboolean gst_fasp_multicast_check (const GstFaspSettings *settings, GError **error);
/* Returns the address to listen at or to send from, of the group's address family. */
const gchar *gst_fasp_multicast_get_local (const GstFaspSettings *settings);
/* Returns the group's address alone, without an interface; a new string. */
gchar *gst_fasp_multicast_get_group (const GstFaspSettings *settings);
/* @settings still owns the strings. */
void gst_fasp_multicast_to_io (const GstFaspSettings *settings, FaspMembership *membership);

G_END_DECLS
