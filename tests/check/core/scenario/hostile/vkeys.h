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

/* Of the ends that join from now on: the sender if @side is A, else receivers. */
void vkeys_set (VCast *n, VnetSide side, const VKeys *keys);
/* The sender and a receiver at B join, both with @keys. */
void vkeys_begin (VCast *n, const VKeys *keys);

G_END_DECLS
