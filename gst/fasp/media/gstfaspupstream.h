/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspupstream.h: asks the elements upstream of a sink, by events, for a key frame or a bit
 * rate, which it can also set at the encoder (max-encoder-bitrate).
 *
 * A thread of its own does this, one thing after the other. The thread that asks must not do it: an
 * application may hold the pad and wait for that thread, e.g. if it stops a branch in a pad probe.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* All fields 0: nothing has been asked. */
typedef struct
{
  guint asked;         /* atomic */
  guint64 bitrate;     /* bit/s; under the object lock */
  const gchar *advice; /* atomic; why no encoder's rate was set the last time; NULL: it was */
} GstFaspUpstream;

/* Call this when a sink opens: forgets earlier requests, and that advice was posted. */
void gst_fasp_upstream_begin (GstFaspUpstream *upstream);
/* Call this when a stream begins, and with its data, as a sink that is started anew in a running
 * pipeline gets no STREAM_START: sends the events that were asked for before. */
void gst_fasp_upstream_stream_began (GstFaspUpstream *upstream, GstElement *sink);
/* Asks the encoder for a key frame. May be called from any thread. */
void gst_fasp_upstream_ask_for_key_frame (GstFaspUpstream *upstream, GstElement *sink);
/* Announces the bit rate in three ways: by a property, a message and an event upstream.  0 (none)
 * is announced by the property only. */
void gst_fasp_upstream_announce_bitrate (GstFaspUpstream *upstream, GstElement *sink,
    guint64 bitrate);
/* Sends the event, and sets the encoder, again. */
void gst_fasp_upstream_repeat_bitrate (GstFaspUpstream *upstream, GstElement *sink);
guint64 gst_fasp_upstream_get_bitrate (GstFaspUpstream *upstream, GstElement *sink);

G_END_DECLS
