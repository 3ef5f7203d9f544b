/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gstdio.h>
#include "relaydisk.h"
#include "relayrecord.h"

#define FLAGS (O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC)
#define NEVER G_MININT64
#define MODE 0644 /* readable by other users of the machine, unless umask says otherwise */

struct _RelayRecord
{
  gchar *name;
  guint piece;     /* s; 0: a single one */
  gint64 number;   /* of the open piece */
  gint fd;         /* -1: none is open */
  gchar *path;     /* of the open file */
  gchar *finished; /* path of the last piece; NULL: none, or it was taken */
  gboolean made;   /* the open file was created, not continued */
  gboolean filled; /* packets were written to the piece `number' */
  gint64 last;     /* when data were last written, s since 1970 */
  gchar *mount;    /* of relay_disk_check() */
  GTimeZone *zone; /* of this machine */
  gint64 tidied;   /* when old pieces were last looked for, s since 1970 */
};

RelayRecord *
relay_record_new (const gchar *name, guint piece)
{
  RelayRecord *record = g_new0 (RelayRecord, 1);

  record->name = g_strdup (name);
  record->piece = piece;
  record->fd = -1;
  record->last = record->tidied = NEVER;
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

gboolean
relay_record_close (RelayRecord *record)
{
  const struct timespec times[] = { { 0, UTIME_OMIT }, { record->last, 0 } };
  gint fd = record->fd;

  record->fd = -1;
  if (fd < 0)
    return TRUE;
  if (record->last != NEVER)
    futimens (fd, times);
  return close (fd) == 0;
}

/* --- which file ------------------------------------------------------------------------------ */

/* Does @time belong to the piece that is written at @seconds? */
static gboolean
is_time_of_its_own (const RelayRecord *record, gint64 time, gint64 seconds)
{
  g_autofree gchar *then = NULL, *now = NULL;
  gint from, to;

  if (record->piece > 0)
    return time <= seconds && time / record->piece == seconds / record->piece;
  if (strchr (record->name, '%') == NULL)
    return TRUE;
  then = relay_record_get_path (record, time, record->zone);
  now = relay_record_get_path (record, seconds, record->zone);
  from = g_time_zone_find_interval (record->zone, G_TIME_TYPE_UNIVERSAL, time);
  to = g_time_zone_find_interval (record->zone, G_TIME_TYPE_UNIVERSAL, seconds);
  return time <= seconds && g_str_equal (then, now)
      && g_time_zone_get_offset (record->zone, from) == g_time_zone_get_offset (record->zone, to);
}

/* Opens an existing file, to continue it. FALSE: there is none, or it belongs to another time. */
static gboolean
open_old (RelayRecord *record, gint64 seconds)
{
  struct stat what;

  /* FLAGS do not wait for the reader of a pipe */
  record->fd = g_open (record->path, FLAGS, 0);
  record->made = FALSE;
  if (record->fd >= 0 && fstat (record->fd, &what) == 0 && S_ISREG (what.st_mode)
      && !is_time_of_its_own (record, what.st_mtime, seconds)) {
    close (record->fd);
    record->fd = -1;
    errno = EEXIST;
  }
  return record->fd >= 0;
}

static void
open_new (RelayRecord *record)
{
  record->fd = g_open (record->path, FLAGS | O_CREAT | O_EXCL, MODE);
  record->made = record->fd >= 0;
}

/* Adds the time to the name, before its extension. */
static gchar *
add_time (const gchar *path, gint64 seconds)
{
  const gchar *slash = strrchr (path, '/'), *ending = strrchr (path, '.');

  if (ending == NULL || slash == NULL || ending <= slash + 1)
    ending = path + strlen (path);
  return g_strdup_printf ("%.*s-%" G_GINT64_FORMAT "%s", (int) (ending - path), path, seconds,
      ending);
}

/* Is the open file still the one at its path? */
static gboolean
is_there (const RelayRecord *record)
{
  struct stat open, there;

  return fstat (record->fd, &open) < 0 || !S_ISREG (open.st_mode)
      || (stat (record->path, &there) == 0 && open.st_dev == there.st_dev
          && open.st_ino == there.st_ino);
}

/* --- writing --------------------------------------------------------------------------------- */

/* Opens the piece that the time belongs to, if it is not open. */
static gboolean
open_piece (RelayRecord *record, gint64 seconds, GError **error)
{
  gint64 number = record->piece > 0 ? seconds / record->piece : 0;

  if (record->fd >= 0 && number == record->number && (seconds == record->last || is_there (record)))
    return TRUE;
  if (!relay_record_close (record))
    return relay_disk_fail (record->name, "closed", error);
  if (record->filled && number != record->number) {
    g_free (record->finished);
    record->finished = g_steal_pointer (&record->path);
    record->filled = FALSE;
  }
  g_free (record->path);
  record->path = relay_record_get_path (record, seconds, record->zone);
  record->number = number;
  record->last = NEVER;
  if (!relay_disk_check (&record->mount, record->path, error))
    return FALSE;
  if (!open_old (record, seconds) && errno == EEXIST) {
    gchar *other = add_time (record->path, seconds);

    g_free (record->path);
    record->path = other;
    open_old (record, seconds);
  }
  if (record->fd < 0 && errno == ENOENT)
    open_new (record);
  return record->fd >= 0 || relay_disk_fail (record->name, "opened", error);
}

/* Removes packets that were written only in part, so that the file can be continued. */
static gboolean
fail_within (RelayRecord *record, gsize written, GError **error)
{
  off_t end;

  relay_disk_fail (record->name, "written", error);
  end = lseek (record->fd, 0, SEEK_END);
  if (written > 0 && ftruncate (record->fd, end - (off_t) written) < 0)
    g_prefix_error (error, "Its last packet is not whole: ");
  else if (record->made && end == (off_t) written && g_unlink (record->path) == 0)
    record->filled = FALSE;
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
  record->last = seconds;
  record->filled = TRUE;
  return TRUE;
}

gchar *
relay_record_take_finished (RelayRecord *record)
{
  return g_steal_pointer (&record->finished);
}

gboolean
relay_record_tidy (RelayRecord *record, const RelayRetention *retention, gint64 seconds,
    GError **error)
{
  /* the clock may have been set back */
  if (record->tidied != NEVER && seconds >= record->tidied
      && seconds - record->tidied < RELAY_RETENTION_EACH)
    return TRUE;
  record->tidied = seconds;
  return relay_retention_apply (retention, record->name, record->path,
      RELAY_RETENTION_MOST + RELAY_RETENTION_EACH / MAX (record->piece, 1), seconds, error);
}

gboolean
relay_record_free (RelayRecord *record)
{
  gboolean good = relay_record_close (record);

  g_time_zone_unref (record->zone);
  g_free (record->path);
  g_free (record->finished);
  g_free (record->mount);
  g_free (record->name);
  g_free (record);
  return good;
}
