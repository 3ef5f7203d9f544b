/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspredundancy.h: a stream from several sources at once.
 *
 * The sources are the peer of the URI and those of fallback-addresses, or callers.
 */
#pragma once

#include "gstfaspsockets.h"

G_BEGIN_DECLS

/* Can there be several sources, if they are wanted? */
gboolean gst_fasp_redundancy_check (const GstFaspSettings *settings, const GstFaspSockets *sockets,
    GError **error);
/* Makes the settings of each source from @io, which are those of all together.  @sources has room
 * for FASP_SOURCES_MAX.  Returns how many there are. */
guint gst_fasp_redundancy_split (const FaspIoSettings *io, FaspRedundancy redundancy,
    FaspIoSettings *sources);

G_END_DECLS
