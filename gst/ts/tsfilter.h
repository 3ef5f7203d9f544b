/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tsfilter.h: takes some programmes or PIDs out of a transport stream (ISO/IEC 13818-1).
 *
 * PAT and PMT are made anew, with what is left, whenever those of the stream come; their versions
 * and continuity_counters are counted here.  All other packets pass as they came, or not at all:
 *
 *   - programmes are chosen: what their PMTs name (streams, PCR, ECM), the CAT and what it names,
 *     and the tables NIT, EIT, TDT and TOT;
 *   - PIDs are chosen: these, and the PCR of the programmes that have one of them as a stream, or
 *     their PMT there, of the first TS_SELECTION_FOLLOWED programmes of the PAT;
 *   - both: the chosen PIDs, and the PCR of the chosen programmes.
 *
 * An SDT that passes lists the services that are left.  Null packets pass only if their PID is
 * chosen.  A programme that the PAT does not name any more leaves the PAT that is written, too, and
 * comes back with it.
 *
 * Packets of 188, 192, 204 and 208 bytes go in, of 188 bytes come out.  The memory and the work for
 * a packet are bounded for any input: a table whose CRC is wrong, or that does not fit together,
 * changes nothing.  Many sections may be in one packet, so that the tables that are written are
 * bounded, too: after the first TS_SELECTION_AHEAD packets of them, there are no more of them than
 * packets came in.
 */
#pragma once

#include "tspacket.h"

G_BEGIN_DECLS

#define TS_FILTER_PROGRAMMES 16 /* that can be chosen */
#define TS_FILTER_AWAY \
  G_GINT64_CONSTANT (5000000000) /* ns; as TR 101 290, 1.6, has it of a PID \
                                  */

typedef struct _TsFilter TsFilter;

TsFilter *ts_filter_new (void);
void ts_filter_free (TsFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsFilter, ts_filter_free)

/* To be called before there is data.  FALSE: there are TS_FILTER_PROGRAMMES already. */
gboolean ts_filter_choose_programme (TsFilter *filter, guint16 number);
void ts_filter_choose_pid (TsFilter *filter, guint16 pid);

/* Another stream begins, whose packets need not follow those before. */
void ts_filter_begin (TsFilter *filter);
/* Adds the packets that pass to @out.  @now: when the data came, ns, of any clock. */
void ts_filter_push (TsFilter *filter, const guint8 *data, gsize size, gint64 now, GByteArray *out);

/* Returns the next chosen programme, from index *i on, that the stream does not have, or no PMT of
 * it; 0: there is none, or no packet came yet. */
guint16 ts_filter_get_missing_programme (const TsFilter *filter, guint *i);
/* There is data, but no packet in it for TS_FILTER_AWAY or more: it is no transport stream. */
gboolean ts_filter_lacks_packets (const TsFilter *filter);
/* PIDs are chosen, and there is data, but none of them came for TS_FILTER_AWAY or more. */
gboolean ts_filter_lacks_pids (const TsFilter *filter);

G_END_DECLS
