/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasplines.h: the lines that several flows take, as people call them, and what they are told of
 * them.
 *
 * A line is an address of the peer, that of the URI or one of bonding-addresses, and where this
 * machine sends from.  It has as many flows as flowlets says.  The core sees to it that what is
 * told of a flow has lasted (faspoutage.h).  Of a line, whose flows end together, there is one
 * warning a minute at most; each flow gets its message.
 */
#pragma once

#include <gst/gst.h>
#include "gstfasplinks.h"

G_BEGIN_DECLS

typedef struct _GstFaspLines GstFaspLines;

GstFaspLines *gst_fasp_lines_new (const GstFaspLinks *links);
void gst_fasp_lines_free (GstFaspLines *lines);
/* Returns the line of a link, for a sentence that goes on with what happens there; @peer: NULL or
 * empty if it is not known.  NULL: there is only one.  Free with g_free(). */
gchar *gst_fasp_lines_describe (const GstFaspLines *lines, guint link, const FaspAddress *peer);
/* A flow carries nothing, or carries again (FASP_EVENT_FLOW_OUT, FASP_EVENT_FLOW_BACK). */
void gst_fasp_lines_tell (GstFaspLines *lines, GstElement *element, const FaspEvent *event);

G_END_DECLS
