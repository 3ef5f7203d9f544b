/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayvisits.h: what the log says of peers that come and go.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns a sentence about an element's message, or NULL if it is about something else. */
gchar *relay_visits_describe (GstMessage *message);

G_END_DECLS
