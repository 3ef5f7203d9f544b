/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspstats.h: the core's figures as a GstStructure, and as messages.
 *
 * application/x-fasp-statistics; the words are those of srtsink where the
 * meaning is the same.  docs/plugins lists them.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

/* An interval of so many seconds, in ns; what is longer than ns can tell is
 * the longest that they can. */
GstClockTime gst_fasp_interval (guint64 seconds);

/* "peer-key" (base64, as openssl prints it) and "peer-name", of who has proved
 * to have a key. */
void gst_fasp_describe_identity (GstStructure * structure,
    const FaspIdentity * who);

/* @io may be NULL: an element that is not running. */
GstStructure *gst_fasp_stats_new (FaspIo * io, FaspRole role);

/* Posts the property stats of @element as a message, every @interval ns. */
GstClockID gst_fasp_stats_begin_reports (GstElement * element,
    GstClockTime interval);
void gst_fasp_stats_end_reports (GstClockID id);

G_END_DECLS
