/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A database that another program has, in virtual time: SQLite sleeps as it is told
 * to here.
 */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include "gstfasprecordfile.h"

static GstFaspRecordFile *file;
static guint slept;             /* ms */
static guint hurry_at;          /* that it is to hurry from, then */

static int
sleep_virtually (sqlite3_vfs * vfs, int us)
{
  slept += us / 1000;
  if (slept == hurry_at)
    gst_fasp_record_file_hurry (file);
  return us;
}

/* How long it waits for a database that is not to be had. */
static guint
wait_in_vain (void)
{
  static const FaspTraceEntry entry = { 1 };
  g_autoptr (GError) error = NULL;

  slept = 0;
  g_assert_false (gst_fasp_record_file_write (file, &entry, 1, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  return slept;
}

static void
test_busy (void)
{
  g_autofree gchar *directory = g_dir_make_tmp ("fasp-record-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (directory, "x.db", NULL);
  sqlite3_vfs virtual = *sqlite3_vfs_find (NULL);
  FaspTraceEntry entry = { 1 };
  sqlite3 *other = NULL;

  virtual.xSleep = sleep_virtually;
  virtual.zName = "virtual";
  sqlite3_vfs_register (&virtual, TRUE);
  file = gst_fasp_record_file_open (path, "x", NULL);
  g_assert_nonnull (file);
  g_assert_cmpint (sqlite3_open (path, &other), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
      ==, SQLITE_OK);
  g_assert_cmpuint (wait_in_vain (), ==, 2000);
  hurry_at = 500;               /* while it waits */
  g_assert_cmpuint (wait_in_vain (), ==, 700);
  g_assert_cmpuint (wait_in_vain (), ==, 0);
  /* what can be written is, all the same */
  sqlite3_close (other);
  g_assert_true (gst_fasp_record_file_write (file, &entry, 1, NULL));
  gst_fasp_record_file_close (file);
  sqlite3_vfs_unregister (&virtual);
  g_unlink (path);
  g_rmdir (directory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recordfile/busy", test_busy);
  return g_test_run ();
}
