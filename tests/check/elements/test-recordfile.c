/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file that several elements write to; and a database that another program has, in
 * virtual time: SQLite sleeps as it is told to here.
 */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include "gstfasprecordfile.h"
#include "gstfasptextfile.h"

static GstFaspRecordFile *file;
static guint slept;    /* ms */
static guint hurry_at; /* that it is to hurry from, then */

static sqlite3 *other; /* another program, and when it lets go of the database */
static guint let_go_at;

#define UNIX G_GINT64_CONSTANT (1700000000000000)
#define BOOT (1000 * G_USEC_PER_SEC)

gint64
g_get_real_time (void)
{
  return UNIX + slept * 1000;
}

gint64
g_get_monotonic_time (void)
{
  return BOOT + slept * 1000;
}

static int
sleep_virtually (sqlite3_vfs *vfs, int us)
{
  slept += us / 1000;
  if (slept == let_go_at)
    sqlite3_exec (other, "COMMIT", NULL, NULL, NULL);
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
#define ENTRIES 200 /* of one, more than a buffer of stdio takes */

static gpointer
write_many (gpointer path)
{
  GstFaspRecordFile *own = gst_fasp_record_file_open (path, "x", NULL);
  FaspTraceEntry entries[ENTRIES];

  for (guint i = 0; i < ENTRIES; i++)
    entries[i] = (FaspTraceEntry) { i + 1 };
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

static gint64
get_number (sqlite3 *database, const gchar *query)
{
  sqlite3_stmt *select;
  gint64 number;

  g_assert_cmpint (sqlite3_prepare_v2 (database, query, -1, &select, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (select), ==, SQLITE_ROW);
  number = sqlite3_column_int64 (select, 0);
  sqlite3_finalize (select);
  return number;
}

/* The clocks of a run are those of one moment, however long it had to wait before it could
 * begin. */
static void
test_clocks (void)
{
  g_autofree gchar *directory = g_dir_make_tmp ("fasp-record-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (directory, "x.db", NULL);
  sqlite3_vfs virtual = *sqlite3_vfs_find (NULL);

  virtual.xSleep = sleep_virtually;
  virtual.zName = "virtual";
  sqlite3_vfs_register (&virtual, TRUE);
  /* as one that makes it just now */
  g_assert_cmpint (sqlite3_open (path, &other), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), ==, SQLITE_OK);
  slept = 0;
  let_go_at = 1500;
  file = gst_fasp_record_file_open (path, "x", NULL);
  g_assert_nonnull (file);
  g_assert_cmpuint (slept, ==, 1500);
  g_assert_cmpint (get_number (other, "SELECT unix_offset FROM run"), ==, UNIX - BOOT);
  let_go_at = 0;
  sqlite3_close (other);
  gst_fasp_record_file_close (file);
  sqlite3_vfs_unregister (&virtual);
  g_unlink (path);
  g_rmdir (directory);
}

static void
test_busy (void)
{
  g_autofree gchar *directory = g_dir_make_tmp ("fasp-record-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (directory, "x.db", NULL);
  sqlite3_vfs virtual = *sqlite3_vfs_find (NULL);
  FaspTraceEntry entry = { 1 };

  virtual.xSleep = sleep_virtually;
  virtual.zName = "virtual";
  sqlite3_vfs_register (&virtual, TRUE);
  file = gst_fasp_record_file_open (path, "x", NULL);
  g_assert_nonnull (file);
  g_assert_cmpint (sqlite3_open (path, &other), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (other, "BEGIN IMMEDIATE", NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpuint (wait_in_vain (), ==, 2000);
  hurry_at = 500; /* while it waits */
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

/* A database of a version that knew no ways gets a table for them, and keeps what it has. */
static void
test_ways (void)
{
  g_autofree gchar *directory = g_dir_make_tmp ("fasp-record-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (directory, "x.db", NULL);
  const GstFaspWayRow rows[] = {
    { 5, 9, 0, { .usable = TRUE, .rate = 4000000, .share = .75, .rtt = 40000 } },
    { 5, 9, 1, { .rate = 1000000, .share = .25, .queueing_delay = 7000, .datagrams_lost = 3 } },
  };
  const FaspTraceEntry entry = { 1 };
  sqlite3 *database;

  slept = 0;
  file = gst_fasp_record_file_open (path, "x", NULL);
  g_assert_true (gst_fasp_record_file_write (file, &entry, 1, NULL));
  gst_fasp_record_file_close (file);
  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (database, "DROP TABLE way", NULL, NULL, NULL), ==, SQLITE_OK);
  file = gst_fasp_record_file_open (path, "x", NULL);
  g_assert_true (gst_fasp_record_file_has_ways (file));
  g_assert_true (gst_fasp_record_file_write_ways (file, rows, G_N_ELEMENTS (rows), NULL));
  g_assert_true (gst_fasp_record_file_write (file, &entry, 1, NULL));
  gst_fasp_record_file_close (file);
  g_assert_cmpint (get_number (database, "SELECT count(*) FROM block"), ==, 2);
  g_assert_cmpint (get_number (database,
                       "SELECT count(*) FROM way JOIN run USING (run) WHERE time = 5"
                       " AND session = 9"),
      ==, 2);
  g_assert_cmpint (get_number (database,
                       "SELECT channel_bitrate FROM way WHERE way = 0 AND usable AND rtt = 40000"
                       " AND share = 0.75"),
      ==, 4000000);
  g_assert_cmpint (get_number (database,
                       "SELECT packets_lost FROM way WHERE way = 1 AND NOT usable"
                       " AND queueing_delay = 7000 AND share = 0.25"),
      ==, 3);
  sqlite3_close (database);
  g_unlink (path);
  g_rmdir (directory);
}

/* Opening or writing one would wait for a reader. */
static void
test_pipe (void)
{
  g_autofree gchar *directory = g_dir_make_tmp ("fasp-record-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (directory, "x.csv", NULL);
  g_autoptr (GError) checked = NULL, opened = NULL;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_false (gst_fasp_text_file_check (path, &checked));
  g_assert_error (checked, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE);
  g_assert_cmpint (gst_fasp_text_file_open (path, &opened), ==, -1);
  g_assert_error (opened, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE);
  g_unlink (path);
  g_rmdir (directory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recordfile/shared", test_shared);
  g_test_add_func ("/recordfile/clocks", test_clocks);
  g_test_add_func ("/recordfile/busy", test_busy);
  g_test_add_func ("/recordfile/ways", test_ways);
  g_test_add_func ("/recordfile/pipe", test_pipe);
  return g_test_run ();
}
