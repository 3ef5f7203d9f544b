/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdatagram.h: a datagram to be sent.
 *
 * A payload of a block is not copied.  The datagram on the wire is the first `head' bytes
 * of data, then the payload, then the rest of data.
 *
 * A session makes a datagram, and the caller seals it afterwards.  Sealing takes about half of the
 * time per datagram, but uses nothing of the session, so it needs no lock of the endpoint.
 */
#pragma once

#include "faspblock.h"
#include "faspbytes.h"
#include "fasplimits.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* The key for a datagram that is not sealed yet (faspprotection.h).  It may be used without the
 * endpoint's lock, but only one thread at a time may use the seals of one sealer. */
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
  gsize size;            /* on the wire: UDP payload, sealed */
  guint8 ecn;            /* the ECN field (faspecn.h); 0: not ECN-capable */
  FaspBlock *block;      /* a reference, as long as payload is in it */
  const guint8 *payload; /* the payload, in the memory of `block'; NULL: the payload is in data */
  gsize payload_size, head; /* bytes of payload, and of data before it */
  FaspSeal seal;            /* holds no lock once the datagram is sealed */
  guint8 data[FASP_DATAGRAM_MAX];
} FaspDatagram;

/* Makes @datagram empty.  It must have been released, or never used. */
void fasp_datagram_clear (FaspDatagram *datagram);
/* @w: writer of data, which has room for a tag left; its payload, if any, is in @block (NULL:
 * none).  Pads the datagram to FASP_DATAGRAM_MIN.  FALSE: it cannot be sealed as packet @pn. */
gboolean fasp_datagram_finish (FaspDatagram *datagram, FaspSealer *sealer, guint8 flow, guint64 pn,
    FaspWriter *w, const FaspBlock *block);
/* Call this for each datagram from fasp_endpoint_poll_lane(), before anything else. */
void fasp_datagram_seal (FaspDatagram *datagram);
/* Call this for each datagram that was polled, once it is sent or dropped. */
void fasp_datagram_release (FaspDatagram *datagram);

G_END_DECLS
