/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhlslist.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <glib/gstdio.h>
#include "relaydisk.h"

/* The beginning of a list, to be written and read. */
#define HEAD \
  "#EXTM3U\n" \
  "#EXT-X-VERSION:3\n" \
  "#EXT-X-TARGETDURATION:%u\n" \
  "#EXT-X-MEDIA-SEQUENCE:%" G_GUINT64_FORMAT "\n" \
  "#EXT-X-DISCONTINUITY-SEQUENCE:%" G_GUINT64_FORMAT "\n"
#define STEP "#EXT-X-DISCONTINUITY\n"
/* Bytes; an entry has at most 3 * 255 in its name, and 120 around that. */
#define LIST_MAX (1024 * (RELAY_HLS_KEEP_MAX + 1))
/* Beyond this, a number of a list that is there is not believed: players count in 53 bits. */
#define NUMBER_MAX (G_GUINT64_CONSTANT (1) << 52)

struct _RelayHlsList
{
  gchar *path, *stem; /* the stem has no ending */
  guint target;       /* s */
  guint keep;
  guint64 first;  /* number of the first entry */
  guint64 steps;  /* discontinuities of entries that have left the list */
  GQueue entries; /* texts, each ending with its URI */
  gboolean read;  /* FALSE: the list that is there has to be read first */
  gchar *mount;   /* of relay_disk_check() */
};

static gchar *
get_segment (const RelayHlsList *list, guint64 number)
{
  return g_strdup_printf ("%s.%" G_GUINT64_FORMAT ".ts", list->stem, number);
}

/* Returns the line of a list that names a segment. */
static gchar *
make_uri (const RelayHlsList *list, guint64 number)
{
  g_autofree gchar *path = get_segment (list, number), *base = g_path_get_basename (path);
  /* with no character but letters, digits and -._~, it is one path segment of RFC 3986 */
  g_autofree gchar *escaped = g_uri_escape_string (base, NULL, FALSE);

  return g_strconcat (escaped, "\n", NULL);
}

static void
drop_first (RelayHlsList *list)
{
  g_autofree gchar *entry = g_queue_pop_head (&list->entries);

  list->first++;
  list->steps += g_str_has_prefix (entry, STEP);
}

/* --- a list that is there -------------------------------------------------------------------- */

static gchar *
read_text (const gchar *path)
{
  struct stat what;
  gchar *text = NULL;

  if (stat (path, &what) == 0 && S_ISREG (what.st_mode) && what.st_size <= LIST_MAX)
    g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

/* Reads the entries. FALSE: one of them is not written as here. */
static gboolean
read_entries (RelayHlsList *list, const gchar *text)
{
  while (*text != '\0') {
    guint64 number = list->first + list->entries.length;
    g_autofree gchar *uri = make_uri (list, number);
    const gchar *at = strstr (text, uri);

    if (at == NULL || at == text || at[-1] != '\n')
      return FALSE;
    at += strlen (uri);
    g_queue_push_tail (&list->entries, g_strndup (text, at - text));
    text = at;
  }
  return TRUE;
}

/* Continues the list that is there. FALSE: there is none that can be. */
static gboolean
resume (RelayHlsList *list)
{
  g_autofree gchar *text = read_text (list->path);
  guint target = 0;
  gint head = 0;

  if (text == NULL || sscanf (text, HEAD "%n", &target, &list->first, &list->steps, &head) != 3
      || head == 0 || list->first > NUMBER_MAX || list->steps > NUMBER_MAX
      || !read_entries (list, text + head))
    return FALSE;
  if (target == list->target || list->entries.length == 0)
    return TRUE;
  /* segments of another target may be too long for this list */
  while (list->entries.length > 0)
    drop_first (list);
  list->steps++;
  return TRUE;
}

/* Reads the list that is there, or begins another one, with no number that it had before. */
static void
open_list (RelayHlsList *list, guint64 now)
{
  guint64 next = list->first + list->entries.length;

  g_queue_clear_full (&list->entries, g_free);
  list->read = TRUE;
  if (resume (list))
    return;
  g_queue_clear_full (&list->entries, g_free);
  list->first = MAX (now, next);
  list->steps = 0;
}

RelayHlsList *
relay_hls_list_new (const gchar *path, guint target, guint keep)
{
  RelayHlsList *list = g_new0 (RelayHlsList, 1);

  list->path = g_strdup (path);
  list->stem = g_strndup (path, strlen (path) - strlen (RELAY_HLS_ENDING));
  list->target = target;
  list->keep = keep;
  return list;
}

void
relay_hls_list_free (RelayHlsList *list)
{
  g_queue_clear_full (&list->entries, g_free);
  g_free (list->path);
  g_free (list->stem);
  g_free (list->mount);
  g_free (list);
}

gchar *
relay_hls_list_get_names (const gchar *path)
{
  g_autofree gchar *stem = g_strndup (path, strlen (path) - strlen (RELAY_HLS_ENDING));
  g_auto (GStrv) parts = g_strsplit (stem, "%", -1);
  g_autofree gchar *escaped = g_strjoinv ("%%", parts);

  return g_strconcat (escaped, ".%s.ts", NULL);
}

/* --- writing --------------------------------------------------------------------------------- */

static gchar *
make_entry (const RelayHlsList *list, const RelayHlsSegment *segment, guint64 number)
{
  g_autoptr (GDateTime) second = g_date_time_new_from_unix_utc (segment->time / G_USEC_PER_SEC);
  g_autofree gchar *date = g_date_time_format (second, "%Y-%m-%dT%H:%M:%S");
  g_autofree gchar *uri = make_uri (list, number);
  gint64 ms = MAX (segment->duration / 1000, 1);

  return g_strdup_printf ("%s#EXT-X-PROGRAM-DATE-TIME:%s.%03uZ\n#EXTINF:%" G_GINT64_FORMAT
                          ".%03u,\n%s",
      segment->discontinuous && list->entries.length > 0 ? STEP : "", date,
      (guint) (segment->time % G_USEC_PER_SEC / 1000), ms / 1000, (guint) (ms % 1000), uri);
}

static gboolean
write_list (RelayHlsList *list, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, HEAD, list->target, list->first, list->steps);
  for (GList *entry = list->entries.head; entry != NULL; entry = entry->next)
    g_string_append (text, entry->data);
  return relay_disk_replace (list->path, text->str, text->len)
      || relay_disk_fail (list->path, "written", error);
}

/* Removes the segment @number, and those before it, which a larger @keep has left. */
static void
remove_old (const RelayHlsList *list, guint64 number)
{
  for (guint i = 0; i < 2 * RELAY_HLS_KEEP_MAX; i++) {
    g_autofree gchar *path = get_segment (list, number - i);

    if (g_unlink (path) < 0)
      return;
  }
}

static gboolean
add (RelayHlsList *list, const RelayHlsSegment *segment, GError **error)
{
  guint64 number = list->first + list->entries.length;
  g_autofree gchar *path = get_segment (list, number);

  if (!relay_disk_replace (path, segment->data->data, segment->data->len))
    return relay_disk_fail (list->path, "written", error);
  g_queue_push_tail (&list->entries, make_entry (list, segment, number));
  while (list->entries.length > list->keep)
    drop_first (list);
  if (!write_list (list, error))
    return FALSE;
  remove_old (list, number - 2 * list->keep - 1);
  return TRUE;
}

gboolean
relay_hls_list_add (RelayHlsList *list, const RelayHlsSegment *segment, GError **error)
{
  if (!relay_disk_check (&list->mount, list->path, error))
    return FALSE;
  if (!list->read)
    open_list (list, segment->time / G_USEC_PER_SEC);
  /* after a fault, what is there may be something else */
  list->read = add (list, segment, error);
  return list->read;
}
