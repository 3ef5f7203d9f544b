/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplimits.h: limits that more than one room keeps to.  Those of the wire format alone are in
 * faspwire.h.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* Least UDP payload in bytes: some mobile carriers drop shorter datagrams. It is the size of
 * WireGuard's smallest datagram, which they let pass. */
#define FASP_DATAGRAM_MIN 32
#define FASP_DATAGRAM_COMMON 1500 /* largest UDP payload without jumbo frames, bytes */
/* Largest UDP payload ever sent, in bytes: that of an Ethernet jumbo frame of 9000 bytes. */
#define FASP_DATAGRAM_MAX 8972
/* A stream uses datagrams above FASP_DATAGRAM_COMMON once its rate in bit/s reaches the first
 * limit, until it falls below the second: a slower stream takes too long to fill them. While its
 * rate is not known, the channel's rate decides. */
#define FASP_JUMBO_FROM 200000000
#define FASP_JUMBO_UNTIL 100000000

#define FASP_STREAMID_MAX 512 /* bytes of UTF-8 */
#define FASP_TEXT_MAX 200     /* bytes of UTF-8 in CLOSE and REJECT */

#define FASP_TIMESTAMPS 64 /* receive timestamps in one FEEDBACK, at most */
/* Counters of rounds of retransmission; the last one counts all later rounds, too. */
#define FASP_ROUNDS 8
#define FASP_SYMBOL_HEADER 7 /* bytes of a repair symbol before the payload */

/* Bounds of a sender's settings for the members of its group: the longest time that a member waits
 * before it asks for a lost block, and the interval of its regular feedback (its clock). */
#define FASP_NACK_BACKOFF_MAX (2 * FASP_SEC)
#define FASP_MEMBER_CLOCK_MIN (100 * FASP_MSEC)
#define FASP_MEMBER_CLOCK_MAX (15 * FASP_SEC)

G_END_DECLS
