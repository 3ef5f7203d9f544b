/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * openedend.h: an end of another protocol that plays in a pipeline of its own: an input before a
 * fakesink, which a test may listen to, or an output behind an appsrc, which a test feeds.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Of a transport stream. */
#define PACKET 188
#define SYNC 0x47
/* Of RTP, which carries seven packets. */
#define RTP_HEADER 12
#define PAYLOAD (7 * PACKET)

typedef struct
{
  GstElement *pipeline, *end;
  GstElement *other; /* the fakesink or the appsrc */
} OpenedEnd;

/* @on_buffer: what hands on what comes in, or NULL (fakesink's "handoff"). */
void opened_end_init_input (OpenedEnd *opened, const gchar *uri, GCallback on_buffer,
    gpointer data);
void opened_end_init_output (OpenedEnd *opened, const gchar *uri);
void opened_end_clear (OpenedEnd *opened);
/* A number of an end's statistics. */
guint64 get_figure (GstElement *end, const gchar *name);

G_END_DECLS
