/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * programme.h: picture and sound in one transport stream, at both ends.
 *
 * A sender announces its streams in a table (the PMT), and may announce other streams at any
 * time. tsdemux then adds pads for all streams of the new programme, removes those of the old
 * one, and says no-more-pads. gst_parse_launch links only the first pad that fits, so a decoder
 * would get nothing more. Invariant: of the newest programme that has pads of a kind, the first
 * one is linked.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* mpegtsmux latency, ns, as text: how long it waits for an input that has no data yet. With 0,
 * GStreamer 1.26 and later begin with the streams that have data at once, and announce the others
 * later. It delays nothing while all inputs have data. A longer wait would not help: the queue in
 * front holds one second. */
#define PROGRAMME_WAIT "1000000000"

/* Of the element named @demux, links pads whose caps begin with @kind ("video/") to the element
 * named @to. Call it before the pipeline starts. */
void programme_follow (GstElement *pipeline, const gchar *demux, const gchar *kind,
    const gchar *to);

G_END_DECLS
