/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tscheck.h: counts continuity errors of an MPEG transport stream
 * (ISO/IEC 13818-1, 2.4.3.3).
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  guint8 packet[188];
  guint held;
  guint8 counters[8192]; /* last counter by PID; 0xff: none yet */
  guint64 packets, errors, lost_sync;
} TsCheck;

void ts_check_init (TsCheck *check);
void ts_check_data (TsCheck *check, const guint8 *data, gsize size);

G_END_DECLS
