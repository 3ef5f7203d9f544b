/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vkeys.h: ends of a VCast that have keys.
 */
#pragma once

#include "faspcredentials.h"
#include "vcast.h"

G_BEGIN_DECLS

/* 0: none of it. @secret: a shared one; @own, @peer: keys. */
typedef struct
{
  guint8 secret, own, peer;
  gint cipher; /* -1: all */
} VKeys;

extern const VKeys vkeys_nobody, vkeys_secret;

FaspCredentials *vkeys_make_credentials (const VKeys *keys);
void vkeys_join (VCast *n, VnetSide side, FaspMode mode, VnetSide dials, const VKeys *keys);

G_END_DECLS
