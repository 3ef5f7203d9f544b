/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayrecord.h: writes a stream into files, in pieces of time with the date in their names.
 *
 * Pieces begin at multiples of their length since 1970 (UTC), so that those of several machines
 * begin together.  If a file is there already, it is continued, if it was written last at a time of
 * its own: in the same piece, or under the same name if there are none, and not in the future. Else
 * (summer time has ended, the clock was set back) the new file has the seconds since 1970 behind
 * its name.  The time of a file is that of its last packet.
 *
 * Once a second it looks whether the file is still there: one that was removed is begun again. When
 * the disk is no longer mounted where it was at first, writing fails: nothing gets into the folder
 * below it.
 */
#pragma once

#include <gio/gio.h>
#include "relayretention.h"

G_BEGIN_DECLS

typedef struct _RelayRecord RelayRecord;

/* @name: a path, with the fields of g_date_time_format(). @piece: s; 0: a single one. */
RelayRecord *relay_record_new (const gchar *name, guint piece);
/* Removes old pieces, if it is time to look for them; call it after each write, also one that found
 * the disk full. @seconds: as that. @error: G_FILE_ERROR, with a sentence. */
gboolean relay_record_tidy (RelayRecord *record, const RelayRetention *retention, gint64 seconds,
    GError **error);
/* Returns the path of the piece that a time belongs to, in @zone. */
gchar *relay_record_get_path (const RelayRecord *record, gint64 seconds, GTimeZone *zone);
/* Writes whole packets. @seconds: since 1970. @error: G_FILE_ERROR, with a sentence. A file that
 * was created for this is removed if nothing could be written. */
gboolean relay_record_write (RelayRecord *record, const guint8 *data, gsize size, gint64 seconds,
    GError **error);
/* Returns the path of a piece that is finished, as the next one has begun. NULL: there is none that
 * was not returned yet. */
gchar *relay_record_take_finished (RelayRecord *record);
/* Closes the file; the next packet opens it again. FALSE: the system has not written all of it. */
gboolean relay_record_close (RelayRecord *record);
/* Closes the file, and frees @record. */
gboolean relay_record_free (RelayRecord *record);

G_END_DECLS
