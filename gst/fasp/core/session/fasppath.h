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

/* The delay from sender to receiver, by both clocks. `least' covers the last LEAST_OVER to 2
 * LEAST_OVER. */
typedef struct
{
  gboolean is_known;
  FaspTime recent; /* delay from departure, by our clock, to arrival, by the peer's; smoothed over
                      the last reports; µs */
  FaspTime least, before; /* the least of this interval, and of the one before */
  FaspTime until;         /* the end of this interval */
} FaspPathDelay;

/* Changed by faspsessionpaths.c, unless a comment names another file. */
typedef struct
{
  guint64 flows;       /* its flows, a bit each; 0: no flow is proved on it yet */
  guint local;         /* index of our local address */
  FaspAddress address; /* the peer's address; its port is that of one of the flows */
  FaspRtt rtt;         /* round trip of its slowest flow */
  FaspRate *rate;      /* owned; NULL: the rate is fixed, and paced by the session alone */
  FaspTime until;      /* when the controller's rate may next change */
  guint64 pace;        /* the rate that the controller asks for, bit/s */
  FaspPacer pacer;     /* with a rate of 0 while the path is the only one */
  FaspMeter send;      /* bytes on the wire, counted only while there are several paths; changed by
                          fasppacket.c */
  guint64 wire_sent;   /* bytes, IP headers included; changed by fasppacket.c */
  FaspPathDelay delay; /* changed by faspsessionin.c */
  guint64 logged;      /* the rate of the last RATE_CHANGED, bit/s; 0: there was none */
} FaspPath;

void fasp_path_init (FaspPath *path);
void fasp_path_clear (FaspPath *path);
/* Does a flow between our local address number @local and the peer's @address belong to this
 * path? */
gboolean fasp_path_has (const FaspPath *path, guint local, const FaspAddress *address);
/* The earliest time when a datagram of up to @bytes may leave on the path; <= now: at once. */
FaspTime fasp_path_get_time (const FaspPath *path, FaspTime now, gsize bytes);
/* When to wake up to send a datagram of up to @bytes (fasppacer.h). */
FaspTime fasp_path_get_wake (const FaspPath *path, FaspTime now, gsize bytes);
/* Takes in the @delay of the newest reported packet, from our clock to the peer's. */
void fasp_path_delayed (FaspPath *path, FaspTime now, FaspTime delay);
/* The least delay of the last LEAST_OVER or more. */
FaspTime fasp_path_get_least (const FaspPath *path);
/* The recent delay, less the least, µs. */
FaspTime fasp_path_get_queue (const FaspPath *path);
/* How long a report is overdue. @oldest: departure of the oldest packet that is neither reported
 * nor counted as lost; FASP_NEVER: there is none. 0: no report is overdue. */
FaspTime fasp_path_get_silence (const FaspPath *path, FaspTime now, FaspTime oldest);

G_END_DECLS
