/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspevent.h: what an endpoint reports to the application, polled by fasp_endpoint_poll_event().
 */
#pragma once

#include "fasplimits.h"
#include "faspposition.h"

G_BEGIN_DECLS

typedef enum
{
  FASP_EVENT_CONNECTING, /* listener with `ask': decide() is awaited */
  FASP_EVENT_UNANSWERED, /* caller: no peer has answered so far */
  FASP_EVENT_UNCALLED,   /* listener: no caller has come so far */
  FASP_EVENT_STRANGER,   /* another protocol comes to the port; once for each `protocol' */
  FASP_EVENT_CONNECTED,  /* session established; terms.latency_ms is final if
                            it is known */
  FASP_EVENT_REJECTED,   /* listener: a caller was refused; caller: the listener refused our call */
  FASP_EVENT_PROMISE,    /* the promised interval has changed, or the
                            latency is known now */
  FASP_EVENT_INTERRUPTED, /* the peer was not heard for a while; the session waits for it */
  FASP_EVENT_RESUMED,     /* the peer is heard again; the stream goes on where it was interrupted */
  FASP_EVENT_FLOW_OUT,    /* one of several flows carries no packets; see faspoutage.h */
  FASP_EVENT_FLOW_BACK,   /* the flow carries packets again */
  FASP_EVENT_BITRATE,     /* sender: an encoder may use another rate now */
  FASP_EVENT_DEAF,        /* receiver: the group is not heard any more, the
                             stream comes by unicast */
  FASP_EVENT_HEARING,     /* receiver: the group is heard again, the stream
                             comes by it */
  FASP_EVENT_KEY_FRAME,   /* sender: receivers need a key frame, as they have joined, go on behind a
                           * gap, or ask for one; once a second at most */
  FASP_EVENT_SKIPPED,     /* sender: a receiver does not keep up, and goes on
                             behind a gap; once a second at most */
  FASP_EVENT_BEHIND,      /* sender: a receiver that had the stream before goes
                             on behind a gap, as up to bytes_lost bytes are not
                             kept any more; once a minute at most */
  FASP_EVENT_GAP,         /* receiver: bytes are missing; once a minute at most */
  FASP_EVENT_MOVED,       /* receiver: its stream goes on in another session; bytes_lost bytes in
                           * between are missing */
  FASP_EVENT_JOINED,      /* receiver: the first bytes of a stream were read: `start' */
  FASP_EVENT_REMOVED, /* the session is over; reason, text and, for a sender, unacknowledged bytes
                       */
} FaspEventType;

/* Events with a session: the terms that both ends agreed upon. */
typedef struct
{
  gboolean latency_known; /* FALSE: the latency is still to be found by the sender, or by the
                             receiver if the sender does not announce it in time */
  guint latency_ms;       /* latency at the beginning of the session */
  guint flows;            /* number of flows agreed upon */
  guint flows_here;       /* number of flows that this end has */
  gboolean fec_refused;   /* sender: the peer takes no repairs */
} FaspEventTerms;

/* REJECTED. */
typedef struct
{
  gboolean calling; /* this end called */
  guint64 more;     /* number of callers refused since the last event about one */
} FaspEventRefusal;

/* PROMISE. */
typedef struct
{
  guint latency_ms;          /* the latency in force now */
  guint64 promised_interval; /* expected seconds between skips */
  guint64 observed;          /* seconds per skip so far, at least 1; 0: no skip */
  gboolean falls_short;      /* sender: has begun to promise less than glitch_interval */
} FaspEventPromise;

/* FLOW_OUT, FLOW_BACK.  Times are as the endpoint is given them. */
typedef struct
{
  guint flow;     /* number of the flow, from 0.  The event's `address' is the peer's on this flow;
                     while that is not known, it has only the socket */
  FaspTime since; /* µs. FLOW_OUT: when the flow last carried packets; FLOW_BACK: since when it does
                     again */
  FaspTime gone;  /* µs. FLOW_BACK: how long the flow carried none */
} FaspEventOutage;

/* REMOVED. */
typedef struct
{
  guint64 bytes;    /* bytes of the stream that the peer confirmed, or that came from it */
  FaspTime lasted;  /* µs since the session was connected */
  gboolean is_held; /* the stream waits until there is a receiver again */
  gboolean is_ours; /* this end has ended the session, or given up the peer */
} FaspEventEnd;

/* CONNECTED, JOINED. */
typedef struct
{
  gboolean in_the_middle;    /* CONNECTED, sender: the peer has nothing of the stream, and will not
                              * get its beginning; JOINED: this end has nothing, and will not get
                              * the beginning */
  FaspStreamOffset position; /* JOINED: stream offset of the first byte that was read */
} FaspEventStart;

/* STRANGER. */
typedef enum
{
  FASP_PROTOCOL_FASP,
  FASP_PROTOCOL_SRT,
  FASP_PROTOCOL_RTP,
  FASP_PROTOCOL_MPEG_TS, /* without RTP */
} FaspProtocol;

/* An event. Members that do not belong to its type are 0. */
typedef struct
{
  FaspEventType type;
  guint32 session;     /* id of the session; 0: the event has none, as UNANSWERED and REJECTED */
  guint64 order;       /* number of the session, unique, as ids are used again */
  FaspAddress address; /* the peer's address */
  FaspIdentity peer;   /* the peer, in events with a session */
  FaspEventTerms terms;
  gchar streamid[FASP_STREAMID_MAX
      + 1]; /* the session's stream name; REJECTED: the name in the caller's OPEN */

  FaspReason reason; /* REJECTED, INTERRUPTED, REMOVED */
  gboolean final;    /* REJECTED, REMOVED: no attempt to reconnect will follow */
  /* UNANSWERED, REJECTED, INTERRUPTED, FLOW_OUT, REMOVED: what the peer said, or why */
  gchar text[FASP_TEXT_MAX + 1];
  guint64 bytes_lost; /* REMOVED, sender: bytes the peer never confirmed; MOVED, BEHIND:
                         bytes missing */
  FaspEventRefusal refusal;
  FaspEventPromise promise;
  FaspEventOutage outage;
  FaspEventEnd end;
  FaspEventStart start;
  guint64 bitrate;       /* BITRATE: bit/s, as of fasp_endpoint_get_available_bitrate() */
  gboolean left_behind;  /* GAP: the sender did not wait for this receiver */
  FaspProtocol protocol; /* STRANGER */
  FaspAddress before;    /* MOVED: peer of the former session */
} FaspEvent;

G_END_DECLS
