/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tspcr.h: the PCRs of a programme: are they there often enough, without jumps, exact, and in time?
 *
 * Accuracy is judged only of a stream of constant rate.  Of any other, the bytes do not tell when a
 * PCR should come, and its accuracy is unknown.  The rate is constant if null packets come, and by
 * the PCRs, each of the last TS_RATE_STEADY seconds and the one before them had the same rate, to
 * TS_RATE_SAME.  A second is judged when it is over and is known to have that rate, too.
 */
#pragma once

#include "tsclock.h"
#include "tserrors.h"
#include "tspacket.h"

G_BEGIN_DECLS

/* TR 101 290 (V1.4.1): a PCR may be TS_PCR_STEP_MAX after the one before it, and TS_PCR_ACCURACY
 * ns too early or too late. */
#define TS_PCR_STEP_MAX G_GINT64_CONSTANT (2700000) /* 100 ms, 27 MHz */
#define TS_PCR_ACCURACY 500                         /* ns */

/* TR 101 290 leaves it to the user what a constant rate is.  A variable one hardly stays within 1 %
 * for so long; a PCR that is off by less than 10 ms does not change the rate of a second by more.
 */
#define TS_RATE_STEADY 3
#define TS_RATE_SAME 0.01
#define TS_RATE_SECOND 27e6 /* of PCRs, 27 MHz */

/* The accuracy is that of the last second that was judged, which is at most 1.1 s of PCRs, so three
 * seconds of arrival may end until the next one is. */
#define TS_PCR_UNJUDGED 3

/* Where a PCR came from. */
typedef struct
{
  guint64 at;       /* bytes of the stream before its packet */
  gint64 limit;     /* time that may pass between two PCRs, ns */
  gboolean stuffed; /* null packets come */
} TsPcrPlace;

/* PCRs of a second that is not over. */
typedef struct
{
  gint64 worst; /* distance, ns; TS_NEVER: unknown */
  guint bad;    /* PCRs that are off by more than TS_PCR_ACCURACY */
} TsPcrHeld;

typedef struct
{
  gboolean has_last;
  gboolean broken;  /* bytes are missing since the last one */
  guint64 last;     /* 27 MHz */
  guint64 last_at;  /* bytes */
  gint64 last_time; /* of arrival, ns */
  TsRepeat repeat;
  TsClock bytes, arrival;
  gdouble ticks,
      size;     /* 27 MHz, bytes: so much of this second has come; its bytes, without a gap */
  gdouble rate; /* that of the steady seconds, bytes for each tick */
  guint steady; /* seconds since that have had this rate, up to TS_RATE_STEADY */
  TsPcrHeld held;
  guint unjudged; /* seconds of arrival that have ended since one was judged */
  /* the greatest distance, ns, TS_NEVER: unknown; of the last second, and of this one so far */
  gint64 accuracy, jitter, this_jitter;
} TsPcr;

TsPcr *ts_pcr_new (gint64 now);
void ts_pcr_take (TsPcr *pcr, TsErrors *errors, const TsPacket *packet, const TsPcrPlace *place);
/* Bytes are missing, or the rate is another: the accuracy is unknown for a while. */
void ts_pcr_break (TsPcr *pcr);
/* A second is over. */
void ts_pcr_end_second (TsPcr *pcr);

G_END_DECLS
