/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files with secrets and lists of trusted keys: which of them others can read or change.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gstfaspfile.h"

static gchar *path;

typedef struct
{
  mode_t mode;
  const gchar *secret, *trusted; /* what others can do; NULL: nothing that matters */
} Mode;

static const Mode ours[] = {
  { 0400, NULL, NULL },
  { 0600, NULL, NULL },
  { 0700, NULL, NULL },
  { 0711, NULL, NULL },
  { 0640, "can read ", NULL },
  { 0604, "can read ", NULL },
  { 0644, "can read ", NULL },
  { 0620, "can change ", "can change " },
  { 0602, "can change ", "can change " },
  { 0664, "can read and change ", "can change " },
  { 0666, "can read and change ", "can change " },
};

/* As root's secrets are given to a service: by its group (Kubernetes: fsGroup, defaultMode
 * 0440). */
static const Mode roots[] = {
  { 0400, NULL, NULL },
  { 0440, NULL, NULL },
  { 0640, NULL, NULL },
  { 0444, "can read ", NULL },
  { 0644, "can read ", NULL },
  { 0460, "can change ", "can change " },
  { 0666, "can read and change ", "can change " },
};

static void
check (const Mode *m, GstFaspFileKind kind, const gchar *expected, const gchar *command)
{
  g_autofree gchar *warning = NULL, *text = NULL;
  g_autoptr (GError) error = NULL;
  struct stat what;
  gsize size;

  g_assert_cmpint (g_chmod (path, m->mode), ==, 0);
  text = gst_fasp_file_read (path, &size, &what, &error);
  g_assert_no_error (error);
  warning = gst_fasp_file_warn (path, &what, kind);
  g_assert_cmpmem (text, size, "secret", 6);
  if (expected == NULL) {
    g_assert_cmpstr (warning, ==, NULL);
    return;
  }
  g_assert_nonnull (warning);
  if (strstr (warning, expected) == NULL || strstr (warning, command) == NULL
      || strstr (warning, path) == NULL)
    g_error ("%04o: %s", m->mode, warning);
}

static void
test_ours (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ours); i++) {
    check (&ours[i], GST_FASP_FILE_SECRET, ours[i].secret, "`chmod go= '");
    check (&ours[i], GST_FASP_FILE_TRUSTED, ours[i].trusted, "`chmod go-w '");
  }
}

static void
test_roots (void)
{
  if (geteuid () != 0) {
    g_test_skip ("only root can give a file to somebody");
    return;
  }
  g_assert_cmpint (chown (path, 12345, 12345), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (roots); i++) {
    check (&roots[i], GST_FASP_FILE_SECRET, roots[i].secret, "`chmod g-wx,o= '");
    check (&roots[i], GST_FASP_FILE_TRUSTED, roots[i].trusted, "`chmod go-w '");
  }
  g_assert_cmpint (chown (path, 0, 0), ==, 0);
}

/* What the message says to run mends it. */
static void
test_command (void)
{
  for (GstFaspFileKind kind = GST_FASP_FILE_SECRET; kind <= GST_FASP_FILE_TRUSTED; kind++) {
    g_autofree gchar *warning = NULL, *none = NULL;
    gchar *command, *end;
    struct stat what;

    g_assert_cmpint (g_chmod (path, 0666), ==, 0);
    g_assert_cmpint (stat (path, &what), ==, 0);
    warning = gst_fasp_file_warn (path, &what, kind);
    command = strchr (warning, '`') + 1;
    end = strrchr (command, '\'');
    *end = '\0';
    g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
    g_assert_cmpint (stat (path, &what), ==, 0);
    none = gst_fasp_file_warn (path, &what, kind);
    g_assert_cmpstr (none, ==, NULL);
  }
}

static void
test_sizes (void)
{
  static const gsize sizes[] = { 0, 1, 4095, 4096, 4097, 100000, GST_FASP_FILE_MAX - 1 };
  g_autoptr (GError) error = NULL;
  struct stat what;
  gsize size;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree gchar *content = g_malloc (sizes[i] + 1), *text = NULL;

    memset (content, 'x', sizes[i]);
    g_assert_true (g_file_set_contents (path, content, sizes[i], NULL));
    text = gst_fasp_file_read (path, &size, &what, NULL);
    g_assert_cmpmem (text, size, content, sizes[i]);
    g_assert_cmpint (text[size], ==, '\0');
  }
  /* without an end; a device is not warned of */
  g_assert_null (gst_fasp_file_read ("/dev/zero", &size, &what, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED);
  g_assert_null (gst_fasp_file_warn ("/dev/zero", &what, GST_FASP_FILE_SECRET));
  g_clear_error (&error);
  g_assert_null (gst_fasp_file_read ("/", &size, &what, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
  g_clear_error (&error);
  g_assert_null (gst_fasp_file_read ("/nowhere/x", &size, &what, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "/nowhere/x"));
}

int
main (int argc, char **argv)
{
  g_autofree gchar *folder = NULL;
  gint result;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  path = g_build_filename (folder, "it's one", NULL);
  g_assert_true (g_file_set_contents (path, "secret", -1, NULL));
  g_test_add_func ("/file/ours", test_ours);
  g_test_add_func ("/file/roots", test_roots);
  g_test_add_func ("/file/command", test_command);
  g_test_add_func ("/file/sizes", test_sizes);
  result = g_test_run ();
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  return result;
}
