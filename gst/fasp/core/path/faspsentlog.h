/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsentlog.h: when each datagram of a flow left, and how many bytes had left by
 * then on its way. It is kept for as long as the peer may still report when the datagram arrived.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* Datagrams remembered at most, 16 bytes each: enough for a round trip of one second at
 * 11 Gbit/s in packets of 1400 bytes. With less, a rate control would be blind. */
#define FASP_SENT_LOG_MAX (1 << 20)

typedef struct
{
  FaspTime time;
  guint64 bytes; /* of the way, IP headers included, up to this datagram */
} FaspSent;

typedef struct
{
  FaspSent *ring;            /* packet pn is at pn & mask */
  guint64 mask, first, next; /* [first, next) are there */
} FaspSentLog;               /* all 0: empty */

void fasp_sent_log_clear (FaspSentLog *log);
/* Packets are added in order. */
void fasp_sent_log_add (FaspSentLog *log, guint64 pn, FaspTime now, guint64 bytes);
/* Nothing below @pn will be asked for. */
void fasp_sent_log_forget (FaspSentLog *log, guint64 pn);
/* NULL: it never left, or too long ago. */
const FaspSent *fasp_sent_log_get (const FaspSentLog *log, guint64 pn);

G_END_DECLS
