/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplimits.h: limits that more than one room keeps to.  Those of the wire format alone are in
 * faspwire.h.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* UDP payload bytes, the fewest: some mobile carriers drop less.  WireGuard's smallest datagram,
 * which they let pass, has as many. */
#define FASP_DATAGRAM_MIN 32
#define FASP_DATAGRAM_COMMON 1500 /* UDP payload bytes, the most unless jumbo frames help */
/* UDP payload bytes, the most ever sent: an Ethernet jumbo frame's, 9000 bytes */
#define FASP_DATAGRAM_MAX 8972
/* A stream uses datagrams above FASP_DATAGRAM_COMMON from the first rate on, in bit/s,
 * until it falls below the second. As long as its rate is not known, that of the
 * channel decides. A slower stream takes too long to fill them. */
#define FASP_JUMBO_FROM 200000000
#define FASP_JUMBO_UNTIL 100000000

#define FASP_STREAMID_MAX 512 /* bytes of UTF-8 */
#define FASP_TEXT_MAX 200     /* bytes of UTF-8 in CLOSE and REJECT */

#define FASP_TIMESTAMPS 64 /* receive timestamps in one FEEDBACK, at most */
#define FASP_ROUNDS 8 /* counters of rounds of retransmission; the last has all later ones, too */
#define FASP_SYMBOL_HEADER 7 /* bytes of a repair symbol before the payload */

/* Bounds of what a sender sets for the members of its group: the longest time that they wait before
 * they ask, and the interval of their regular feedback (their clock). */
#define FASP_NACK_BACKOFF_MAX (2 * FASP_SEC)
#define FASP_MEMBER_CLOCK_MIN (100 * FASP_MSEC)
#define FASP_MEMBER_CLOCK_MAX (15 * FASP_SEC)

G_END_DECLS
