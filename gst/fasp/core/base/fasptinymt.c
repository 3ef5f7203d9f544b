/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptinymt.h"

/* RFC 8682, section 2.1: the parameter set */
#define MAT1 0x8f7011ee
#define MAT2 0xfc78ff1f
#define TMAT 0x3793fdff
/* the bits of the state that are used, and the steps before the first number */
#define MASK 0x7fffffff
#define MIX 8
#define SKIP 8

static void
step (FaspTinymt *t)
{
  guint32 *s = t->status;
  guint32 x = (s[0] & MASK) ^ s[1] ^ s[2], y = s[3];

  x ^= x << 1;
  y ^= y >> 1 ^ x;
  s[0] = s[1];
  s[1] = s[2];
  s[2] = x ^ y << 10;
  s[3] = y;
  if (y & 1) {
    s[1] ^= MAT1;
    s[2] ^= MAT2;
  }
}

void
fasp_tinymt_init (FaspTinymt *t, guint32 seed)
{
  guint32 *s = t->status;

  s[0] = seed;
  s[1] = MAT1;
  s[2] = MAT2;
  s[3] = TMAT;
  for (guint i = 1; i < MIX; i++) {
    guint32 before = s[(i - 1) & 3];

    s[i & 3] ^= i + 1812433253u * (before ^ before >> 30);
  }
  for (guint i = 0; i < SKIP; i++)
    step (t);
}

guint32
fasp_tinymt_next (FaspTinymt *t)
{
  guint32 sum;

  step (t);
  sum = t->status[0] + (t->status[2] >> 8);
  return t->status[3] ^ sum ^ (sum & 1 ? TMAT : 0);
}
