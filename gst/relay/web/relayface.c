/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayface.h"
#include <string.h>
#include "relayevents.h"
#include "relaypage.h"
#include "relaysummary.h"

#define FRESH \
  (100 * 1000)  /* how long statistics are served once they are taken, and a text once it \
                   is made, µs: both may take longer than that */
#define PARTS 6 /* of a path, at most */
#define JSON "application/json"

typedef struct
{
  GBytes *bytes;
  gint64 made; /* g_get_monotonic_time, µs */
} Text;

struct _RelayFace
{
  RelayStats *(*take) (gpointer data);
  gpointer data;
  RelayEvents *events; /* has a lock of its own, as the feed */
  RelayFeed *feed;
  RelayPageText text;
  GMutex lock; /* guards the rest: while a server replaces another, there are two */
  RelayStats *stats;
  gint64 stats_time; /* when they had been taken */
  GHashTable *texts; /* Text that was made of statistics, by what was asked for */
  gint64 utc;        /* what is added to monotonic times, µs */
  RelayHistory *history;
};

/* Times are kept by the monotonic clock, and shown by the clock of the machine as it is now: when
 * that is set, all move with it, and what has passed between them stays.  It is not followed more
 * closely, so that a time does not change by a rounding.  Under the lock. */
static gint64
get_utc (RelayFace *face)
{
  gint64 utc = g_get_real_time () - g_get_monotonic_time ();

  if (ABS (utc - face->utc) > G_USEC_PER_SEC)
    face->utc = utc;
  return face->utc;
}

static void
free_text (Text *text)
{
  g_bytes_unref (text->bytes);
  g_free (text);
}

static gboolean
is_old (gpointer what, gpointer text, gpointer now)
{
  return *(gint64 *) now - ((Text *) text)->made >= FRESH;
}

/* Under the lock. */
static const RelayStats *
get_stats (RelayFace *face)
{
  gint64 now = g_get_monotonic_time ();

  if (face->stats == NULL || now - face->stats_time >= FRESH) {
    g_clear_pointer (&face->stats, relay_stats_free);
    g_hash_table_foreach_remove (face->texts, is_old, &now);
    face->stats = face->take (face->data);
    face->stats_time = g_get_monotonic_time ();
  }
  return face->stats;
}

/* All requests for a page get the same text while it is fresh.  FALSE: the text has to be made.
 * Under the lock, as the next. */
static gboolean
take_text (RelayFace *face, const gchar *what, RelayPage *page)
{
  gint64 now = g_get_monotonic_time ();
  Text *text = g_hash_table_lookup (face->texts, what);

  if (text == NULL || is_old (NULL, text, &now))
    return FALSE;
  page->bytes = g_bytes_ref (text->bytes);
  return TRUE;
}

static void
keep_text (RelayFace *face, const gchar *what, RelayPage *page)
{
  gsize size = strlen (page->text);
  Text *text = g_new (Text, 1);

  page->bytes = g_bytes_new_take (g_steal_pointer (&page->text), size);
  text->bytes = g_bytes_ref (page->bytes);
  text->made = g_get_monotonic_time ();
  g_hash_table_replace (face->texts, g_strdup (what), text);
}

/* In the feed's thread. */
static gchar *
make_frame (gboolean heard, gpointer data)
{
  RelayFace *face = data;
  g_autofree gchar *json = NULL;
  const RelayStats *stats;

  g_mutex_lock (&face->lock);
  stats = get_stats (face);
  relay_history_note (face->history, face->stats_time, stats);
  if (heard)
    json = relay_summary_to_json (stats, face->history, relay_events_get_last (face->events),
        g_get_monotonic_time (), get_utc (face));
  g_mutex_unlock (&face->lock);
  return heard ? g_strconcat ("data: ", json, "\n\n", NULL) : NULL;
}

RelayFace *
relay_face_new (RelayStats *(*take) (gpointer data), gpointer data)
{
  RelayFace *face = g_new0 (RelayFace, 1);

  face->take = take;
  face->data = data;
  face->events = relay_events_new ();
  face->history = relay_history_new ();
  face->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) free_text);
  relay_page_text_init (&face->text);
  g_mutex_init (&face->lock);
  face->feed = relay_feed_new (make_frame, face);
  return face;
}

void
relay_face_free (RelayFace *face)
{
  relay_feed_free (face->feed);
  g_clear_pointer (&face->stats, relay_stats_free);
  g_hash_table_unref (face->texts);
  relay_history_free (face->history);
  relay_events_free (face->events);
  relay_page_text_clear (&face->text);
  g_mutex_clear (&face->lock);
  g_free (face);
}

void
relay_face_note (const gchar *stream, const gchar *end, GLogLevelFlags level,
    const GstStructure *details, const gchar *text, gpointer data)
{
  RelayFace *face = data;

  relay_events_add (face->events, g_get_monotonic_time (), stream, end, level, details, text);
}

/* --- what is asked for by name ------------------------------------------------------------ */

static const RelayStreamStats *
find_stream (const RelayStats *stats, const gchar *name)
{
  for (guint i = 0; i < stats->streams->len; i++) {
    const RelayStreamStats *s = g_ptr_array_index (stats->streams, i);

    if (g_str_equal (s->name, name))
      return s;
  }
  return NULL;
}

static const RelayEndStats *
find_output (const RelayStreamStats *stream, const gchar *id)
{
  for (guint i = 0; i < stream->outputs->len; i++) {
    const RelayEndStats *output = g_ptr_array_index (stream->outputs, i);
    g_autofree gchar *its = g_strdup_printf ("%u", output->id);

    if (g_str_equal (its, id))
      return output;
  }
  return NULL;
}

/* Cuts a path into decoded parts, without @suffix at its end. NULL: it is none of these. */
static gchar **
split (const gchar *path, const gchar *suffix)
{
  g_auto (GStrv) parts = NULL;
  g_autofree gchar *named = NULL;

  if (!g_str_has_prefix (path, "/streams/") || !g_str_has_suffix (path, suffix))
    return NULL;
  named = g_strndup (path + 1, strlen (path + 1) - strlen (suffix));
  parts = g_strsplit (named, "/", PARTS + 1);
  for (guint i = 0; parts[i] != NULL; i++) {
    gchar *plain = g_uri_unescape_string (parts[i], NULL);

    if (plain == NULL)
      return NULL;
    g_free (parts[i]);
    parts[i] = plain;
  }
  return g_steal_pointer (&parts);
}

/* NULL: there is no such thing. */
static gchar *
tell_part (RelayFace *face, gchar **parts)
{
  guint n = g_strv_length (parts);
  const RelayStreamStats *stream = n >= 3 ? find_stream (get_stats (face), parts[1]) : NULL;
  const RelayEndStats *output;
  RelayRates rates;

  if (stream == NULL)
    return NULL;
  if (n == 3 && g_str_equal (parts[2], "history"))
    return relay_history_to_json (face->history, parts[1], get_utc (face));
  if (n < 5 || n > PARTS || !g_str_equal (parts[2], "outputs")
      || !g_str_equal (parts[4], "receivers"))
    return NULL;
  output = find_output (stream, parts[3]);
  if (output == NULL)
    return NULL;
  rates = relay_history_get_rates (face->history, parts[1]);
  return n == 5 ? relay_summary_list_receivers (output, rates) :
                  relay_summary_describe_receiver (output, rates, parts[5]);
}

static gboolean
answer_part (RelayFace *face, const gchar *path, RelayPage *page)
{
  g_auto (GStrv) parts = split (path, ".json");
  /* in one form, whatever was escaped: of those that exist, there are not many */
  g_autofree gchar *what = parts != NULL ? g_strjoinv ("\n", parts) : NULL;

  if (what == NULL)
    return FALSE;
  if (!take_text (face, what, page)) {
    page->text = tell_part (face, parts);
    if (page->text == NULL)
      return FALSE;
    if (g_strv_length (parts) < PARTS)
      keep_text (face, what, page);
  }
  page->type = JSON;
  return TRUE;
}

static void
refuse (RelayPage *page, gchar *text)
{
  page->status = 404;
  page->text = text;
}

/* Makes the page picture.jpg. @stream: NULL: there is none of that name. */
static void
fill_picture (const RelayStreamStats *stream, RelayPage *page)
{
  const RelayPictureStats *stats = stream != NULL ? stream->picture : NULL;

  if (stream == NULL) {
    refuse (page, g_strdup ("There is no stream of this name: /status.json lists them.\n"));
  } else if (stats == NULL) {
    refuse (page,
        g_strdup ("This stream has no pictures: write picture-interval = 5 into its section of the "
                  "configuration.\n"));
  } else if (stats->jpeg == NULL) {
    refuse (page,
        g_strdup_printf ("There is no picture yet. %s\n",
            stats->error != NULL  ? stats->error :
                stream->receiving ? "The first is there when a key frame has come." :
                                    "The stream's input is not connected."));
  } else {
    page->type = "image/jpeg";
    page->bytes = g_bytes_ref (stats->jpeg);
    page->time = stats->time;
  }
}

static gboolean
show_picture (RelayFace *face, const gchar *path, RelayPage *page)
{
  g_auto (GStrv) parts = split (path, ".jpg");

  if (parts == NULL || g_strv_length (parts) != 3 || !g_str_equal (parts[2], "picture"))
    return FALSE;
  fill_picture (find_stream (get_stats (face), parts[1]), page);
  return TRUE;
}

/* --- the paths ---------------------------------------------------------------------------- */

static void
tell_json (RelayFace *face, RelayPage *page)
{
  page->text = relay_status_to_json (get_stats (face));
}

static void
tell_metrics (RelayFace *face, RelayPage *page)
{
  page->text = relay_status_to_metrics (get_stats (face));
}

static void
tell_truth (RelayPage *page, gboolean good)
{
  page->status = good ? 200 : 503;
  page->text = g_strdup (good ? "yes\n" : "no\n");
}

static void
tell_alive (RelayFace *face, RelayPage *page)
{
  tell_truth (page, get_stats (face)->alive);
}

static void
tell_ready (RelayFace *face, RelayPage *page)
{
  tell_truth (page, relay_stats_is_ready (get_stats (face)));
}

static void
show_page (RelayFace *face, RelayPage *page)
{
  page->type = "text/html; charset=utf-8";
  page->policy = face->text.policy;
  page->text = g_strdup (face->text.html);
}

static void
show_feed (RelayFace *face, RelayPage *page)
{
  page->type = "text/event-stream";
  page->feed = face->feed;
  page->text = g_strdup ("");
}

static void
tell_happened (RelayFace *face, RelayPage *page)
{
  page->text = relay_events_to_json (face->events, get_utc (face));
}

gboolean
relay_face_answer (RelayFace *face, const gchar *path, RelayPage *page)
{
  static const struct
  {
    const gchar *path;
    void (*tell) (RelayFace *face, RelayPage *page);
    const gchar *type; /* of a text that is made of the statistics */
  } pages[] = {
    { "/", show_page },
    { "/events", show_feed },
    { "/happened.json", tell_happened, JSON },
    { "/status.json", tell_json, JSON },
    { "/metrics", tell_metrics, RELAY_METRICS_TYPE },
    { "/healthz", tell_alive },
    { "/readyz", tell_ready },
  };
  gboolean found = FALSE;

  g_mutex_lock (&face->lock);
  for (guint i = 0; i < G_N_ELEMENTS (pages) && !found; i++) {
    found = g_str_equal (path, pages[i].path);
    if (!found)
      continue;
    if (pages[i].type != NULL)
      page->type = pages[i].type;
    if (pages[i].type != NULL && take_text (face, path, page))
      continue;
    pages[i].tell (face, page);
    if (pages[i].type != NULL)
      keep_text (face, path, page);
  }
  if (!found)
    found = show_picture (face, path, page) || answer_part (face, path, page);
  g_mutex_unlock (&face->lock);
  return found;
}
