/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For builds without SQLite: a configuration that names a file of the history is refused, so none
 * of these functions is called.
 */
#include "relayhistorydatabase.h"

RelayHistoryDatabase *
relay_history_database_open (const gchar *path, const RelayHistoryKept *kept, const gchar **why)
{
  g_assert_not_reached ();
}

void
relay_history_database_free (RelayHistoryDatabase *database)
{
  g_assert_not_reached ();
}

const gchar *
relay_history_database_read (RelayHistoryDatabase *database, gint64 now, const gint *ending,
    GArray *samples)
{
  g_assert_not_reached ();
}

const gchar *
relay_history_database_write (RelayHistoryDatabase *database, const GArray *samples)
{
  g_assert_not_reached ();
}
