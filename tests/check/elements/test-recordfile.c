/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file that several elements write to; and a database that another program has, in
 * virtual time: SQLite sleeps as it is told to here.
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

#define WRITES 100
#define ENTRIES 200             /* of one, more than a buffer of stdio takes */

static gpointer
write_many (gpointer path)
{
  GstFaspRecordFile *own = gst_fasp_record_file_open (path, "x", NULL);
  FaspTraceEntry entries[ENTRIES];

  for (guint i = 0; i < ENTRIES; i++)
    entries[i] = (FaspTraceEntry) {
    i + 1};
  for (guint i = 0; i < WRITES; i++)
    g_assert_true (gst_fasp_record_file_write (own, entries, ENTRIES, NULL));
  gst_fasp_record_file_close (own);
  return NULL;
}

/* Several elements have one: no line of one is in the middle of another's. */
static void
test_shared (void)
{
  g_autofree gchar *directory = g_dir_make_tmp ("fasp-record-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (directory, "x.csv", NULL);
  g_autofree gchar *text = NULL;
  guint lines = 0, commas = 0;
  GThread *threads[3];

  gst_fasp_record_file_close (gst_fasp_record_file_open (path, "x", NULL));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("write", write_many, path);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (gsize i = 0; text[i] != '\0'; i++) {
    commas += text[i] == ',';
    if (text[i] != '\n')
      continue;
    g_assert_cmpuint (commas, ==, 10);
    commas = 0;
    lines++;
  }
  /* and the names of the columns */
  g_assert_cmpuint (lines, ==, G_N_ELEMENTS (threads) * WRITES * ENTRIES + 1);
  g_remove (path);
  g_rmdir (directory);
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
  g_test_add_func ("/recordfile/shared", test_shared);
  g_test_add_func ("/recordfile/busy", test_busy);
  return g_test_run ();
}
