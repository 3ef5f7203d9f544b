/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vbbr.h: a model of BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00), in
 * packets: the rate of delivery, the largest of ten round trips, times gains that go round,
 * and a window of twice what fits on the path.  Loss lowers nothing.  Left out: that an
 * application may have less to send, the token
 * bucket policers that version 1 looks for, and how it conserves packets in the first round
 * trip of a recovery.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VBBR_ROUNDS 10          /* that the largest rate is of */

typedef enum
{
  VBBR_STARTUP,
  VBBR_DRAIN,
  VBBR_PROBE_BW,
  VBBR_PROBE_RTT,
} VbbrState;

/* What was so when a packet left. */
typedef struct
{
  guint64 delivered;            /* packets, by then, */
  gint64 delivered_time;        /* and when the last of them was; */
  gint64 first_sent;            /* when that one had left */
} VbbrStamp;

typedef struct
{
  VbbrState state;
  guint64 delivered;
  gint64 delivered_time, first_sent;
  gdouble best[VBBR_ROUNDS];    /* packets per second, by round */
  guint64 round, round_end;     /* the latter: delivered by the end of it */
  gint64 least_rtt, least_time; /* µs; when it was seen */
  gdouble full;                 /* rate at which the pipe was not full yet */
  guint not_more;               /* rounds without more of it */
  guint phase;                  /* of PROBE_BW */
  gint64 phase_start;
  gint64 probe_end;             /* of PROBE_RTT, 0: not yet known */
  gdouble pacing;               /* packets per second; 0: not known */
  gdouble window;               /* packets */
} Vbbr;

void vbbr_init (Vbbr * bbr, gdouble window);
/* A packet leaves, with @in_flight others on their way. */
VbbrStamp vbbr_send (Vbbr * bbr, guint in_flight, gint64 now);
/* One that left at @sent is acknowledged; @in_flight: without it.  @lost: some were, of
 * late. */
void vbbr_acknowledge (Vbbr * bbr, const VbbrStamp * stamp, gint64 sent,
    guint in_flight, gboolean lost, gint64 now);

G_END_DECLS
