/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprlcdecoder.h: recovers blocks from repair symbols (fasprlc.h).
 *
 * Each repair symbol is an equation of the blocks in its window. It waits until the caller asks for
 * recovered blocks: datagrams of several flows do not arrive in order, and a repair symbol costs
 * nothing if no block is missing by then. Then the known blocks are subtracted from it, and the
 * rest is kept in reduced row echelon form. So a block is recovered as soon as there are enough
 * independent equations, and a redundant equation is recognised at once. A block that arrives later
 * is subtracted, too.
 *
 * Covers the last `window' block numbers; lower blocks are forgotten.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

/* The most equations kept, and the most that wait; beyond that the oldest is dropped. */
#define FASP_RLC_DECODER_ROWS 128

typedef struct _FaspRlcDecoder FaspRlcDecoder;

typedef struct
{
  guint64 number;
  guint8 flags;       /* FASP_BLOCK_MARK */
  guint32 media_time; /* low 32 bits */
  const guint8 *data; /* valid until the next call */
  guint32 size;
} FaspRecovered;

/* @window: in blocks, rounded up to a power of two. */
FaspRlcDecoder *fasp_rlc_decoder_new (guint window);
void fasp_rlc_decoder_free (FaspRlcDecoder *decoder);

/* Adds a known block. Takes a reference. */
void fasp_rlc_decoder_know (FaspRlcDecoder *decoder, FaspBlock *block);
/* Adds a repair symbol of blocks [first, first + n). Copies it. */
void fasp_rlc_decoder_repair (FaspRlcDecoder *decoder, guint64 first, guint n, guint16 key,
    const guint8 *symbol, guint32 size);
/* Gives the next recovered block, which the caller must then pass to fasp_rlc_decoder_know();
 * FALSE: there is none. */
gboolean fasp_rlc_decoder_take (FaspRlcDecoder *decoder, FaspRecovered *recovered);

void fasp_rlc_decoder_forget (FaspRlcDecoder *decoder);

/* Number of equations kept and waiting. */
guint fasp_rlc_decoder_count (const FaspRlcDecoder *decoder);

G_END_DECLS
