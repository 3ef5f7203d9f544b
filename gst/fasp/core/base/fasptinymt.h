/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptinymt.h: TinyMT32, the pseudo-random numbers of RFC 8682: the same seed gives the same
 * numbers on every machine.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 status[4];
} FaspTinymt;

void fasp_tinymt_init (FaspTinymt *tinymt, guint32 seed);
guint32 fasp_tinymt_next (FaspTinymt *tinymt);

G_END_DECLS
