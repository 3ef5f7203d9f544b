/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsentlog.h: when each datagram of a flow left, and how much had left by then,
 * for as long as the peer may still tell when it arrived.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* Datagrams that are remembered at most, of 16 bytes: a round trip of a second at
 * 11 Gbit/s in packets of 1400.  Were it too short, a rate control would be
 * blind. */
#define FASP_SENT_LOG_MAX (1 << 20)

typedef struct
{
  FaspTime time;
  guint64 bytes;                /* of the session, IP header up, with this one */
} FaspSent;

typedef struct
{
  FaspSent *ring;               /* packet pn is at pn & mask */
  guint64 mask, first, next;    /* [first, next) are there */
} FaspSentLog;                  /* zeroes: empty */

void fasp_sent_log_clear (FaspSentLog * log);
/* Packets come in order. */
void fasp_sent_log_add (FaspSentLog * log, guint64 pn, FaspTime now,
    guint64 bytes);
/* Nothing before @pn will be asked for. */
void fasp_sent_log_forget (FaspSentLog * log, guint64 pn);
/* NULL: it never left, or that is too long ago. */
const FaspSent *fasp_sent_log_get (const FaspSentLog * log, guint64 pn);

G_END_DECLS
