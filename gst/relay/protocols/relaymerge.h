/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaymerge.h: one stream of RTP from two legs that carry the same packets (SMPTE ST 2022-7).
 *
 * Packets leave in the order of their sequence numbers, each once.  Where one is missing, those
 * behind it wait until a leg brings it, or `hold' is over: a packet that one leg has brought in
 * that time is never missing.  The wait ends earlier if packets of the stream have filled `most' or
 * the window before `hold' is over: then, too, only packets that no leg has brought are missing.
 *
 *     ... judged ...... next ........ next + RELAY_MERGE_WINDOW
 *         have left     wait, with gaps
 *
 * A packet can be recovered, too (relayfec.h): it fills a gap as one of a leg does, and begins no
 * stream.
 *
 * Each packet's legs are remembered for `hold' after it came, then it is counted as lost by the leg
 * that has not brought it.  The SSRC is that of the first packet.  When no packet could be used for
 * a second, or for `hold' if that is longer, the next packet begins the stream anew, whatever its
 * SSRC and number, unless the stream may have gone on to that number in this time, at its rate.
 * Anyone can send these, so nothing else ends a stream that still comes.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_MERGE_LEGS 2
#define RELAY_MERGE_RECOVERED RELAY_MERGE_LEGS /* in place of a leg: no leg has brought it */
#define RELAY_MERGE_WINDOW 16384 /* packets: a quarter of the numbers; 1.7 s at 100 Mbit/s */
#define RELAY_MERGE_SILENCE \
  G_TIME_SPAN_SECOND /* µs without a packet after which a leg is silent \
                      */

typedef struct _RelayMerge RelayMerge;

typedef struct
{
  guint32 ssrc;
  guint16 number; /* RTP's sequence number */
  guint32 size;   /* bytes */
  gpointer data;
} RelayMergePacket;

/* Why a datagram of a leg is of no use. */
typedef enum
{
  RELAY_MERGE_NO_RTP,
  RELAY_MERGE_OTHER, /* a packet of another stream */
  RELAY_MERGE_LATE,  /* its number has left, longer than `hold' ago */
} RelayMergeFault;

/* What a packet does. */
typedef enum
{
  RELAY_MERGE_REFUSED, /* it is of another stream */
  RELAY_MERGE_AHEAD,   /* it is so far ahead that it is not kept: it may be a stranger's */
  RELAY_MERGE_GOES_ON, /* it is of the stream that comes, also if it is late */
  RELAY_MERGE_BEGINS,  /* it begins the stream anew */
} RelayMergeResult;

#define RELAY_MERGE_NEVER (-1)

typedef struct
{
  gint64 heard;          /* when it last brought a packet in time, or RELAY_MERGE_NEVER, µs */
  gint64 refused;        /* the same of a datagram of no use */
  RelayMergeFault fault; /* of that one */
  guint64 received;      /* packets of the stream, each counted once */
  guint64 lost;          /* packets of the stream that it did not bring in time */
  guint64 used;          /* packets that it brought first, or that were only recovered before */
} RelayMergeLeg;

typedef struct
{
  RelayMergeLeg legs[RELAY_MERGE_LEGS + 1];
  guint64 missing;   /* packets that no leg brought in time, and that were not recovered */
  guint64 recovered; /* packets that no leg brought in time, but were recovered */
  guint64 dropped;   /* packets that came too late, or when too many waited */
} RelayMergeStats;

/* @hold: µs.  @most: bytes that may wait, once all that may leave has been popped.  @free_data: of
 * packets. */
RelayMerge *relay_merge_new (gint64 hold, gsize most, GDestroyNotify free_data);
void relay_merge_free (RelayMerge *merge);

/* Takes a packet and its data.  @now: µs. */
RelayMergeResult relay_merge_push (RelayMerge *merge, guint leg, const RelayMergePacket *packet,
    gint64 now);
/* Notes a datagram that is no packet of RTP. */
void relay_merge_refuse (RelayMerge *merge, guint leg, gint64 now);
/* Returns the data of the next packet; NULL: none leaves before the deadline. */
gpointer relay_merge_pop (RelayMerge *merge, gint64 now);
/* When packets that wait will leave without the missing one; G_MAXINT64: none waits. */
gint64 relay_merge_get_deadline (const RelayMerge *merge);
/* @now: µs: losses are counted until then. */
const RelayMergeStats *relay_merge_get_stats (RelayMerge *merge, gint64 now);

G_END_DECLS
