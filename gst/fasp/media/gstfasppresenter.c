/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfasppresenter.h"

/* Messages tell of a state that has lasted for so long: the first mark comes within a second. */
#define LASTS (2 * G_TIME_SPAN_SECOND)
/* If no state has lasted so long in this time, they tell of the worst one. */
#define ALTERNATES (5 * LASTS)

static const gchar *const sources[FASP_TIME_SOURCES] = {
  [FASP_TIME_NONE] = "none",
  [FASP_TIME_NTP] = "ntp",
  [FASP_TIME_PTP] = "ptp",
};

static const gchar *const states[FASP_PRESENTATION_STATES] = {
  [FASP_PRESENTATION_NOTHING] = "nothing",
  [FASP_PRESENTATION_NO_TIME] = "no-capture-time",
  [FASP_PRESENTATION_NO_CLOCK] = "no-clock",
  [FASP_PRESENTATION_AHEAD_OF] = "ahead",
  [FASP_PRESENTATION_LONG_AGO] = "long-ago",
  [FASP_PRESENTATION_TOO_SHORT] = "delay-too-short",
  [FASP_PRESENTATION_KEPT] = "kept",
  [FASP_PRESENTATION_NO_LATENCY] = "no-latency",
  [FASP_PRESENTATION_MOVING] = "moving",
  [FASP_PRESENTATION_UNSURE] = "unsure",
  [FASP_PRESENTATION_IN_TIME] = "in-time",
};

void
gst_fasp_presenter_begin (GstFaspPresenter *self, GstElement *element, guint delay)
{
  GST_OBJECT_LOCK (element);
  *self = (GstFaspPresenter) { .core.delay = delay * FASP_MSEC,
    .stats.state = states[FASP_PRESENTATION_NOTHING],
    .latency = GST_CLOCK_TIME_NONE,
    .settled = g_get_monotonic_time (),
    .worst.state = FASP_PRESENTATION_STATES,
    .stats.error = FASP_NEVER,
    .stats.is_on = delay > 0,
    .stats.least = FASP_NEVER };
  GST_OBJECT_UNLOCK (element);
}

static FaspTime
get_error (const FaspCapture *kind)
{
  return kind->error == FASP_TIME_ERROR_UNKNOWN ? FASP_NEVER : kind->error;
}

/* Converts the capture time to monotonic time, if that is possible. */
static FaspPresentationState
find_captured (const GstFaspPresenter *self, const FaspCapture *capture, FaspTime *captured)
{
  *captured = 0;
  if (!capture->known)
    return FASP_PRESENTATION_NO_TIME;
  if (!gst_fasp_wall_convert (&self->wall, capture, captured))
    return FASP_PRESENTATION_NO_CLOCK;
  *captured -= self->wall.offset / GST_USECOND;
  if (!self->has_latency)
    return FASP_PRESENTATION_NO_LATENCY;
  return capture->source == FASP_TIME_NONE || self->wall.kind.source == FASP_TIME_NONE ?
      FASP_PRESENTATION_UNSURE :
      FASP_PRESENTATION_IN_TIME;
}

static void
place (GstFaspPresenter *self, FaspRead *item, FaspTime latency)
{
  FaspPresentationBlock block = {
    .media = item->block->media_time,
    .arrival = item->arrival,
    .usual = item->arrival + latency,
    .jumped = (item->block->flags & FASP_BLOCK_CLOCK_JUMP) != 0,
  };

  block.known = find_captured (self, &item->capture, &block.captured);
  item->arrival = fasp_presentation_choose (&self->core, &block) - latency;
}

void
gst_fasp_presenter_place (GstFaspPresenter *self, GstElement *element, FaspRead *items, guint n,
    FaspTime latency)
{
  const FaspCapture *last = NULL;

  for (guint i = n; i > 0 && last == NULL; i--)
    if ((items[i - 1].block->flags & (FASP_BLOCK_HEADER | FASP_BLOCK_EOS)) == 0)
      last = &items[i - 1].capture;
  if (last == NULL || (!self->stats.is_on && !last->known && self->stats.capture_clock == NULL))
    return;
  if (self->stats.is_on) {
    GST_OBJECT_LOCK (element);
    self->has_latency = GST_CLOCK_TIME_IS_VALID (self->latency);
    if (self->has_latency)
      latency = self->latency / GST_USECOND;
    GST_OBJECT_UNLOCK (element);
    gst_fasp_wall_look (&self->wall, element, FALSE);
    for (guint i = 0; i < n; i++)
      if ((items[i].block->flags & (FASP_BLOCK_HEADER | FASP_BLOCK_EOS)) == 0)
        place (self, &items[i], latency);
  }
  GST_OBJECT_LOCK (element);
  self->stats.capture_clock = last->known ? sources[last->source] : NULL;
  self->stats.capture_error = get_error (last);
  self->stats.wall_clock = sources[self->wall.kind.source];
  self->stats.wall_error = get_error (&self->wall.kind);
  self->stats.state = states[self->core.state];
  self->stats.is_in_time = fasp_presentation_is_in_time (&self->core);
  self->stats.error = self->core.error;
  self->stats.least = self->core.least;
  GST_OBJECT_UNLOCK (element);
}

gboolean
gst_fasp_presenter_has_changed (GstFaspPresenter *self, gint64 now)
{
  FaspPresentationState before = self->posted.state;

  if (self->seen != self->core.state)
    self->since = now;
  self->seen = self->core.state;
  if (self->core.state < self->worst.state)
    self->worst = self->core;
  if (now - self->since < LASTS && now - self->settled < ALTERNATES)
    return FALSE;
  self->posted = now - self->since >= LASTS ? self->core : self->worst;
  self->worst = self->core;
  self->settled = now;
  return self->posted.state != before;
}

const gchar *
gst_fasp_presenter_get_state (const FaspPresentation *core)
{
  return states[core->state];
}

void
gst_fasp_presenter_attach (GstBuffer *buffer, const FaspCapture *capture)
{
  g_autoptr (GstCaps) reference = gst_fasp_wall_get_reference (capture->is_tai);

  gst_buffer_add_reference_timestamp_meta (buffer, reference, capture->time * GST_USECOND,
      GST_CLOCK_TIME_NONE);
}
