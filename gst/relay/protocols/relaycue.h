/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaycue.h: where a stream that is to take over from another one can begin.
 *
 * That is at a key frame, with the PAT and the PMT in front of it; or at the PMT, if that names no
 * video.  Packets from each PAT on are kept until the next one, RELAY_CUT_HELD_MAX at most; in
 * front of them the last PCR, as the key frame's PTS belongs to a clock that must be known by then
 * (ISO/IEC 13818-1, 2.4.3.5).  A stream in which nothing of that is found for RELAY_CUE_WAIT can
 * begin anywhere.
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
  GByteArray *held;        /* packets from a PAT on; NULL: not begun */
  gboolean mapped;         /* a PMT is among them */
  gboolean clocked;        /* a PCR came */
  guint8 clock[TS_PACKET]; /* the last one; if clocked */
  gint64 since;            /* when it was begun */
} RelayCue;

/* Begins to look. All 0 before the first time. */
void relay_cue_begin (RelayCue *cue, gint64 now);
/* @data: whole packets.  TRUE: the stream can begin, with what is held. */
gboolean relay_cue_push (RelayCue *cue, const guint8 *data, gsize size, gint64 now);
void relay_cue_clear (RelayCue *cue);

G_END_DECLS
