/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vtcp.h: a model of a TCP sender, in packets and without bytes: Reno (RFC 5681), Cubic
 * (RFC 9438) or BBR (vbbr.h), with selective acknowledgements (a packet is lost when
 * three behind it have arrived, RFC 6675) and timeouts (RFC 6298, at least 200 ms as in
 * Linux).
 *
 * Every transmission has a number of its own, every packet of the stream another, and
 * the receiver acknowledges each transmission. So a lost retransmission is found like
 * the first loss; among real TCPs, only RACK can do that (RFC 8985). Tail loss probes
 * and Cubic's fast convergence are left out.
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
  gdouble window, threshold; /* packets */
  guint in_flight;
  guint64 next_pn;            /* of the next transmission */
  guint64 recover;            /* transmissions below were made before the last
                                 reaction to a loss */
  guint64 highest;            /* highest acknowledged transmission + 1 */
  guint64 oldest;             /* number of the first in: */
  GQueue under_way;           /* transmissions not yet acknowledged or lost */
  GQueue lost;                /* packets to send again, in order */
  gint64 smoothed, variation; /* of the round trip, µs; 0: not measured */
  guint backoff;              /* timeouts in a row */
  gint64 timer;               /* when it was started; 0: it does not run */
  /* Cubic */
  gdouble top;      /* W_max */
  gint64 epoch;     /* since when the window has grown; 0: not yet */
  gdouble friendly; /* Reno's window since then */
  /* BBR */
  Vbbr bbr;
  gboolean lost_some; /* since the last acknowledgement */
  gint64 next_send;   /* time of the next packet, as it is paced */
} Vtcp;

void vtcp_init (Vtcp *tcp, VtcpKind kind);
void vtcp_clear (Vtcp *tcp);
/* Is there room in the window, and is it time? */
gboolean vtcp_can_send (const Vtcp *tcp, gint64 now);
/* The first packet to send again. FALSE: a new one may leave. */
gboolean vtcp_get_lost (Vtcp *tcp, guint64 *packet);
/* @packet leaves. Returns the number of its transmission. */
guint64 vtcp_send (Vtcp *tcp, guint64 packet, gint64 now);
void vtcp_acknowledge (Vtcp *tcp, guint64 pn, gint64 now);
/* An acknowledgement says that a packet was marked (RFC 3168). That counts as a loss,
 * once per window. */
void vtcp_congested (Vtcp *tcp);
/* When to call vtcp_look() at the latest; G_MAXINT64: no need. */
gint64 vtcp_get_time (const Vtcp *tcp, gint64 now);
void vtcp_look (Vtcp *tcp, gint64 now);

G_END_DECLS
