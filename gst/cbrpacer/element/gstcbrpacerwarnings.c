/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages to the application: a changed latency; and warnings if the stream is too fast, so that
 * data was dropped or a live source is held up.
 */
#include "gstcbrpacer.h"

/* A live source is too fast if it waits for room, and the queue never falls below HELD_SHARE of its
 * highest level, in HELD_LOOKS looks in a row. */
#define HELD_LOOK ((gint64) GST_SECOND)
#define HELD_SHARE .5
#define HELD_LOOKS 3
#define HELD_AGAIN (10 * HELD_LOOK)
/* If the schedule falls behind by more than this share of the time, the elements behind are too
 * slow. */
#define SLOW_SHARE .02
/* Below this, bitrate may have been meant in another unit, bit/s. */
#define LOW_RATE 100000

/* Are the elements behind too slow, rather than the source too fast? */
static gboolean
is_slow_behind (GstCbrPacer *self)
{
  gint64 now = gst_cbr_pacer_read_clock (self);

  return cbr_departure_get_lag (&self->departure, now) - self->warned.lag_before
      > SLOW_SHARE * (now - self->warned.looked_before);
}

/* Advises to raise bitrate. A low rate may have been meant in kbit/s, as x264enc's is. */
static gchar *
advise_rate (GstCbrPacer *self)
{
  guint64 rate = self->settings.bitrate;

  if (rate == 0 || rate >= LOW_RATE)
    return g_strdup ("Raise bitrate");
  return g_strdup_printf ("Raise bitrate (it is in bit/s: %" G_GUINT64_FORMAT
                          " kbit/s are bitrate=%" G_GUINT64_FORMAT ")",
      rate, rate * 1000);
}

void
gst_cbr_pacer_post_latency (GstCbrPacer *self)
{
  if (!GST_CLOCK_TIME_IS_VALID (self->latency) || self->latency == gst_cbr_pacer_get_latency (self))
    return;
  /* the message makes the pipeline ask for it again */
  self->latency = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&self->lock);
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  g_mutex_lock (&self->lock);
}

void
gst_cbr_pacer_warn_of_dropped (GstCbrPacer *self)
{
  gint64 now = g_get_monotonic_time ();
  guint64 dropped = self->warned.dropped;
  g_autofree gchar *raise = NULL;
  gboolean slow;

  if (dropped == 0 || now - self->warned.dropped_at < G_TIME_SPAN_SECOND)
    return;
  self->warned.dropped_at = now;
  self->warned.dropped = 0;
  slow = is_slow_behind (self);
  raise = advise_rate (self);
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING_WITH_DETAILS (self, STREAM, FAILED,
      ("Dropped %" G_GUINT64_FORMAT
       " bytes: the stream is faster than %s. %s%s, or lower the encoder's rate.",
          dropped, slow ? "the elements behind take it" : "bitrate",
          slow ? "Set sync=false at the sink, look at its network" : raise,
          slow ? "" : " or max-delay"),
      (NULL), ("bytes", G_TYPE_UINT64, dropped, NULL));
  g_mutex_lock (&self->lock);
}

void
gst_cbr_pacer_warn_of_held (GstCbrPacer *self)
{
  gint64 now = gst_cbr_pacer_read_clock (self);
  g_autofree gchar *raise = NULL;
  gboolean full, slow;

  if (now - self->warned.looked < HELD_LOOK)
    return;
  full = self->warned.held && self->warned.least >= HELD_SHARE * self->warned.most;
  slow = is_slow_behind (self);
  self->warned.looks = full ? self->warned.looks + 1 : 0;
  self->warned.looked_before = self->warned.looked > 0 ? self->warned.looked : now;
  self->warned.lag_before = self->warned.lag;
  self->warned.looked = now;
  self->warned.lag = cbr_departure_get_lag (&self->departure, now);
  self->warned.held = FALSE;
  self->warned.least = G_MAXSIZE;
  self->warned.most = 0;
  if (self->warned.looks < HELD_LOOKS
      || (self->warned.held_at > 0 && now - self->warned.held_at < HELD_AGAIN))
    return;
  if (!self->input.live_known)
    gst_cbr_pacer_ask_if_live (self);
  if (!self->input.live)
    return;
  self->warned.held_at = now;
  raise = advise_rate (self);
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("%s: its live source is held up, and the delay keeps growing. %s, "
       "lower the encoder's rate, or set overflow=drop-oldest.",
          slow ? "The stream is faster than the elements behind take it" :
                 "The stream is faster than bitrate",
          slow ? "Set sync=false at the sink, look at its network" : raise),
      (NULL));
  g_mutex_lock (&self->lock);
}
