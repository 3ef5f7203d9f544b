/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tspcr.h: the PCRs of a programme: are they there often enough, without jumps, exact, and in time?
 *
 * Accuracy is judged only of a stream of constant rate: one that has null packets.  Of any other,
 * the bytes do not tell when a PCR should come, and its accuracy is unknown.
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

/* Where a PCR came from. */
typedef struct
{
  guint64 at;        /* bytes of the stream before its packet */
  gint64 limit;      /* time that may pass between two PCRs, ns */
  gboolean constant; /* the stream has a constant rate */
} TsPcrPlace;

typedef struct
{
  gboolean has_last;
  gboolean broken;  /* bytes are missing since the last one */
  guint64 last;     /* 27 MHz */
  guint64 last_at;  /* bytes */
  gint64 last_time; /* of arrival, ns */
  TsRepeat repeat;
  TsClock bytes, arrival;
  /* the greatest distance, ns, TS_NEVER: unknown; of the last second, and of this one so far */
  gint64 accuracy, jitter, this_accuracy, this_jitter;
} TsPcr;

TsPcr *ts_pcr_new (gint64 now);
void ts_pcr_take (TsPcr *pcr, TsErrors *errors, const TsPacket *packet, const TsPcrPlace *place);
/* Bytes are missing, or the rate is another: the accuracy is unknown for a while. */
void ts_pcr_break (TsPcr *pcr);
/* A second is over. */
void ts_pcr_end_second (TsPcr *pcr);

G_END_DECLS
