/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspkeyframe.h: passes on requests for a key frame, one a second at most.  The first request is
 * passed on at once.  Those that follow within a second are passed on as one at its end, unless a
 * key frame has come by then.
 *
 *     wanted     |  |  ||         |   |
 *     passed on  |         |      |         (|: a second later)
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* Least time between requests passed on: one key frame serves all receivers that want one. */
#define FASP_KEY_FRAMES_APART FASP_SEC

typedef struct
{
  gboolean wanted;   /* a request waits to be passed on */
  FaspTime may;      /* earliest time to pass a request on */
  guint64 passed_on; /* requests passed on so far */
} FaspKeyFrame;

static inline void
fasp_key_frame_want (FaspKeyFrame *key)
{
  key->wanted = TRUE;
}

/* A key frame has come, and answers all requests so far. */
static inline void
fasp_key_frame_comes (FaspKeyFrame *key)
{
  key->wanted = FALSE;
}

/* When to pass a request on; FASP_NEVER: there is none. */
static inline FaspTime
fasp_key_frame_get_time (const FaspKeyFrame *key)
{
  return key->wanted ? key->may : FASP_NEVER;
}

/* Must a request be passed on now? If so, counts it as passed on. */
static inline gboolean
fasp_key_frame_take (FaspKeyFrame *key, FaspTime now)
{
  if (now < fasp_key_frame_get_time (key))
    return FALSE;
  key->wanted = FALSE;
  key->may = now + FASP_KEY_FRAMES_APART;
  key->passed_on++;
  return TRUE;
}

G_END_DECLS
