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

/* Repairs, and how long lost blocks wait for them. */
typedef struct
{
  FaspRlcDecoder *decoder;                   /* owned; NULL: the ends did not agree on repairs */
  FaspTime end;                              /* blocks are kept for the decoder until then */
  FaspTime recovery_time, recovery_time_end; /* how long a lost block waits for repairs; valid until
                                                recovery_time_end */
} FaspRxFec;

/* The end of the stream. */
typedef struct
{
  gboolean is_known; /* `number' is known */
  guint64 number;    /* number of the block that ends the stream */
  gboolean is_taken; /* that block was taken: the stream is complete */
} FaspRxEnd;

typedef struct
{
  guint64 blocks, payload, retransmissions, duplicates, given_up;
  guint64 repairs, recovered;
  guint64 rounds[FASP_ROUNDS];
} FaspRxCounts;

struct _FaspRx
{
  FaspRxView view; /* the first member, as fasp_rx_view() casts */
  FaspLog *log;    /* NULL: nothing is logged; not owned */
  FaspReorder *reorder;
  FaspRxFec fec;
  FaspPosition position;        /* stream offset of the next block taken */
  FaspOtherSources others;      /* the bytes that the reader has from other sources */
  gboolean discont;             /* a mark was taken that followed a hole, so the next block gets
                                   FASP_BLOCK_DISCONT */
  FaspStreamHeaderParts header; /* the parts of the stream's header that have arrived */
  gboolean give_up;             /* too-late=skip */
  FaspKeyFrame key_frame;       /* the application's requests to the sender */
  FaspRxEnd end;
  FaspFeedbackTracker feedback;
  FaspRxCounts counts;
};

G_END_DECLS
