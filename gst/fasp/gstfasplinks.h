/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasplinks.h: from addresses and a number of flows to sockets.
 *
 * Flow i of the first `flowlets' goes from our port + i, if that is set, to the
 * peer's port + i; each of bonding-addresses is a further such set.
 */
#pragma once

#include "gstfaspsettings.h"

G_BEGIN_DECLS

struct _GstFaspLinks
{
  FaspSocketSettings sockets[FASP_FLOWS_MAX];
  guint n;
  guint flowlets;
  FaspMembership multicast;     /* if the host is a group */
  GPtrArray *others;            /* GSocketAddress: peers behind the first */
  FaspIoPeer *fallbacks;        /* where else the stream can be had, */
  guint n_fallbacks;            /* so many */
  GPtrArray *strings;           /* of the sockets */
};

/* NULL and a sentence that tells the user what to do, on failure. */
GstFaspLinks *gst_fasp_links_new (const GstFaspSettings * settings,
    GError ** error);
void gst_fasp_links_free (GstFaspLinks * links);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstFaspLinks, gst_fasp_links_free)

G_END_DECLS
