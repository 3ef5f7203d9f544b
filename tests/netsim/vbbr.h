/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vbbr.h: a model of BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00),
 * in packets. Its rate is the largest rate of delivery in ten round trips, times a gain
 * that cycles. Its window is twice what fits on the path. Loss lowers nothing. Left
 * out: an application that has less to send, the token bucket policers that version 1
 * looks for, and packet conservation in the first round trip of a recovery.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VBBR_ROUNDS 10 /* rounds that the largest rate is taken from */

typedef enum
{
  VBBR_STARTUP,
  VBBR_DRAIN,
  VBBR_PROBE_BW,
  VBBR_PROBE_RTT,
} VbbrState;

/* State of the connection when a packet left. */
typedef struct
{
  guint64 delivered;     /* packets delivered by then */
  gint64 delivered_time; /* when the last of these was delivered */
  gint64 first_sent;     /* when that packet had left */
} VbbrStamp;

typedef struct
{
  VbbrState state;
  guint64 delivered;
  gint64 delivered_time, first_sent;
  gdouble best[VBBR_ROUNDS];    /* packets per second, by round */
  guint64 round, round_end;     /* round_end: `delivered' at the end of the round */
  gint64 least_rtt, least_time; /* µs; when it was seen */
  gdouble full;                 /* rate up to which the pipe was not full */
  guint not_more;               /* rounds without a higher rate */
  guint phase;                  /* in PROBE_BW */
  gint64 phase_start;
  gint64 probe_end; /* end of PROBE_RTT; 0: not known yet */
  gdouble pacing;   /* packets per second; 0: not known */
  gdouble window;   /* packets */
} Vbbr;

void vbbr_init (Vbbr *bbr, gdouble window);
/* A packet leaves while @in_flight others are on their way. */
VbbrStamp vbbr_send (Vbbr *bbr, guint in_flight, gint64 now);
/* A packet that left at @sent is acknowledged. @in_flight: without it. @lost: packets
 * were lost of late. */
void vbbr_acknowledge (Vbbr *bbr, const VbbrStamp *stamp, gint64 sent, guint in_flight,
    gboolean lost, gint64 now);

G_END_DECLS
