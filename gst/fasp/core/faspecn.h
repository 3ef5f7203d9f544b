/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspecn.h: may the packets of a flow say that they can do with a mark instead of a
 * loss (ECN, RFC 3168)?
 *
 * There are paths that lose all that say so.  So, as in RFC 9000, appendix A.4, the
 * first ten do, no more until the peer has told of packets, and from then on all, if
 * one of the ten arrived, or none.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_ECN_TESTED 10

typedef enum
{
  FASP_ECN_TESTING,
  FASP_ECN_WAITING,
  FASP_ECN_CAPABLE,
  FASP_ECN_FAILED,
} FaspEcnState;

/* Zeroes: nothing sent yet. */
typedef struct
{
  FaspEcnState state;
  guint64 before, tested;       /* packets of the flow before the test, and in it */
} FaspEcn;

/* Packet @pn leaves: does it say so? */
gboolean fasp_ecn_mark (FaspEcn * ecn, guint64 pn);
/* Of the packets below @end, @received have arrived. */
void fasp_ecn_told (FaspEcn * ecn, guint64 end, guint64 received);

G_END_DECLS
