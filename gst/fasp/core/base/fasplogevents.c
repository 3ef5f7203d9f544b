/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All events of the decision log. docs/debugging.md describes each field; a test compares both.
 * Names are the usual terms (those of qlog's QUIC events where there is a similar one).  `trigger'
 * is always the reason.
 */
#include "fasplogevents.h"

/* Short names, so that an event fits a line. */
#define NUMBER(name) { name, FASP_LOG_NUMBER }
#define TIME(name) { name, FASP_LOG_TIME }
#define SHARE(name) { name, FASP_LOG_FRACTION }
#define FLAG(name) { name, FASP_LOG_FLAG }
#define NAME(name) { name, FASP_LOG_NAME }
#define TRIGGER { "trigger", FASP_LOG_NAME }
#define REASON { "reason", FASP_LOG_REASON }
#define ADDRESS { "address", FASP_LOG_ADDRESS }
#define TEXT(name) { name, FASP_LOG_TEXT }

static const FaspLogKind kinds[FASP_LOG_EVENTS] = {
  /* log */
  [FASP_LOG_LOG_EVENTS_LOST] = { "log_events_lost", { NUMBER ("count") } },
  /* calls and sessions */
  [FASP_LOG_CALL_STARTED] = { "call_started", { ADDRESS, NUMBER ("peer"), FLAG ("resumes") } },
  [FASP_LOG_CALL_UNANSWERED] = { "call_unanswered", { ADDRESS, TIME ("waited"), FLAG ("forged") } },
  [FASP_LOG_CALL_REFUSED] = { "call_refused", { ADDRESS, REASON, TEXT ("text"), FLAG ("final") } },
  [FASP_LOG_CALL_GIVEN_UP] = { "call_given_up", { ADDRESS, TIME ("waited"), FLAG ("forged") } },
  [FASP_LOG_PEER_CHANGED] = { "peer_changed", { NUMBER ("peer") } },
  [FASP_LOG_PORT_LEFT] = { "port_left", { NUMBER ("link") } },
  [FASP_LOG_CALLER_REFUSED] = { "caller_refused",
      { ADDRESS, REASON, TEXT ("text"), NUMBER ("more") } },
  [FASP_LOG_CALLER_UNDECIDED] = { "caller_undecided", { ADDRESS, TIME ("waited") } },
  [FASP_LOG_SENDER_ANNOUNCED] = { "sender_announced", { ADDRESS } },
  [FASP_LOG_SESSION_STARTED] = { "session_started",
      { ADDRESS, NUMBER ("peer_session"), NUMBER ("flows"), TIME ("latency"), NUMBER ("block") } },
  [FASP_LOG_SESSION_UNCONFIRMED] = { "session_unconfirmed", { ADDRESS, TIME ("waited") } },
  [FASP_LOG_SESSION_CONNECTED] = { "session_connected",
      { ADDRESS, TEXT ("streamid"), NUMBER ("block") } },
  [FASP_LOG_SESSION_INTERRUPTED] = { "session_interrupted", { TIME ("silent"), TRIGGER } },
  [FASP_LOG_SESSION_RESUMED] = { "session_resumed", { ADDRESS } },
  [FASP_LOG_SESSION_CLOSED] = { "session_closed",
      { REASON, TEXT ("text"), FLAG ("by_peer"), TIME ("lasted"), NUMBER ("bytes"),
          NUMBER ("bytes_lost"), FLAG ("final"), FLAG ("held") } },
  [FASP_LOG_KEY_UPDATED] = { "key_updated", { TRIGGER, NUMBER ("datagrams") } },
  /* paths */
  [FASP_LOG_PATH_PROVED] = { "path_proved", { NUMBER ("flow"), ADDRESS } },
  [FASP_LOG_PATH_REFUSED] = { "path_refused", { NUMBER ("flow"), ADDRESS } },
  [FASP_LOG_PATH_SILENT] = { "path_silent", { NUMBER ("flow"), TIME ("silent") } },
  [FASP_LOG_PATH_DEAD] = { "path_dead",
      { NUMBER ("flow"), NUMBER ("lost"), SHARE ("loss"), TIME ("rtt") } },
  [FASP_LOG_PATH_ALIVE] = { "path_alive", { NUMBER ("flow"), TIME ("dead"), TRIGGER } },
  [FASP_LOG_MTU_UPDATED] = { "mtu_updated",
      { NUMBER ("flow"), NUMBER ("old"), NUMBER ("new"), TRIGGER } },
  [FASP_LOG_ECN_UPDATED] = { "ecn_updated", { NUMBER ("flow"), NAME ("state") } },
  /* writing and sending */
  [FASP_LOG_WRITER_WAITS] = { "writer_waits", { TRIGGER, NUMBER ("blocks") } },
  [FASP_LOG_WRITER_GOES_ON] = { "writer_goes_on", { NUMBER ("blocks") } },
  [FASP_LOG_STREAM_HELD] = { "stream_held", { NUMBER ("block"), NUMBER ("bytes"), TIME ("for") } },
  [FASP_LOG_STREAM_RELEASED] = { "stream_released",
      { NUMBER ("block"), NUMBER ("bytes"), TRIGGER } },
  [FASP_LOG_HEADER_AWAITED] = { "header_awaited", { FLAG ("held"), TRIGGER } },
  [FASP_LOG_HEADER_WRITTEN] = { "header_written", { TIME ("waited"), FLAG ("exists") } },
  [FASP_LOG_SENDING_BEHIND] = { "sending_behind",
      { NUMBER ("block"), TIME ("waited"), NUMBER ("blocks"), NUMBER ("rate"), TRIGGER } },
  [FASP_LOG_SENDING_CAUGHT_UP] = { "sending_caught_up", { NUMBER ("block"), TIME ("waited") } },
  [FASP_LOG_SENDING_STALLED] = { "sending_stalled", { NUMBER ("unconfirmed"), TIME ("silent") } },
  [FASP_LOG_SENDING_RESUMED] = { "sending_resumed", { NUMBER ("unconfirmed") } },
  [FASP_LOG_RECEIVER_LEFT_BEHIND] = { "receiver_left_behind",
      { NUMBER ("from"), NUMBER ("to"), TRIGGER } },
  [FASP_LOG_BLOCKS_SKIPPED] = { "blocks_skipped", { NUMBER ("from"), NUMBER ("to"), TRIGGER } },
  [FASP_LOG_BLOCKS_EXPIRED] = { "blocks_expired",
      { NUMBER ("from"), NUMBER ("to"), FLAG ("all") } },
  [FASP_LOG_PACKETS_LOST] = { "packets_lost",
      { NUMBER ("flow"), NUMBER ("first"), NUMBER ("last"), NUMBER ("count"), NUMBER ("block"),
          NUMBER ("last_block"), NUMBER ("round"), TIME ("age"), TRIGGER } },
  [FASP_LOG_COPIES_PLANNED] = { "copies_planned",
      { NUMBER ("block"), NUMBER ("round"), NUMBER ("copies"), TIME ("apart"), TIME ("left") } },
  [FASP_LOG_FEC_PLANNED] = { "fec_planned", { SHARE ("share"), SHARE ("loss"), FLAG ("alone") } },
  [FASP_LOG_RATE_CHANGED] = { "rate_changed",
      { NUMBER ("old"), NUMBER ("new"), TRIGGER, TIME ("queue"), TIME ("rtt"), NUMBER ("way") } },
  [FASP_LOG_LATENCY_PLANNED] = { "latency_planned",
      { TIME ("latency"), NUMBER ("interval"), NUMBER ("wanted"), SHARE ("loss"),
          SHARE ("back_loss"), TIME ("round"), TIME ("guard"), FLAG ("falls_short") } },
  [FASP_LOG_BITRATE_OFFERED] = { "bitrate_offered", { NUMBER ("old"), NUMBER ("new") } },
  [FASP_LOG_KEY_FRAME_WANTED] = { "key_frame_wanted", { TRIGGER } },
  /* receiving */
  [FASP_LOG_LATENCY_CHANGED] = { "latency_changed", { TIME ("old"), TIME ("new"), TRIGGER } },
  [FASP_LOG_PACKETS_MISSING] = { "packets_missing",
      { NUMBER ("flow"), NUMBER ("count"), NUMBER ("largest") } },
  [FASP_LOG_BLOCK_RECOVERED] = { "block_recovered", { NUMBER ("block") } },
  [FASP_LOG_BLOCKS_LATE] = { "blocks_late",
      { NUMBER ("from"), NUMBER ("to"), TIME ("lateness"), TIME ("latency"), NUMBER ("awaited") } },
  [FASP_LOG_BLOCKS_GIVEN_UP] = { "blocks_given_up",
      { NUMBER ("from"), NUMBER ("to"), NUMBER ("count"), TRIGGER } },
  [FASP_LOG_CLOCK_JUMPED] = { "clock_jumped", { NUMBER ("block") } },
  /* multicast */
  [FASP_LOG_MEMBER_JOINED] = { "member_joined", { NUMBER ("block"), FLAG ("again") } },
  [FASP_LOG_MEMBER_SENT_AWAY] = { "member_sent_away", { NUMBER ("block"), TRIGGER } },
  [FASP_LOG_GROUP_DEAF] = { "group_deaf", { TIME ("silent") } },
  [FASP_LOG_GROUP_HEARD] = { "group_heard", { NUMBER ("packet") } },
};

const FaspLogKind *
fasp_log_get_kind (FaspLogEvent event)
{
  return &kinds[event];
}
