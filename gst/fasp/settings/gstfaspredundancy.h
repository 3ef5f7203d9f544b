/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspredundancy.h: a stream from several sources at once.
 *
 * The sources are the peer of the URI and those of fallback-addresses, or callers.
 */
#pragma once

#include "gstfaspsockets.h"

G_BEGIN_DECLS

/* If redundancy is set, do the other settings allow several sources? */
gboolean gst_fasp_redundancy_check (const GstFaspSettings *settings, const GstFaspSockets *sockets,
    GError **error);
/* Makes the settings of each source from @io, the settings of all.  @sources has room for
 * FASP_SOURCES_MAX.  Returns the number of sources. */
guint gst_fasp_redundancy_split (const FaspIoSettings *io, FaspRedundancy redundancy,
    FaspIoSettings *sources);

G_END_DECLS
