/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspmonitor.h: what TsMonitor measures of the buffers of a transport stream, as statistics.
 *
 * Times are in ns, of a clock that never goes back.  The caller's lock guards a monitor.
 */
#pragma once

#include <gst/gst.h>
#include "tsmonitor.h"

G_BEGIN_DECLS

#define GST_FASP_MONITOR_FIELD "transport-stream"

typedef struct _GstFaspMonitor GstFaspMonitor;

GstFaspMonitor *gst_fasp_monitor_new (void);
/* Of NULL, this and the next two do nothing. */
void gst_fasp_monitor_free (GstFaspMonitor *monitor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstFaspMonitor, gst_fasp_monitor_free)
/* Another stream begins.  The errors that were counted stay. */
void gst_fasp_monitor_begin (GstFaspMonitor *monitor);
/* Times are another clock's from now on, which is at @now: no time has passed. */
void gst_fasp_monitor_set_clock (GstFaspMonitor *monitor, gint64 now);
/* Returns the machine's time, which suits the next three. */
gint64 gst_fasp_monitor_get_time (void);
/* The data of a buffer has come, or leaves.  It is not copied. */
void gst_fasp_monitor_push (GstFaspMonitor *monitor, GstBuffer *buffer, gint64 now);
void gst_fasp_monitor_push_list (GstFaspMonitor *monitor, GstBufferList *list, gint64 now);
const TsMonitor *gst_fasp_monitor_get (const GstFaspMonitor *monitor);
/* Returns a copy as of @now, of which figures can be made without the lock; NULL of NULL.  @now: 0:
 * no time has passed, as there is no clock. */
GstFaspMonitor *gst_fasp_monitor_copy (GstFaspMonitor *monitor, gint64 now);
/* Sets the field `transport-stream' (docs/transport-stream.md), if a packet has come.  NULL: sets
 * nothing. */
void gst_fasp_monitor_add_figures (const GstFaspMonitor *monitor, GstStructure *stats);

G_END_DECLS
