/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vtcp.h: a model of a TCP sender, in packets and without bytes: Reno (RFC 5681),
 * Cubic (RFC 9438) or BBR (vbbr.h), with selective acknowledgements (three packets behind it arrived: it is
 * lost, RFC 6675) and timeouts (RFC 6298, 200 ms at least as Linux has it).
 *
 * Every transmission has a number of its own, every packet of the stream another, and the
 * receiver acknowledges each transmission.  So a lost retransmission is found as the first
 * one is; of real ones only RACK can do that (RFC 8985).  Tail loss probes, and what Cubic
 * has to converge faster, are left out.
 */
#pragma once

#include "vbbr.h"

G_BEGIN_DECLS

typedef enum
{
  VTCP_RENO,
  VTCP_CUBIC,
  VTCP_BBR,
} VtcpKind;

typedef struct
{
  VtcpKind kind;
  gdouble window, threshold;    /* packets */
  guint in_flight;
  guint64 next_pn;              /* of the next transmission */
  guint64 recover;              /* what left before was answered for */
  guint64 highest;              /* acknowledged, + 1 */
  guint64 oldest;               /* number of the first of: */
  GQueue under_way;             /* transmissions not yet acknowledged or lost */
  GQueue lost;                  /* packets to be sent again, in order */
  gint64 smoothed, variation;   /* of the round trip, µs; 0: not measured */
  guint backoff;                /* timeouts in a row */
  gint64 timer;                 /* runs since; 0: does not */
  /* Cubic */
  gdouble top;                  /* W_max, */
  gint64 epoch;                 /* and since when it grows; 0: not yet */
  gdouble friendly;             /* Reno's window since then */
  /* BBR */
  Vbbr bbr;
  gboolean lost_some;           /* since the last acknowledgement */
  gint64 next_send;             /* not before, as it is paced */
} Vtcp;

void vtcp_init (Vtcp * tcp, VtcpKind kind);
void vtcp_clear (Vtcp * tcp);
/* There is room in the window, and it is time. */
gboolean vtcp_can_send (const Vtcp * tcp, gint64 now);
/* The packet to be sent again first of all; FALSE: a new one may leave. */
gboolean vtcp_get_lost (Vtcp * tcp, guint64 * packet);
/* @packet leaves; the number of its transmission. */
guint64 vtcp_send (Vtcp * tcp, guint64 packet, gint64 now);
void vtcp_acknowledge (Vtcp * tcp, guint64 pn, gint64 now);
/* An acknowledgement says that a packet was marked (RFC 3168): as a loss, once a window. */
void vtcp_congested (Vtcp * tcp);
/* When to look at all of this again, at the latest; G_MAXINT64: no need. */
gint64 vtcp_get_time (const Vtcp * tcp, gint64 now);
void vtcp_look (Vtcp * tcp, gint64 now);

G_END_DECLS
