/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayvisits.h: what the log says of peers that come and go, and of finished pieces.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns a sentence about an element's message, or NULL if it is about something else. */
gchar *relay_visits_describe (GstMessage *message);
/* Returns a copy of a message's details, or NULL, in which a streamid has nothing that may be a
 * password. */
GstStructure *relay_visits_hide (const GstStructure *details);
/* Returns the port at which a caller asked for a stream that is not there, if the message, with
 * these details, says so; 0: it does not. Such a caller concerns no stream. */
guint relay_visits_get_stray_port (GstMessage *message, const GstStructure *details);

G_END_DECLS
