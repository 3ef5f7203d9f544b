/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspannounce.h: senders that a receiver of a group has heard of, and which of them it calls.
 *
 * Anybody can say that there is a sender, so nothing is believed: each is called in
 * turn for a while, and what the handshake makes of it counts.  A few are remembered; when there are
 * more, a new one takes the place of any other, by chance, so that nobody can make sure
 * that the right one is never called.
 */
#pragma once

#include "faspwire.h"

G_BEGIN_DECLS

#define FASP_ANNOUNCERS 8
/* One that is not heard again is forgotten. */
#define FASP_ANNOUNCER_FORGOTTEN (2 * FASP_SEC)
/* One is called for so long. */
#define FASP_ANNOUNCER_TURN (3 * FASP_SEC)

typedef struct
{
  FaspAddress address;
  FaspTime heard;               /* 0: nobody */
  guint64 called;               /* when, counted in calls; 0: not yet */
} FaspAnnouncer;

/* Zeroes: nobody is known. */
typedef struct
{
  FaspAnnouncer list[FASP_ANNOUNCERS];
  guint64 calls;
  FaspTime turn_end;            /* of the one that is called */
} FaspAnnouncers;

/* @chance: whose place it takes if there is no other; any number. */
void fasp_announcers_heard (FaspAnnouncers * a, FaspTime now,
    const FaspAddress * from, guint32 chance);
/* The one to be called from now on; NULL: the one that is called now has its turn, or
 * nobody is known. */
const FaspAnnouncer *fasp_announcers_choose (FaspAnnouncers * a, FaspTime now);
/* The one that is called does not want us: its turn is over if there is another one. */
void fasp_announcers_refused (FaspAnnouncers * a, FaspTime now);

G_END_DECLS
