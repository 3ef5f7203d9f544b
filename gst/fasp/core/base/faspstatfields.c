/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspstatfields.h"

#define SENDER FASP_ROLE_SENDER
#define RECEIVER FASP_ROLE_RECEIVER
#define BOTH (FASP_ROLE_SENDER | FASP_ROLE_RECEIVER)

/* OF: the struct whose members the table describes. */
#define FIELD_IF(is_shown, name, form, unit, kind, roles, member, meaning) \
  { name, FASP_FORM_##form, FASP_UNIT_##unit, FASP_KIND_##kind, roles, \
    G_STRUCT_OFFSET (OF, member), is_shown, meaning }
#define FIELD(...) FIELD_IF (NULL, __VA_ARGS__)
#define COUNT(name, roles, member, meaning) \
  FIELD (name, UINT64, NONE, COUNTER, roles, member, meaning)
#define BYTES(name, roles, member, meaning) \
  FIELD (name, UINT64, BYTES, COUNTER, roles, member, meaning)
#define LEVEL(name, roles, member, meaning) \
  FIELD (name, UINT64, NONE, GAUGE, roles, member, meaning)
#define TIME(name, roles, member, meaning) FIELD (name, TIME, MS, GAUGE, roles, member, meaning)
#define SHARE(name, roles, member, meaning) \
  FIELD (name, DOUBLE, SHARE, GAUGE, roles, member, meaning)

/* --- when a field is shown --------------------------------------------------- */

static gboolean
is_proved (gconstpointer stats)
{
  return ((const FaspSessionStats *) stats)->peer.proved;
}

static gboolean
is_member (gconstpointer stats)
{
  return ((const FaspSessionStats *) stats)->group.member;
}

static gboolean
heard_group (gconstpointer stats)
{
  return is_member (stats) || ((const FaspSessionStats *) stats)->group.datagrams > 0;
}

static gboolean
has_several_flows (gconstpointer stats)
{
  return ((const FaspSessionStats *) stats)->flows > 1;
}

static gboolean
has_several_paths (gconstpointer stats)
{
  return ((const FaspSessionStats *) stats)->n_paths > 1;
}

static gboolean
has_address (gconstpointer stats)
{
  return ((const FaspFlowStats *) stats)->address.len > 0;
}

static gboolean
has_changed (gconstpointer stats)
{
  return ((const FaspSourceChangeStats *) stats)->age != FASP_NEVER;
}

static gboolean
has_leader (gconstpointer stats)
{
  return ((const FaspLeadStats *) stats)->leads != FASP_NEVER;
}

static gboolean
has_promise (gconstpointer stats)
{
  return ((const FaspLeadStats *) stats)->promised_interval > 0;
}

static gboolean
has_capture_times (gconstpointer stats)
{
  return ((const FaspPresentationStats *) stats)->capture_clock != NULL;
}

static gboolean
has_capture_error (gconstpointer stats)
{
  return has_capture_times (stats)
      && ((const FaspPresentationStats *) stats)->capture_error != FASP_NEVER;
}

static gboolean
has_presentation (gconstpointer stats)
{
  return ((const FaspPresentationStats *) stats)->is_on;
}

static gboolean
has_wall_clock (gconstpointer stats)
{
  return has_presentation (stats) && ((const FaspPresentationStats *) stats)->wall_clock != NULL;
}

static gboolean
has_wall_error (gconstpointer stats)
{
  return has_wall_clock (stats)
      && ((const FaspPresentationStats *) stats)->wall_error != FASP_NEVER;
}

static gboolean
has_presentation_error (gconstpointer stats)
{
  return has_presentation (stats) && ((const FaspPresentationStats *) stats)->error != FASP_NEVER;
}

static gboolean
has_least_delay (gconstpointer stats)
{
  return has_presentation (stats) && ((const FaspPresentationStats *) stats)->least != FASP_NEVER;
}

static gboolean
is_paced (gconstpointer stats)
{
  return ((const FaspSummaryStats *) stats)->channel_use >= 0;
}

/* --- the tables -------------------------------------------------------------- */

#define OF FaspEndpointStats
static const FaspStatField endpoint_fields[] = {
  FIELD ("connected-callers", UINT, NONE, GAUGE, BOTH, sessions, "peers now"),
  BYTES ("bytes-sent-total", SENDER, bytes_written, "bytes taken from upstream"),
  BYTES ("bytes-dropped-unheard", SENDER, bytes_dropped,
      "of these, bytes that were discarded because there was no receiver"),
  COUNT ("key-frames-requested", SENDER, key_frames_requested,
      "how often the encoder was asked for a key frame, as receivers joined, went on behind a gap or "
      "[wanted one](faspsrc.md#key-frames); [once a second](../rate-control.md#the-encoder-listens) at most"),
  BYTES ("bytes-received-total", RECEIVER, bytes_read, "bytes pushed downstream"),
  FIELD ("join-offset", UINT64, NONE, UNKNOWN, RECEIVER, join_offset,
      "bytes of the latest stream before the first one received (0: it was received from its beginning; "
      "the largest 64-bit number: not known, or nothing came yet)"),
  FIELD ("joins-in-the-middle", UINT64, NONE, UNKNOWN, RECEIVER, joins_in_the_middle,
      "how many streams began in the middle"),
  BYTES ("bytes-missing-total", SENDER, bytes_missing,
      "bytes that receivers lacked when they came back, or came from another sink of the stream, and that "
      "were no longer kept here. Includes bytes that a receiver had but had not played"),
  BYTES ("bytes-missing-total", RECEIVER, bytes_missing,
      "bytes given up between those that were pushed: because of `too-late=skip`, the sender's "
      "`slow-policy`, or `rex=false`. faspsrc also warns of the first gap of a minute"),
  FIELD ("buffer-level", UINT64, BYTES, GAUGE, BOTH, buffer_bytes, "bytes held now"),
  FIELD ("buffer-size", UINT64, BYTES, GAUGE, BOTH, buffer_limit, "bytes held at most"),
  COUNT ("datagrams-malformed", BOTH, datagrams_malformed,
      "datagrams dropped because they cannot be parsed"),
  COUNT ("datagrams-unknown", BOTH, datagrams_unknown,
      "datagrams dropped because they belong to no known session"),
  COUNT ("datagrams-foreign", BOTH, datagrams_foreign,
      "datagrams dropped because they are SRT (handshakes), RTP or MPEG-TS"),
  COUNT ("datagrams-forged", BOTH, datagrams_forged,
      "datagrams dropped because they are not sealed with their session's key"),
  COUNT ("datagrams-version", BOTH, datagrams_version,
      "datagrams dropped because they have another protocol version"),
  COUNT ("handshakes-refused", BOTH, handshakes_refused, "callers turned away"),
  COUNT ("handshakes-retried", BOTH, handshakes_retried, "callers asked for a cookie"),
  COUNT ("callers-misdirected", BOTH, callers_misdirected,
      "callers turned away because of their `streamid`, each counted once; at a port with several "
      "streams, the oldest stream counts callers for streams that do not exist"),
};

#undef OF

#define OF FaspGroupStats
static const FaspStatField group_fields[] = {
  FIELD ("multicast-members", UINT, NONE, GAUGE, SENDER, members,
      "for a sink to a multicast group, as all that begins with `multicast-`: receivers that hear the group"),
  COUNT ("multicast-deaf", SENDER, deaf,
      "how often a receiver was found not to hear the group and got everything by unicast"),
  COUNT ("multicast-returned", SENDER, returned, "how often a receiver heard the group again"),
  COUNT ("multicast-packets-sent", SENDER, datagrams_sent, "datagrams sent to the group"),
  BYTES ("multicast-wire-bytes-sent", SENDER, wire_bytes_sent,
      "their bytes, from the IP header up"),
  COUNT ("multicast-blocks-sent", SENDER, blocks_sent, "blocks sent to the group"),
  COUNT ("multicast-blocks-retransmitted", SENDER, blocks_resent,
      "blocks retransmitted to the group"),
  COUNT ("multicast-repairs-sent", SENDER, repairs_sent, "repair packets sent to the group"),
  SHARE ("multicast-fec-share", SENDER, fec_share, "repairs to the group for each packet"),
  COUNT ("multicast-losses", SENDER, losses, "losses that receivers reported"),
  COUNT ("multicast-losses-shared", SENDER, losses_shared, "those that several receivers reported"),
  COUNT ("multicast-requests", SENDER, requests, "requests of all receivers together"),
  TIME ("multicast-back-off-ms", SENDER, back_off,
      "longest time that a receiver waits before it sends a request"),
  TIME ("multicast-clock-ms", SENDER, clock,
      "interval at which a receiver that has nothing to request reports what it has"),
};

#undef OF

#define OF FaspSessionStats
static const FaspStatField session_fields[] = {
  FIELD ("caller-address", ADDRESS, NONE, GAUGE, BOTH, address, "its [address](#addresses)"),
  FIELD ("interrupted", BOOLEAN, NONE, GAUGE, BOTH, interrupted,
      "whether nothing has been heard from it of late"),
  FIELD ("negotiated-latency-ms", INT, MS, GAUGE, BOTH, latency.ms,
      "latency in force now; 0: as soon as possible, or not found yet"),
  TIME ("rtt-ms", BOTH, path.rtt, "round-trip time of the path, smoothed"),
  TIME ("rtt-min-ms", BOTH, path.rtt_min, "round-trip time, least"),
  TIME ("rtt-variation-ms", BOTH, path.rtt_variation, "round-trip time, variation"),
  FIELD ("datagram-size", UINT, BYTES, GAUGE, BOTH, path.datagram_size,
      "UDP payload bytes that the path takes"),
  FIELD ("encryption", CIPHER, NONE, GAUGE, BOTH, cipher, "the cipher, as `encryption` names it"),
  FIELD_IF (is_proved, "peer-key", KEY, NONE, GAUGE, BOTH, peer.key,
      "the peer's public key, proved, in the form of `public-key`; absent if it has proved none"),
  FIELD_IF (is_proved, "peer-name", TEXT, NONE, GAUGE, BOTH, peer.name,
      "its name in `allowed-keys`; absent together with `peer-key`"),
  COUNT ("packets-received-duplicate", BOTH, received.duplicates,
      "packets from the peer that were dropped because they had come before"),
  FIELD ("promised-interval", INTERVAL, NS, GAUGE, BOTH, latency.promised_interval,
      "expected time between skips"),
  FIELD ("observed-interval", INTERVAL_IF_ANY, NS, GAUGE, BOTH, latency.observed_interval,
      "time between skips at the receiver since the session began, 1 s at least; the largest 64-bit "
      "number: no skip so far"),
  COUNT ("skips", BOTH, latency.skips,
      "a skip is a second of the stream in which some data was missing or came later than its latency. "
      "The source counts them all. The sink counts a row of such seconds as one skip, and does not count "
      "data that it left out itself"),
  COUNT ("key-frames-wanted", BOTH, key_frames_wanted,
      "how often the receiver has said in this session that it [needs a key frame](faspsrc.md#key-frames)"),
  COUNT ("packets-sent", SENDER, sent.datagrams, "datagrams sent, of every kind"),
  COUNT ("packets-sent-lost", SENDER, sent.lost, "transmissions of blocks that were found lost"),
  COUNT ("packets-retransmitted", SENDER, sent.blocks_rtx, "blocks retransmitted"),
  COUNT ("copies-sent", SENDER, sent.copies,
      "retransmitted packets that were the second or a further copy of a round"),
  COUNT ("packets-doubled", SENDER, sent.doubled,
      "packets sent on a further flow by `flow-assignment=duplicate`"),
  COUNT ("packets-not-doubled", SENDER, sent.not_doubled,
      "packets not sent on a further flow, as its path had no room"),
  COUNT ("repairs-sent", SENDER, sent.repairs, "repair packets of `fec`"),
  SHARE ("fec-share", SENDER, sent.fec_share, "repair packets for each packet, now"),
  FIELD ("channel-bitrate", UINT64, BITRATE, GAUGE, SENDER, pacing.rate,
      "present pacing rate: `max-bitrate`, or what `rate-control` has found"),
  TIME ("queue-ms", SENDER, pacing.queueing_delay,
      "how long packets wait in queues on the path at that rate"),
  FIELD ("missed-ms", TIME, MS, COUNTER, SENDER, pacing.missed,
      "total time in which `channel-bitrate` would have allowed sending but the machine did not run the "
      "sending thread. That part of the rate cannot be made up for without bursts"),
  COUNT ("packets-marked", SENDER, path.marked,
      "sent packets that the network marked because it is congested (ECN)"),
  SHARE ("loss", SENDER, path.loss, "loss to the peer, on which the plan of copies is based"),
  SHARE ("feedback-loss", SENDER, path.back_loss,
      "loss on the way back, on which the plan of copies is based"),
  COUNT ("packet-ack-received", SENDER, delivery.feedback, "feedback datagrams received"),
  BYTES ("bytes-sent", SENDER, sent.bytes, "bytes of the stream, sent for the first time"),
  BYTES ("bytes-retransmitted", SENDER, sent.bytes_rtx,
      "bytes of the stream that were retransmitted"),
  BYTES ("bytes-acknowledged", SENDER, delivery.bytes,
      "bytes of the stream that the peer has confirmed"),
  BYTES ("wire-bytes-sent", SENDER, sent.wire_bytes,
      "bytes of all datagrams sent, from the IP header up"),
  COUNT ("blocks-sent", SENDER, sent.blocks, "blocks of the stream, sent for the first time"),
  COUNT ("blocks-acknowledged", SENDER, delivery.blocks, "blocks that the peer has confirmed"),
  COUNT ("blocks-skipped", SENDER, delivery.skipped,
      "blocks that `slow-policy` or the peer has given up"),
  LEVEL ("blocks-in-flight", SENDER, delivery.in_flight, "blocks sent and not acknowledged"),
  LEVEL ("blocks-queued", SENDER, delivery.queued, "blocks not sent yet"),
  LEVEL ("window-blocks", SENDER, delivery.window,
      "blocks of up to 1500 bytes for which the peer has room"),
  FIELD ("send-rate-mbps", RATE, MBPS, GAUGE, SENDER, sent.rate,
      "rate of all datagrams sent, over the last second"),
  COUNT ("packets-received", RECEIVER, received.datagrams, "datagrams received, of every kind"),
  COUNT ("packets-received-lost", RECEIVER, received.lost, "datagrams that did not come"),
  COUNT ("bursts-received-lost", RECEIVER, received.bursts,
      "how often one or more datagrams in a row did not come, counted on each flow separately"),
  COUNT ("packets-received-retransmitted", RECEIVER, received.blocks_rtx,
      "blocks that came by a retransmission"),
  COUNT ("packets-received-dropped", RECEIVER, received.too_late,
      "blocks given up (`too-late=skip`, or the sender's `slow-policy=skip`)"),
  COUNT ("repairs-received", RECEIVER, received.repairs, "repair packets of `fec`"),
  COUNT ("packets-recovered", RECEIVER, received.recovered,
      "packets recovered from repair packets"),
  COUNT ("packets-received-reordered", RECEIVER, received.reordered, "datagrams that came late"),
  COUNT ("packets-received-marked", RECEIVER, path.marked, "datagrams that came with an ECN mark"),
  BYTES ("bytes-received", RECEIVER, received.bytes, "bytes of the stream received, each once"),
  BYTES ("wire-bytes-received", RECEIVER, received.wire_bytes,
      "bytes of all datagrams received, from the IP header up"),
  COUNT ("blocks-received", RECEIVER, received.blocks, "blocks of the stream received, each once"),
  COUNT ("packet-ack-sent", RECEIVER, received.feedback, "feedback datagrams sent"),
  LEVEL ("buffer-blocks", RECEIVER, received.buffer_blocks,
      "blocks waiting for a hole to be filled, or for downstream"),
  FIELD ("buffer-bytes", UINT64, BYTES, GAUGE, RECEIVER, received.buffer_bytes, "bytes of these"),
  TIME ("reorder-delay-ms", RECEIVER, path.reorder_delay,
      "how long a hole may be due to reordering before it counts as loss"),
  FIELD ("sender-clock-ppm", DOUBLE, PPM, GAUGE, RECEIVER, clock.ppm,
      "by how much the sender's clock is faster than this machine's; 0: not known yet"),
  COUNT ("clock-jumps", RECEIVER, clock.jumps, "jumps of the sender's clock so far"),
  FIELD ("receive-rate-mbps", RATE, MBPS, GAUGE, RECEIVER, received.rate,
      "rate of all datagrams received, over the last second"),
  FIELD_IF (heard_group, "multicast-packets-received", UINT64, NONE, COUNTER, RECEIVER,
      group.datagrams,
      "for a source that hears a multicast group: how many of the datagrams are of the group; the others "
      "came by unicast"),
  FIELD_IF (heard_group, "multicast-packets-received-lost", UINT64, NONE, COUNTER, RECEIVER,
      group.lost, "of the datagrams of the group, those that did not come"),
  FIELD_IF (is_member, "multicast", BOOLEAN, NONE, GAUGE, BOTH, group.member,
      "present if the peer hears the group; otherwise the field is absent"),
  FIELD ("rex-rounds", ROUNDS, NONE, COUNTER, BOTH, rounds,
      "number of blocks by how often they were retransmitted, 0 to 7 and more"),
  FIELD ("flows", UINT, NONE, GAUGE, BOTH, flows, "number of flows"),
  FIELD_IF (has_several_flows, "flow-list", FLOWS, NONE, GAUGE, BOTH, flows,
      "present if there are several flows: the figures of [each](../flows.md#statistics)"),
  FIELD_IF (has_several_paths, "way-list", PATHS, NONE, GAUGE, SENDER, n_paths,
      "present if there are several [paths](../flows.md#paths): the figures of [each](../flows.md#statistics)"),
};

#undef OF

#define OF FaspFlowStats
static const FaspStatField flow_fields[] = {
  FIELD ("usable", BOOLEAN, NONE, GAUGE, BOTH, usable,
      "the peer answers on this flow and, on the sink, the flow carries data"),
  FIELD_IF (has_address, "address", ADDRESS, NONE, GAUGE, BOTH, address,
      "the peer's address on this flow; absent if it is not known"),
  COUNT ("packets-lost", BOTH, datagrams_lost,
      "packets that did not arrive. On the sink: as far as the receiver has reported"),
  COUNT ("bursts-lost", BOTH, bursts_lost, "how often one or more in a row did not arrive"),
  FIELD ("weight", DOUBLE, NONE, GAUGE, SENDER, weight, "sink: share (1: an equal share)"),
  TIME ("rtt-ms", SENDER, rtt, "sink: round-trip time"),
  COUNT ("packets-sent", SENDER, datagrams_sent, "sink: datagrams sent"),
  BYTES ("wire-bytes-sent", SENDER, wire_bytes_sent, "sink: their bytes, from the IP header up"),
  COUNT ("packets-received", RECEIVER, datagrams_received, "source: datagrams received"),
  COUNT ("packets-reordered", RECEIVER, datagrams_reordered,
      "source: of these, datagrams that came late"),
};

#undef OF

#define OF FaspPathStats
static const FaspStatField path_fields[] = {
  FIELD ("usable", BOOLEAN, NONE, GAUGE, SENDER, usable, "at least one of its flows carries data"),
  FIELD ("address", ADDRESS, NONE, GAUGE, SENDER, address,
      "the peer's address, with the port of one of its flows"),
  FIELD ("flows", UINT, NONE, GAUGE, SENDER, flows, "number of its flows"),
  FIELD ("channel-bitrate", UINT64, BITRATE, GAUGE, SENDER, rate,
      "the rate that its controller has found; 0 if it has none"),
  FIELD ("send-rate-mbps", RATE, MBPS, GAUGE, SENDER, send_rate,
      "what was sent on it over the last second, headers included"),
  SHARE ("share", SENDER, share, "share of all that was sent over the last second"),
  TIME ("queueing-delay-ms", SENDER, queueing_delay,
      "how much longer packets take of late than at best in the last 15 to 30 s; 0 if it has none"),
  TIME ("rtt-ms", SENDER, rtt, "round-trip time, smoothed"),
  TIME ("rtt-min-ms", SENDER, rtt_min, "the least round-trip time so far"),
  FIELD ("wire-bytes-in-flight", UINT64, BYTES, GAUGE, SENDER, bytes_in_flight,
      "bytes sent of which nothing is reported yet; 0 if it has none"),
  COUNT ("packets-sent", SENDER, datagrams_sent, "datagrams sent"),
  BYTES ("wire-bytes-sent", SENDER, wire_bytes_sent, "their bytes, from the IP header up"),
  COUNT ("packets-lost", SENDER, datagrams_lost,
      "packets that did not arrive, as far as the receiver has reported"),
};

#undef OF

#define OF FaspSourceStats
static const FaspStatField source_fields[] = {
  FIELD ("source", UINT, NONE, GAUGE, RECEIVER, number,
      "with [`redundancy`](faspsrc.md#several-sources-at-once), as all up to `bytes-repeated`: number of this "
      "source. 0 is the peer of the URI, and 1 the first of `fallback-addresses`"),
  FIELD ("leads", BOOLEAN, NONE, GAUGE, RECEIVER, leads, "the stream follows this source"),
  FIELD ("trusted", BOOLEAN, NONE, GAUGE, RECEIVER, is_trusted,
      "bytes may be taken from it: it leads, or has brought the same as the others"),
  FIELD ("left", BOOLEAN, NONE, GAUGE, RECEIVER, is_left,
      "it brings the stream too late: the receiver does not wait for it"),
  FIELD ("stands-by", BOOLEAN, NONE, GAUGE, RECEIVER, stands_by,
      "it stays connected and sends nothing; it keeps the blocks that the receiver lacks"),
  FIELD ("differs", BOOLEAN, NONE, GAUGE, RECEIVER, differs,
      "its bytes are not those of the others: it is not used until it connects anew, and then not for a "
      "minute or more"),
  BYTES ("bytes-used", RECEIVER, bytes_used, "bytes of the stream that were taken from it"),
  BYTES ("bytes-filled", RECEIVER, bytes_filled,
      "of these, bytes that came before the source that leads brought them"),
  BYTES ("bytes-repeated", RECEIVER, bytes_repeated, "bytes that it brought after another source"),
};

#undef OF

#define OF FaspSourceChangeStats
static const FaspStatField source_change_fields[] = {
  FIELD ("name", WORDS, NONE, GAUGE, RECEIVER, name,
      "`HOST:PORT`, as it was configured; empty if it calls"),
  FIELD ("connected", BOOLEAN, NONE, GAUGE, RECEIVER, is_connected, "it is connected, and heard"),
  COUNT ("changes", RECEIVER, changes,
      "changes of its state: each message `stream-source` about it, and each time that another source "
      "leads in its place"),
  FIELD_IF (has_changed, "since-ms", TIME, MS, GAUGE, RECEIVER, age,
      "time since the last change; absent if there was none"),
  FIELD ("why", WORDS, NONE, GAUGE, RECEIVER, reason, "the reason of the last change"),
};

#undef OF

#define OF FaspLeadStats
static const FaspStatField lead_fields[] = {
  FIELD_IF (has_leader, "source-in-use", UINT, NONE, GAUGE, RECEIVER, number,
      "with [`redundancy`](faspsrc.md#several-sources-at-once), as all up to `sources-promised-interval`: number of the "
      "source that leads; absent, with the next, if none does yet"),
  FIELD_IF (has_leader, "source-in-use-ms", TIME, MS, GAUGE, RECEIVER, leads,
      "for how long it has led"),
  FIELD ("source-in-use-reason", WORDS, NONE, GAUGE, RECEIVER, reason, "why it leads"),
  COUNT ("source-changes", RECEIVER, changes, "how often another source became the leader"),
  FIELD_IF (has_promise, "sources-promised-interval", INTERVAL, NS, GAUGE, RECEIVER,
      promised_interval,
      "expected time between skips, [with all sources together](../model.md#several-sources); absent if none "
      "has promised anything yet"),
};

#undef OF

#define OF FaspPresentationStats
static const FaspStatField presentation_fields[] = {
  FIELD_IF (has_capture_times, "capture-clock", WORDS, NONE, GAUGE, RECEIVER, capture_clock,
      "what the clock of the stream's [capture times](faspsrc.md#the-same-moment-everywhere) follows: `ntp`, "
      "`ptp`, or `none`, if that is not known; absent, with the next, if the stream has none"),
  FIELD_IF (has_capture_error, "capture-clock-error-ms", TIME, MS, GAUGE, RECEIVER, capture_error,
      "the bound of that clock's error; absent if it is not known"),
  FIELD_IF (has_wall_clock, "wall-clock", WORDS, NONE, GAUGE, RECEIVER, wall_clock,
      "with `presentation-delay`, as all up to `least-presentation-delay-ms`: what the wall clock here follows"),
  FIELD_IF (has_wall_error, "wall-clock-error-ms", TIME, MS, GAUGE, RECEIVER, wall_error,
      "the bound of its error; absent if it is not known"),
  FIELD_IF (has_presentation, "presented-in-time", BOOLEAN, NONE, GAUGE, RECEIVER, is_in_time,
      "what is played is played `presentation-delay` after its capture, as far as the clocks are right"),
  FIELD_IF (has_presentation, "presentation", WORDS, NONE, GAUGE, RECEIVER, state,
      "`in-time`, `unsure` or [why it is not](faspsrc.md#the-same-moment-everywhere)"),
  FIELD_IF (has_presentation_error, "presentation-error-ms", TIME, MS, GAUGE, RECEIVER, error,
      "how far from its moment it is played, without the error of the clocks; absent if it is not known"),
  FIELD_IF (has_least_delay, "least-presentation-delay-ms", TIME, MS, GAUGE, RECEIVER, least,
      "the least `presentation-delay` for this path and latency; absent if it is not known"),
};

#undef OF

#define OF FaspSummaryStats
static const FaspStatField summary_fields[] = {
  TIME ("lateness-p50-ms", RECEIVER, lateness[0],
      "lateness of blocks as they arrive, beyond the path's best case: half of them are not later"),
  TIME ("lateness-p90-ms", RECEIVER, lateness[1], "the same: 90 % are not later"),
  TIME ("lateness-p99-ms", RECEIVER, lateness[2], "the same: 99 % are not later"),
  TIME ("lateness-p99.9-ms", RECEIVER, lateness[3], "the same: 99.9 % are not later"),
  TIME ("lateness-max-ms", RECEIVER, lateness[4], "the same: none is later"),
  TIME ("lateness-in-order-p50-ms", RECEIVER, lateness_in_order[0],
      "lateness of blocks as they become deliverable, in order: half of them are not later"),
  TIME ("lateness-in-order-p90-ms", RECEIVER, lateness_in_order[1], "the same: 90 % are not later"),
  TIME ("lateness-in-order-p99-ms", RECEIVER, lateness_in_order[2], "the same: 99 % are not later"),
  TIME ("lateness-in-order-p99.9-ms", RECEIVER, lateness_in_order[3],
      "the same: 99.9 % are not later"),
  TIME ("lateness-in-order-max-ms", RECEIVER, lateness_in_order[4], "the same: none is later"),
  FIELD_IF (is_paced, "channel-use", DOUBLE, SHARE, GAUGE, SENDER, channel_use,
      "share of `channel-bitrate` used over the last second; the largest of all peers; absent if nothing "
      "is paced"),
};

#undef OF

const FaspStatTable fasp_stat_tables[FASP_STAT_TABLES] = {
  [FASP_STATS_ENDPOINT] = { endpoint_fields, G_N_ELEMENTS (endpoint_fields) },
  [FASP_STATS_GROUP] = { group_fields, G_N_ELEMENTS (group_fields) },
  [FASP_STATS_SESSION] = { session_fields, G_N_ELEMENTS (session_fields) },
  [FASP_STATS_FLOW] = { flow_fields, G_N_ELEMENTS (flow_fields) },
  [FASP_STATS_PATH] = { path_fields, G_N_ELEMENTS (path_fields) },
  [FASP_STATS_SOURCE] = { source_fields, G_N_ELEMENTS (source_fields) },
  [FASP_STATS_SOURCE_CHANGE] = { source_change_fields, G_N_ELEMENTS (source_change_fields) },
  [FASP_STATS_LEAD] = { lead_fields, G_N_ELEMENTS (lead_fields) },
  [FASP_STATS_PRESENTATION] = { presentation_fields, G_N_ELEMENTS (presentation_fields) },
  [FASP_STATS_SUMMARY] = { summary_fields, G_N_ELEMENTS (summary_fields) },
};

/* --- looking up -------------------------------------------------------------- */

const FaspStatField *
fasp_stat_find_in (FaspStatsOf of, const gchar *name)
{
  for (guint i = 0; i < fasp_stat_tables[of].n; i++)
    if (g_str_equal (fasp_stat_tables[of].fields[i].name, name))
      return &fasp_stat_tables[of].fields[i];
  return NULL;
}

const FaspStatField *
fasp_stat_find (const gchar *name)
{
  const FaspStatField *field = NULL;

  for (guint i = 0; i < FASP_STAT_TABLES && field == NULL; i++)
    if (i != FASP_STATS_FLOW && i != FASP_STATS_PATH && i != FASP_STATS_SOURCE_CHANGE)
      field = fasp_stat_find_in (i, name);
  return field;
}

const gchar *
fasp_stat_get_type_name (FaspStatForm form)
{
  static const gchar *const names[FASP_FORMS] = {
    [FASP_FORM_UINT64] = "guint64",
    [FASP_FORM_UINT] = "guint",
    [FASP_FORM_INT] = "gint",
    [FASP_FORM_BOOLEAN] = "gboolean",
    [FASP_FORM_DOUBLE] = "gdouble",
    [FASP_FORM_TIME] = "gdouble",
    [FASP_FORM_RATE] = "gdouble",
    [FASP_FORM_INTERVAL] = "guint64",
    [FASP_FORM_INTERVAL_IF_ANY] = "guint64",
    [FASP_FORM_CIPHER] = "gchararray",
    [FASP_FORM_KEY] = "gchararray",
    [FASP_FORM_TEXT] = "gchararray",
    [FASP_FORM_WORDS] = "gchararray",
    [FASP_FORM_ADDRESS] = "GSocketAddress",
    [FASP_FORM_ROUNDS] = "GValueArray",
    [FASP_FORM_FLOWS] = "GValueArray",
    [FASP_FORM_PATHS] = "GValueArray",
  };

  return names[form];
}
