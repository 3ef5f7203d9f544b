/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrlearner.h"

void
cbr_learner_init (CbrLearner *learner, gint64 window)
{
  learner->clock = learner->known_by = CBR_CLOCK_NONE;
  cbr_ts_init (&learner->ts, 0);
  cbr_rate_init (&learner->rate, window);
  learner->bytes = learner->timed = learner->unclocked = 0;
  learner->latest = GST_CLOCK_TIME_NONE;
  learner->elapsed = learner->begins = 0;
  learner->longest = 0;
}

void
cbr_learner_set_window (CbrLearner *learner, gint64 window)
{
  guint size = learner->ts.sync.given;

  cbr_learner_init (learner, window);
  cbr_learner_set_packets (learner, size);
}

void
cbr_learner_set_packets (CbrLearner *learner, guint size)
{
  cbr_ts_set_size (&learner->ts, size);
}

void
cbr_learner_jump (CbrLearner *learner)
{
  cbr_ts_init (&learner->ts, learner->ts.sync.given);
  cbr_rate_jump (&learner->rate);
  learner->latest = GST_CLOCK_TIME_NONE;
}

void
cbr_learner_flush (CbrLearner *learner)
{
  cbr_learner_jump (learner);
  learner->longest = 0;
  learner->unclocked = 0;
}

gboolean
cbr_learner_is_known (const CbrLearner *learner)
{
  return cbr_rate_is_known (&learner->rate) || learner->rate.kept != 0;
}

static guint64
on_the_wire (guint64 rate, guint payload, guint header)
{
  return payload > 0 ? gst_util_uint64_scale_round (rate, payload + header, payload) : rate;
}

guint64
cbr_learner_get_rate (const CbrLearner *learner, guint payload, guint header)
{
  return on_the_wire (cbr_rate_get (&learner->rate), payload, header);
}

guint64
cbr_learner_get_inflow (const CbrLearner *learner, guint payload, guint header)
{
  guint64 since = MIN (learner->bytes - learner->timed, CBR_LEARNER_BETWEEN);

  return on_the_wire (cbr_rate_get (&learner->rate)
          + gst_util_uint64_scale (since, 8 * GST_SECOND, learner->rate.window),
      payload, header);
}

/* Does the data come at the rate that was learned? FALSE: no rate is known, or it was learned from
 * an earlier stream, and this data may come as fast as it is read, as from a file. */
static gboolean
is_paced (const CbrLearner *learner)
{
  return cbr_learner_is_known (learner)
      && (learner->clock != CBR_CLOCK_ARRIVAL || learner->known_by == CBR_CLOCK_ARRIVAL);
}

gboolean
cbr_learner_is_lost (const CbrLearner *learner)
{
  return !is_paced (learner) && learner->unclocked > CBR_LEARNER_UNCLOCKED_MAX;
}

gboolean
cbr_learner_is_unpaced (const CbrLearner *learner)
{
  /* a short remainder without a clock is rubbish at the end of a file, not another stream */
  return learner->clock != CBR_CLOCK_PCR && learner->clock != CBR_CLOCK_TIMESTAMPS
      && !is_paced (learner)
      && learner->unclocked
      > gst_util_uint64_scale (learner->rate.kept, learner->rate.window, 8 * GST_SECOND);
}

static void
add (CbrLearner *learner, CbrClock clock, gint64 time, guint64 bytes)
{
  gint64 span, step;

  if (clock != learner->clock)
    cbr_rate_jump (&learner->rate);
  learner->clock = clock;
  step = cbr_rate_add (&learner->rate, time, bytes);
  learner->elapsed += step;
  if (step > 0)
    learner->timed = bytes;
  if (learner->begins < 0)
    learner->begins = learner->elapsed;
  /* grows in steps only: a clock that hardly moves counts as one that stands still */
  span = cbr_rate_get_span (&learner->rate);
  if (cbr_rate_is_known (&learner->rate)) {
    learner->known_by = clock;
    learner->longest = learner->unclocked = 0;
  } else if (clock != CBR_CLOCK_ARRIVAL
      && span - learner->longest > learner->rate.window / CBR_RATE_POINTS) {
    learner->longest = span;
    learner->unclocked = 0;
  }
}

static void
look_for_pcr (CbrLearner *learner, GstBuffer *buffer)
{
  guint64 before = learner->bytes;

  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    gsize done = 0;
    GstMapInfo map;
    CbrTsPcr pcr;

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      return; /* protected memory: a PCR cannot be read */
    while (cbr_ts_feed (&learner->ts, map.data, map.size, &done, &pcr)) {
      if (pcr.jump)
        cbr_rate_jump (&learner->rate);
      add (learner, CBR_CLOCK_PCR, pcr.time, before + pcr.offset);
    }
    before += map.size;
    gst_memory_unmap (memory, &map);
  }
}

void
cbr_learner_feed (CbrLearner *learner, GstBuffer *buffer, GstClockTime time, gint64 arrival,
    guint header)
{
  learner->begins = -1;
  look_for_pcr (learner, buffer);
  if (!cbr_ts_is_clock (&learner->ts)) {
    if (GST_CLOCK_TIME_IS_VALID (time)) {
      /* a frame may come in several buffers, and out of order */
      if (learner->clock != CBR_CLOCK_TIMESTAMPS || !GST_CLOCK_TIME_IS_VALID (learner->latest)
          || time > learner->latest || GST_BUFFER_IS_DISCONT (buffer)) {
        add (learner, CBR_CLOCK_TIMESTAMPS, time, learner->bytes);
        learner->latest = time;
      }
    } else if (learner->clock != CBR_CLOCK_TIMESTAMPS
        || !GST_CLOCK_TIME_IS_VALID (learner->latest)) {
      add (learner, CBR_CLOCK_ARRIVAL, arrival, learner->bytes);
    }
  }
  if (learner->begins < 0)
    learner->begins = learner->elapsed;
  learner->bytes += gst_buffer_get_size (buffer) + header;
  learner->unclocked += gst_buffer_get_size (buffer);
}
