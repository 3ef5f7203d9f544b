/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vstranger.h: a caller that is no endpoint. It calls, proves its address, has a key, and from then
 * on sends what it likes. For tests of what somebody can do whom a listener without keys lets in.
 */
#pragma once

#include "faspcaller.h"
#include "vnet.h"

G_BEGIN_DECLS

typedef struct
{
  FaspAddress at;
  guint32 id; /* its connection id */
  FaspCaller caller;
  gboolean let_in;
  FaspAgreement agreement; /* if it is */
  FaspReason refused;      /* what it was told last; FASP_REASON_NONE: nothing */
  guint64 pn;              /* of the next datagram; may be set to any that was not used */
  guint64 got;             /* bytes that came to it, IP headers included */
} VStranger;

/* @role: what it says that it is. @window: units that it says it takes. */
void vstranger_init (VStranger *stranger, Vnet *net, const FaspAddress *at, guint32 id,
    FaspRole role, guint32 window);
void vstranger_clear (VStranger *stranger);
/* Writes its OPEN to @data, which has room for FASP_OPEN_SIZE bytes. FALSE: it is not due. */
gboolean vstranger_call (VStranger *stranger, FaspTime now, guint8 *data);
/* Takes in a datagram. FALSE: it is for somebody else. */
gboolean vstranger_hear (VStranger *stranger, FaspTime now, const guint8 *data, gsize size);
/* Seals @frames; returns the size. @data has room for FASP_DATAGRAM_MAX bytes. */
gsize vstranger_say (VStranger *stranger, const FaspWriter *frames, guint8 *data);

G_END_DECLS
