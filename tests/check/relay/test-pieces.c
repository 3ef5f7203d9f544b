/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recordings: which file is written to, and what happens when it cannot be.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "relayrecord.h"
#include "relayretention.h"

static void
check_content (const gchar *folder, const gchar *name, const gchar *content)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);
  g_autofree gchar *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, content);
  g_unlink (path);
}

static void
write_text (RelayRecord *record, const gchar *text, gint64 seconds)
{
  g_autoptr (GError) error = NULL;

  relay_record_write (record, (const guint8 *) text, strlen (text), seconds, &error);
  g_assert_no_error (error);
}

/* Pieces begin at the multiples of their length, and one that is there is continued. */
static void
test_pieces (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *name = g_build_filename (folder, "news-%s.ts", NULL);
  RelayRecord *record = relay_record_new (name, 60);

  write_text (record, "a", 1000000000);
  write_text (record, "b", 1000000019);
  write_text (record, "c", 1000000020);
  g_assert_true (relay_record_free (record));
  record = relay_record_new (name, 60);
  write_text (record, "d", 1000000079);
  write_text (record, "e", 1000000080);
  g_assert_true (relay_record_free (record));
  check_content (folder, "news-999999960.ts", "ab");
  check_content (folder, "news-1000000020.ts", "cd");
  check_content (folder, "news-1000000080.ts", "e");
  g_rmdir (folder);
}

static void
test_names (void)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_offset (2 * 3600);
  RelayRecord *record = relay_record_new ("/v/news-%F-%H%M%S.ts", 3600);
  g_autofree gchar *path = relay_record_get_path (record, 1000000000, zone);

  /* 2001-09-09 01:46:40 UTC */
  g_assert_cmpstr (path, ==, "/v/news-2001-09-09-030000.ts");
  relay_record_free (record);
}

static void
test_no_place (void)
{
  RelayRecord *record = relay_record_new ("/nowhere/at/all.ts", 0);
  g_autoptr (GError) error = NULL;

  g_assert_false (relay_record_write (record, (const guint8 *) "a", 1, 0, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "/nowhere/at/all.ts"));
  relay_record_free (record);
  g_clear_error (&error);
  record = relay_record_new ("/dev/full", 0);
  g_assert_false (relay_record_write (record, (const guint8 *) "a", 1, 0, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
  relay_record_free (record);
}

/* When summer time ends, an hour has the name of the one before; and when the clock is set back,
 * the names of hours that were.  Each has a file of its own. */
static void
test_other_times (void)
{
  const gint64 summer = 1792888200; /* 2026-10-25 00:30 UTC: 02:30 in Berlin, for the first time */
  const gint64 hour = 3600;
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *name = g_build_filename (folder, "%H.ts", NULL);
  g_autofree gchar *zone = g_strdup (g_getenv ("TZ"));
  RelayRecord *record;

  g_setenv ("TZ", "Europe/Berlin", TRUE);
  record = relay_record_new (name, hour);
  write_text (record, "a", summer);
  write_text (record, "b", summer + hour);
  relay_record_free (record);
  record = relay_record_new (name, hour);
  write_text (record, "c", summer + hour + 60);
  write_text (record, "d", summer + 2 * hour);
  /* back by an hour and ten minutes, and from there in its own time */
  write_text (record, "e", summer + hour - 600);
  write_text (record, "f", summer + hour - 500);
  relay_record_free (record);
  record = relay_record_new (name, hour);
  write_text (record, "g", summer + 2 * hour - 60);
  relay_record_free (record);
  record = relay_record_new (name, hour);
  write_text (record, "h", summer + 2 * hour + 10);
  relay_record_free (record);
  check_content (folder, "02.ts", "a");
  check_content (folder, "02-1792891800.ts", "b");
  check_content (folder, "02-1792891860.ts", "c");
  check_content (folder, "02-1792891200.ts", "ef");
  check_content (folder, "03-1792895340.ts", "g");
  check_content (folder, "03.ts", "dh");
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  if (zone != NULL)
    g_setenv ("TZ", zone, TRUE);
  else
    g_unsetenv ("TZ");
}

/* Without pieces, a name with a date is one of its time, and a name without is continued. */
static void
test_single (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *dated = g_build_filename (folder, "day-%d", NULL);
  g_autofree gchar *plain = g_build_filename (folder, "all.ts", NULL);
  const gint64 times[] = { 1000000000, 1000000100, 1000000050 };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    RelayRecord *one = relay_record_new (dated, 0), *other = relay_record_new (plain, 0);

    write_text (one, "a", times[i]);
    write_text (other, "b", times[i]);
    relay_record_free (one);
    relay_record_free (other);
  }
  check_content (folder, "day-09", "aa");
  check_content (folder, "day-09-1000000050", "a");
  check_content (folder, "all.ts", "bbb");
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static gboolean
write_without_room (RelayRecord *record, gint64 seconds, GError **error)
{
  struct rlimit was, none;
  gboolean good;

  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &was);
  none = (struct rlimit) { 0, was.rlim_max };
  setrlimit (RLIMIT_FSIZE, &none);
  good = relay_record_write (record, (const guint8 *) "c", 1, seconds, error);
  setrlimit (RLIMIT_FSIZE, &was);
  return good;
}

/* A file that was removed is begun again; one that was begun and has nothing in it is removed. */
static void
test_removed (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *name = g_build_filename (folder, "%s.ts", NULL);
  g_autofree gchar *path = g_build_filename (folder, "960.ts", NULL);
  RelayRecord *record = relay_record_new (name, 60);
  g_autoptr (GError) error = NULL;

  write_text (record, "a", 960);
  g_assert_cmpint (g_unlink (path), ==, 0);
  write_text (record, "b", 961);
  check_content (folder, "960.ts", "b");
  g_assert_false (write_without_room (record, 1020, &error));
  g_assert_nonnull (strstr (error->message, "/%s.ts cannot be written"));
  relay_record_free (record);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A piece is finished if there are packets in it, also if the disk was full at its end. */
static void
test_finished (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *name = g_build_filename (folder, "%s.ts", NULL);
  g_autofree gchar *path = g_build_filename (folder, "960.ts", NULL);
  RelayRecord *record = relay_record_new (name, 60);
  g_autofree gchar *finished = NULL;

  write_text (record, "a", 960);
  for (guint i = 0; i < 2; i++) {
    g_assert_false (write_without_room (record, 961 + i, NULL));
    relay_record_close (record);
  }
  g_assert_null (relay_record_take_finished (record));
  g_assert_false (write_without_room (record, 1020, NULL));
  finished = relay_record_take_finished (record);
  g_assert_cmpstr (finished, ==, path);
  relay_record_close (record);
  write_text (record, "b", 1080);
  g_assert_null (relay_record_take_finished (record));
  relay_record_free (record);
  check_content (folder, "960.ts", "a");
  check_content (folder, "1080.ts", "b");
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Enters namespaces in which it may mount.  FALSE: this user may not. */
static gboolean
enter_namespaces (void)
{
  g_autofree gchar *user = g_strdup_printf ("0 %u 1", getuid ());
  g_autofree gchar *group = g_strdup_printf ("0 %u 1", getgid ());

  return unshare (CLONE_NEWUSER | CLONE_NEWNS) == 0
      && g_file_set_contents_full ("/proc/self/setgroups", "deny", -1, G_FILE_SET_CONTENTS_NONE, 0,
          NULL)
      && g_file_set_contents_full ("/proc/self/uid_map", user, -1, G_FILE_SET_CONTENTS_NONE, 0,
          NULL)
      && g_file_set_contents_full ("/proc/self/gid_map", group, -1, G_FILE_SET_CONTENTS_NONE, 0,
          NULL);
}

/* In a process of its own, where it may mount.  Returns its exit status: 77: it may not. */
static gint
record_on_disk (const gchar *folder)
{
  g_autofree gchar *name = g_build_filename (folder, "rec", "%s.ts", NULL);
  g_autofree gchar *below = g_build_filename (folder, "rec", NULL);
  g_autoptr (GError) error = NULL;
  RelayRecord *record = relay_record_new (name, 60);

  if (!enter_namespaces () || mount ("none", folder, "tmpfs", 0, "size=64k") < 0)
    return 77;
  g_mkdir (below, 0700);
  write_text (record, "a", 60);
  write_text (record, "b", 61);
  umount2 (folder, MNT_DETACH);
  g_mkdir (below, 0700);
  for (gint64 now = 62; now < 200; now += 50) {
    g_clear_error (&error);
    g_assert_false (relay_record_write (record, (const guint8 *) "c", 1, now, &error));
    g_assert_nonnull (strstr (error->message, "mount it again"));
    relay_record_close (record);
  }
  g_assert_cmpint (g_rmdir (below), ==, 0); /* it is empty */
  g_assert_cmpint (mount ("none", folder, "tmpfs", 0, "size=64k"), ==, 0);
  g_mkdir (below, 0700);
  write_text (record, "d", 200);
  relay_record_free (record);
  check_content (below, "180.ts", "d");
  return 0;
}

/* A disk that is no longer mounted is no place to record, and neither is the folder below it. */
static void
test_unmounted (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  pid_t pid = fork ();
  gint status;

  if (pid == 0)
    _exit (record_on_disk (folder));
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_rmdir (folder);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    g_test_skip ("this user may not mount anything, not even in a namespace of its own");
  else
    g_assert_cmpint (status, ==, 0);
}

/* --- what stays ------------------------------------------------------------------------------ */

static void
make_piece (const gchar *folder, const gchar *name, gsize size, gint64 time)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL), *content = g_strnfill (size, 'x');
  const struct timespec times[] = { { time, 0 }, { time, 0 } };

  g_assert_true (g_file_set_contents (path, content, size, NULL));
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(gchar *const *) a, *(gchar *const *) b);
}

/* Removes the files that are there, and returns their names, sorted. */
static gchar *
take_names (const gchar *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const gchar *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree gchar *path = g_build_filename (folder, name, NULL);

    g_ptr_array_add (names, g_strdup (name));
    if (g_unlink (path) < 0)
      g_assert_cmpint (g_rmdir (path), ==, 0);
  }
  g_ptr_array_sort (names, by_name);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (gchar **) names->pdata);
}

/* The oldest pieces of this recording go, few at a time, and nothing else does. */
static void
test_retention (void)
{
  static const struct
  {
    RelayRetention retention;
    guint times;
    const gchar *stays;
  } cases[] = {
    { { 0, 0, 0 }, 1, "n-1.ts n-2.ts n-3.ts n-4.ts n-5-123456789.ts n-6.ts" },
    { { 350, 0, 0 }, 1, "n-3.ts n-4.ts n-5-123456789.ts n-6.ts" },
    { { 1, 0, 0 }, 1, "n-5-123456789.ts n-6.ts" },
    { { 1, 0, 0 }, 2, "n-6.ts" },
    { { 0, 35, 0 }, 1, "n-4.ts n-5-123456789.ts n-6.ts" },
    { { 0, 1, 0 }, 2, "n-6.ts" },
    { { 0, 0, G_MAXINT64 }, 2, "n-6.ts" },
    { { 0, 0, 1 }, 1, "n-1.ts n-2.ts n-3.ts n-4.ts n-5-123456789.ts n-6.ts" },
  };
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *name = g_build_filename (folder, "n-%s.ts", NULL);
  g_autofree gchar *open = g_build_filename (folder, "n-6.ts", NULL);
  g_autofree gchar *directory = g_build_filename (folder, "n-7.ts", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *wanted =
        g_strconcat (cases[i].stays, " n-7.ts n-8.ts.old n-9x.ts o-1.ts", NULL);
    g_autofree gchar *names = NULL;
    g_autoptr (GError) error = NULL;

    for (guint k = 1; k <= 6; k++) {
      g_autofree gchar *piece = g_strdup_printf ("n-%u%s.ts", k, k == 5 ? "-123456789" : "");

      make_piece (folder, piece, 10, 1000000000 + 100 * k);
    }
    make_piece (folder, "o-1.ts", 10, 1);
    make_piece (folder, "n-9x.ts", 10, 1);
    make_piece (folder, "n-8.ts.old", 10, 1);
    g_assert_cmpint (g_mkdir (directory, 0700), ==, 0);
    for (guint k = 0; k < cases[i].times; k++)
      relay_retention_apply (&cases[i].retention, name, open, RELAY_RETENTION_MOST, 1000000600,
          &error);
    g_assert_no_error (error);
    names = take_names (folder);
    g_assert_cmpstr (names, ==, wanted);
  }
  g_rmdir (folder);
}

/* Pieces go as fast as they come, and the open one stays, however its path is written. */
static void
test_many_pieces (void)
{
  const RelayRetention retention = { .size = 1 };
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *name = g_strconcat (folder, "//%s.ts", NULL);
  RelayRecord *record = relay_record_new (name, 1);
  g_autofree gchar *names = NULL;
  g_autoptr (GError) error = NULL;

  for (gint64 now = 1001; now <= 1181; now++) {
    write_text (record, "ab", now);
    g_assert_true (relay_record_tidy (record, &retention, now, &error));
    g_assert_no_error (error);
  }
  relay_record_free (record);
  names = take_names (folder);
  g_assert_cmpstr (names, ==, "1181.ts");
  g_rmdir (folder);
}

static void
test_patterns (void)
{
  static const struct
  {
    const gchar *name, *is, *is_not;
  } names[] = {
    { "/v/a.b-%F-%H%M%S", "a.b-2026-10-25-023000", "aXb-2026-10-25-023000" },
    { "/v/%Y%m%d.ts", "20261025-1792891800.ts", "20261025-05.ts" },
    { "/v/%j%%.ts", "123%.ts", "123%%.ts" },
    { "/v/%A.ts" },
    { "/v/%F/%H.ts" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GRegex) pattern = relay_retention_make_pattern (names[i].name);

    g_assert_cmpint (pattern != NULL, ==, names[i].is != NULL);
    g_assert_true (pattern == NULL
        || (g_regex_match (pattern, names[i].is, 0, NULL)
            && !g_regex_match (pattern, names[i].is_not, 0, NULL)));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pieces/many", test_many_pieces);
  g_test_add_func ("/pieces/multiples", test_pieces);
  g_test_add_func ("/pieces/names", test_names);
  g_test_add_func ("/pieces/no-place", test_no_place);
  g_test_add_func ("/pieces/other-times", test_other_times);
  g_test_add_func ("/pieces/patterns", test_patterns);
  g_test_add_func ("/pieces/retention", test_retention);
  g_test_add_func ("/pieces/single", test_single);
  g_test_add_func ("/pieces/removed", test_removed);
  g_test_add_func ("/pieces/finished", test_finished);
  g_test_add_func ("/pieces/unmounted", test_unmounted);
  return g_test_run ();
}
