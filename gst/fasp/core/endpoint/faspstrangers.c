/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspstrangers.h"
#include "faspcallingprivate.h"

#define TS_PACKET 188
#define TS_SYNC 0x47
/* An SRT handshake: a control packet of type 0 to socket 0, of version 4 or 5
 * (draft-sharabayko-srt, 3.2.1). */
#define SRT_HANDSHAKE_SIZE 64
#define SRT_SOCKET 12  /* offset of the socket id in it */
#define SRT_VERSION 16 /* offset of the version in it */

/* --- other protocols ------------------------------------------------------------------ */

static gboolean
is_ts (const guint8 *data, gsize size)
{
  return size >= TS_PACKET && size % TS_PACKET == 0 && data[0] == TS_SYNC
      && (size == TS_PACKET || data[TS_PACKET] == TS_SYNC);
}

static gboolean
is_srt (const guint8 *data, gsize size)
{
  static const guint8 begins[] = { 0x80, 0, 0, 0 }, none[] = { 0, 0, 0, 0 };

  return size >= SRT_HANDSHAKE_SIZE && memcmp (data, begins, sizeof begins) == 0
      && memcmp (data + SRT_SOCKET, none, sizeof none) == 0
      && memcmp (data + SRT_VERSION, none, 3) == 0
      && (data[SRT_VERSION + 3] == 4 || data[SRT_VERSION + 3] == 5);
}

/* A single datagram of RTP looks like one of a session that is gone. Two RTP datagrams in a row
 * have the same payload type and source (RFC 3550, 5.1), and rising sequence numbers; in datagrams
 * of a session these bytes belong to the connection id, which does not change. */
static gboolean
is_rtp (FaspEndpointStrangers *strangers, const guint8 *data, gsize size)
{
  guint8 last[FASP_STRANGERS_RTP];
  guint16 step;

  if (size < sizeof last)
    return FALSE;
  memcpy (last, strangers->last, sizeof last);
  memcpy (strangers->last, data, sizeof last);
  step = (data[2] << 8 | data[3]) - (last[2] << 8 | last[3]);
  return (data[0] & 0xc0) == 0x80 && data[0] == last[0] && ((data[1] ^ last[1]) & 0x7f) == 0
      && memcmp (data + 8, last + 8, 4) == 0 && step > 0 && step <= FASP_STRANGERS_RTP_STEP;
}

gboolean
fasp_strangers_look (FaspEndpoint *endpoint, const FaspAddress *from, const guint8 *data,
    gsize size)
{
  FaspProtocol protocol = is_ts (data, size)             ? FASP_PROTOCOL_MPEG_TS :
      is_srt (data, size)                                ? FASP_PROTOCOL_SRT :
      is_rtp (&endpoint->calling->strangers, data, size) ? FASP_PROTOCOL_RTP :
                                                           FASP_PROTOCOL_FASP;
  FaspEvent *event;

  if (protocol == FASP_PROTOCOL_FASP)
    return FALSE;
  endpoint->stats.datagrams_foreign++;
  if (endpoint->calling->strangers.notified >> protocol & 1)
    return TRUE;
  endpoint->calling->strangers.notified |= 1u << protocol;
  event = fasp_endpoint_push_event (endpoint, FASP_EVENT_STRANGER, NULL);
  event->address = *from;
  event->protocol = protocol;
  return TRUE;
}

/* --- no caller ------------------------------------------------------------------------ */

void
fasp_strangers_run_due (FaspEndpoint *endpoint, FaspTime now)
{
  if (now < fasp_strangers_get_time (endpoint))
    return;
  endpoint->calling->strangers.uncalled_notified = TRUE;
  fasp_endpoint_push_event (endpoint, FASP_EVENT_UNCALLED, NULL);
}

/* When to notify the application that no caller has come. Never for a sender to a group, which is
 * called only after its announcement is heard. */
FaspTime
fasp_strangers_get_time (FaspEndpoint *endpoint)
{
  return endpoint->config.mode == FASP_MODE_LISTENER && endpoint->config.group.len == 0
          && endpoint->calling->call.started > 0 && !endpoint->closing
          && !endpoint->calling->strangers.is_called
          && !endpoint->calling->strangers.uncalled_notified ?
      endpoint->calling->call.started + FASP_UNCALLED_AFTER :
      FASP_NEVER;
}
