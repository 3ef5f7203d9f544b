/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmergeliars.c: peers that named the stream's origin and brought other bytes.
 */
#include "faspmergeprivate.h"

/* A peer whose bytes were wrong is kept out for this long at first, and twice as long each time, up
 * to LIAR_MOST.  With each new session a liar can slip in some wrong bytes; the first span limits
 * it to one session a minute.
 */
#define LIAR_LEAST (60 * FASP_SEC)
#define LIAR_MOST (3600 * FASP_SEC) /* as the longest suppression of a route in RFC 2439 */

static FaspLiar *
find_liar (const FaspMerge *merge, guint64 peer)
{
  for (guint i = 0; peer != 0 && i < FASP_LIARS; i++)
    if (merge->liars[i].peer == peer)
      return (FaspLiar *) &merge->liars[i];
  return NULL;
}

void
fasp_merge_remember_liar (FaspMerge *merge, FaspTime now, guint64 peer)
{
  FaspLiar *liar = find_liar (merge, peer);

  if (peer == 0)
    return;
  if (liar == NULL) {
    liar = &merge->liars[0];
    for (guint i = 1; i < FASP_LIARS; i++)
      if (merge->liars[i].until < liar->until)
        liar = &merge->liars[i];
    *liar = (FaspLiar) { .peer = peer };
  }
  /* without a lie for the longest span, the shortest applies again */
  if (liar->until != 0 && now - liar->until > LIAR_MOST)
    liar->span = 0;
  liar->span = CLAMP (2 * liar->span, LIAR_LEAST, LIAR_MOST);
  liar->until = now + liar->span;
}

gboolean
fasp_merge_is_liar (const FaspMerge *merge, FaspTime now, const FaspSource *source)
{
  const FaspLiar *liar = find_liar (merge, source->state.peer);

  return liar != NULL && now < liar->until;
}

void
fasp_merge_forgive (FaspMerge *merge, const FaspSource *source)
{
  FaspLiar *liar = find_liar (merge, source->state.peer);

  if (liar != NULL)
    liar->until = 0;
}
