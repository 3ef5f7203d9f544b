/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsentlog.h: the departure of each datagram of a flow, and the bytes sent on its path by then.
 * An entry is kept as long as the peer may still report its arrival.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* Datagrams remembered at most, 16 bytes each: enough for a round trip of one second at 11 Gbit/s
 * in packets of 1400 bytes. With fewer, rate control would have no samples at that rate. */
#define FASP_SENT_LOG_MAX (1 << 20)

typedef struct
{
  FaspTime time;
  guint64 bytes; /* sent on the path, IP headers included, up to this datagram */
} FaspSent;

typedef struct
{
  FaspSent *ring;            /* packet pn is at pn & mask */
  guint64 mask, first, next; /* packets [first, next) are in the ring */
} FaspSentLog;               /* all 0: empty */

void fasp_sent_log_clear (FaspSentLog *log);
/* Packets are added in order. */
void fasp_sent_log_add (FaspSentLog *log, guint64 pn, FaspTime now, guint64 bytes);
void fasp_sent_log_forget (FaspSentLog *log, guint64 pn);
/* Returns when packet @pn left; NULL: it was not sent, or was forgotten. */
const FaspSent *fasp_sent_log_get (const FaspSentLog *log, guint64 pn);

G_END_DECLS
