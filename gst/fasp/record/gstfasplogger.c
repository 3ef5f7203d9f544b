/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <glib/gstdio.h>
#include "fasplogformat.h"
#include "gstfaspaddress.h"
#include "gstfasplogger.h"
#include "gstfasptextfile.h"

GST_DEBUG_CATEGORY_STATIC (decisions);

/* A lossy stream of 40 Mbit/s that loses a tenth has 400 events in a second: these cover forty. */
#define KEEP 16384
#define AT_ONCE 1024
/* Bytes after which the next file begins.  With five receivers that lose much, 1.75 MB are written
 * in a second, so that a file lasts two and a half minutes. */
#define FILE_MAX (256 * 1024 * 1024)

typedef struct
{
  GstElement *element;
  gchar *path;
  gint file; /* -1: there is none */
  gchar *header;
  gint64 run; /* Unix time of the start, us */
} Logger;

void
gst_fasp_logger_init (void)
{
  GST_DEBUG_CATEGORY_INIT (decisions, "faspdecision", 0, "what fasp streams decide, and why");
}

static gboolean
has_file (const gchar *path)
{
  return path != NULL && path[0] != '\0';
}

static gboolean
is_debugged (void)
{
  return gst_debug_category_get_threshold (decisions) >= GST_LEVEL_DEBUG;
}

gboolean
gst_fasp_logger_is_wanted (const gchar *path)
{
  return has_file (path) || is_debugged ();
}

guint
gst_fasp_logger_get_keep (void)
{
  return KEEP;
}

static gchar *
make_header (const Logger *self, const FaspEndpointConfig *config)
{
  gint64 unix_offset = self->run - g_get_monotonic_time ();
  g_autoptr (GDateTime) begun = g_date_time_new_from_unix_utc (self->run / G_USEC_PER_SEC);
  g_autofree gchar *time = g_date_time_format (begun, "%Y-%m-%dT%H:%M:%SZ");
  g_autofree gchar *program =
      g_strdup_printf ("%s " VERSION, GST_OBJECT_NAME (gst_element_get_factory (self->element)));
  FaspLogHeader header = {
    .title = GST_OBJECT_NAME (self->element),
    .program = program,
    .begun = time,
    .role = config->role,
    .dials = fasp_endpoint_config_dials (config),
    .run = self->run,
    .unix_offset = unix_offset,
  };
  gchar text[FASP_LOG_LINE];

  return g_strndup (text, fasp_log_write_header (&header, text, sizeof text));
}

static GMutex renaming; /* one element at a time renames: several may have the same file */

/* Renames a file that has become too large to PATH.1, which is replaced. */
static gboolean
set_aside (const gchar *path, GError **error)
{
  g_autofree gchar *old = g_strconcat (path, ".1", NULL);
  GStatBuf what;
  gboolean good;

  g_mutex_lock (&renaming);
  good = g_stat (path, &what) != 0 || !S_ISREG (what.st_mode) || what.st_size < FILE_MAX
      || g_rename (path, old) == 0;
  if (!good)
    g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (errno), g_strerror (errno));
  g_mutex_unlock (&renaming);
  return good;
}

static gboolean
open_file (Logger *self, GError **error)
{
  if (!set_aside (self->path, error))
    return FALSE;
  self->file = gst_fasp_text_file_open (self->path, error);
  return self->file >= 0
      && gst_fasp_text_file_add (self->file, self->header, strlen (self->header), error);
}

/* Goes on in the next file if this one is full, or if another element has set it aside. */
static gboolean
follow_file (Logger *self, GError **error)
{
  if (!gst_fasp_text_file_has (self->file, FILE_MAX))
    return TRUE;
  gst_fasp_text_file_close (self->file);
  self->file = -1;
  return open_file (self, error);
}

static gboolean
write_events (gpointer logger, gconstpointer entries, guint n, GError **error)
{
  Logger *self = logger;
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    const FaspLogEntry *entry = (const FaspLogEntry *) entries + i;
    g_autofree gchar *address = gst_fasp_address_to_string (&entry->address);
    gchar line[FASP_LOG_LINE];

    if (is_debugged ()) {
      fasp_log_write_line (entry, address, line, sizeof line);
      GST_CAT_DEBUG_OBJECT (decisions, self->element, "%s", line);
    }
    if (self->file >= 0)
      g_string_append_len (text, line,
          fasp_log_write_json (entry, self->run, address, line, sizeof line));
  }
  return text->len == 0
      || (follow_file (self, error)
          && gst_fasp_text_file_add (self->file, text->str, text->len, error));
}

static void
logger_free (gpointer logger)
{
  Logger *self = logger;

  gst_fasp_text_file_close (self->file);
  g_free (self->path);
  g_free (self->header);
  g_free (self);
}

static guint
fetch (FaspEndpoint *endpoint, gpointer entries, guint max, guint64 *lost)
{
  return fasp_endpoint_fetch_log (endpoint, entries, max, lost);
}

static const GstFaspRecorderClass class = {
  .thread = "fasp-log",
  .doing = "Logging to",
  .things = "events are not in the log",
  .interval = 50 * G_TIME_SPAN_MILLISECOND, /* soon enough for a user that reads GST_DEBUG */
  .keep = KEEP,
  .at_once = AT_ONCE,
  .entry_size = sizeof (FaspLogEntry),
  .set_ring = fasp_endpoint_set_log,
  .fetch = fetch,
  .write = write_events,
  .close = logger_free,
};

GstFaspRecorder *
gst_fasp_logger_new (GstElement *element, const FaspEndpointConfig *config, const gchar *path,
    GError **error)
{
  Logger *self = g_new0 (Logger, 1);

  self->element = element;
  self->file = -1;
  self->run = g_get_real_time ();
  if (has_file (path)) {
    self->path = g_strdup (path);
    self->header = make_header (self, config);
    if (!open_file (self, error)) {
      g_prefix_error (error, "\"%s\": ", path);
      logger_free (self);
      return NULL;
    }
  }
  return gst_fasp_recorder_new_with_file (&class, element, has_file (path) ? path : "GST_DEBUG",
      self);
}
