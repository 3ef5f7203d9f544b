/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspecn.h: tests whether the path lets ECN-capable packets pass (RFC 3168), which are marked
 * instead of dropped.
 *
 * Some paths lose all ECN-capable packets.  So, as in RFC 9000, appendix A.4, the first ten packets
 * are sent as ECN-capable, and then none until the peer has reported on them.  If one of the ten
 * arrived, all further packets are ECN-capable, else none.  On a new path, and after a silence, the
 * test begins anew.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* Values of the two ECN bits of the IP header, beside DSCP. */
#define FASP_ECN_MASK 3
#define FASP_ECN_NOT_ECT 0
#define FASP_ECN_ECT1 1 /* ECN-capable, of L4S (RFC 9331) */
#define FASP_ECN_ECT0 2 /* ECN-capable */
#define FASP_ECN_CE 3   /* congestion experienced: marked by a router */

#define FASP_ECN_TESTED 10

typedef enum
{
  FASP_ECN_TESTING,
  FASP_ECN_WAITING,
  FASP_ECN_CAPABLE,
  FASP_ECN_FAILED,
} FaspEcnState;

/* All 0: nothing sent yet. */
typedef struct
{
  FaspEcnState state;
  guint64 first, tested;               /* first packet of the test, and packets sent for it */
  guint64 end, received;               /* last report: the number of packets below `end' that
                                          arrived */
  guint64 end_before, received_before; /* the last report before the test */
} FaspEcn;

/* The name of a state for the log. */
const gchar *fasp_ecn_get_name (FaspEcnState state);
/* Must packet @pn be sent as ECN-capable? */
gboolean fasp_ecn_mark (FaspEcn *ecn, guint64 pn);
/* The peer reports that @pn has arrived. */
void fasp_ecn_arrived (FaspEcn *ecn, guint64 pn);
/* The peer has reported on all packets below @end, of which @received have arrived. */
void fasp_ecn_feedback (FaspEcn *ecn, guint64 end, guint64 received);
/* The path has changed, or may have: tests anew. */
void fasp_ecn_restart (FaspEcn *ecn);

G_END_DECLS
