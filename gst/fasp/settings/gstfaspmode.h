/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspmode.h: finds from the URI and the properties which end dials, and where this end listens.
 */
#pragma once

#include "gstfaspsettings.h"

G_BEGIN_DECLS

/* Is it 0.0.0.0 or ::?  These mean all addresses of this machine; they cannot be dialled. */
gboolean gst_fasp_mode_is_unspecified (const gchar *host);
/* The mode in force: that of the property, or the one that the URI implies. */
GstFaspMode gst_fasp_mode_get (const GstFaspSettings *settings);
/* Is the address in the URI the one at which this end listens?  Else it is a host to dial, or a
 * group. */
gboolean gst_fasp_mode_is_own (const GstFaspSettings *settings);
/* The address and the port of this end: the properties' or, if those are not set and this end
 * listens, the URI's.  (In a rendezvous, the port may be the URI's, too.) */
const gchar *gst_fasp_mode_get_localaddress (const GstFaspSettings *settings);
guint gst_fasp_mode_get_localport (const GstFaspSettings *settings);

G_END_DECLS
