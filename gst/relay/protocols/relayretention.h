/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayretention.h: which pieces of a recording stay.
 *
 * The oldest pieces go first, by the time of their last packet.  A file is a piece if it is a
 * regular file in the folder of the recording, and its name is one that the recording can have: the
 * same text, with digits where the date is.  The open one stays in any case.  Few go at a time, so
 * that a clock that was set wrong, or a limit that was mistyped, does not empty a folder at once:
 * more than are recorded in that time.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define RELAY_RETENTION_EACH 60 /* s */
#define RELAY_RETENTION_MOST 4  /* pieces that go each time, more than were begun since */

/* 0: no limit. */
typedef struct
{
  guint64 seconds; /* since the last packet of a piece */
  guint64 size;    /* bytes of all pieces */
  guint64 free;    /* bytes of the disk that stay free for other programs */
} RelayRetention;

/* Returns an expression that matches the file names of a recording; NULL: its name has a date of
 * which not all is digits, or a date in the name of its folder. @name: a path, with the fields of
 * g_date_time_format(). */
GRegex *relay_retention_make_pattern (const gchar *name);

/* Removes pieces that are beyond the limits, @most at a time. @path: of the open piece. @now: s
 * since 1970. @error: G_FILE_ERROR, with a sentence. */
gboolean relay_retention_apply (const RelayRetention *retention, const gchar *name,
    const gchar *path, guint most, gint64 now, GError **error);

G_END_DECLS
