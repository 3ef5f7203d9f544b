/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspsources.h: tells the application which of several sources is used, and why.
 */
#pragma once

#include "faspsources.h"
#include "gstfaspquiet.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Posts an element message for the change and, as often as gstfaspquiet.h allows, an INFO or a
 * warning.  @peer: address of the source; its length is 0 if it was never connected. */
void gst_fasp_sources_post (GstElement *element, const FaspMergeEvent *event,
    const FaspAddress *peer, GstFaspQuiet *quiet);
/* Warns that a source refused for good and is not called again, while others are used. */
void gst_fasp_sources_warn_failed (GstElement *element, const FaspEvent *event);

G_END_DECLS
