/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhlscut.h: cuts a stream into the segments of HLS (RFC 8216).
 *
 * No segment is longer than the target duration, rounded as there (4.3.3.1), so that the target
 * never changes.  Each begins with a PAT and a PMT.  It begins at a key frame behind these, if one
 * comes in time: at the last one before the segment would be too long, if key frames go on coming
 * as often as now.  Tables that name no video are such a place themselves.  If none comes, it
 * begins at the last tables.  If there are none either, what comes before the next ones is left
 * out. The cut is in front of the PAT, but is counted with the key frame's clock: the duration that
 * is told differs from that of the packets by the time between the two.
 *
 * Time is the stream's own: the PCR of its first program.  Where this goes back, jumps by more than
 * RELAY_HLS_STEP or has the discontinuity_indicator, the segment ends, and what follows begins as
 * the whole stream does: packets before the first place are dropped, and a segment of less than
 * 0.1 s, too.  One such PCR is enough (cbrts.h of the pacer waits for a second one), as the segment
 * has to end in front of the key frame.
 *
 * However many segments a stream's clock asks for, few are returned: its time, where a segment
 * counts for RELAY_HLS_SHORTEST at least, runs RELAY_HLS_FASTER times as fast as the packets come
 * at most, and RELAY_HLS_AHEAD ahead.  A segment beyond that is left out.  So an input that catches
 * up after an outage loses nothing, and a clock that is wrong makes at most four files a second.
 *
 * A segment is held until it is whole, and the one before it until then.  The time at which packets
 * come is an argument.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_HLS_STEP 90000 /* 1/90000 s: ten times the longest interval of PCRs (2.7.2) */
/* Bytes that are held at most: 30 s, the longest segment, at 17 Mbit/s; a longer one is cut. */
#define RELAY_HLS_HELD_MAX (64 * 1000 * 1000)
/* µs; a stream that gives no segment for this time beyond the longest one has a fault: two segments
 * of the usual 6 s. */
#define RELAY_HLS_WAIT (12 * G_TIME_SPAN_SECOND)

#define RELAY_HLS_FASTER 4                    /* a sender catches up at twice the rate, or thrice */
#define RELAY_HLS_SHORTEST G_TIME_SPAN_SECOND /* the shortest segment that can be configured */
#define RELAY_HLS_AHEAD G_TIME_SPAN_MINUTE    /* ten segments of the usual 6 s */

typedef struct
{
  GByteArray *data;       /* whole packets */
  gint64 duration;        /* µs; above 0 */
  gint64 time;            /* when it began to come: µs since 1970 */
  gboolean discontinuous; /* it does not follow from the one before it */
} RelayHlsSegment;

typedef struct _RelayHlsCut RelayHlsCut;

/* @target: of the duration, s. */
RelayHlsCut *relay_hls_cut_new (guint target);
void relay_hls_cut_free (RelayHlsCut *cut);
/* Takes a packet. @time: µs since 1970. Returns a segment that is whole, which is valid until the
 * next call; NULL: none is. */
const RelayHlsSegment *relay_hls_cut_push (RelayHlsCut *cut, const guint8 *packet, gint64 time);
/* The stream is interrupted. Returns what is there of a segment; NULL: nothing. */
const RelayHlsSegment *relay_hls_cut_flush (RelayHlsCut *cut);
/* The segment that was returned last was lost, so the one behind it does not follow. */
void relay_hls_cut_lose (RelayHlsCut *cut);
/* Returns why no segment has been whole for a long time, though packets come; NULL: some were. */
const gchar *relay_hls_cut_find_fault (const RelayHlsCut *cut);
/* Returns a sentence, once: what the stream lacks; NULL: nothing new. */
const gchar *relay_hls_cut_complain (RelayHlsCut *cut);

G_END_DECLS
