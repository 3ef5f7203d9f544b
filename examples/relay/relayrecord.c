/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <glib/gstdio.h>
#include "relayrecord.h"

#define MODE 0644 /* the streams are not secret to the machine; umask takes away more */

struct _RelayRecord
{
  gchar *name;
  guint piece;     /* s; 0: a single one */
  gint64 number;   /* of the piece that is open */
  gint fd;         /* -1: none is open */
  GTimeZone *zone; /* of this machine */
};

RelayRecord *
relay_record_new (const gchar *name, guint piece)
{
  RelayRecord *record = g_new0 (RelayRecord, 1);

  record->name = g_strdup (name);
  record->piece = piece;
  record->fd = -1;
  record->zone = g_time_zone_new_local ();
  return record;
}

gchar *
relay_record_get_path (const RelayRecord *record, gint64 seconds, GTimeZone *zone)
{
  g_autoptr (GDateTime) utc = NULL;
  g_autoptr (GDateTime) local = NULL;

  if (record->piece > 0)
    seconds -= seconds % record->piece;
  utc = g_date_time_new_from_unix_utc (seconds);
  local = g_date_time_to_timezone (utc, zone);
  return g_date_time_format (local, record->name);
}

static gboolean
fail (const gchar *path, const gchar *what, GError **error)
{
  gint number = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (number), "%s cannot be %s (%s).%s",
      path, what, g_strerror (number),
      number == ENOSPC     ? " Remove old recordings, or record less." :
          number == EACCES ? " Let the user of the relay write there." :
                             "");
  return FALSE;
}

static gboolean
close_file (RelayRecord *record)
{
  gint fd = record->fd;

  record->fd = -1;
  return fd < 0 || close (fd) == 0;
}

/* Opens the piece that the time belongs to, if it is not open. */
static gboolean
open_piece (RelayRecord *record, gint64 seconds, GError **error)
{
  gint64 number = record->piece > 0 ? seconds / record->piece : 0;
  g_autofree gchar *path = NULL;

  if (record->fd >= 0 && number == record->number)
    return TRUE;
  path = relay_record_get_path (record, seconds, record->zone);
  if (!close_file (record))
    return fail (path, "begun, as the piece before could not be closed", error);
  /* a pipe without a reader does not hold it up */
  record->fd = g_open (path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, MODE);
  record->number = number;
  return record->fd >= 0 || fail (path, "opened", error);
}

/* Takes back what was written of packets that could not be written as a whole, so that the file can
 * be continued. */
static gboolean
fail_within (RelayRecord *record, gsize written, GError **error)
{
  off_t end;

  fail (record->name, "written", error);
  end = lseek (record->fd, 0, SEEK_END);
  if (written > 0 && ftruncate (record->fd, end - (off_t) written) < 0)
    g_prefix_error (error, "Its last packet is not whole: ");
  return FALSE;
}

gboolean
relay_record_write (RelayRecord *record, const guint8 *data, gsize size, gint64 seconds,
    GError **error)
{
  gsize written = 0;

  if (!open_piece (record, seconds, error))
    return FALSE;
  while (written < size) {
    gssize done = write (record->fd, data + written, size - written);

    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return fail_within (record, written, error);
    written += done;
  }
  return TRUE;
}

gboolean
relay_record_free (RelayRecord *record)
{
  gboolean good = close_file (record);

  g_time_zone_unref (record->zone);
  g_free (record->name);
  g_free (record);
  return good;
}
