/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplogevents.h: the events of the decision log, and their fields. docs/debugging.md describes
 * them.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* The events, in the order of docs/debugging.md. */
typedef enum
{
  FASP_LOG_LOG_EVENTS_LOST,
  FASP_LOG_CALL_STARTED,
  FASP_LOG_CALL_UNANSWERED,
  FASP_LOG_CALL_REFUSED,
  FASP_LOG_CALL_GIVEN_UP,
  FASP_LOG_PEER_CHANGED,
  FASP_LOG_PORT_LEFT,
  FASP_LOG_CALLER_REFUSED,
  FASP_LOG_CALLER_UNDECIDED,
  FASP_LOG_SENDER_ANNOUNCED,
  FASP_LOG_SESSION_STARTED,
  FASP_LOG_SESSION_UNCONFIRMED,
  FASP_LOG_SESSION_CONNECTED,
  FASP_LOG_SESSION_INTERRUPTED,
  FASP_LOG_SESSION_RESUMED,
  FASP_LOG_SESSION_CLOSED,
  FASP_LOG_KEY_UPDATED,
  FASP_LOG_PATH_PROVED,
  FASP_LOG_PATH_REFUSED,
  FASP_LOG_PATH_SILENT,
  FASP_LOG_PATH_DEAD,
  FASP_LOG_PATH_ALIVE,
  FASP_LOG_MTU_UPDATED,
  FASP_LOG_ECN_UPDATED,
  FASP_LOG_WRITER_WAITS,
  FASP_LOG_WRITER_GOES_ON,
  FASP_LOG_STREAM_HELD,
  FASP_LOG_STREAM_RELEASED,
  FASP_LOG_HEADER_AWAITED,
  FASP_LOG_HEADER_WRITTEN,
  FASP_LOG_SENDING_BEHIND,
  FASP_LOG_SENDING_CAUGHT_UP,
  FASP_LOG_SENDING_STALLED,
  FASP_LOG_SENDING_RESUMED,
  FASP_LOG_RECEIVER_LEFT_BEHIND,
  FASP_LOG_BLOCKS_SKIPPED,
  FASP_LOG_BLOCKS_EXPIRED,
  FASP_LOG_PACKETS_LOST,
  FASP_LOG_COPIES_PLANNED,
  FASP_LOG_FEC_PLANNED,
  FASP_LOG_RATE_CHANGED,
  FASP_LOG_LATENCY_PLANNED,
  FASP_LOG_BITRATE_OFFERED,
  FASP_LOG_KEY_FRAME_WANTED,
  FASP_LOG_LATENCY_CHANGED,
  FASP_LOG_PACKETS_MISSING,
  FASP_LOG_BLOCK_RECOVERED,
  FASP_LOG_BLOCKS_LATE,
  FASP_LOG_BLOCKS_GIVEN_UP,
  FASP_LOG_CLOCK_JUMPED,
  FASP_LOG_MEMBER_JOINED,
  FASP_LOG_MEMBER_SENT_AWAY,
  FASP_LOG_GROUP_DEAF,
  FASP_LOG_GROUP_HEARD,
  FASP_LOG_EVENTS, /* number of events */
} FaspLogEvent;

#define FASP_LOG_FIELDS 9 /* most fields of an event */

/* How a field is written. */
typedef enum
{
  FASP_LOG_END = 0,  /* there is no further field */
  FASP_LOG_NUMBER,   /* a count, a number, bytes, or bit/s */
  FASP_LOG_TIME,     /* kept in us, written in ms */
  FASP_LOG_FRACTION, /* FASP_LOG_SHARE() */
  FASP_LOG_FLAG,     /* true or false */
  FASP_LOG_NAME,     /* FASP_LOG_WORD() */
  FASP_LOG_REASON,   /* FaspReason */
  FASP_LOG_ADDRESS,  /* FASP_LOG_POINTER() to a FaspAddress; at most one in an event */
  FASP_LOG_TEXT,     /* FASP_LOG_POINTER() to a text; at most one in an event */
} FaspLogType;

typedef struct
{
  const gchar *name;
  FaspLogType type;
} FaspLogField;

typedef struct
{
  const gchar *name;
  FaspLogField fields[FASP_LOG_FIELDS + 1];
} FaspLogKind;

const FaspLogKind *fasp_log_get_kind (FaspLogEvent event);

G_END_DECLS
