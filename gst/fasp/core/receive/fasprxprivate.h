/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprxprivate.h: the state of a receiving half, for fasprx.c and its tests.
 */
#pragma once

#include "faspkeyframe.h"
#include "fasprlcdecoder.h"
#include "fasprx.h"
#include "faspstreamheader.h"

G_BEGIN_DECLS

/* Repairs, and the time that lost blocks have to be recovered by them. */
typedef struct
{
  FaspRlcDecoder *decoder;                   /* owned; NULL: the ends did not agree on repairs */
  FaspTime end;                              /* blocks are kept for the decoder until then */
  FaspTime recovery_time, recovery_time_end; /* extra time that lost blocks have to be recovered;
                                      valid until recovery_time_end */
} FaspRxFec;

/* The end of the stream. */
typedef struct
{
  gboolean is_known; /* the number of the block with it is known */
  guint64 number;    /* of that block */
  gboolean is_taken; /* that block was taken: the stream is complete */
} FaspRxEnd;

typedef struct
{
  guint64 blocks, payload, retransmissions, duplicates, given_up;
  guint64 from_others; /* blocks passed over, as the reader has them from another source */
  guint64 repairs, recovered;
  guint64 rounds[FASP_ROUNDS];
} FaspRxCounts;

struct _FaspRx
{
  FaspRxView view; /* the first member: fasp_rx_view() */
  FaspLog *log;    /* NULL: nothing is logged; not owned */
  FaspReorder *reorder;
  FaspRxFec fec;
  FaspPosition position;   /* of the next block taken */
  FaspOtherSources others; /* what the reader has from other sources */
  gboolean discont; /* a mark that was passed over followed a hole, so the next block does, too */
  FaspStreamHeaderParts header; /* of the stream, so far */
  gboolean give_up;             /* too-late=skip */
  FaspKeyFrame key_frame;       /* the application's requests to the sender */
  FaspRxEnd end;
  FaspFeedbackTracker feedback;
  FaspRxCounts counts;
};

G_END_DECLS
