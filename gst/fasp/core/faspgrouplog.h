/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgrouplog.h: what went to a group and who of its members lacks it; once for
 * all of them.
 *
 * For each block the packet that carried it first and the one that did last: a member
 * that has settled the last one and lacks the block has lost it.  That is all that a
 * member's session needs to know, so a packet costs the same for one member
 * and for a thousand.
 *
 * Who repairs: the first member that asks for a block is to send it itself, by
 * unicast; when a second one asks within the window it goes to all.  Where losses are
 * shared often (SHARED_ENOUGH), it goes to all at once, but not a third time for one of them.
 * So does what the speaker asks for (faspgroup.h), if it has a part in most losses: they are
 * everybody's then, and others ask for few of them as they wait.
 *
 * An event is a block that was lost, original or rex to all, with those who ask for it:
 * requests per event is what the back-off is steered by (faspgroup.h).
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct _FaspGroupLog FaspGroupLog;

FaspGroupLog *fasp_group_log_new (void);
void fasp_group_log_free (FaspGroupLog * log);

/* Blocks from @block on go to the group; whatever was before is forgotten. */
void fasp_group_log_start (FaspGroupLog * log, guint64 block);
/* The next packet number. */
guint64 fasp_group_log_get_pn (const FaspGroupLog * log);
/* One past the last block that was sent. */
guint64 fasp_group_log_get_next (const FaspGroupLog * log);
/* That packet left, with @block, which is the next one or one sent before, or with
 * FASP_NO_BLOCK. */
void fasp_group_log_sent (FaspGroupLog * log, FaspTime now, guint64 block);
/* Nobody will ask for blocks below. */
void fasp_group_log_trim (FaspGroupLog * log, guint64 block);
/* When packet @pn left; 0: too long ago to know. */
FaspTime fasp_group_log_get_time (const FaspGroupLog * log, guint64 pn);

/* The first packet that carried the block; FASP_NEVER's worth if none did. */
guint64 fasp_group_log_get_first (const FaspGroupLog * log, guint64 block);
/* How often it has gone to all; 0: never. */
guint fasp_group_log_get_rounds (const FaspGroupLog * log, guint64 block);
/* Is it on its way to one that has settled all packets below @settled, or about to be? */
gboolean fasp_group_log_is_under_way (const FaspGroupLog * log, guint64 block,
    guint64 settled);

/* So long after the first request others count as asking for the same; and how many could. */
void fasp_group_log_set_window (FaspGroupLog * log, FaspTime window,
    guint members);
/* Members speak at least so often, from now on. */
void fasp_group_log_set_clock (FaspGroupLog * log, FaspTime now,
    FaspTime clock);
FaspTime fasp_group_log_get_clock (const FaspGroupLog * log);
/* By when a member that was heard then is to be heard again, but for its round trip. */
FaspTime fasp_group_log_get_deadline (const FaspGroupLog * log, FaspTime heard);
/* The member that asks at once; NULL: none does. */
void fasp_group_log_set_speaker (FaspGroupLog * log, gconstpointer who);
/* A member, @who, that has settled all packets below @settled lacks @block, and sends
 * nothing of it itself now.  @asked: which of its losses of the block it has asked for, for
 * this alone to use; zero at first.  TRUE: it is to send it itself. */
gboolean fasp_group_log_ask (FaspGroupLog * log, FaspTime now,
    gconstpointer who, guint64 block, guint64 settled, guint8 * asked);

/* The first of the blocks that are to go to all again, FASP_NO_BLOCK: none. @round: of
 * rexes. */
guint64 fasp_group_log_peek (const FaspGroupLog * log, guint8 * round);

typedef struct
{
  guint64 events;               /* losses asked for, and */
  guint64 requests;             /* by so many members, all together */
  guint64 shared;               /* of the events: by several */
} FaspGroupLosses;

FaspGroupLosses fasp_group_log_get_losses (const FaspGroupLog * log);

G_END_DECLS
