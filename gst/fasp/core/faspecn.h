/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspecn.h: may the packets of a flow say that they can do with a mark instead of a
 * loss (ECN, RFC 3168)?
 *
 * There are paths that lose all that say so.  So, as in RFC 9000, appendix A.4, the
 * first ten do, no more until the peer has told of packets, and from then on all, if
 * one of the ten arrived, or none.  On a new way, and after a silence, it begins anew.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* The two bits beside DSCP. */
#define FASP_ECN_MASK 3
#define FASP_ECN_ECT0 2         /* can do with a mark */
#define FASP_ECN_CE 3           /* marked */

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
  guint64 first, tested;        /* packet of the test, and how many */
  guint64 end, received;        /* told last: of packets below, so many arrived; */
  guint64 end_before, received_before;  /* and before the test */
} FaspEcn;

/* Packet @pn leaves: does it say so? */
gboolean fasp_ecn_mark (FaspEcn * ecn, guint64 pn);
/* The peer tells that @pn has arrived. */
void fasp_ecn_arrived (FaspEcn * ecn, guint64 pn);
/* The peer has told of all packets below @end, of which @received have arrived. */
void fasp_ecn_told (FaspEcn * ecn, guint64 end, guint64 received);
/* The way is another, or may be. */
void fasp_ecn_restart (FaspEcn * ecn);

G_END_DECLS
