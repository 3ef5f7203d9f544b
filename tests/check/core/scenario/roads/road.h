/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * road.h: the roads that several of these tests use, and who shares them.
 */
#pragma once

#include "vroad.h"

G_BEGIN_DECLS

/* A link of @mbit Mbit/s that keeps the order and has a queue of @buffer µs, and loses a share
 * @loss by chance. */
Vroad *road_new (guint mbit, gint64 buffer, gdouble loss, guint32 seed);
/* Mbit/s, of the bytes counted @from and @to, @time µs apart. */
gdouble road_mbit_between (guint64 from, guint64 to, gint64 time);

/* Mbit/s of the first sender from @from, which is now or later, until @until. @queue, or NULL: p95
 * of the queue of each ms meanwhile, µs. */
gdouble road_watch (Vroad *road, gint64 from, gint64 until, gint64 *queue);

G_END_DECLS
