/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppath.h: one path of a session: a pair of addresses, and what belongs to it whatever flow a
 * packet takes.
 *
 * Flows of one path share its bottleneck, so the path has the round trip, the rate controller and
 * the pacer. A flow keeps its packet numbers, and its path MTU and ECN state: routers that spread
 * flows over several lines choose by the port, and the lines may differ in both.
 *
 * Invariant: bytes leave on a path at the rate of its controller, as the pacer bounds them. The
 * only path of a session has no pacer of its own, since the session's has the same rate.
 */
#pragma once

#include "faspmeter.h"
#include "fasppacer.h"
#include "fasprate.h"
#include "fasprtt.h"

G_BEGIN_DECLS

/* The least delay is that of the last LEAST_OVER to twice that. */
typedef struct
{
  gboolean is_known;
  FaspTime recent; /* from leaving, by our clock, to arriving, by the peer's: that of the packets
                      of late, smoothed; µs */
  FaspTime least, before; /* the least of this interval, and of the one before */
  FaspTime until;         /* the end of this interval */
} FaspPathDelay;

/* Changed by faspsessionpaths.c, but for what is marked. */
typedef struct
{
  guint64 flows;       /* its flows, a bit each; 0: no flow was proved there yet */
  guint local;         /* number of our address, of several */
  FaspAddress address; /* of the peer; its port is that of one of the flows */
  FaspRtt rtt;         /* of its slowest flow */
  FaspRate *rate;      /* owned; NULL: a fixed rate, which the session has */
  FaspTime until;      /* when the controller's rate may change */
  guint64 pace;        /* what the controller wants to be sent, bit/s */
  FaspPacer pacer;     /* with a rate of 0 while the path is the only one */
  FaspMeter send;      /* bytes on the wire, while there are several; changed by fasppacket.c */
  guint64 wire_sent;   /* bytes, IP headers included; changed by fasppacket.c */
  FaspPathDelay delay; /* changed by faspsessionin.c */
  guint64 logged;      /* the rate of the last RATE_CHANGED, bit/s; 0: there was none */
} FaspPath;

void fasp_path_init (FaspPath *path);
void fasp_path_clear (FaspPath *path);
/* Is a flow between our address number @local and @address one of this path? */
gboolean fasp_path_has (const FaspPath *path, guint local, const FaspAddress *address);
/* The earliest time when a datagram of up to @bytes may leave on it; <= now: at once. */
FaspTime fasp_path_get_time (const FaspPath *path, FaspTime now, gsize bytes);
/* When to wake up for that (fasppacer.h). */
FaspTime fasp_path_get_wake (const FaspPath *path, FaspTime now, gsize bytes);
/* The newest packet that was reported took @delay, from our clock to the peer's. */
void fasp_path_delayed (FaspPath *path, FaspTime now, FaspTime delay);
/* The least delay of late. */
FaspTime fasp_path_get_least (const FaspPath *path);
/* The recent delay, less the least, µs. */
FaspTime fasp_path_get_queue (const FaspPath *path);
/* How long a report is overdue, if of what is neither reported nor taken as lost the oldest left at
 * @oldest (FASP_NEVER: there is nothing); 0: it is not. */
FaspTime fasp_path_get_silence (const FaspPath *path, FaspTime now, FaspTime oldest);

G_END_DECLS
