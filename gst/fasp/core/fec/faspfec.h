/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspfec.h: forward error correction (FEC): when a sender sends repair symbols (fasprlc.h; in
 * short: repairs), how many, and of which window of blocks.  The window moves with the stream.
 *
 * Each new block adds `share' repairs to `owed'; when that reaches 1, a repair is sent.  Its window
 * ends at the last block sent and reaches back as far as a block may wait for recovery, which is
 * nearly the latency.  When the stream pauses, one repair is borrowed from the blocks to come, so
 * that the last blocks before the pause are covered, too.
 *
 * If a lost block can be sent again in time, it is sent again at once; the receiver takes the
 * retransmission or the recovered block, whichever is first.  Otherwise the code is alone: a block
 * is sent again only if repairs have not recovered it by the end of the time in which they cover
 * it.
 */
#pragma once

#include "faspbytes.h"
#include "faspstore.h"

G_BEGIN_DECLS

/* The most blocks in a window. */
#define FASP_FEC_WINDOW_MAX 1024
/* The longest time in which repairs cover a block, for one receiver or a group. */
#define FASP_FEC_REACH_MAX (100 * FASP_MSEC)
#define FASP_FEC_SHARE_MAX 1. /* repairs for each block */

typedef enum
{
  FASP_FEC_OFF,
  FASP_FEC_AUTO, /* the least share that is enough, and only if retransmissions are too late */
  FASP_FEC_FIXED,
} FaspFecMode;

typedef struct
{
  FaspFecMode mode;
  gdouble share;            /* repairs for each block, in force */
  gdouble chosen, most;     /* the share needed, and the bound that leaves room for the stream;
                               share is the lesser */
  guint window, window_max; /* blocks: in force, and the most that the peer accepts */
  FaspTime reach;           /* how long repairs cover a block; µs */
  gboolean is_alone;        /* receivers ask for a block only if repairs have not recovered it, as
                               retransmissions are too late (in a group: as there is time for both) */
  gdouble owed;             /* repairs; below 0: borrowed */
  guint since;              /* blocks since the last repair */
  guint16 key;              /* key of the next repair */
  guint64 from;             /* first block of the last window */
  FaspTime planned;         /* when `share' was last chosen */
} FaspFec;

/* @share: for FASP_FEC_FIXED.  @window_max: blocks that the peer accepts in a window;
 * 0: it accepts no repairs. */
void fasp_fec_init (FaspFec *fec, FaspFecMode mode, gdouble share, guint window_max);

typedef struct
{
  FaspTime latency;     /* 0: not known */
  FaspTime rtt, jitter; /* a retransmission is in time if the latency has room for them */
  gboolean no_rtx;      /* lost blocks are not retransmitted */
  gdouble loss, stay;   /* probability of loss, and of loss right after a loss */
  gdouble seen;         /* datagrams over which `loss' was measured, at least 1 */
  gdouble block_rate;   /* blocks/s */
  gdouble data_rate;    /* bit/s */
  gdouble interval;     /* wanted seconds between skips */
  guint64 channel;      /* bit/s; 0: not limited */
  FaspTime waits;       /* how long the next data to be sent has waited */
} FaspFecGoal;

/* Chooses the share and the window for the path and the goal. */
void fasp_fec_plan (FaspFec *fec, FaspTime now, const FaspFecGoal *goal);
/* The share of blocks that are lost and not recovered by the code; 0 to 1. */
gdouble fasp_fec_get_residual (const FaspFec *fec, const FaspFecGoal *goal);

void fasp_fec_block_sent (FaspFec *fec);
/* Must a repair be sent?  @pause: there is no new block to send. */
gboolean fasp_fec_is_due (const FaspFec *fec, gboolean pause);
/* The first block of the window that ends before @end, and does not begin before @base.
 * If that is @end, the window is empty, and there is nothing to repair. */
guint64 fasp_fec_get_first (FaspFec *fec, FaspTime now, FaspStore *store, guint64 base,
    guint64 end);
void fasp_fec_repair_sent (FaspFec *fec);
/* A repair was due, but its window was empty; @pause as for fasp_fec_is_due(). */
void fasp_fec_passed (FaspFec *fec, gboolean pause);
/* Writes a whole REPAIR of the window of blocks [first, end).  If some blocks have more than @room
 * bytes, as they were made for a path with larger datagrams, this and later repairs cover only the
 * blocks after them.  FALSE: there are none. */
gboolean fasp_fec_write (FaspFec *fec, FaspTime now, FaspStore *store, guint64 first, guint64 end,
    guint32 room, FaspWriter *w);

G_END_DECLS
