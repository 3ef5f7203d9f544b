/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspupstream.h: what a sink asks of whatever is upstream, as events.
 *
 * They go from a thread of their own, one after the other: whoever holds the pad may be waiting for
 * the thread that found out, as an application does that stops a branch in a pad probe.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* All 0: nothing is asked. */
typedef struct
{
  guint asked;                  /* atomic */
  guint64 bitrate;              /* bit/s; under the object lock */
} GstFaspUpstream;

/* A sink opens: what was asked for before is not any more. */
void gst_fasp_upstream_begin (GstFaspUpstream * upstream);
/* Its pad is active, which it was not when something was asked, maybe. */
void gst_fasp_upstream_go_on (GstFaspUpstream * upstream, GstElement * sink);
/* From any thread. */
void gst_fasp_upstream_ask_for_key_frame (GstFaspUpstream * upstream,
    GstElement * sink);
/* Three ways, for whatever is upstream: a property, a message, an event; that there
 * is none (0) by the first alone. */
void gst_fasp_upstream_tell_bitrate (GstFaspUpstream * upstream,
    GstElement * sink, guint64 bitrate);
guint64 gst_fasp_upstream_get_bitrate (GstFaspUpstream * upstream,
    GstElement * sink);

G_END_DECLS
