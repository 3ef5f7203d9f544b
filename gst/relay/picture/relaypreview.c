/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaypreview.h"
#include "relaychild.h"
#include "relaylog.h"
#include "relayrepeats.h"

#define KEEP (8 * 1024 * 1024) /* bytes of a stream's preview: 3 s at 20 Mbit/s */
/* A viewer that takes longer for a piece is dropped, µs; libmicrohttpd closes it after 5 s. */
#define LATE (3 * G_USEC_PER_SEC)
#define TICK 1 /* s */
/* Bytes of MP4 in a tick, with RELAY_FEED_PIECE for each piece: no stream is so fast. */
#define TOLD_MAX (64 * 1024 * 1024)
#define UNWATCHED 2                      /* ticks without a viewer after which the process ends */
#define START_PAUSE (2 * G_USEC_PER_SEC) /* between two starts, µs */
/* After so long without a frame the stream does not flow, or the process hangs, µs. */
#define SILENT_LIMIT (15 * G_USEC_PER_SEC)

#define OFF_TEXT \
  "This stream has no preview: write preview-viewers = 4 into its section of the configuration."
#define FULL_TEXT \
  "As many watch this stream as may: preview-viewers in its section of the configuration."
#define BUSY_TEXT "There was no preview in time: this machine is busy."
#define STILL_TEXT "The stream does not flow: its input is not connected, or sends nothing."

typedef enum
{
  NONE,
  STARTING,
  SHOWING,
} State;

typedef struct
{
  RelayPreviewFunc func;
  gboolean (*waits) (gpointer data);
  gpointer data;
} Ask;

struct _RelayPreview
{
  gchar *name;
  GMutex lock; /* guards the next three, which other threads read */
  guint viewers;
  guint64 dropped; /* of feeds that have ended */
  RelayFeed *feed; /* NULL: nothing is shown */
  /* the rest is used in the main context only */
  GstPad *pad; /* NULL: nothing flows */
  RelayStreamTap *tap;
  RelayChild *child;
  State state;
  GQueue asks; /* Ask */
  gchar *media;
  gint64 not_before; /* when it may start, g_get_monotonic_time, µs */
  gint64 heard;      /* when a frame came, it was started, or the first viewer asked, µs */
  guint timer, unwatched;
  gsize told; /* bytes since the last tick */
  RelayRepeats *repeats;
};

/* --- answers ------------------------------------------------------------------------------- */

static void
answer_all (RelayPreview *p, RelayPreviewResult result, const gchar *why)
{
  RelayPreviewAnswer all = { result, why };
  GQueue asks = p->asks;

  if (result == RELAY_PREVIEW_SHOWS)
    all = (RelayPreviewAnswer) { result, NULL, p->feed, p->media };
  /* an answer may lead to the next question */
  g_queue_init (&p->asks);
  while (!g_queue_is_empty (&asks)) {
    g_autofree Ask *ask = g_queue_pop_head (&asks);

    ask->func (&all, ask->data);
  }
}

/* A viewer that has gone gives its place up. */
static void
drop_gone (RelayPreview *p)
{
  static const RelayPreviewAnswer none = { RELAY_PREVIEW_LATER, "It has gone." };

  for (GList *l = p->asks.head, *next; l != NULL; l = next) {
    g_autofree Ask *ask = l->data;

    next = l->next;
    if (ask->waits (ask->data)) {
      g_steal_pointer (&ask);
      continue;
    }
    g_queue_delete_link (&p->asks, l);
    ask->func (&none, ask->data);
  }
}

/* --- its end ------------------------------------------------------------------------------- */

/* Ends the process, and what viewers get. */
static void
stop (RelayPreview *p)
{
  RelayFeed *feed;

  relay_child_kill (p->child);
  relay_stream_tap_set_pad (p->tap, NULL);
  p->state = NONE;
  g_mutex_lock (&p->lock);
  feed = g_steal_pointer (&p->feed);
  if (feed != NULL)
    p->dropped += relay_feed_get_dropped (feed);
  g_mutex_unlock (&p->lock);
  g_clear_pointer (&p->media, g_free);
  if (feed == NULL)
    return;
  relay_feed_end (feed);
  relay_feed_unref (feed);
}

static void
fail (RelayPreview *p, RelayPreviewResult result, const gchar *why)
{
  stop (p);
  answer_all (p, result, why);
}

static void
log_failure (RelayPreview *p, const gchar *why)
{
  g_autofree gchar *what = g_strconcat ("preview: ", why, NULL);

  relay_repeats_warn (p->repeats, p->name, NULL, what, " The stream goes on.");
}

/* The process has ended by itself: takes @why, or NULL. */
static void
on_end (gchar *why, gpointer data)
{
  RelayPreview *p = data;

  if (why != NULL)
    log_failure (p, why);
  fail (p, RELAY_PREVIEW_LATER, why != NULL ? why : "The stream has changed: ask again.");
  g_free (why);
}

/* --- the process ---------------------------------------------------------------------------- */

static void
show (RelayPreview *p, const PictureFrame *frame)
{
  GBytes *head = g_bytes_new (frame->data, frame->size);

  g_mutex_lock (&p->lock);
  p->feed = relay_feed_new_of_all (head, p->viewers, KEEP, LATE);
  g_mutex_unlock (&p->lock);
  p->state = SHOWING;
  p->unwatched = 0;
  answer_all (p, RELAY_PREVIEW_SHOWS, NULL);
}

static gboolean
take (const PictureFrame *frame, gpointer data)
{
  RelayPreview *p = data;
  g_autofree gchar *text = NULL;

  p->heard = g_get_monotonic_time ();
  switch (frame->type) {
    case PICTURE_MEDIA:
      p->media = picture_frame_get_text (frame);
      break;
    case PICTURE_INIT:
      show (p, frame);
      break;
    case PICTURE_KEY:
    case PICTURE_PIECE:
      p->told += frame->size + RELAY_FEED_PIECE;
      relay_feed_publish (p->feed, g_bytes_new (frame->data, frame->size),
          frame->type == PICTURE_KEY, p->heard);
      break;
    case PICTURE_PROBLEM:
      text = picture_frame_get_text (frame);
      fail (p, RELAY_PREVIEW_CANNOT, text);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

/* Starts the process, unless that has to wait. */
static void
start (RelayPreview *p, gint64 now)
{
  g_autofree gchar *why = NULL;

  if (p->state != NONE || now < p->not_before || !relay_child_may_start (p->child))
    return;
  p->not_before = now + START_PAUSE;
  why = relay_child_start (p->child, "preview", picture_frames_new (PICTURE_OF_PREVIEW));
  if (why != NULL) {
    log_failure (p, why);
    answer_all (p, RELAY_PREVIEW_LATER, why);
    return;
  }
  p->heard = now;
  p->state = STARTING;
  relay_stream_tap_set_pad (p->tap, p->pad);
  relay_stream_tap_set_open (p->tap, TRUE);
}

static gboolean
is_watched (RelayPreview *p)
{
  if (p->asks.length > 0 || (p->feed != NULL && relay_feed_count (p->feed) > 0))
    p->unwatched = 0;
  else
    p->unwatched++;
  return p->unwatched < UNWATCHED;
}

static gboolean
look (gpointer data)
{
  RelayPreview *p = data;
  gint64 now = g_get_monotonic_time ();

  if (p->told > TOLD_MAX) {
    relay_child_kill (p->child);
    on_end (g_strdup ("The process of the preview said more than it should."), p);
  }
  p->told = 0;
  drop_gone (p);
  if (p->state != NONE && relay_stream_tap_is_full (p->tap))
    fail (p, RELAY_PREVIEW_LATER,
        "The stream came faster than it was taken: this machine is busy.");
  else if (now - p->heard > SILENT_LIMIT)
    fail (p, RELAY_PREVIEW_LATER,
        p->state == STARTING && relay_stream_tap_get_begun (p->tap) != 0 ? BUSY_TEXT : STILL_TEXT);
  else if (!is_watched (p))
    stop (p);
  if (p->asks.length > 0)
    start (p, now);
  if (p->state != NONE || p->asks.length > 0)
    return G_SOURCE_CONTINUE;
  p->timer = 0;
  return G_SOURCE_REMOVE;
}

/* --- the interface --------------------------------------------------------------------------- */

RelayPreview *
relay_preview_new (const gchar *name)
{
  static const RelayChildFuncs funcs = { take, on_end };
  RelayPreview *p = g_new0 (RelayPreview, 1);

  p->name = g_strdup (name);
  p->tap = relay_stream_tap_new ();
  p->child = relay_child_new ("process of the preview", p->tap, &funcs, p);
  p->repeats = relay_repeats_new ();
  g_mutex_init (&p->lock);
  return p;
}

void
relay_preview_free (RelayPreview *p)
{
  relay_child_unref (p->child);
  relay_stream_tap_free (p->tap);
  gst_clear_object (&p->pad);
  g_mutex_clear (&p->lock);
  relay_repeats_free (p->repeats);
  g_free (p->name);
  g_free (p);
}

void
relay_preview_set_viewers (RelayPreview *p, guint viewers)
{
  if (viewers == p->viewers)
    return;
  g_mutex_lock (&p->lock);
  p->viewers = viewers;
  g_mutex_unlock (&p->lock);
  if (viewers == 0)
    fail (p, RELAY_PREVIEW_OFF, OFF_TEXT);
  else
    fail (p, RELAY_PREVIEW_LATER, "preview-viewers has changed: ask again.");
}

void
relay_preview_follow (RelayPreview *p, GstPad *pad)
{
  gst_object_replace ((GstObject **) &p->pad, (GstObject *) pad);
  if (pad == NULL)
    fail (p, RELAY_PREVIEW_LATER, STILL_TEXT);
}

void
relay_preview_end (RelayPreview *p)
{
  relay_preview_follow (p, NULL);
  if (p->timer != 0)
    g_source_remove (p->timer);
  p->timer = 0;
}

/* May one more viewer watch? RELAY_PREVIEW_SHOWS: yes. */
static RelayPreviewAnswer
admit (RelayPreview *p)
{
  RelayPreviewStats stats = relay_preview_get_stats (p);

  drop_gone (p);
  if (stats.viewers == 0)
    return (RelayPreviewAnswer) { RELAY_PREVIEW_OFF, OFF_TEXT };
  if (p->pad == NULL)
    return (RelayPreviewAnswer) { RELAY_PREVIEW_LATER, STILL_TEXT };
  if (stats.watching + p->asks.length >= stats.viewers)
    return (RelayPreviewAnswer) { RELAY_PREVIEW_FULL, FULL_TEXT };
  return (RelayPreviewAnswer) { RELAY_PREVIEW_SHOWS };
}

void
relay_preview_ask (RelayPreview *p, RelayPreviewFunc func, gboolean (*waits) (gpointer data),
    gpointer data)
{
  RelayPreviewAnswer admitted = admit (p);
  gint64 now = g_get_monotonic_time ();
  Ask *ask;

  if (admitted.result != RELAY_PREVIEW_SHOWS) {
    func (&admitted, data);
    return;
  }
  ask = g_new (Ask, 1);
  *ask = (Ask) { func, waits, data };
  g_queue_push_tail (&p->asks, ask);
  if (p->timer == 0) {
    p->timer = g_timeout_add_seconds (TICK, look, p);
    p->heard = now;
  }
  if (p->state == SHOWING)
    answer_all (p, RELAY_PREVIEW_SHOWS, NULL);
  else
    start (p, now);
}

RelayPreviewStats
relay_preview_get_stats (RelayPreview *p)
{
  RelayPreviewStats stats;

  g_mutex_lock (&p->lock);
  stats = (RelayPreviewStats) { p->viewers, 0, p->dropped };
  if (p->feed != NULL) {
    stats.watching = relay_feed_count (p->feed);
    stats.dropped += relay_feed_get_dropped (p->feed);
  }
  g_mutex_unlock (&p->lock);
  return stats;
}
