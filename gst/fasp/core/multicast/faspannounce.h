/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspannounce.h: the senders that a receiver of a group has heard of, and which of them to call.
 *
 * Anybody can announce a sender, so an announcement proves nothing: the receiver calls each
 * sender in turn for a while, and the handshake decides.  It remembers a few senders.  When there
 * are more, a new one replaces one that is chosen at random, so that false announcements cannot
 * keep out the right one for ever.
 */
#pragma once

#include "faspwire.h"

G_BEGIN_DECLS

#define FASP_ANNOUNCERS 8
/* A sender that is not heard again for this time is forgotten. */
#define FASP_ANNOUNCER_FORGOTTEN (2 * FASP_SEC)
/* How long one sender is called. */
#define FASP_ANNOUNCER_TRY (3 * FASP_SEC)

typedef struct
{
  FaspAddress address;
  FaspTime heard; /* when it was last announced; 0: the entry is free */
  guint64 called; /* value of `calls' when it was last called; 0: not yet */
} FaspAnnouncer;

/* All 0: nobody is known. */
typedef struct
{
  FaspAnnouncer list[FASP_ANNOUNCERS];
  guint64 calls;    /* calls so far, to all of them */
  FaspTime try_end; /* when the one that is called has been called for long enough */
} FaspAnnouncers;

/* @chance: a random number, which says whom it replaces if there is no free place. */
void fasp_announcers_heard (FaspAnnouncers *a, FaspTime now, const FaspAddress *from,
    guint32 chance);
/* The sender to call from now on; NULL: the time of the one that is called now is not over,
 * or nobody is known. */
const FaspAnnouncer *fasp_announcers_choose (FaspAnnouncers *a, FaspTime now);
/* The sender that is called has refused us: its time is over if another one is known. */
void fasp_announcers_refused (FaspAnnouncers *a, FaspTime now);

G_END_DECLS
