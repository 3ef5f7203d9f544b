/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspannounce.h"

static gboolean
is_known (const FaspAnnouncer *a, FaspTime now)
{
  return a->heard > 0 && now - a->heard < FASP_ANNOUNCER_FORGOTTEN;
}

void
fasp_announcers_heard (FaspAnnouncers *a, FaspTime now, const FaspAddress *from, guint32 chance)
{
  FaspAnnouncer *slot = NULL;

  for (guint i = 0; i < FASP_ANNOUNCERS; i++) {
    FaspAnnouncer *one = &a->list[i];

    if (is_known (one, now) && fasp_address_equal (&one->address, from)) {
      one->heard = MAX (now, 1);
      return;
    }
    if (slot == NULL && !is_known (one, now))
      slot = one;
  }
  if (slot == NULL)
    slot = &a->list[chance % FASP_ANNOUNCERS];
  *slot = (FaspAnnouncer) { .address = *from, .heard = MAX (now, 1) };
}

const FaspAnnouncer *
fasp_announcers_choose (FaspAnnouncers *a, FaspTime now)
{
  FaspAnnouncer *next = NULL;

  if (now < a->try_end)
    return NULL;
  for (guint i = 0; i < FASP_ANNOUNCERS; i++)
    if (is_known (&a->list[i], now) && (next == NULL || a->list[i].called < next->called))
      next = &a->list[i];
  if (next == NULL)
    return NULL;
  next->called = ++a->calls;
  a->try_end = now + FASP_ANNOUNCER_TRY;
  return next;
}

void
fasp_announcers_refused (FaspAnnouncers *a, FaspTime now)
{
  guint known = 0;

  for (guint i = 0; i < FASP_ANNOUNCERS; i++)
    known += is_known (&a->list[i], now);
  if (known > 1)
    a->try_end = MIN (a->try_end, now);
}
