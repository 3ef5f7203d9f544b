/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * capacity.h: how many bytes a link can send, and when: at a rate that changes at given times,
 * or at opportunities, as on a mobile link.
 *
 * Each opportunity sends up to a number of bytes of what waits by then, the parts of packets, too;
 * what of it finds nothing to send is lost (as mahimahi's mm-link).  Times are µs.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes of an opportunity in mahimahi's traces: a packet of 1500 and its frame. */
#define CAPACITY_MAHIMAHI 1504

typedef struct _Capacity Capacity;

/* @rate: bit/s from the beginning on. */
Capacity *capacity_new_rate (guint64 rate);
/* Another rate from @at on, later than those before. */
void capacity_add_step (Capacity *capacity, gint64 at, guint64 rate);
/* Takes @times (gint64), of opportunities of @bytes each; from @period on they repeat. */
Capacity *capacity_new_times (GArray *times, gint64 period, gsize bytes);
/* A recorded link in mahimahi's format: on each line the ms of an opportunity.  The last one is
 * the period.  Begins at @skip of it. NULL: @error says why. */
Capacity *capacity_new_file (const gchar *file, gint64 skip, GError **error);
void capacity_free (Capacity *capacity);

/* When a packet of @bytes has left, if it is the first in the queue from @now on.  Each call
 * takes its bytes; @now is not before what the last call returned. */
gint64 capacity_send (Capacity *capacity, gint64 now, gsize bytes);
/* Bytes that could leave from @from until @to, whatever has left. */
gdouble capacity_get_bytes (const Capacity *capacity, gint64 from, gint64 to);

G_END_DECLS
