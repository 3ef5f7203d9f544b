/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspframing.h: streams that are nothing without the bounds of their buffers.
 *
 * A byte stream has none: what faspsrc pushes begins and ends elsewhere. Containers, raw
 * samples and elementary streams with start codes are cut anew by who reads them; packets
 * and frames that do not say where they end are lost in it. And containers that say once, in front,
 * what is in them are nothing to who was not there then.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* What to do, a sentence, if it is such a stream; NULL: it is none. */
const gchar *gst_fasp_framing_advise (const GstCaps * caps);
/* Is it a stream that nobody reads without its beginning? */
gboolean gst_fasp_framing_is_headed (const GstCaps * caps);

G_END_DECLS
