/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspaddress.h: the addresses of peers, for programs and for people.
 *
 * A field that is a GSocketAddress, as programs made for srtsink need it, has a twin, a string with
 * -string behind its name: Go and Java cannot read a GSocketAddress, and gst-launch-1.0 -m prints
 * NULL for it.
 */
#pragma once

#include <gst/gst.h>
#include "fasptypes.h"

G_BEGIN_DECLS

/* ADDRESS:PORT; of IPv6 [ADDRESS]:PORT, of a link-local address [ADDRESS%INTERFACE]:PORT.  NULL:
 * there is no address.  Free with g_free(). */
gchar *gst_fasp_address_to_string (const FaspAddress *address);
/* Sets the fields @name and @name-string; without an address both are NULL. */
void gst_fasp_address_describe (GstStructure *structure, const gchar *name,
    const FaspAddress *address);

G_END_DECLS
