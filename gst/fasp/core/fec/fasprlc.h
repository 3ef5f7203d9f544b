/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprlc.h: the sliding-window random linear code over GF(2^8) of RFC 8681.  A
 * repair symbol is the sum of source symbols, each multiplied by a coefficient.
 *
 * The source symbol of a block is its size (2 bytes), flags (1), the low 32 bits
 * of its media time (4), its payload, and zeros up to the length of the longest
 * symbol.  The field's polynomial is x^8 + x^4 + x^3 + x^2 + 1.  The density is 15,
 * so no coefficient is zero.
 */
#pragma once

#include "faspblock.h"
#include "fasplimits.h"

G_BEGIN_DECLS

/* FALSE: this build has no ISA-L.  An endpoint then has no FEC and must not call the other
 * functions.
 */
gboolean fasp_rlc_is_built (void);

/* The @n coefficients of a repair symbol with @key (RFC 8681, section 3.6). */
void fasp_rlc_get_coefficients (guint16 key, guint8 *coefficients, guint n);

/* Writes the repair symbol of @n blocks into @symbol, which has room for the header
 * and the largest of them.  Returns its length. */
guint32 fasp_rlc_encode (const FaspBlock *const *blocks, guint n, guint16 key, guint8 *symbol);

/* symbol += c * the block's source symbol. */
void fasp_rlc_add_block (guint8 *symbol, const FaspBlock *block, guint8 c);
/* to += c * from, over @n bytes. */
void fasp_rlc_add (guint8 *to, const guint8 *from, gsize n, guint8 c);
/* data *= c, over @n bytes. */
void fasp_rlc_scale (guint8 *data, gsize n, guint8 c);
guint8 fasp_rlc_invert (guint8 c);

G_END_DECLS
