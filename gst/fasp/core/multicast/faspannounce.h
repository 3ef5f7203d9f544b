/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspannounce.h: the announced senders of a group, and the one that the receiver calls.
 *
 * Any host can announce a sender, so an announcement proves nothing: the receiver calls each sender
 * in turn for a while, and the handshake decides.  It remembers a few senders.  When there are
 * more, a new one replaces a random one, so that false announcements cannot keep out the true
 * sender for ever.
 */
#pragma once

#include "faspwire.h"

G_BEGIN_DECLS

#define FASP_ANNOUNCERS 8
/* A sender without an announcement for this time is forgotten. */
#define FASP_ANNOUNCER_FORGOTTEN (2 * FASP_SEC)
/* How long the receiver calls one sender. */
#define FASP_ANNOUNCER_TRY (3 * FASP_SEC)

typedef struct
{
  FaspAddress address;
  FaspTime heard; /* when it was last announced; 0: the entry is free */
  guint64 called; /* value of `calls' when it was last called; 0: not yet */
} FaspAnnouncer;

/* All 0: no sender is known. */
typedef struct
{
  FaspAnnouncer list[FASP_ANNOUNCERS];
  guint64 calls;    /* calls to all senders so far */
  FaspTime try_end; /* when the time of the sender that is called is over */
} FaspAnnouncers;

/* A sender was announced at @from. @chance: a random number, which selects the entry to replace if
 * none is free. */
void fasp_announcers_heard (FaspAnnouncers *a, FaspTime now, const FaspAddress *from,
    guint32 chance);
/* The sender to call from now on; NULL: the time of the current one is not over, or no sender is
 * known. */
const FaspAnnouncer *fasp_announcers_choose (FaspAnnouncers *a, FaspTime now);
/* The sender has refused the call: its time is over if another one is known. */
void fasp_announcers_refused (FaspAnnouncers *a, FaspTime now);

G_END_DECLS
