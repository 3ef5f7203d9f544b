/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspsockets.h: makes the settings of sockets from addresses and a number of flows.
 *
 * Flow i of the first `flowlets' flows goes from our port + i, if our port is set, to
 * the peer's port + i.  Each of bonding-addresses adds another such set.
 */
#pragma once

#include "gstfaspsettings.h"

G_BEGIN_DECLS

struct _GstFaspSockets
{
  FaspSocketSettings list[FASP_FLOWS_MAX];
  guint n;
  guint flowlets;
  FaspMembership multicast; /* if the URI's host is a multicast group */
  GPtrArray *others;        /* GSocketAddress: peers behind the first */
  FaspIoPeer *fallbacks;    /* other peers that have the stream */
  guint n_fallbacks;
  GPtrArray *strings; /* owns the strings of the fields above */
};

/* On failure, returns NULL, and a sentence in @error that tells the user what to do. */
GstFaspSockets *gst_fasp_sockets_new (const GstFaspSettings *settings, GError **error);
void gst_fasp_sockets_free (GstFaspSockets *sockets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstFaspSockets, gst_fasp_sockets_free)

G_END_DECLS
