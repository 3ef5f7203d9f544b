/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib/gstdio.h>
#include <string.h>
#include "gstfasprecordfile.h"
#include "gstfasptextfile.h"

struct _GstFaspRecordFile
{
  GstFaspDatabase *database; /* NULL: it is CSV */
  gint csv;                  /* -1: it is a database */
  gint64 run;                /* Unix time of the start, µs */
  FaspTime last;             /* CSV: time of the previous entry */
};

/* --- CSV ------------------------------------------------------------------------- */

static gboolean
open_csv (GstFaspRecordFile *file, const gchar *path, GError **error)
{
  file->csv = gst_fasp_text_file_open (path, error);
  return file->csv >= 0
      && (!gst_fasp_text_file_is_empty (file->csv)
          || gst_fasp_text_file_add (file->csv, GST_FASP_BLOCK_COLUMNS "\n",
              strlen (GST_FASP_BLOCK_COLUMNS "\n"), error));
}

static gboolean
write_csv (GstFaspRecordFile *file, const FaspTraceEntry *entries, guint n, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    const FaspTraceEntry *e = &entries[i];

    g_string_append_printf (text,
        "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%u,%u,%" G_GUINT64_FORMAT
        ",%u,%u,%d,%" G_GINT64_FORMAT ",%u\n",
        file->run, e->time, file->last > 0 ? e->time - file->last : 0, e->full, e->payload,
        e->block, e->round, e->copy, e->fresh, e->media_time, e->session);
    file->last = e->time;
  }
  return gst_fasp_text_file_add (file->csv, text->str, text->len, error);
}

/* --- SQLite or CSV ----------------------------------------------------------------- */

static gboolean
has_extension (const gchar *path, const gchar *const *extensions)
{
  g_autofree gchar *lower = g_ascii_strdown (path, -1);

  for (; *extensions != NULL; extensions++)
    if (g_str_has_suffix (lower, *extensions))
      return TRUE;
  return FALSE;
}

static const gchar *const csv[] = { ".csv", NULL };
static const gchar *const sqlite[] = { ".db", ".sqlite", ".sqlite3", NULL };

static gboolean
check_name (const gchar *path, GError **error)
{
  gboolean is_database = has_extension (path, sqlite);

  if (has_extension (path, csv) || (is_database && gst_fasp_database_is_built ()))
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      is_database ? "this build has no SQLite: choose a name that ends in .csv, or build it with "
                    "-Drecord=enabled" :
                    "its name must end in .db or .sqlite for SQLite, or in .csv");
  return FALSE;
}

gboolean
gst_fasp_record_file_check (const gchar *path, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (path);

  if (!check_name (path, error) || !gst_fasp_text_file_check (path, error))
    return FALSE;
  /* SQLite creates files of its own in the same folder */
  return has_extension (path, csv) || gst_fasp_text_file_check_folder (folder, error);
}

GstFaspRecordFile *
gst_fasp_record_file_open (const gchar *path, const gchar *element, GError **error)
{
  GstFaspRecordFile *file;
  gint64 unix_offset;
  gboolean good;

  if (!check_name (path, error))
    return NULL;
  file = g_new0 (GstFaspRecordFile, 1);
  file->csv = -1;
  file->run = g_get_real_time ();
  unix_offset = file->run - g_get_monotonic_time ();
  if (has_extension (path, csv)) {
    good = open_csv (file, path, error);
  } else {
    file->database = gst_fasp_database_open (path, element, file->run, unix_offset, error);
    good = file->database != NULL;
  }
  if (!good)
    g_clear_pointer (&file, gst_fasp_record_file_close);
  return file;
}

gboolean
gst_fasp_record_file_write (GstFaspRecordFile *file, const FaspTraceEntry *entries, guint n,
    GError **error)
{
  return file->database == NULL ? write_csv (file, entries, n, error) :
                                  gst_fasp_database_write (file->database, entries, n, error);
}

gboolean
gst_fasp_record_file_has_ways (const GstFaspRecordFile *file)
{
  return file->database != NULL;
}

gboolean
gst_fasp_record_file_write_ways (GstFaspRecordFile *file, const GstFaspWayRow *rows, guint n,
    GError **error)
{
  return gst_fasp_database_write_ways (file->database, rows, n, error);
}

void
gst_fasp_record_file_hurry (GstFaspRecordFile *file)
{
  if (file->database != NULL)
    gst_fasp_database_hurry (file->database);
}

void
gst_fasp_record_file_close (GstFaspRecordFile *file)
{
  gst_fasp_text_file_close (file->csv);
  if (file->database != NULL)
    gst_fasp_database_close (file->database);
  g_free (file);
}
