/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfaspaddress.h"
#include "gstfaspcommon.h"
#include "gstfaspkeys.h"
#include "gstfaspstats.h"

#define AT_A_TIME 16            /* sessions that are copied under one lock */

#define NAME "application/x-fasp-statistics"

GstClockTime
gst_fasp_interval (guint64 seconds)
{
  return seconds < GST_CLOCK_TIME_NONE / GST_SECOND ? seconds * GST_SECOND :
      GST_CLOCK_TIME_NONE - 1;
}

static void
set_uint64 (GstStructure * s, const gchar * name, guint64 value)
{
  gst_structure_set (s, name, G_TYPE_UINT64, value, NULL);
}

static void
set_double (GstStructure * s, const gchar * name, gdouble value)
{
  gst_structure_set (s, name, G_TYPE_DOUBLE, value, NULL);
}

static void
describe_sender (GstStructure * s, const FaspSessionStats * f)
{
  set_uint64 (s, "packets-sent", f->sent.datagrams);
  set_uint64 (s, "packets-sent-lost", f->sent.lost);
  set_uint64 (s, "packets-retransmitted", f->sent.blocks_rtx);
  set_uint64 (s, "copies-sent", f->sent.copies);
  set_uint64 (s, "packets-doubled", f->sent.doubled);
  set_uint64 (s, "repairs-sent", f->sent.repairs);
  set_double (s, "fec-share", f->sent.fec_share);
  set_uint64 (s, "channel-bitrate", f->pacing.rate);
  set_double (s, "queue-ms", f->pacing.queueing_delay / 1e3);
  set_double (s, "missed-ms", f->pacing.missed / 1e3);
  set_uint64 (s, "packets-marked", f->path.marked);
  set_double (s, "loss", f->path.loss);
  set_double (s, "feedback-loss", f->path.back_loss);
  set_uint64 (s, "packet-ack-received", f->delivery.feedback);
  set_uint64 (s, "bytes-sent", f->sent.bytes);
  set_uint64 (s, "bytes-retransmitted", f->sent.bytes_rtx);
  set_uint64 (s, "bytes-acknowledged", f->delivery.bytes);
  set_uint64 (s, "wire-bytes-sent", f->sent.wire_bytes);
  set_uint64 (s, "blocks-sent", f->sent.blocks);
  set_uint64 (s, "blocks-acknowledged", f->delivery.blocks);
  set_uint64 (s, "blocks-skipped", f->delivery.skipped);
  set_uint64 (s, "blocks-in-flight", f->delivery.in_flight);
  set_uint64 (s, "blocks-queued", f->delivery.queued);
  set_uint64 (s, "window-blocks", f->delivery.window);
  set_double (s, "send-rate-mbps", f->sent.rate / 1e6);
}

static void
describe_receiver (GstStructure * s, const FaspSessionStats * f)
{
  set_uint64 (s, "packets-received", f->received.datagrams);
  set_uint64 (s, "packets-received-lost", f->received.lost);
  set_uint64 (s, "bursts-received-lost", f->received.bursts);
  set_uint64 (s, "packets-received-retransmitted", f->received.blocks_rtx);
  set_uint64 (s, "packets-received-dropped", f->received.too_late);
  set_uint64 (s, "repairs-received", f->received.repairs);
  set_uint64 (s, "packets-recovered", f->received.recovered);
  set_uint64 (s, "packets-received-reordered", f->received.reordered);
  set_uint64 (s, "packets-received-marked", f->path.marked);
  set_uint64 (s, "bytes-received", f->received.bytes);
  set_uint64 (s, "wire-bytes-received", f->received.wire_bytes);
  set_uint64 (s, "blocks-received", f->received.blocks);
  set_uint64 (s, "packet-ack-sent", f->received.feedback);
  set_uint64 (s, "buffer-blocks", f->received.buffer_blocks);
  set_uint64 (s, "buffer-bytes", f->received.buffer_bytes);
  set_double (s, "reorder-delay-ms", f->path.reorder_delay / 1e3);
  set_double (s, "sender-clock-ppm", f->clock.ppm);
  set_uint64 (s, "clock-jumps", f->clock.jumps);
  set_double (s, "receive-rate-mbps", f->received.rate / 1e6);
  if (f->group.member || f->group.datagrams > 0) {
    set_uint64 (s, "multicast-packets-received", f->group.datagrams);
    set_uint64 (s, "multicast-packets-received-lost", f->group.lost);
  }
}

static GstStructure *
describe_flow (const FaspFlowStats * f, FaspRole role)
{
  GstStructure *s = gst_structure_new ("application/x-fasp-flow", "usable",
      G_TYPE_BOOLEAN, f->usable, NULL);

  if (f->address.len > 0)
    gst_fasp_address_describe (s, "address", &f->address);
  set_uint64 (s, "packets-lost", f->datagrams_lost);
  set_uint64 (s, "bursts-lost", f->bursts_lost);
  if (role == FASP_ROLE_SENDER) {
    set_double (s, "weight", f->weight);
    set_double (s, "rtt-ms", f->rtt / 1e3);
    set_uint64 (s, "packets-sent", f->datagrams_sent);
    set_uint64 (s, "wire-bytes-sent", f->wire_bytes_sent);
  } else {
    set_uint64 (s, "packets-received", f->datagrams_received);
    set_uint64 (s, "packets-reordered", f->datagrams_reordered);
  }
  return s;
}

static void
describe_session (GstStructure * s, const FaspSessionStats * f,
    const FaspFlowStats * flows, FaspRole role)
{
  gst_fasp_address_describe (s, "caller-address", &f->address);
  gst_structure_set (s, "interrupted", G_TYPE_BOOLEAN, f->interrupted,
      "negotiated-latency-ms", G_TYPE_INT, (gint) f->latency.ms, NULL);
  set_double (s, "rtt-ms", f->path.rtt / 1e3);
  set_double (s, "rtt-min-ms", f->path.rtt_min / 1e3);
  set_double (s, "rtt-variation-ms", f->path.rtt_variation / 1e3);
  gst_structure_set (s, "datagram-size", G_TYPE_UINT,
      (guint) f->path.datagram_size, "encryption", G_TYPE_STRING,
      gst_fasp_cipher_get_name (f->cipher), NULL);
  gst_fasp_describe_identity (s, &f->peer);
  /* some of them may be replayed by an attacker */
  set_uint64 (s, "packets-received-duplicate", f->received.duplicates);
  set_uint64 (s, "promised-interval",
      gst_fasp_interval (f->latency.promised_interval));
  set_uint64 (s, "observed-interval",
      f->latency.skips ==
      0 ? GST_CLOCK_TIME_NONE : gst_fasp_interval (f->
          latency.observed_interval));
  set_uint64 (s, "skips", f->latency.skips);
  set_uint64 (s, "key-frames-wanted", f->key_frames_wanted);
  if (role == FASP_ROLE_SENDER)
    describe_sender (s, f);
  else
    describe_receiver (s, f);
  if (f->group.member)
    gst_structure_set (s, "multicast", G_TYPE_BOOLEAN, TRUE, NULL);
  gst_fasp_structure_set_counts (s, "rex-rounds", f->rounds, FASP_ROUNDS);
  gst_structure_set (s, "flows", G_TYPE_UINT, f->flows, NULL);
  if (f->flows > 1) {
    GPtrArray *list = g_ptr_array_sized_new (f->flows);

    for (guint i = 0; i < f->flows; i++)
      g_ptr_array_add (list, describe_flow (&flows[i], role));
    gst_fasp_structure_take_structures (s, "flow-list", list);
  }
}

/* Appends the flows of those sessions that have several. */
static void
get_flows (FaspEndpoint * endpoint, const FaspSessionStats * sessions, guint n,
    GArray * flows)
{
  for (guint i = 0; i < n; i++) {
    guint at = flows->len;

    if (sessions[i].flows == 1)
      continue;
    g_array_set_size (flows, at + sessions[i].flows);
    fasp_endpoint_get_flows (endpoint, sessions[i].session,
        &g_array_index (flows, FaspFlowStats, at), sessions[i].flows);
  }
}

/* Gets the statistics of all sessions, a few at a time, so that the stream does not wait while
 * those of a thousand are copied. */
static void
get_sessions (FaspIo * io, FaspTime now, GArray * sessions, GArray * flows)
{
  FaspSessionStats some[AT_A_TIME];
  guint64 place = 0;
  guint n;

  do {
    FaspEndpoint *endpoint = fasp_io_lock (io);

    n = fasp_endpoint_get_sessions (endpoint, now, &place, some, AT_A_TIME);
    get_flows (endpoint, some, n, flows);
    fasp_io_unlock (io, FALSE);
    g_array_append_vals (sessions, some, n);
  } while (n > 0);
}

static void
describe_lateness (GstStructure * s, const gchar * prefix,
    const FaspHist * hist)
{
  for (guint i = 0; i < FASP_HIST_POINTS; i++) {
    const FaspHistPoint *point = &fasp_hist_points[i];
    g_autofree gchar *name = g_strdup_printf ("%s-%s-ms", prefix,
        point->name);

    set_double (s, name, fasp_hist_percentile (hist, point->fraction) / 1e3);
  }
}

/* Only for a sink that sends to a group. */
static void
describe_group (GstStructure * s, const FaspGroupStats * f)
{
  gst_structure_set (s, "multicast-members", G_TYPE_UINT, f->members, NULL);
  set_uint64 (s, "multicast-deaf", f->deaf);
  set_uint64 (s, "multicast-returned", f->returned);
  set_uint64 (s, "multicast-packets-sent", f->datagrams_sent);
  set_uint64 (s, "multicast-wire-bytes-sent", f->wire_bytes_sent);
  set_uint64 (s, "multicast-blocks-sent", f->blocks_sent);
  set_uint64 (s, "multicast-blocks-retransmitted", f->blocks_resent);
  set_uint64 (s, "multicast-repairs-sent", f->repairs_sent);
  set_double (s, "multicast-fec-share", f->fec_share);
  set_uint64 (s, "multicast-losses", f->losses);
  set_uint64 (s, "multicast-losses-shared", f->losses_shared);
  set_uint64 (s, "multicast-requests", f->requests);
  set_double (s, "multicast-back-off-ms", f->back_off / 1e3);
  set_double (s, "multicast-clock-ms", f->clock / 1e3);
}

static void
describe_endpoint (GstStructure * s, const FaspEndpointStats * f, FaspRole role)
{
  gst_structure_set (s, "connected-callers", G_TYPE_UINT, f->sessions, NULL);
  if (role == FASP_ROLE_SENDER) {
    set_uint64 (s, "bytes-sent-total", f->bytes_written);
    set_uint64 (s, "bytes-dropped-unheard", f->bytes_dropped);
    set_uint64 (s, "key-frames-requested", f->key_frames_requested);
  } else {
    set_uint64 (s, "bytes-received-total", f->bytes_read);
    set_uint64 (s, "join-offset", f->join_offset);
    set_uint64 (s, "joins-in-the-middle", f->joins_in_the_middle);
  }
  set_uint64 (s, "bytes-missing-total", f->bytes_missing);
  set_uint64 (s, "buffer-level", f->buffer_bytes);
  set_uint64 (s, "buffer-size", f->buffer_limit);
  set_uint64 (s, "datagrams-malformed", f->datagrams_malformed);
  set_uint64 (s, "datagrams-unknown", f->datagrams_unknown);
  set_uint64 (s, "datagrams-forged", f->datagrams_forged);
  set_uint64 (s, "datagrams-version", f->datagrams_version);
  set_uint64 (s, "handshakes-refused", f->handshakes_refused);
  set_uint64 (s, "handshakes-retried", f->handshakes_retried);
  set_uint64 (s, "callers-misdirected", f->callers_misdirected);
}

GstStructure *
gst_fasp_stats_new (FaspIo * io, FaspRole role)
{
  GstStructure *s = gst_structure_new_empty (NAME);
  g_autoptr (GArray) sessions =
      g_array_new (FALSE, FALSE, sizeof (FaspSessionStats));
  g_autoptr (GArray) flows = g_array_new (FALSE, TRUE, sizeof (FaspFlowStats));
  FaspSessionStats last;
  FaspTime now = g_get_monotonic_time ();
  FaspEndpointStats total = { 0 };
  FaspHist arrival, in_order;
  FaspEndpoint *endpoint;
  GPtrArray *callers;
  gboolean has_last = FALSE, has_group;
  FaspGroupStats group;
  gdouble use = -1;
  guint at = 0;

  if (io == NULL)
    return s;
  /* copied under the lock, described without it */
  get_sessions (io, now, sessions, flows);
  endpoint = fasp_io_lock (io);
  fasp_endpoint_get_stats (endpoint, &total);
  /* if nobody is there any more, show the figures of the peer that left last */
  if (sessions->len == 0)
    has_last = fasp_endpoint_get_last_session (endpoint, &last);
  if (has_last)
    get_flows (endpoint, &last, 1, flows);
  arrival = *fasp_endpoint_get_lateness (endpoint, FALSE);
  in_order = *fasp_endpoint_get_lateness (endpoint, TRUE);
  has_group = fasp_endpoint_get_group (endpoint, &group);
  fasp_io_unlock (io, FALSE);

  describe_endpoint (s, &total, role);
  if (has_group)
    describe_group (s, &group);
  /* the figures of a single peer are also fields of the outer structure, as in srtsink */
  if (sessions->len == 1 || has_last)
    describe_session (s, has_last ? &last : (gpointer) sessions->data,
        (gpointer) flows->data, role);
  callers = g_ptr_array_sized_new (sessions->len);
  for (guint i = 0; i < sessions->len; i++) {
    const FaspSessionStats *session =
        &g_array_index (sessions, FaspSessionStats, i);
    GstStructure *one = gst_structure_new_empty (NAME);

    describe_session (one, session, &g_array_index (flows, FaspFlowStats, at),
        role);
    at += session->flows > 1 ? session->flows : 0;
    if (session->pacing.rate > 0)
      use = MAX (use, (gdouble) session->sent.rate / session->pacing.rate);
    g_ptr_array_add (callers, one);
  }
  gst_fasp_structure_take_structures (s, "callers", callers);
  if (role == FASP_ROLE_RECEIVER) {
    describe_lateness (s, "lateness", &arrival);
    describe_lateness (s, "lateness-in-order", &in_order);
  } else if (use >= 0) {
    set_double (s, "channel-use", use);
  }
  return s;
}

static gboolean
report (GstClock * clock, GstClockTime time, GstClockID id, gpointer data)
{
  g_autoptr (GstElement) element = g_weak_ref_get (data);
  GstStructure *stats = NULL;

  if (element == NULL)
    return FALSE;
  g_object_get (element, "stats", &stats, NULL);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element), stats));
  return TRUE;
}

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

GstClockID
gst_fasp_stats_begin_reports (GstElement * element, GstClockTime interval)
{
  /* the system's clock, as figures are also wanted while the pipeline's clock stands still */
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockID id = gst_clock_new_periodic_id (clock,
      gst_clock_get_time (clock) + interval, interval);
  /* a weak reference: the clock keeps an unscheduled entry until all earlier ones were due */
  GWeakRef *ref = g_new (GWeakRef, 1);

  g_weak_ref_init (ref, element);
  gst_clock_id_wait_async (id, report, ref, free_weak_ref);
  return id;
}

void
gst_fasp_stats_end_reports (GstClockID id)
{
  gst_clock_id_unschedule (id);
  gst_clock_id_unref (id);
}
