/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayprotocolend.h: an end that is not fasp, as an element of the stream's pipeline.
 *
 * To the stream it is like a faspsrc or faspsink: it has `uri', `stats', the signals
 * `check-settings', `caller-connecting', `caller-asked' and `decide-caller'.  Behind it is a
 * pipeline of its own (relayprotocolpipeline.h), so it never waits, and never fails.
 */
#pragma once

#include <gst/gst.h>
#include "gstfaspmonitor.h"
#include "relaystate.h"

G_BEGIN_DECLS

/* Returns a floating reference. @passphrase: of SRT, instead of the URI's; NULL: the URI's, if any.
 */
GstElement *relay_protocol_end_new (const gchar *uri, gboolean sends, const gchar *passphrase,
    const gchar *name, GError **error);

/* Lets only these addresses call it or send to it (relayallowed.h); @monitored: its stream is
 * measured.  Before it starts. */
void relay_protocol_end_set_up (GstElement *end, GPtrArray *allowed, gboolean monitored);

/* Returns the state of an end whose stream plays; an end of fasp counts as playing. May be called
 * from any thread. */
RelayState relay_protocol_end_get_state (GstElement *end);
/* Returns what was measured of its stream; NULL: nothing was, or it is an end of fasp. */
GstFaspMonitor *relay_protocol_end_copy_monitor (GstElement *end);

G_END_DECLS
