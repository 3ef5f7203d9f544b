/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much data is queued, how fast it leaves, and whether more may come. Both
 * threads use this.
 */
#include "gstcbrpacer.h"

/* A source is too slow only if it is later than this, however short max-delay is: threads wake
 * late, and each late wake-up would make the stream slower. */
#define LATE_LEAST ((gint64) (10 * GST_MSECOND))

guint64
gst_cbr_pacer_get_wire_bytes (GstCbrPacer *self, guint64 bytes, guint64 buffers)
{
  guint payload = gst_cbr_pacer_get_payload (self);
  guint64 n = payload > 0 ? (bytes + payload - 1) / payload : buffers;

  return bytes + n * self->settings.header_size;
}

GstClockTime
gst_cbr_pacer_get_max_delay (GstCbrPacer *self)
{
  /* a moving average delays by up to its window */
  return self->settings.bitrate > 0 ? self->settings.max_delay :
                                      MAX (self->settings.max_delay, self->settings.window);
}

GstClockTime
gst_cbr_pacer_get_latency (GstCbrPacer *self)
{
  GstClockTime delay = gst_cbr_pacer_get_max_delay (self);

  /* an incomplete datagram waits for more */
  return gst_cbr_pacer_get_payload (self) > 0 ? MAX (delay, self->settings.max_period) : delay;
}

gboolean
gst_cbr_pacer_wants_clock (GstCbrPacer *self)
{
  return self->settings.bitrate == 0 || self->settings.stuffing == GST_CBR_PACER_STUFFING_NULL_TS;
}

/* Can the source wait, and is its data let in at the pace of its own clock? */
static gboolean
is_held (GstCbrPacer *self)
{
  return gst_cbr_pacer_wants_clock (self) && !self->input.live
      && cbr_learner_is_known (&self->learner) && self->learner.clock != CBR_CLOCK_ARRIVAL;
}

static guint64
get_learned_rate (GstCbrPacer *self)
{
  guint64 rate = cbr_learner_get_rate (&self->learner, gst_cbr_pacer_get_payload (self),
      self->settings.header_size);

  return CLAMP (rate, 1, CBR_RATE_MAX);
}

/* Returns the rate, bit/s, at which all queued data leaves within @time. */
static guint64
get_pile (GstCbrPacer *self, GstClockTime time)
{
  return gst_util_uint64_scale (self->departure.schedule.pending
          + gst_cbr_pacer_get_wire_bytes (self, self->queue.bytes, self->queue.buffers),
      8 * GST_SECOND, time);
}

guint64
gst_cbr_pacer_get_rate (GstCbrPacer *self)
{
  GstClockTime delay = gst_cbr_pacer_get_max_delay (self);
  guint64 pile;

  if (self->settings.bitrate > 0)
    return self->settings.bitrate;
  /* data of a source that does not wait must not pile up, after a stall, or if the source's
   * clock is faster */
  pile = is_held (self) ? self->drain : get_pile (self, delay / 4 * 3);
  return MIN (MAX (pile, get_learned_rate (self)), CBR_RATE_MAX);
}

/* Data that is let in at the pace of its clock may take longer than max-delay to leave while the
 * rate falls. It may take twice max-delay at the highest rate since it took longer. */
static gboolean
look_if_full_of_held (GstCbrPacer *self, guint64 bytes)
{
  gint64 delay = gst_cbr_pacer_get_max_delay (self);
  guint64 rate = cbr_learner_get_inflow (&self->learner, gst_cbr_pacer_get_payload (self),
      self->settings.header_size);

  rate = CLAMP (rate, 1, CBR_RATE_MAX);
  self->peak = fasp_rate_clock_span (rate, bytes) > delay ? MAX (self->peak, rate) : rate;
  return fasp_rate_clock_span (self->peak, bytes) / 2 > delay;
}

/* The rate rises until piled-up data of a live stream leaves in time, so no number of bytes is too
 * many. It is too much if the elements behind do not take it: then the stream's lag has grown by
 * more than max-delay since the oldest buffer came. */
static gboolean
look_if_full_of_late (GstCbrPacer *self)
{
  gint64 lag = cbr_departure_get_lag (&self->departure, gst_cbr_pacer_read_clock (self));

  return lag - cbr_queue_get_mark (&self->queue).lag > (gint64) gst_cbr_pacer_get_max_delay (self);
}

gboolean
gst_cbr_pacer_look_if_full (GstCbrPacer *self, gsize size)
{
  guint64 bytes;

  /* an incomplete datagram cannot leave without more data, so there must be room for it */
  if (self->queue.bytes == 0 || self->queue.bytes < gst_cbr_pacer_get_payload (self))
    return FALSE;
  /* the rate is learned from data that is queued, so a whole window of it must fit; but memory is
   * bounded */
  if (self->settings.bitrate == 0 && !cbr_learner_is_known (&self->learner))
    return self->queue.bytes + size > CBR_LEARNER_UNCLOCKED_MAX;
  bytes = gst_cbr_pacer_get_wire_bytes (self, self->queue.bytes + size, self->queue.buffers + 1);
  if (self->settings.bitrate == 0)
    return is_held (self) ? look_if_full_of_held (self, bytes) : look_if_full_of_late (self);
  return (GstClockTime) fasp_rate_clock_span (gst_cbr_pacer_get_rate (self), bytes)
      > gst_cbr_pacer_get_max_delay (self);
}

gint64
gst_cbr_pacer_choose_entry (GstCbrPacer *self, gint64 now)
{
  gint64 delay = gst_cbr_pacer_get_max_delay (self), waiting;
  gboolean partial = self->queue.bytes > 0 && self->queue.bytes < gst_cbr_pacer_get_payload (self);

  if (!is_held (self))
    return G_MININT64;
  /* in a pause the clock of the stream stands still */
  if (!self->playing)
    return self->queue.bytes > 0 && !partial ? G_MAXINT64 : G_MININT64;
  if (self->base == CBR_NO_BASE
      || now - self->base - self->learner.begins > MAX (delay, LATE_LEAST)) {
    /* the stream begins, or upstream or downstream was too slow, which we do not catch up on. With
     * a learned rate, half of max-delay is kept as queue, as a moving average has it. A set rate is
     * higher than the stream's and needs none. */
    waiting = fasp_rate_clock_span (get_learned_rate (self),
        gst_cbr_pacer_get_wire_bytes (self, self->queue.bytes, self->queue.buffers));
    self->base = now - self->learner.begins + MIN (waiting, delay);
    if (self->settings.bitrate == 0)
      self->base -= delay / 2;
  }
  /* an incomplete datagram waits for max-period at most, so its rest may come in earlier by that */
  return self->base + self->learner.begins - (partial ? (gint64) self->settings.max_period : 0);
}

/* A stream that is let in at the pace of its clock needs only the mean rate of the last window. But
 * when that rate falls, data from before would stay queued for too long: `drain' prevents that. */
void
gst_cbr_pacer_look_at_pile (GstCbrPacer *self)
{
  guint64 drain;

  /* with a set rate nothing uses `drain', and max-delay may be 0 */
  if (self->settings.bitrate > 0 || !is_held (self))
    return;
  drain = get_pile (self, 2 * gst_cbr_pacer_get_max_delay (self));
  if (drain < self->drain && cbr_stats_get_wire_bytes (self->stats) < self->drained)
    return;
  self->drain = drain;
  self->drained = cbr_stats_get_wire_bytes (self->stats)
      + gst_cbr_pacer_get_wire_bytes (self, self->queue.bytes, self->queue.buffers);
}
