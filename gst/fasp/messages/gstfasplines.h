/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasplines.h: the lines that several flows take: their names for people, and the messages and
 * warnings about them.
 *
 * A line is an address of the peer, that of the URI or one of bonding-addresses, and where this
 * machine sends from.  It has as many flows as flowlets says.  The core reports an outage of a flow
 * only when it has lasted for a while (faspoutage.h).  Each report becomes a message.  The flows of
 * a line often fail together, so a line gets one warning a minute at most.
 */
#pragma once

#include <gst/gst.h>
#include "gstfaspsockets.h"

G_BEGIN_DECLS

typedef struct _GstFaspLines GstFaspLines;

GstFaspLines *gst_fasp_lines_new (const GstFaspSockets *sockets);
void gst_fasp_lines_free (GstFaspLines *lines);
/* Returns the name of a socket's line, to be put into a sentence; @peer: its address, NULL or empty
 * if it is not known.  NULL: there is only one line.  Free with g_free(). */
gchar *gst_fasp_lines_describe (const GstFaspLines *lines, guint socket, const FaspAddress *peer);
/* A flow carries nothing, or carries again (FASP_EVENT_FLOW_OUT, FASP_EVENT_FLOW_BACK). */
void gst_fasp_lines_post (GstFaspLines *lines, GstElement *element, const FaspEvent *event);

G_END_DECLS
