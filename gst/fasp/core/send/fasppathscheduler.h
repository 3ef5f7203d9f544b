/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppathscheduler.h: which of several paths the next datagram takes: the one on which it arrives
 * first.
 *
 * The arrival is known: the peer reports all arrivals by one clock, so the delays of the paths can
 * be compared without knowing how far the two clocks are apart.
 *
 * - A path on which it would be too late is not taken while there is another that brings it, and
 * all that waits, in time. Otherwise a backlog, once older than what the slower path takes longer,
 * would keep that path idle, and what comes after it would be late.
 * - Of those that are left, one that does not carry it yet is taken, if there is one.
 * - If the best path cannot take it now, it waits for that path, unless so much waits behind it
 * that another path, which can take it now, brings it before the best one has brought all (the
 * criterion of ECF: Lim, Nahum, Towsley, Gibbens, CoNEXT 2017). So what waits for a full path does
 * not keep another one idle for long. */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_usable;
  FaspTime ready; /* when the datagram may leave on it; FASP_NEVER: not known */
  FaspTime delay; /* from `ready' until the datagram arrives, less the delay of the quickest path
                     without a queue, µs */
  guint64 rate;   /* bit/s; 0: no limit */
} FaspPathState;

typedef struct
{
  gsize waiting;    /* bytes that wait to leave, including the datagram */
  FaspTime spare;   /* how much longer than the quickest path the datagram may take, µs; FASP_NEVER:
                       any time */
  FaspTime latency; /* the same for what comes after the bytes that wait; µs */
  guint64 carriers; /* paths that have carried it already, a bit each; others are preferred */
} FaspPathRequest;

/* Returns the index of the best of @n paths. *when: when the datagram can leave on it; <= now: at
 * once. */
guint fasp_path_scheduler_pick (const FaspPathState *paths, guint n, FaspTime now,
    const FaspPathRequest *request, FaspTime *when);

G_END_DECLS
