/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspfec.h: when a sender says more than the stream, and of what: repair symbols
 * (fasprlc.h) of a window that slides with it.
 *
 * A part of a repair symbol is owed for each new block; a whole one is sent.  Its
 * window ends at the last block sent and reaches back as far as a block may
 * wait to be recovered, which is nearly the latency.  When the stream pauses, what is
 * owed for the blocks to come is borrowed, so that the last ones before the pause are
 * covered, too.
 *
 * Where a block can be sent again in time it is, at once, and whichever comes first
 * counts.  Where it cannot, the code is alone, and what it has not recovered when
 * its time is over is sent again.
 */
#pragma once

#include "faspbytes.h"
#include "faspstore.h"

G_BEGIN_DECLS

/* Blocks in a window at most. */
#define FASP_FEC_WINDOW_MAX 1024
/* Repairs for each block at most. */
#define FASP_FEC_SHARE_MAX 1.

typedef enum
{
  FASP_FEC_OFF,
  FASP_FEC_AUTO,                /* as little as does, where rexes are too late */
  FASP_FEC_FIXED,
} FaspFecMode;

typedef struct
{
  FaspFecMode mode;
  gdouble share;                /* in force: repairs for each block */
  gdouble chosen, most;         /* wanted, and what there may be, as the stream has to
                                   leave, too */
  guint window, window_max;     /* blocks: in force, what the peer takes */
  FaspTime reach;               /* a block is covered for so long */
  gboolean is_alone;            /* rexes are too late */
  gdouble owed;
  guint since;                  /* blocks since the last repair */
  guint16 key;
  guint64 from;                 /* of the last window */
  FaspTime planned;
} FaspFec;

/* @share: FASP_FEC_FIXED. @window_max: blocks that the peer takes, 0: it takes no
 * repairs. */
void fasp_fec_init (FaspFec * fec, FaspFecMode mode, gdouble share,
    guint window_max);

typedef struct
{
  FaspTime latency;             /* 0: not known */
  FaspTime rtt, jitter;         /* a rex is in time when they fit */
  gdouble loss, stay;           /* and that the one behind a lost one is, too */
  gdouble seen;                 /* datagrams that tell of it, at least 1 */
  gdouble block_rate;           /* a second */
  gdouble data_rate;            /* bit/s */
  gdouble interval;             /* wanted seconds between skips */
  guint64 channel;              /* bit/s; 0: as much as is sent */
  FaspTime waits;               /* what is to leave next has waited for it */
} FaspFecGoal;

/* What the path is like, and what is wanted. */
void fasp_fec_plan (FaspFec * fec, FaspTime now, const FaspFecGoal * goal);
/* What is lost behind the code, of what is lost before it. */
gdouble fasp_fec_get_residual (const FaspFec * fec,
    const FaspFecGoal * goal);

void fasp_fec_block_sent (FaspFec * fec);
/* @pause: the stream stands still. */
gboolean fasp_fec_is_due (const FaspFec * fec, gboolean pause);
/* The first block of a window that ends before @end, of those from @base on.
 * The window is empty when that is @end: then there is nothing to repair. */
guint64 fasp_fec_get_first (FaspFec * fec, FaspTime now, FaspStore * store,
    guint64 base, guint64 end);
void fasp_fec_repair_sent (FaspFec * fec);
/* There is nothing to repair: @pause as for fasp_fec_is_due(). */
void fasp_fec_passed (FaspFec * fec, gboolean pause);
/* A whole REPAIR of the window of blocks [first, end), or of those at its end that come
 * behind any of more than @room bytes, made for a wider path; those are left out from now
 * on. FALSE: none is left. */
gboolean fasp_fec_write (FaspFec * fec, FaspTime now, FaspStore * store,
    guint64 first, guint64 end, guint32 room, FaspWriter * w);

G_END_DECLS
