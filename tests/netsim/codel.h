/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * codel.h: CoDel (RFC 8289), which keeps a queue short by saying which packets are to be
 * dropped, or marked (ECN).  Times in ns.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CODEL_INTERVAL G_GINT64_CONSTANT (100000000)

typedef struct
{
  gint64 above;                 /* longer than the target since + interval; 0: not */
  gboolean dropping;
  gint64 next;                  /* drop */
  guint count, last_count;
} Codel;

/* A packet leaves the queue at @now in which it has been for @sojourn: is it one?
 * @alone: there is not more than one packet in it. */
gboolean codel_drops (Codel * codel, gint64 now, gint64 sojourn, gint64 target,
    gboolean alone);

G_END_DECLS
