/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsentmapprivate.h: the sent map's state, shared by faspsentmap.c and the files that it uses:
 * faspsentmapblocks.c, faspsentmapflow.c and faspsentmapgroup.c.
 */
#pragma once

#include "faspheap.h"
#include "faspsentmap.h"

G_BEGIN_DECLS

/* Bounds the work for one feedback: the most blocks looked up, besides those whose packets it
 * settles. For a member, this many in LOOKS_TIME, but always one for each range: a range of a few
 * bytes can name thousands of blocks. */
#define FASP_SENT_MAP_NEWS 4096
#define FASP_SENT_MAP_LOOKS_TIME FASP_FEEDBACK_CLOCK_MAX

typedef struct
{
  guint64 block; /* FASP_NO_BLOCK, FASP_PROBE: none */
  FaspTime sent;
} FaspTransmission;

/* Times in which nothing new was reported of a flow though packets were under way there, µs. */
typedef struct
{
  FaspTime from; /* the last report of an arrival, or when the one on the next departure is due */
  FaspTime now;  /* from `from' to the last feedback without such a report; 0: none */
  FaspTime longest, before; /* the longest that ended: in this interval, and in the one before */
  FaspTime since;           /* when this interval began */
} FaspSentGaps;

/* Transmissions [front, next) of one flow, by packet number. */
typedef struct
{
  FaspTransmission *ring;
  guint64 mask, front, next;
  guint64 base;            /* of the group's flow: the first packet for this member */
  guint64 largest;         /* newest packet that the peer reported, + 1 */
  guint64 received, holes; /* totals that were reported with it */
  FaspTime given_up;       /* departure of the newest packet that was counted as lost without a
                              report */
  FaspRtt rtt;
  FaspTime sample, delay; /* as in FaspFlowTotals */
  gdouble loss;           /* share of recent packets that were lost */
  guint silent;           /* packets lost since the last report of an arrival */
  FaspSentGaps gaps;
} FaspSentFlow;

typedef struct
{
  guint16 in_flight; /* transmissions neither delivered nor lost */
  guint8 rounds;     /* rounds in which it was sent, the original's included; saturating */
  guint8 queued;
  guint8 first, last; /* flows on which it first and last left */
  guint8 asked;       /* state of fasp_group_log_ask() */
} FaspSentBlock;

struct FaspSentMap
{
  FaspLog *decisions; /* the session's; NULL: nothing is logged */
  FaspSentFlow *flows[FASP_FLOWS_MAX];
  guint n_flows;    /* flows used so far */
  guint8 only;      /* as set by fasp_sent_map_set_only() */
  FaspTime latency; /* as set by fasp_sent_map_set_latency() */
  FaspOriginals originals;
  gboolean original_lost; /* the original of the last block counted was lost */
  FaspSentBlock *blocks;  /* [base, next), block n at n & block_mask */
  guint64 block_mask, base, next;
  FaspHeap queue; /* blocks to be sent again, by number */
  /* the newest feedback, which is consulted again before a queued block is sent */
  guint64 serial;
  gboolean has_feedback;
  guint64 from, end;
  gboolean tail;
  GArray *ranges;
  GSequence *unknown; /* guint64: blocks of settled packets that no
                         feedback has covered yet */

  /* a group */
  gboolean was_member;
  FaspGroupLog *log;       /* log of the group that new blocks go to; NULL: none */
  FaspTime group_progress; /* when the peer last reported a newer packet of the group */
  guint32 past_largest;   /* newest packet reported of the group that the peer has left, low bits */
  guint64 past_received;  /* packets received of the group that the peer has left; 0: nothing was
                             reported */
  guint64 group_reported; /* newest packet of the group reported, + 1 */
  guint64 group_settled;  /* newest packet of the group settled, + 1 */
  FaspTime looks_from;    /* the allowance of look-ups is used up to this time */
  FaspTime granted;       /* state of fasp_group_log_grants() */
};

/* Packets that were found lost together. They are logged as one event, as after an outage one
 * feedback may show thousands. */
typedef struct
{
  guint64 count;
  gint64 first, last;        /* packet numbers; FASP_LOG_UNKNOWN: not known */
  guint64 block, last_block; /* the least and the greatest of the blocks that they carried */
  guint round;               /* the greatest round; 0: originals */
  FaspTime age;              /* time since the first of them left; FASP_LOG_UNKNOWN: not known */
} FaspSentMapLosses;

static inline FaspSentBlock *
fasp_sent_map_block (const FaspSentMap *map, guint64 block)
{
  return &map->blocks[block & map->block_mask];
}

static inline FaspTransmission *
fasp_sent_map_transmission (const FaspSentFlow *flow, guint64 pn)
{
  return &flow->ring[pn & flow->mask];
}

/* --- faspsentmapblocks.c --- */

/* Packet @pn (FASP_LOG_UNKNOWN: not known) with @block, which left @age ago in @round, is lost. */
void fasp_sent_map_note_lost (FaspSentMapLosses *losses, gint64 pn, guint64 block, guint round,
    FaspTime age);
/* Logs the noted losses, if there are any.  @flow: FASP_LOG_UNKNOWN: not known.  @why: a word. */
void fasp_sent_map_log_lost (const FaspSentMap *map, FaspTime now, gint64 flow,
    const FaspSentMapLosses *losses, const gchar *why);

/* Whether the peer has a block, by the newest feedback. */
typedef enum
{
  FASP_BLOCK_HERE, /* the peer has it, or does not need it any more */
  FASP_BLOCK_MISSING,
  FASP_BLOCK_UNKNOWN, /* no feedback has covered it */
} FaspKnowledge;

/* Adds a new block, which is not sent yet. */
void fasp_sent_map_add_block (FaspSentMap *map, guint64 block);
/* Queues @block to go again.  It must not be queued already. */
void fasp_sent_map_queue (FaspSentMap *map, guint64 block);
FaspKnowledge fasp_sent_map_ask (const FaspSentMap *map, guint64 block);
/* The first missing block at or after @block; end: none below it. */
guint64 fasp_sent_map_find_missing (const FaspSentMap *map, guint64 block);
/* Is @block on its way to this peer by the group? */
gboolean fasp_sent_map_is_in_flight (const FaspSentMap *map, guint64 block);
/* The number of rounds in which a block has been sent, to this peer or to the group. */
guint fasp_sent_map_get_rounds (const FaspSentMap *map, guint64 block);
/* Does the newest feedback say that the peer has @block? */
gboolean fasp_sent_map_is_here (const FaspSentMap *map, guint64 block);
/* All packets of @flow up to @settled are settled: their blocks have arrived or are lost.  @why: a
 * word for the log. */
void fasp_sent_map_settle (FaspSentMap *map, FaspTime now, FaspSentFlow *flow, guint64 settled,
    const gchar *why, FaspSentMapResult *result);

/* Decides about blocks of settled packets that no feedback had covered, as a long list of
 * missing blocks comes in parts.  Only the blocks that this feedback covers are
 * examined: a peer may leave thousands of others open for ever. */
void fasp_sent_map_settle_unknown (FaspSentMap *map, FaspTime now, FaspSentMapResult *result);

/* --- faspsentmapflow.c --- */

/* Takes in the report on a unicast flow, up to packet @largest. */
void fasp_sent_map_flow_feedback (FaspSentMap *map, FaspTime now, const FaspFeedbackFlow *reported,
    guint64 largest, FaspSentMapResult *result);
/* Notes the totals and the round trip of a report up to packet @largest, which left at @sent (0:
 * not known). */
void fasp_sent_map_note_feedback (FaspSentFlow *flow, FaspTime now,
    const FaspFeedbackFlow *reported, guint64 largest, FaspTime sent, FaspSentMapResult *result);
/* How long a packet may wait for its report: the mean of the latency and the round trip of the
 * quickest flow, which then still can bring it in time.  FASP_NEVER: any time. */
FaspTime fasp_sent_map_get_longest_wait (const FaspSentMap *map);
/* Counts packets as lost on which the peer should have reported by now, or which have waited for
 * @most, if the flow's round trip is shorter; and finds out whether the flow is dead. */
void fasp_sent_map_check_flow (FaspSentMap *map, FaspTime now, guint8 index, FaspTime most,
    FaspSentMapResult *result);

/* --- faspsentmapgroup.c --- */

/* Takes in the report on the flow of the peer's group, up to packet @largest. */
void fasp_sent_map_group_feedback (FaspSentMap *map, FaspTime now, const FaspFeedbackFlow *reported,
    guint64 largest, FaspSentMapResult *result);
/* The most blocks that may be looked up for a feedback now; and takes @blocks from that
 * allowance. */
guint fasp_sent_map_get_looks (const FaspSentMap *map, FaspTime now);
void fasp_sent_map_looked (FaspSentMap *map, FaspTime now, guint blocks);
/* Queues or asks for the blocks that the peer lacks and that the group no longer has in flight. */
void fasp_sent_map_settle_group (FaspSentMap *map, FaspTime now, const FaspFeedback *feedback,
    FaspSentMapResult *result);

G_END_DECLS
