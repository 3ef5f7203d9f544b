/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspdatabase.h: a recording (gstfasprecordfile.h) in SQLite.
 */
#pragma once

#include <gio/gio.h>
#include "faspstats.h"
#include "fasptrace.h"

G_BEGIN_DECLS

/* The columns of the table `block', and of CSV. */
#define GST_FASP_BLOCK_COLUMNS \
  "run,time,since_last,full_size,payload_size,number,round," \
  "copy,fresh,sender_time,session"

typedef struct _GstFaspDatabase GstFaspDatabase;

/* The figures of a path at one time. */
typedef struct
{
  FaspTime time; /* monotonic, µs */
  guint32 session;
  guint way; /* number of the path in the session, from 0 */
  FaspPathStats stats;
} GstFaspWayRow;

/* FALSE: this build has no SQLite, and no database can be opened. */
gboolean gst_fasp_database_is_built (void);
/* @run: Unix time of the start, µs.  @unix_offset: from the monotonic clock to Unix time, µs. */
GstFaspDatabase *gst_fasp_database_open (const gchar *path, const gchar *element, gint64 run,
    gint64 unix_offset, GError **error);
/* Either writes all entries, or none and sets @error. */
gboolean gst_fasp_database_write (GstFaspDatabase *database, const FaspTraceEntry *entries, guint n,
    GError **error);
gboolean gst_fasp_database_write_ways (GstFaspDatabase *database, const GstFaspWayRow *rows,
    guint n, GError **error);
/* As gst_fasp_record_file_hurry(). */
void gst_fasp_database_hurry (GstFaspDatabase *database);
void gst_fasp_database_close (GstFaspDatabase *database);

G_END_DECLS
