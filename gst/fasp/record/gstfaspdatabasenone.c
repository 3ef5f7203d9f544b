/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For builds without SQLite: no database can be opened, so the other functions are never called.
 */
#include "gstfaspdatabase.h"

gboolean
gst_fasp_database_is_built (void)
{
  return FALSE;
}

GstFaspDatabase *
gst_fasp_database_open (const gchar *path, const gchar *element, gint64 run, gint64 unix_offset,
    GError **error)
{
  g_assert_not_reached ();
}

gboolean
gst_fasp_database_write (GstFaspDatabase *self, const FaspTraceEntry *entries, guint n,
    GError **error)
{
  g_assert_not_reached ();
}

gboolean
gst_fasp_database_write_ways (GstFaspDatabase *self, const GstFaspWayRow *rows, guint n,
    GError **error)
{
  g_assert_not_reached ();
}

void
gst_fasp_database_hurry (GstFaspDatabase *self)
{
  g_assert_not_reached ();
}

void
gst_fasp_database_close (GstFaspDatabase *self)
{
  g_assert_not_reached ();
}
