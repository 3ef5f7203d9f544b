/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaycue.h: where a stream that is to take over from another one can begin.
 *
 * That is at a key frame, with the PAT and the PMT in front of it; or at the PMT, if that names no
 * video.  Packets from each PAT on are kept until the next one, RELAY_CUT_HELD_MAX at most.  A
 * stream in which nothing of that is found for RELAY_CUE_WAIT can begin anywhere.
 *
 * The clock of the stream steps there: the first packet with a PCR of each PID gets the
 * discontinuity_indicator (ISO/IEC 13818-1, 2.4.3.5).
 *
 * Time is an argument.
 */
#pragma once

#include <gst/gst.h>
#include "relaycut.h"

G_BEGIN_DECLS

/* µs; ETSI TS 101 154 has pictures to begin with at least every 5 s. */
#define RELAY_CUE_WAIT (5 * G_TIME_SPAN_SECOND)

typedef struct
{
  RelayKeyFrames frames;
  GByteArray *held; /* packets from a PAT on; NULL: not begun */
  gboolean mapped;  /* a PMT is among them */
  gint64 since;     /* when it was begun */
} RelayCue;

/* Begins to look. All 0 before the first time. */
void relay_cue_begin (RelayCue *cue, gint64 now);
/* @data: whole packets.  TRUE: the stream can begin, with what is held. */
gboolean relay_cue_push (RelayCue *cue, const guint8 *data, gsize size, gint64 now);
void relay_cue_clear (RelayCue *cue);

#define RELAY_MARK_PIDS 8192 /* 13 bits */

/* Sets the indicator in the packet at @offset of @buffer if that has a PCR, and its PID is not in
 * @marked yet.  Takes the reference, and returns one. */
GstBuffer *relay_cue_mark (guint8 marked[RELAY_MARK_PIDS], GstBuffer *buffer, gsize offset);

G_END_DECLS
