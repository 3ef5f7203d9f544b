/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrrecord.h: the unit of the measuring stream: 1316 bytes that say when
 * they were written, which they are, and what every byte of them must be.
 *
 * Laid out as seven MPEG-TS null packets, so that a path that insists on
 * transport streams (RIST) carries it too.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CBR_TS_PACKET 188
#define CBR_RECORD (7 * CBR_TS_PACKET)

/* Fills in a record. @time: µs on the monotonic clock. */
void cbr_record_write (guint8 *record, guint64 number, gint64 time);
/* TRUE when these CBR_RECORD bytes are a whole, undamaged record. */
gboolean cbr_record_read (const guint8 *record, guint64 *number, gint64 *time);
/* TRUE when a record seems to begin here (8 bytes are enough to tell). */
gboolean cbr_record_starts (const guint8 *data);

gint64 cbr_get_time_ns (void);

G_END_DECLS
