/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Queries: those with a place in the stream, allocation and latency.
 */
#include "gstcbrpacer.h"

void
gst_cbr_pacer_ask_if_live (GstCbrPacer *self)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE;

  self->input.live_known = TRUE;
  g_mutex_unlock (&self->lock);
  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  g_mutex_lock (&self->lock);
  self->input.live = live;
}

/* Takes a query that has its place in the stream: it is answered when the data before
 * it has left. */
static gboolean
take_query (GstCbrPacer *self, GstQuery *query)
{
  gboolean result = FALSE;

  g_mutex_lock (&self->lock);
  if (!self->flushing && self->result == GST_FLOW_OK) {
    self->query = CBR_QUERY_WAITS;
    cbr_queue_push (&self->queue, GST_MINI_OBJECT_CAST (query));
    gst_cbr_pacer_thread_wake (self);
    while (self->query == CBR_QUERY_UNDER_WAY
        || (self->query == CBR_QUERY_WAITS && !self->flushing && self->result == GST_FLOW_OK))
      cbr_waiter_sleep (&self->room, &self->lock);
    if (self->query == CBR_QUERY_WAITS)
      cbr_queue_remove (&self->queue, query);
    result = self->query == CBR_QUERY_ANSWERED;
    self->query = CBR_QUERY_NONE;
  }
  g_mutex_unlock (&self->lock);
  return result;
}

gboolean
gst_cbr_pacer_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_ALLOCATION:
      /* data may be queued for long: its buffers should not be from a sink's small pool */
      return FALSE;
    default:
      if (GST_QUERY_IS_SERIALIZED (query))
        return take_query (GST_CBR_PACER_CAST (parent), query);
      return gst_pad_query_default (pad, parent, query);
  }
}

gboolean
gst_cbr_pacer_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCbrPacer *self = GST_CBR_PACER_CAST (parent);
  GstClockTime min, max, delay;
  gboolean live;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  g_mutex_lock (&self->lock);
  delay = self->latency = gst_cbr_pacer_get_latency (self);
  g_mutex_unlock (&self->lock);
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += delay;
  gst_query_set_latency (query, live, min + delay, max);
  return TRUE;
}
