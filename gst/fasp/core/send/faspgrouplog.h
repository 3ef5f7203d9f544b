/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgrouplog.h: what was sent to a group, in one log for all members, and what to send
 * again.
 *
 * For each block the log has the first and the last packet that carried it.  A member that
 * has settled the last one and lacks the block has lost it.  A member's session needs to
 * know no more than that, so a packet costs the same for one member and for a thousand.
 *
 * Which session sends a block again: when the first member asks for it, that member's session sends
 * it, by unicast. When a second member asks within the window, the block goes to all.  If losses
 * are often shared (SHARED_ENOUGH), it goes to all at once, but not a third time for one member.
 * The same is true of what the speaker asks for (faspmulticastsender.h), if the speaker has a part
 * in most losses: then all members have these losses, but few others ask for them, as they wait.
 *
 * A member may claim losses that it does not have.  So each has a share of the pace for what is
 * sent again because it asked.  Requests beyond that are ignored, unless the pace was idle of late;
 * the member repeats them later.
 *
 * An event is the loss of a block, original or retransmission to all, with the members that ask for
 * it. The number of requests per event controls the back-off (faspmulticastsender.h).
 */
#pragma once

#include "fasppacer.h"

G_BEGIN_DECLS

typedef struct _FaspGroupLog FaspGroupLog;

FaspGroupLog *fasp_group_log_new (void);
void fasp_group_log_free (FaspGroupLog *log);

/* The group sends blocks from @block on. Forgets all others. */
void fasp_group_log_start (FaspGroupLog *log, guint64 block);
/* The next packet number. */
guint64 fasp_group_log_get_pn (const FaspGroupLog *log);
/* One past the last block that was sent. */
guint64 fasp_group_log_get_next (const FaspGroupLog *log);
/* Takes in the departure of the next packet. @block: the next block, one sent before, or
 * FASP_NO_BLOCK. */
void fasp_group_log_sent (FaspGroupLog *log, FaspTime now, guint64 block);
/* Forgets the blocks below @block, as no member will ask for them any more. */
void fasp_group_log_trim (FaspGroupLog *log, guint64 block);
/* When packet @pn left; 0: too long ago to know. */
FaspTime fasp_group_log_get_time (const FaspGroupLog *log, guint64 pn);

/* The first packet that carried the block; G_MAXUINT64 if none did. */
guint64 fasp_group_log_get_first (const FaspGroupLog *log, guint64 block);
/* How often the block was sent to all; 0: never. */
guint fasp_group_log_get_rounds (const FaspGroupLog *log, guint64 block);
/* TRUE: the block may still be on its way to a member that has settled all packets below
 * @settled, or is about to be sent again to all. */
gboolean fasp_group_log_is_in_flight (const FaspGroupLog *log, guint64 block, guint64 settled);

/* @window: requests within this time after the first one count as asking for the same loss.
 * @members: number of members. */
void fasp_group_log_set_window (FaspGroupLog *log, FaspTime window, guint members);
/* From now on members send feedback at least at this interval. */
void fasp_group_log_set_clock (FaspGroupLog *log, FaspTime now, FaspTime clock);
FaspTime fasp_group_log_get_clock (const FaspGroupLog *log);
/* When a member that was last heard at @heard must be heard again, not counting its round trip. */
FaspTime fasp_group_log_get_deadline (const FaspGroupLog *log, FaspTime heard);
/* Sets the speaker, the member that asks without back-off; NULL: there is none. */
void fasp_group_log_set_speaker (FaspGroupLog *log, gconstpointer member);
/* @pacer: the group's, not owned. @wire: bytes of a retransmitted datagram. @share: the share of
 * the pace that retransmissions to one member may take. */
void fasp_group_log_set_share (FaspGroupLog *log, FaspPacer *pacer, gsize wire, gdouble share);
/* May one more datagram be sent again to a member? @taken: state of the member's token bucket, 0 at
 * first. */
gboolean fasp_group_log_grants (FaspGroupLog *log, FaspTime now, FaspTime *taken);
/* @member, which has settled all packets below @settled, lacks @block, and its session is not
 * sending it.  @asked: state of this function for this member and block, 0 at first. TRUE: its
 * session must send the block. */
gboolean fasp_group_log_ask (FaspGroupLog *log, FaspTime now, gconstpointer member, guint64 block,
    guint64 settled, guint8 *asked);

/* The first block queued to go to all again, and the *round of its retransmission; FASP_NO_BLOCK:
 * none. */
guint64 fasp_group_log_peek (const FaspGroupLog *log, guint8 *round);

typedef struct
{
  guint64 events;   /* losses that members asked for */
  guint64 requests; /* requests of all members for these losses */
  guint64 shared;   /* losses that several members asked for */
} FaspGroupLosses;

FaspGroupLosses fasp_group_log_get_losses (const FaspGroupLog *log);

G_END_DECLS
