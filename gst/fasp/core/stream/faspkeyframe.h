/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspkeyframe.h: that a key frame is wanted is told once a second at most.  The first want is told
 * at once.  Those that follow within a second are told together at its end, unless a key frame has
 * come by then.
 *
 *     wanted  |  |  ||         |   |
 *     told    |         |      |         (|: a second later)
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* One key frame in that time is enough, however many want one, and however often. */
#define FASP_KEY_FRAMES_APART FASP_SEC

typedef struct
{
  gboolean wanted; /* and not told yet */
  FaspTime may;    /* it is not told again before */
  guint64 told;    /* how often it was told so far */
} FaspKeyFrame;

static inline void
fasp_key_frame_want (FaspKeyFrame *key)
{
  key->wanted = TRUE;
}

/* There is one now, for all who have wanted it so far. */
static inline void
fasp_key_frame_comes (FaspKeyFrame *key)
{
  key->wanted = FALSE;
}

/* When to tell it; FASP_NEVER: there is nothing to tell. */
static inline FaspTime
fasp_key_frame_get_time (const FaspKeyFrame *key)
{
  return key->wanted ? key->may : FASP_NEVER;
}

/* TRUE: tell it now. */
static inline gboolean
fasp_key_frame_take (FaspKeyFrame *key, FaspTime now)
{
  if (now < fasp_key_frame_get_time (key))
    return FALSE;
  key->wanted = FALSE;
  key->may = now + FASP_KEY_FRAMES_APART;
  key->told++;
  return TRUE;
}

G_END_DECLS
