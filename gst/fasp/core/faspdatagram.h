/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdatagram.h: a datagram on its way out.
 *
 * What it carries of a block stays in the block, and belongs between the bytes at `head':
 * the first @head bytes of data, then the payload, then what is left of data.
 *
 * A session makes it, and it is sealed then, which takes as long as all else and needs
 * nothing of the session: what protects the endpoint need not be held for that.
 */
#pragma once

#include "faspblock.h"
#include "faspbytes.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* What it is still to be sealed with (faspseal.h), by one thread at a time for each sealer,
 * but not under what protects that. */
typedef struct
{
  struct _FaspLock *lock;       /* a reference; NULL: nothing is to be done */
  guint8 flow;
  guint64 pn;
} FaspSeal;

typedef struct _FaspSealer FaspSealer;

typedef struct
{
  FaspAddress to;
  gsize size;                   /* all together, sealed */
  gboolean ecn;                 /* to be sent as ECT(0) (RFC 3168) */
  FaspBlock *block;             /* a reference while there is such a payload */
  const guint8 *payload;
  gsize payload_size, head;
  FaspSeal seal;                /* what is still to be done */
  guint8 data[FASP_DATAGRAM_MAX];
} FaspDatagram;

/* Nothing is in it; it had been released, or was never used. */
void fasp_datagram_clear (FaspDatagram * datagram);
/* @w: what was written to data, of which it left room for a tag, with a payload of @block
 * (NULL: none).  FALSE: it cannot be sealed as packet @pn. */
gboolean fasp_datagram_finish (FaspDatagram * datagram, FaspSealer * sealer,
    guint8 flow, guint64 pn, const FaspWriter * w, const FaspBlock * block);
/* To be called for each one that was polled, before anything else. */
void fasp_datagram_seal (FaspDatagram * datagram);
/* To be called for each one that was polled, once it is sent or dropped. */
void fasp_datagram_release (FaspDatagram * datagram);

G_END_DECLS
