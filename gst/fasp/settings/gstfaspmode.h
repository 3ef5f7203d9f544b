/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspmode.h: which end dials, and where this end listens: the URI and properties say so
 * together.
 */
#pragma once

#include "gstfaspsettings.h"

G_BEGIN_DECLS

/* Is it 0.0.0.0 or ::?  These mean all addresses of this machine; they cannot be dialled. */
gboolean gst_fasp_mode_is_unspecified (const gchar *host);
/* The mode in force: that of the property, or the one that the URI implies. */
GstFaspMode gst_fasp_mode_get (const GstFaspSettings *settings);
/* Does the URI say where this end listens?  Else it names a host to dial, or a group. */
gboolean gst_fasp_mode_is_own (const GstFaspSettings *settings);
/* The address and the port of this end, by the URI or by the property.  A URI that dials has
 * neither: then they are the property's values, set or not. */
const gchar *gst_fasp_mode_get_localaddress (const GstFaspSettings *settings);
guint gst_fasp_mode_get_localport (const GstFaspSettings *settings);

G_END_DECLS
