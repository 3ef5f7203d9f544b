/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspstats.h: the core's figures as a GstStructure.
 *
 * application/x-fasp-statistics; the words are those of srtsink where the
 * meaning is the same.  docs/plugins/stats.md lists them.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

/* @io may be NULL: an element that is not running. */
GstStructure *gst_fasp_stats_new (FaspIo * io, FaspRole role,
    guint64 max_bitrate);

G_END_DECLS
