/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayrecording.h: an output that records: what an appsink takes is cut at key frames
 * (relaycut.h), written (relayrecord.h), and old pieces go.
 */
#pragma once

#include <gst/gst.h>
#include "relayprotocolpipeline.h"
#include "relayretention.h"

G_BEGIN_DECLS

/* The state of the output, which outlives an appsink. */
typedef struct _RelayRecording RelayRecording;

RelayRecording *relay_recording_new (const RelayProtocolUri *protocol_uri);
void relay_recording_free (RelayRecording *recording);
/* Records what the appsink takes, which has not started yet. */
void relay_recording_follow (RelayRecording *recording, RelayProtocolPipeline *pipeline,
    GstElement *appsink);
/* Reads the limits from the URI. FALSE: there are none. */
gboolean relay_recording_get_retention (const RelayProtocolUri *protocol_uri,
    RelayRetention *retention);

G_END_DECLS
