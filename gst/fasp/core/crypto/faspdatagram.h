/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdatagram.h: a datagram on its way out.
 *
 * A payload of a block is not copied.  The datagram on the wire is the first `head' bytes
 * of data, then the payload, then the rest of data.
 *
 * A session makes a datagram, and it is sealed after that.  Sealing takes as long as all
 * else, but needs nothing of the session, so the endpoint's lock need not be held.
 */
#pragma once

#include "faspblock.h"
#include "faspbytes.h"
#include "fasplimits.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* What a datagram is still to be sealed with (faspprotection.h).  One thread at a time may use a
 * sealer's, without the endpoint's lock. */
typedef struct
{
  struct _FaspLock *lock; /* a reference; NULL: nothing to do */
  guint8 flow;
  guint64 pn;
} FaspSeal;

typedef struct _FaspSealer FaspSealer;

typedef struct
{
  FaspAddress to;
  gsize size;       /* on the wire: UDP payload, sealed */
  gboolean ecn;     /* to be sent as ECT(0) (RFC 3168) */
  FaspBlock *block; /* a reference, as long as payload is in it */
  const guint8 *payload;
  gsize payload_size, head;
  FaspSeal seal; /* what is still to be done */
  guint8 data[FASP_DATAGRAM_MAX];
} FaspDatagram;

/* Makes it empty.  It must have been released, or never used. */
void fasp_datagram_clear (FaspDatagram *datagram);
/* @w: has written to data, and has left room for a tag there; its payload, if any, is of
 * @block (NULL: none).  FALSE: it cannot be sealed as packet @pn. */
gboolean fasp_datagram_finish (FaspDatagram *datagram, FaspSealer *sealer, guint8 flow, guint64 pn,
    const FaspWriter *w, const FaspBlock *block);
/* Call this for each datagram from fasp_endpoint_poll_lane(), before anything else. */
void fasp_datagram_seal (FaspDatagram *datagram);
/* Call this for each datagram that was polled, once it is sent or dropped. */
void fasp_datagram_release (FaspDatagram *datagram);

G_END_DECLS
