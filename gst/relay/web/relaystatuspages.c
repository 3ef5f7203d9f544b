/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaystatuspages.h"
#include <string.h>
#include "relayevents.h"
#include "relayeventstream.h"
#include "relaypage.h"
#include "relaysummary.h"

/* Statistics are served for so long after they were taken, and a text after it was made, µs. Taking
 * and making them may itself last longer. */
#define FRESH (100 * 1000)
#define PARTS 6 /* of a path, at most */
#define JSON "application/json"
/* Of bytes that come from a program that reads a stranger's stream: a browser that takes them for a
 * document runs no script of it (Content Security Policy, W3C). */
#define NO_DOCUMENT "sandbox; default-src 'none'"

typedef struct
{
  GBytes *bytes;
  gint64 made; /* g_get_monotonic_time, µs */
} Text;

struct _RelayStatusPages
{
  RelayStats *(*take) (gpointer data);
  gpointer data;
  RelayEvents *events; /* has a lock of its own, as has the event stream */
  RelayEventStream *event_stream;
  RelayPageText text;
  GMutex lock; /* guards the rest, as two servers run while one replaces the other */
  RelayStats *stats;
  gint64 stats_time; /* when the statistics were taken: g_get_monotonic_time, µs */
  GHashTable *texts; /* Text, made from statistics, by path */
  gint64 utc;        /* added to monotonic times, µs */
  RelayHistory *history;
};

/* Returns the difference between the machine's clock and the monotonic one, in which times are
 * kept. When the clock is set by more than a second, all displayed times move with it. Smaller
 * differences are ignored, so that a time is displayed the same each time.  Under the lock. */
static gint64
get_utc (RelayStatusPages *pages)
{
  gint64 utc = g_get_real_time () - g_get_monotonic_time ();

  if (ABS (utc - pages->utc) > G_USEC_PER_SEC)
    pages->utc = utc;
  return pages->utc;
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
get_stats (RelayStatusPages *pages)
{
  gint64 now = g_get_monotonic_time ();

  if (pages->stats == NULL || now - pages->stats_time >= FRESH) {
    g_clear_pointer (&pages->stats, relay_stats_free);
    g_hash_table_foreach_remove (pages->texts, is_old, &now);
    pages->stats = pages->take (pages->data);
    relay_history_report (pages->history, pages->stats);
    pages->stats_time = g_get_monotonic_time ();
  }
  return pages->stats;
}

/* All requests for a page get the same text while it is fresh.  FALSE: the text has to be made.
 * With the lock held, as the next function. */
static gboolean
take_text (RelayStatusPages *pages, const gchar *what, RelayPage *page)
{
  gint64 now = g_get_monotonic_time ();
  Text *text = g_hash_table_lookup (pages->texts, what);

  if (text == NULL || is_old (NULL, text, &now))
    return FALSE;
  page->bytes = g_bytes_ref (text->bytes);
  return TRUE;
}

static void
keep_text (RelayStatusPages *pages, const gchar *what, RelayPage *page)
{
  gsize size = strlen (page->text);
  Text *text = g_new (Text, 1);

  page->bytes = g_bytes_new_take (g_steal_pointer (&page->text), size);
  text->bytes = g_bytes_ref (page->bytes);
  text->made = g_get_monotonic_time ();
  g_hash_table_replace (pages->texts, g_strdup (what), text);
}

static void
note_alarm (const gchar *stream, const gchar *alarm, gboolean raised, const gchar *text,
    gpointer data)
{
  g_autoptr (GstStructure) details =
      gst_structure_new (raised ? RELAY_EVENTS_RAISED : RELAY_EVENTS_CLEARED, "alarm",
          G_TYPE_STRING, alarm, NULL);

  relay_status_pages_note (stream, NULL, G_LOG_LEVEL_MESSAGE, details, text, data);
}

/* Makes an event with the summary. Runs in the event stream's thread. @heard: a client listens. */
static gchar *
make_frame (gboolean heard, gpointer data)
{
  RelayStatusPages *pages = data;
  g_autofree gchar *json = NULL;
  const RelayStats *stats;

  g_mutex_lock (&pages->lock);
  stats = get_stats (pages);
  relay_history_note (pages->history, pages->stats_time, get_utc (pages), stats);
  relay_history_tell_alarms (pages->history, pages->stats_time, stats, note_alarm, pages);
  if (heard)
    json = relay_summary_to_json (stats, pages->history, relay_events_get_last (pages->events),
        g_get_monotonic_time (), get_utc (pages));
  g_mutex_unlock (&pages->lock);
  return heard ? g_strconcat ("data: ", json, "\n\n", NULL) : NULL;
}

RelayStatusPages *
relay_status_pages_new (RelayStats *(*take) (gpointer data), RelayEventFunc told, gpointer data)
{
  RelayStatusPages *pages = g_new0 (RelayStatusPages, 1);

  pages->take = take;
  pages->data = data;
  pages->events = relay_events_new ();
  relay_events_watch (pages->events, told, data);
  pages->history = relay_history_new ();
  pages->texts =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) free_text);
  relay_page_text_init (&pages->text);
  g_mutex_init (&pages->lock);
  pages->event_stream = relay_event_stream_new (make_frame, pages);
  return pages;
}

gboolean
relay_status_pages_begin (RelayStatusPages *pages, GError **error)
{
  return relay_event_stream_begin (pages->event_stream, error);
}

void
relay_status_pages_free (RelayStatusPages *pages)
{
  relay_event_stream_free (pages->event_stream);
  g_clear_pointer (&pages->stats, relay_stats_free);
  g_hash_table_unref (pages->texts);
  relay_history_free (pages->history);
  relay_events_free (pages->events);
  relay_page_text_clear (&pages->text);
  g_mutex_clear (&pages->lock);
  g_free (pages);
}

void
relay_status_pages_keep_history (RelayStatusPages *pages, const gchar *path)
{
  g_mutex_lock (&pages->lock);
  relay_history_set_file (pages->history, path);
  g_mutex_unlock (&pages->lock);
}

void
relay_status_pages_note (const gchar *stream, const gchar *end, GLogLevelFlags level,
    const GstStructure *details, const gchar *text, gpointer data)
{
  RelayStatusPages *pages = data;

  relay_events_add (pages->events, g_get_monotonic_time (), stream, end, level, details, text);
}

/* --- pages of one stream ------------------------------------------------------------------ */

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

/* Splits a path into decoded parts, without @suffix. NULL: it is not below /streams/, or has
 * another suffix. */
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

/* Makes the text of a page below /streams/.  NULL: there is no such page. */
static gchar *
make_part (RelayStatusPages *pages, gchar **parts)
{
  guint n = g_strv_length (parts);
  const RelayStreamStats *stream = n >= 3 ? find_stream (get_stats (pages), parts[1]) : NULL;
  const RelayEndStats *output;
  RelayHistoryRange range;
  RelayRates rates;

  if (stream == NULL)
    return NULL;
  if (n == 4 && g_str_equal (parts[2], "history") && relay_history_find_range (parts[3], &range))
    return relay_history_to_json (pages->history, parts[1], range, get_utc (pages));
  if (n < 5 || n > PARTS || !g_str_equal (parts[2], "outputs")
      || !g_str_equal (parts[4], "receivers"))
    return NULL;
  output = find_output (stream, parts[3]);
  if (output == NULL)
    return NULL;
  rates = relay_history_get_rates (pages->history, parts[1]);
  return n == 5 ? relay_summary_list_receivers (output, rates) :
                  relay_summary_describe_receiver (output, rates, parts[5]);
}

static gboolean
answer_part (RelayStatusPages *pages, const gchar *path, RelayPage *page)
{
  g_auto (GStrv) parts = split (path, ".json");
  /* decoded, so that two spellings of a path share one text */
  g_autofree gchar *what = parts != NULL ? g_strjoinv ("\n", parts) : NULL;

  if (what == NULL)
    return FALSE;
  if (!take_text (pages, what, page)) {
    page->text = make_part (pages, parts);
    if (page->text == NULL)
      return FALSE;
    if (g_strv_length (parts) < PARTS)
      keep_text (pages, what, page);
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
  }
}

/* Returns the stream that a path /streams/STREAM/NAME names; NULL: it is another path. */
static gchar *
get_stream (const gchar *path, const gchar *name, const gchar *suffix)
{
  g_auto (GStrv) parts = split (path, suffix);
  gboolean good = parts != NULL && g_strv_length (parts) == 3 && g_str_equal (parts[2], name);

  return good ? g_strdup (parts[1]) : NULL;
}

static gboolean
show_picture (RelayStatusPages *pages, const gchar *path, RelayPage *page)
{
  g_autofree gchar *name = get_stream (path, "picture", ".jpg");

  if (name != NULL)
    fill_picture (find_stream (get_stats (pages), name), page);
  return name != NULL;
}

gchar *
relay_status_pages_get_preview (const gchar *path)
{
  return get_stream (path, "preview", ".mp4");
}

/* The main context answers, which has the streams. */
static gboolean
show_preview (RelayStatusPages *pages, const gchar *path, RelayPage *page)
{
  g_autofree gchar *name = relay_status_pages_get_preview (path);

  if (name == NULL)
    return FALSE;
  page->type = "video/mp4";
  page->text = g_strdup ("");
  page->by_main_context = TRUE;
  return TRUE;
}

void
relay_status_pages_answer_preview (const RelayPreviewAnswer *answer, gpointer request)
{
  static const guint statuses[] = { [RELAY_PREVIEW_SHOWS] = 200,
    [RELAY_PREVIEW_OFF] = 404,
    [RELAY_PREVIEW_FULL] = 503,
    [RELAY_PREVIEW_LATER] = 503,
    [RELAY_PREVIEW_CANNOT] = 415 };
  RelayPage page = { statuses[answer->result], "text/plain; charset=utf-8" };

  page.feed = answer->feed != NULL ? relay_feed_ref (answer->feed) : NULL;
  page.policy = NO_DOCUMENT;
  page.media = g_strdup (answer->media);
  page.text = answer->why != NULL ? g_strconcat (answer->why, "\n", NULL) : g_strdup ("");
  relay_request_answer (request, &page);
}

/* --- pages of the relay ---------------------------------------------------------------------------- */

static void
show_status (RelayStatusPages *pages, RelayPage *page)
{
  page->text = relay_status_to_json (get_stats (pages));
}

static void
show_metrics (RelayStatusPages *pages, RelayPage *page)
{
  page->text = relay_status_to_metrics (get_stats (pages));
}

static void
answer_probe (RelayPage *page, gboolean good)
{
  page->status = good ? 200 : 503;
  page->text = g_strdup (good ? "yes\n" : "no\n");
}

static void
show_health (RelayStatusPages *pages, RelayPage *page)
{
  answer_probe (page, get_stats (pages)->alive);
}

static void
show_readiness (RelayStatusPages *pages, RelayPage *page)
{
  answer_probe (page, relay_stats_is_ready (get_stats (pages)));
}

static void
show_page (RelayStatusPages *pages, RelayPage *page)
{
  page->type = "text/html; charset=utf-8";
  page->policy = pages->text.policy;
  page->text = g_strdup (pages->text.html);
}

static void
show_event_stream (RelayStatusPages *pages, RelayPage *page)
{
  page->type = "text/event-stream";
  page->feed = relay_feed_ref (relay_event_stream_get_feed (pages->event_stream));
  page->text = g_strdup ("");
}

static void
show_happened (RelayStatusPages *pages, RelayPage *page)
{
  page->text = relay_events_to_json (pages->events, get_utc (pages));
}

gboolean
relay_status_pages_answer (RelayStatusPages *pages, const gchar *path, RelayPage *page)
{
  static const struct
  {
    const gchar *path;
    void (*show) (RelayStatusPages *pages, RelayPage *page);
    const gchar *type; /* of a text that is made of the statistics */
  } rows[] = {
    { "/", show_page },
    { "/events", show_event_stream },
    { "/happened.json", show_happened, JSON },
    { "/status.json", show_status, JSON },
    { RELAY_HTTP_METRICS, show_metrics, RELAY_METRICS_TYPE },
    { "/healthz", show_health },
    { "/readyz", show_readiness },
  };
  gboolean found = FALSE;

  g_mutex_lock (&pages->lock);
  for (guint i = 0; i < G_N_ELEMENTS (rows) && !found; i++) {
    gboolean kept = rows[i].type != NULL;

    found = g_str_equal (path, rows[i].path);
    if (found && kept)
      page->type = rows[i].type;
    if (!found || (kept && take_text (pages, path, page)))
      continue;
    rows[i].show (pages, page);
    if (kept)
      keep_text (pages, path, page);
  }
  if (!found)
    found = show_picture (pages, path, page) || show_preview (pages, path, page)
        || answer_part (pages, path, page);
  g_mutex_unlock (&pages->lock);
  return found;
}
