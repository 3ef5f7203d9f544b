/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspframing.h: finds streams that cannot be read without the bounds of their buffers,
 * or without their beginning.
 *
 * A byte stream does not keep the bounds of buffers: those that faspsrc pushes begin and end
 * elsewhere.  Parsers of containers, raw samples, or elementary streams with start codes find the
 * bounds again.  Packets and frames that do not contain their own length cannot be found again. A
 * container that describes its streams only once, at its beginning, cannot be read by a receiver
 * that joins later.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* If the stream needs the bounds of its buffers, returns advice in a sentence; else NULL. */
const gchar *gst_fasp_framing_advise (const GstCaps *caps);
/* Does the stream need its beginning to be read? */
gboolean gst_fasp_framing_needs_header (const GstCaps *caps);

G_END_DECLS
