/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * restamped.h: passes a transport stream through cbrpacer stuffing=null-ts in virtual time, and
 * judges what leaves by the time of its bytes.
 *
 * Each packet of the source leaves as it was, but for its PCR.  Others are null packets, or have
 * nothing but a PCR.  On each PID, two PCRs are as far apart as their bytes are, to 500 ns (ETSI TR
 * 101 290), unless the second one announces another clock.
 */
#pragma once

#include "pacer.h"
#include "tsmonitor.h"

G_BEGIN_DECLS

typedef struct
{
  guint rate;             /* bit/s, with headers */
  const TsLimits *limits; /* of the monitor; NULL: its own */

  /* found by restamped_run() */
  /* ns by which PCRs of the source were ahead of the new ones, so that their packets come to a
   * decoder too early; without those of the first second */
  gint64 least_early, most_early;
  gint64 most_waited; /* ns, of any packet of the source */
  guint64 pcrs;       /* that have left, of those of the source */
  guint64 announced;  /* of these */
  guint64 restamped, inserted, begun_anew;
  guint64 errors[TS_ERRORS];
  TsState accuracy;
} Restamped;

/* @stream: buffers; each comes at its time. */
void restamped_run (Restamped *out, GPtrArray *stream);

G_END_DECLS
