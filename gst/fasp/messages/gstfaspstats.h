/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspstats.h: the core's statistics as a GstStructure, and as messages.
 *
 * The structure is application/x-fasp-statistics.  Its fields are those of the tables of
 * faspstatfields.h, and `callers'.  They have srtsink's names where the meaning is the same.
 */
#pragma once

#include <gst/gst.h>
#include "faspsources.h"

G_BEGIN_DECLS

/* Returns the interval in ns; at most the longest that GstClockTime holds. */
GstClockTime gst_fasp_interval (guint64 seconds);

/* Makes the structure of `stats'. @io: NULL if the element is not running. @several: the sources,
 * of which @io is the first; NULL: there is @io alone. */
GstStructure *gst_fasp_stats_new (FaspIo *io, FaspSources *several, FaspRole role);

/* Adds when the stream is played to the structure of `stats'. */
void gst_fasp_stats_add_presentation (GstStructure *stats,
    const FaspPresentationStats *presentation);

/* Posts the property stats of @element as a message, every @interval ns. */
GstClockID gst_fasp_stats_begin_reports (GstElement *element, GstClockTime interval);
void gst_fasp_stats_end_reports (GstClockID id);

G_END_DECLS
