/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasphearing.h: a receiver's half of a group (faspgroup.h): which of its packets came,
 * and what opens them.
 *
 * The packet number tells the phase of the key, so there is nothing to agree upon:
 * that of the phase it is in, of the one before, or of the next is tried, no other.  Who has not
 * heard it for so long that it is elsewhere is told by unicast which packet is next.
 */
#pragma once

#include "faspgap.h"
#include "faspseal.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 cid;
  FaspCipher cipher;
  guint64 phase;
  guint8 key[FASP_KEY_SIZE];    /* of the phase */
  FaspOpener *before, *now, *next;      /* those of others as far as they are needed */
  FaspGap *gap;
  FaspTime heard;               /* last, or since when it should have been, */
  FaspTime spoken_up;           /* and when the sender was told that it is not */
  gboolean deaf, deaf_told;     /* it is not, and the application knows */
  FaspTime alone_since;         /* new blocks come by it and not otherwise; FASP_NEVER:
                                   they do not */
  /* of the gap, as for a flow (fasppath.h) */
  guint64 settled_told;
} FaspHearing;

FaspHearing *fasp_hearing_new (const FaspGroupKey * key, FaspTime now);
void fasp_hearing_free (FaspHearing * hearing);

typedef enum
{
  FASP_HEARING_OK,
  FASP_HEARING_REFUSED,         /* replayed */
  FASP_HEARING_FORGED,
} FaspHearingResult;

/* Opens a datagram of the group, which @r reads then, in @scratch (room for @size) or in
 * @data itself. */
FaspHearingResult fasp_hearing_open (FaspHearing * hearing, FaspTime now,
    const FaspSessionHeader * header, const guint8 * data, gsize size,
    guint8 * scratch, FaspReader * r);

/* The next packet will be @pn, says the sender. */
void fasp_hearing_expect (FaspHearing * hearing, guint64 pn);

/* A new block came by unicast: it has not gone to the group, or not for this one. */
void fasp_hearing_is_passed_by (FaspHearing * hearing, FaspTime now);
/* A new block came by the group. */
void fasp_hearing_brings (FaspHearing * hearing, FaspTime now);

G_END_DECLS
