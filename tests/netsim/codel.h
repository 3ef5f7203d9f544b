/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * codel.h: CoDel (RFC 8289), which keeps a queue short: it chooses packets to drop, or
 * to mark (ECN). Times are in ns.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CODEL_INTERVAL G_GINT64_CONSTANT (100000000)

typedef struct
{
  gint64 above; /* when the delay will have been above the target
                   for an interval; 0: it is not above */
  gboolean dropping;
  gint64 next; /* when to drop next */
  guint count, last_count;
} Codel;

/* A packet leaves the queue at @now after @sojourn in it: is it to be dropped? @alone:
 * there is at most one packet in the queue. */
gboolean codel_drops (Codel *codel, gint64 now, gint64 sojourn, gint64 target, gboolean alone);

G_END_DECLS
