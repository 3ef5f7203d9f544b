/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "relaychild.h"
#include "relaylog.h"
#include "relaypicture.h"
#include "relayrepeats.h"

#define TICK 1 /* s */
/* A process that has not answered after this time is killed, µs. GStreamer may have to scan all
 * plugins first. */
#define START_LIMIT (30 * G_USEC_PER_SEC)
/* A process that has made no picture after this time from the first byte is killed; it gives up by
 * itself after 10 s. */
#define WANT_LIMIT (12 * G_USEC_PER_SEC)
#define REST_LIMIT (10 * G_USEC_PER_SEC) /* beyond the interval */
/* A process that ends sooner than this counts as failed, even if it ends in order. */
#define LASTED (30 * G_USEC_PER_SEC)
#define PAUSE_FIRST 1 /* s */
#define PAUSE_MAX 64
/* So many pictures may come after less than half of the interval, as frames that a process wrote
 * while the relay was held up are read all at once. */
#define HASTE 4
#define ALL_DARK 0.98   /* share of the samples, as ffmpeg's blackdetect has it */
#define UNCHANGED 0.001 /* of a sample's range, as ffmpeg's freezedetect has it */
#define SILENCE (-6000) /* 1/100 dBFS: speech and music are above this, also in their pauses */

typedef enum
{
  NONE,
  STARTING,
  WANTING,
  RESTING,
} State;

struct _RelayPicture
{
  gchar *name;
  RelayStreamTap *tap;
  GMutex lock;             /* guards the next two, which other threads read */
  guint interval;          /* s; 0: off */
  RelayPictureStats stats; /* of the last picture */
  /* the rest is used in the main context only */
  GstPad *pad; /* NULL: nothing flows */
  State state;
  gint64 since, begun; /* when the state began, and the process: g_get_monotonic_time, µs */
  gint64 due;          /* when the process may next ask for data, except for HASTE, µs */
  RelayChild *child;
  guint timer;
  gboolean pictured; /* a picture has come since the process last asked for data */
  gint64 not_before; /* when the process may be started again, µs */
  guint pause;       /* the last delay before a restart, s; 0: none since a picture came */
  RelayRepeats *repeats;
};

static void
set_state (RelayPicture *p, State state)
{
  p->state = state;
  p->since = g_get_monotonic_time ();
}

/* Of the picture, nothing is known now.  Under the lock. */
static void
forget_look (RelayPicture *p)
{
  p->stats.dark = p->stats.change = NAN;
}

/* Takes @error. */
static void
set_error (RelayPicture *p, gchar *error)
{
  g_mutex_lock (&p->lock);
  forget_look (p);
  g_free (p->stats.error);
  p->stats.error = error;
  g_mutex_unlock (&p->lock);
}

/* --- its end -------------------------------------------------------------------------------- */

static void
kill_it (RelayPicture *p)
{
  relay_child_kill (p->child);
  set_state (p, NONE);
}

/* The process has failed: kills it, and plans a restart. Takes @why. */
static void
fail (RelayPicture *p, gchar *why)
{
  g_autofree gchar *line = NULL;

  p->pause = p->pause == 0 ? PAUSE_FIRST : MIN (2 * p->pause, PAUSE_MAX);
  p->not_before = g_get_monotonic_time () + p->pause * G_USEC_PER_SEC;
  g_mutex_lock (&p->lock);
  p->stats.restarts++;
  p->stats.channels = 0;
  g_mutex_unlock (&p->lock);
  line =
      g_strdup_printf ("picture: %s It starts again in %u s; the stream goes on.", why, p->pause);
  relay_repeats_warn (p->repeats, p->name, NULL, line, "");
  set_error (p, why);
  kill_it (p);
}

/* Takes @why, or NULL. */
static void
on_end (gchar *why, gpointer data)
{
  RelayPicture *p = data;
  gboolean soon = g_get_monotonic_time () - p->begun < LASTED;

  set_state (p, NONE);
  if (why != NULL || soon)
    fail (p, why != NULL ? why : g_strdup ("The decoder ended with status 0."));
}

/* --- frames of the process -------------------------------------------------------------------- */

static void
take_jpeg (RelayPicture *p, const PictureFrame *frame)
{
  GBytes *jpeg = g_bytes_new (frame->data, frame->size), *old;

  g_mutex_lock (&p->lock);
  old = p->stats.jpeg;
  p->stats.jpeg = jpeg;
  p->stats.bytes = frame->size;
  picture_frame_look_at_jpeg (frame, &p->stats.width, &p->stats.height);
  p->stats.time = g_get_real_time ();
  p->stats.made++;
  g_clear_pointer (&p->stats.error, g_free);
  g_mutex_unlock (&p->lock);
  if (old != NULL)
    g_bytes_unref (old);
  p->pictured = TRUE;
  p->pause = 0;
}

static void
take_look (RelayPicture *p, const PictureFrame *frame)
{
  PictureLook look = picture_frame_get_look (frame);
  gboolean compared = look.change != PICTURE_LOOK_UNKNOWN;

  g_mutex_lock (&p->lock);
  p->stats.dark = look.dark / (gdouble) PICTURE_LOOK_WHOLE;
  p->stats.change = compared ? look.change / (gdouble) PICTURE_LOOK_WHOLE : NAN;
  p->stats.looked = g_get_monotonic_time ();
  g_mutex_unlock (&p->lock);
}

static void
take_levels (RelayPicture *p, const PictureFrame *frame)
{
  g_mutex_lock (&p->lock);
  p->stats.channels = picture_frame_get_levels (frame, p->stats.levels);
  p->stats.heard = g_get_monotonic_time ();
  g_mutex_unlock (&p->lock);
}

/* The process asks for data. FALSE: it asks too often. */
static gboolean
begin (RelayPicture *p)
{
  gint64 now = g_get_monotonic_time (), each = p->interval * G_USEC_PER_SEC / 2;

  if (p->due - now > HASTE * each)
    return FALSE;
  p->due = MAX (p->due, now) + each;
  p->pictured = FALSE;
  set_state (p, WANTING);
  relay_stream_tap_set_open (p->tap, TRUE);
  return TRUE;
}

static void
finish (RelayPicture *p)
{
  if (relay_stream_tap_is_full (p->tap) && !p->pictured)
    set_error (p, g_strdup ("The stream came faster than it was taken: this machine is busy."));
  relay_stream_tap_set_open (p->tap, FALSE);
  set_state (p, RESTING);
}

/* Handles a frame. FALSE: it is not valid here. */
static gboolean
take (const PictureFrame *frame, gpointer data)
{
  RelayPicture *p = data;

  switch (frame->type) {
    case PICTURE_WANTS:
      return begin (p);
    case PICTURE_JPEG:
      take_jpeg (p, frame);
      break;
    case PICTURE_LOOK:
      take_look (p, frame);
      break;
    case PICTURE_LEVELS:
      take_levels (p, frame);
      break;
    case PICTURE_PROBLEM:
      set_error (p, picture_frame_get_text (frame));
      break;
    case PICTURE_DONE:
      finish (p);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

/* --- its beginning ------------------------------------------------------------------------- */

static void
start (RelayPicture *p)
{
  g_autofree gchar *seconds = g_strdup_printf ("%u", p->interval);
  gchar *why = relay_child_start (p->child, seconds, picture_frames_new (PICTURE_OF_PICTURES));

  if (why != NULL) {
    fail (p, why);
    return;
  }
  p->due = 0;
  set_state (p, STARTING);
  p->begun = p->since;
}

static gboolean
is_late (const RelayPicture *p, gint64 now)
{
  gint64 begun;

  switch (p->state) {
    case STARTING:
      return now - p->since > START_LIMIT;
    case RESTING:
      return now - p->since > REST_LIMIT + p->interval * G_USEC_PER_SEC;
    case WANTING:
      begun = relay_stream_tap_get_begun (p->tap);
      return begun != 0 && now - begun > WANT_LIMIT;
    default:
      return FALSE;
  }
}

/* What was seen and heard may be long ago when the stream comes again. */
static void
forget (RelayPicture *p)
{
  g_mutex_lock (&p->lock);
  forget_look (p);
  p->stats.channels = 0;
  g_mutex_unlock (&p->lock);
}

static gboolean
look (gpointer data)
{
  RelayPicture *p = data;
  gint64 now = g_get_monotonic_time ();
  gboolean flows = relay_stream_tap_flows (p->tap);

  if (is_late (p, now))
    fail (p,
        g_strdup (
            "The decoder did not answer in time: this machine is busy, or the stream has it hang."));
  else if (p->state == NONE && flows && now >= p->not_before && relay_child_may_start (p->child))
    start (p);
  else if (p->state == WANTING && !flows && relay_stream_tap_get_begun (p->tap) == 0)
    forget (p);
  return G_SOURCE_CONTINUE;
}

/* --- the interface ----------------------------------------------------------------------------- */

static void
clear_stats (RelayPictureStats *stats)
{
  g_clear_pointer (&stats->jpeg, g_bytes_unref);
  g_clear_pointer (&stats->error, g_free);
  *stats = (RelayPictureStats) { .dark = NAN, .change = NAN };
}

RelayPicture *
relay_picture_new (const gchar *name)
{
  static const RelayChildFuncs funcs = { take, on_end };
  RelayPicture *p = g_new0 (RelayPicture, 1);

  p->name = g_strdup (name);
  p->repeats = relay_repeats_new ();
  p->tap = relay_stream_tap_new ();
  p->child = relay_child_new ("decoder", p->tap, &funcs, p);
  g_mutex_init (&p->lock);
  clear_stats (&p->stats);
  return p;
}

void
relay_picture_free (RelayPicture *p)
{
  relay_child_unref (p->child);
  relay_stream_tap_free (p->tap);
  clear_stats (&p->stats);
  gst_clear_object (&p->pad);
  g_mutex_clear (&p->lock);
  relay_repeats_free (p->repeats);
  g_free (p->name);
  g_free (p);
}

/* Taps the pad and runs the timer if there are pictures to make; stops them otherwise. */
static void
watch (RelayPicture *p)
{
  gboolean on = p->interval > 0 && p->pad != NULL;

  relay_stream_tap_set_pad (p->tap, on ? p->pad : NULL);
  if (on && p->timer == 0) {
    p->timer = g_timeout_add_seconds (TICK, look, p);
  } else if (p->interval == 0 && p->timer != 0) {
    g_source_remove (p->timer);
    p->timer = 0;
  }
}

void
relay_picture_set_interval (RelayPicture *p, guint interval)
{
  if (interval == p->interval)
    return;
  kill_it (p);
  p->not_before = 0;
  p->pause = 0;
  g_mutex_lock (&p->lock);
  p->interval = interval;
  if (interval == 0)
    clear_stats (&p->stats);
  g_mutex_unlock (&p->lock);
  watch (p);
}

void
relay_picture_follow (RelayPicture *p, GstPad *pad)
{
  gst_object_replace ((GstObject **) &p->pad, (GstObject *) pad);
  watch (p);
}

void
relay_picture_end (RelayPicture *p)
{
  kill_it (p);
  if (p->timer != 0)
    g_source_remove (p->timer);
  p->timer = 0;
}

RelayPictureStats *
relay_picture_get_stats (RelayPicture *p)
{
  RelayPictureStats *stats = NULL;

  g_mutex_lock (&p->lock);
  if (p->interval > 0) {
    stats = g_memdup2 (&p->stats, sizeof p->stats);
    stats->interval = p->interval;
    stats->error = g_strdup (p->stats.error);
    if (stats->jpeg != NULL)
      g_bytes_ref (stats->jpeg);
  }
  g_mutex_unlock (&p->lock);
  return stats;
}

void
relay_picture_stats_free (RelayPictureStats *stats)
{
  if (stats == NULL)
    return;
  clear_stats (stats);
  g_free (stats);
}

/* --- what is wrong with it --------------------------------------------------------------------- */

static RelayAnswer
is_above (gdouble value, gdouble limit)
{
  return isnan (value) ? RELAY_UNKNOWN : value > limit ? RELAY_YES : RELAY_NO;
}

RelayAnswer
relay_picture_is_black (const RelayPictureStats *stats)
{
  return stats != NULL ? is_above (stats->dark, ALL_DARK) : RELAY_UNKNOWN;
}

RelayAnswer
relay_picture_is_frozen (const RelayPictureStats *stats)
{
  return stats != NULL ? is_above (-stats->change, -UNCHANGED) : RELAY_UNKNOWN;
}

RelayAnswer
relay_picture_is_silent (const RelayPictureStats *stats)
{
  if (stats == NULL || stats->channels == 0)
    return RELAY_UNKNOWN;
  for (guint i = 0; i < stats->channels; i++)
    if (stats->levels[i].rms >= SILENCE)
      return RELAY_NO;
  return RELAY_YES;
}
