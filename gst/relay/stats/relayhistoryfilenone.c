/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For builds without SQLite: no file can be kept, so the other functions are never called.
 */
#include "relayhistoryfile.h"

RelayHistoryFile *
relay_history_file_new (const gchar *path, const RelayHistoryKept *kept, gint64 each)
{
  g_assert_not_reached ();
}

void
relay_history_file_free (RelayHistoryFile *file, gboolean waits)
{
  g_assert_not_reached ();
}

const gchar *
relay_history_file_get_path (const RelayHistoryFile *file)
{
  g_assert_not_reached ();
}

void
relay_history_file_add (RelayHistoryFile *file, const RelayHistorySample *sample)
{
  g_assert_not_reached ();
}

void
relay_history_file_read (RelayHistoryFile *file, gint64 now, gint64 set)
{
  g_assert_not_reached ();
}

GArray *
relay_history_file_take (RelayHistoryFile *file)
{
  g_assert_not_reached ();
}

gchar *
relay_history_file_get_error (RelayHistoryFile *file)
{
  g_assert_not_reached ();
}
