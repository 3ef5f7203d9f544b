/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpoint.h: one end of fasp, and the interface of the core to the I/O
 * layer and the tests.  An endpoint has a store (sender) or a reorder buffer
 * (receiver), the handshake, and one session for each peer.
 *
 * It does no I/O.  The caller passes in datagrams, bytes and the time, and
 * polls for datagrams, blocks, events and the time of the next wake-up.  The
 * only callback is the source of random bytes, so there is no re-entrancy.
 * An endpoint is not thread-safe: the caller holds one lock around all calls.
 *
 * After any call: poll datagrams until FALSE, poll events until FALSE, then
 * sleep until fasp_endpoint_get_timeout() or the next input.
 */
#pragma once

#include "faspblock.h"
#include "faspdatagram.h"
#include "faspfec.h"
#include "faspfollower.h"
#include "faspposition.h"
#include "fasprate.h"
#include "fasphist.h"
#include "fasptrace.h"

G_BEGIN_DECLS

#define FASP_DATAGRAM_COMMON 1500       /* the most, unless jumbo frames help */
#define FASP_STREAMID_MAX 512   /* bytes of UTF-8 */
#define FASP_TEXT_MAX 200       /* bytes of UTF-8 in CLOSE and REJECT */

typedef struct _FaspEndpoint FaspEndpoint;

typedef struct
{
  FaspRole role;
  FaspMode mode;
  guint latency_ms;             /* the larger value of the two ends is used; or
                                   FASP_LATENCY_AUTO, FASP_LATENCY_ANY */
  guint64 glitch_interval;      /* sender: wanted seconds between skips */
  const gchar *streamid;        /* caller: the stream that it wants; listener: the name
                                   of its stream (callers that name another one are
                                   refused); copied; NULL or empty for none */
  struct _FaspGate *gate;       /* listener: shared with others at its port, must stay
                                   valid; NULL: its own */
  guint id_bits;                /* this many high bits of its connection ids */
  guint32 id_prefix;            /* are those of this (fasproutes.h); 0: none */
  struct _FaspCredentials *credentials; /* a reference is taken; NULL: nobody
                                   in particular (faspcredentials.h) */
  FaspTime rekey_interval;      /* a key is used for at most this long, */
  guint64 rekey_datagrams;      /* and for at most this many; 0: defaults */
  /* Number of flows, one for each link (FaspAddress); 0 and 1: one.  The first
   * `flowlets' flows go to the address that is dialled: to its port and the ports
   * above it.  Each further `flowlets' flows go to one of `others', of which a
   * caller has flows / flowlets - 1. */
  guint flows, flowlets;
  guint lanes;                  /* see fasp_endpoint_poll_lane(); 0: one */
  const FaspAddress *others;    /* caller: not copied, must stay valid */
  FaspAssignment assignment;    /* sender */
  FaspFecMode fec;              /* receiver: anything but off */
  gdouble fec_share;            /* sender, fixed: repairs for each block, at most 1 */
  gboolean no_rex;              /* sender: give up what the code does not
                                   recover */
  FaspRateControl rate_control; /* sender */
  guint64 max_bitrate;          /* sender: channel rate, bit/s; 0: not paced, or
                                   as much as the controller finds */
  guint64 min_bitrate;          /* sender: a controller never goes below, bit/s */
  gsize buffer_size;            /* bytes that the store or the reorder buffer
                                   holds at most */
  guint max_receivers;          /* listening sender: it takes so many in all, */
  guint max_receivers_per_network;      /* and of a network (faspgate.h); 0: as many as there may be */
  guint half_open_max;          /* handshakes answered without a cookie at a
                                   time; beyond that callers get a RETRY */
  FaspSlowPolicy slow_policy;   /* sender */
  gboolean wait_for_connection; /* sender: hold bytes while nobody listens */
  gboolean reconnect;           /* caller: dial again when the peer is gone */
  gboolean keep_listening;      /* caller: also dial again after the peer's regular end;
                                   receiver that listens: accept another sender after
                                   the end of a stream */
  gboolean ask;                 /* listener: FASP_EVENT_CONNECTING waits for
                                   fasp_endpoint_decide() */
  gboolean too_late_skip;       /* receiver: give up blocks later than latency */
  FaspTime resume_timeout;      /* how long a silent peer keeps its place */
  FaspTime history;             /* sender: how long written data is kept for receivers
                                   that join, as far as there is room */
  FaspJoin join;                /* where a receiver that joins begins: the sender's choice
                                   (FASP_JOIN_ANY: live), the receiver's wish */
  guint32 join_back_ms;         /* FASP_JOIN_BACK; 0: as far back as possible */
  guint peers;                  /* calling receiver: number of peers that have the
                                   stream, called in turn; 0 and 1: one */
  /* Multicast group; len 0: none.  A sender that listens sends to this address, too.
   * A receiver that calls dials the senders that announce themselves there (it uses
   * `len' only; the rest need not be right).  One flow, and no rate controller. */
  FaspAddress group;
  guint8 group_link;            /* receiver: the link on which the group's datagrams come */
} FaspEndpointConfig;

/* Sane values for everything but role and mode. */
void fasp_endpoint_config_init (FaspEndpointConfig * config, FaspRole role,
    FaspMode mode);

/* TRUE if this end dials.  In a rendezvous the sender of the stream does. */
gboolean fasp_endpoint_config_dials (const FaspEndpointConfig * config);

/* Copies @config, except what must stay valid (see there).  Calls @random with
 * @user_data as long as the endpoint exists. */
FaspEndpoint *fasp_endpoint_new (const FaspEndpointConfig * config,
    FaspRandomFunc random, gpointer user_data);
void fasp_endpoint_free (FaspEndpoint * endpoint);

/* Caller and rendezvous: sets the peer's address and dials from now on.  Call it
 * again when the address changes (the name was resolved anew). */
void fasp_endpoint_dial (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * peer);

/* Calling receiver with several `peers': returns which of them, 0 to peers - 1, to
 * dial.  *serial has another value each time that this changes. */
guint fasp_endpoint_get_wanted_peer (const FaspEndpoint * endpoint,
    guint * serial);

/* Caller: the peer's address is being resolved from now on.  That time counts towards
 * the time after which a caller that does not reconnect gives up. */
void fasp_endpoint_expect (FaspEndpoint * endpoint, FaspTime now);

/* --- datagrams ---------------------------------------------------------- */

/* A datagram came.  @memory: the memory that @data lies in; the endpoint may write to
 * it, and blocks stay in it.  NULL: blocks are copied.  @marked: the datagram has ECN's
 * "congestion experienced" (RFC 3168). */
void fasp_endpoint_receive (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    FaspMemory * memory, gboolean marked);
/* The same at a port with several endpoints.  @route: from fasp_routes_find(). */
void fasp_endpoint_receive_routed (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    FaspMemory * memory, gboolean marked, FaspRoute route);
/* The network reports that nobody listens at @to (ICMP port unreachable). */
void fasp_endpoint_unreachable (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * to);

/* Gets the next datagram to send now, sealed; FALSE: there is none.  Runs timers. */
gboolean fasp_endpoint_poll (FaspEndpoint * endpoint, FaspTime now,
    FaspDatagram * datagram);
/* When to call poll again if nothing comes in before; FASP_NEVER: no need. */
FaspTime fasp_endpoint_get_timeout (FaspEndpoint * endpoint);

/* The most threads that send, and how many sessions a lane takes before the next one gets
 * any: one thread hardly notices so few. */
#define FASP_LANES_MAX 16
#define FASP_LANE_FULL 64

/* With several threads that send, each has a lane (config.lanes): a part of the sessions.
 * The datagrams of a lane must leave in their order, and one thread at a time seals them.
 * The first lane also has what belongs to no session, and is filled before the others. */
guint fasp_endpoint_count_lanes (const FaspEndpoint * endpoint);
/* Like fasp_endpoint_poll() and fasp_endpoint_get_timeout(), but for one lane.  The caller
 * must seal the datagram: fasp_datagram_seal() needs no endpoint, and so no lock. */
gboolean fasp_endpoint_poll_lane (FaspEndpoint * endpoint, guint lane,
    FaspTime now, FaspDatagram * datagram);
FaspTime fasp_endpoint_get_lane_timeout (FaspEndpoint * endpoint, guint lane);
/* What was polled from @lane since @from did not leave before @until, as the thread or the
 * socket was busy.  The pacers count from @until then. */
void fasp_endpoint_left_late (FaspEndpoint * endpoint, guint lane,
    FaspTime from, FaspTime until);

/* --- the stream, sender -------------------------------------------------- */

/* Takes bytes written at @media_time (µs, sender's media clock; falls only where
 * that was set back).  @memory: the memory that @data lies in, which must not change any
 * more; what fills whole blocks is not copied then.  NULL: all is copied.
 * Returns how many bytes were taken.  That is fewer than @size when the store is full
 * (slow-policy wait), or when nobody has connected yet and wait_for_connection is set:
 * try again after the next poll round.  Without wait_for_connection, bytes that nobody
 * listens to are taken, counted and dropped. */
gsize fasp_endpoint_write (FaspEndpoint * endpoint, FaspTime now,
    FaspTime media_time, const guint8 * data, gsize size, FaspMemory * memory);
/* The next byte written, at @media_time, stands at @place in the stream of whoever wrote
 * it first.  Relays call this.  NULL: it is of our own stream (as if this is never
 * called).  FALSE: there is no room: try again, as with fasp_endpoint_write(). */
gboolean fasp_endpoint_set_place (FaspEndpoint * endpoint, FaspTime now,
    FaspTime media_time, const FaspPlace * place);
/* What is written from now on cannot be read without these bytes, FASP_HEADER_MAX at most.
 * Receivers that join in the middle get them, before the next unit that can be decoded
 * alone, unless they are more than a quarter of the buffer.  This call does not write them
 * into the stream.  NULL, or no bytes: no header is needed.  Takes a reference. */
void fasp_endpoint_set_header (FaspEndpoint * endpoint, FaspTime now,
    GBytes * header);
/* How long (the longest of) the receivers that joined have waited for a unit to begin
 * with; 0: none waits. */
FaspTime fasp_endpoint_get_header_wait (const FaspEndpoint * endpoint,
    FaspTime now);
/* The next byte, written at @media_time, begins a unit that can be decoded without what was
 * before.  @each: all units of the stream are like that; else it is a key frame.  FALSE: there
 * is no room yet for the header that goes before it; write nothing until there is. */
gboolean fasp_endpoint_begin_key_frame (FaspEndpoint * endpoint, FaspTime now,
    FaspTime media_time, gboolean each);
/* Takes the blocks in the application's memory that nobody needs any more; NULL: none.
 * Release them with g_ptr_array_unref() outside of the caller's lock, as that calls code
 * which is not ours.  Call this after any other call. */
GPtrArray *fasp_endpoint_take_forgotten (FaspEndpoint * endpoint);
gboolean fasp_endpoint_has_forgotten (const FaspEndpoint * endpoint);
/* TRUE when fasp_endpoint_write() would take at least one byte. */
gboolean fasp_endpoint_can_write (const FaspEndpoint * endpoint);
/* FALSE: wait, as before a write: nothing was written, nobody is connected who could be
 * told of the end, and wait_for_connection is set. */
gboolean fasp_endpoint_can_finish (const FaspEndpoint * endpoint);
/* The stream ends here. Idempotent. */
void fasp_endpoint_finish (FaspEndpoint * endpoint, FaspTime now);
gboolean fasp_endpoint_has_finished (const FaspEndpoint * endpoint);
/* After finish: TRUE when every session has acknowledged everything (or has
 * been removed, see FASP_EVENT_REMOVED, or there was never one). */
gboolean fasp_endpoint_is_drained (const FaspEndpoint * endpoint);

/* --- the stream, receiver ------------------------------------------------ */

/* Returns the next block in order, with a reference for the caller, or NULL.  Each byte
 * of a stream comes once, whoever sends it.  A block with FASP_BLOCK_EOS has no payload
 * and ends the stream of this sender.  A block with FASP_BLOCK_HEADER is not part of the
 * stream, but the header that receivers which join in the middle need.  With
 * FASP_BLOCK_ENTER this receiver needs it, too; else it is only to be passed on. */
FaspBlock *fasp_endpoint_read (FaspEndpoint * endpoint, FaspTime now);
/* The session that what was read last came in. */
guint32 fasp_endpoint_get_read_session (const FaspEndpoint * endpoint);
/* The place of the byte behind the block that was read last. */
FaspPlace fasp_endpoint_get_stand (const FaspEndpoint * endpoint);
/* TRUE when fasp_endpoint_read() may return a block. */
gboolean fasp_endpoint_can_read (const FaspEndpoint * endpoint);
/* Maps @media_time, of the block that was read last, to the `now' clock: when to
 * play it, less the latency that the session began with.  That is the time it
 * would have arrived on a path without loss. */
FaspTime fasp_endpoint_map_media_time (const FaspEndpoint * endpoint,
    FaspTime media_time);
/* What is known of the clock of the sender of the block that was read last. */
void fasp_endpoint_get_sender_clock (const FaspEndpoint * endpoint,
    FaspSenderClock * clock);

/* What reads the stream needs a key frame.  The sender is told at once, and then once a second at
 * most: wants that come within that second leave together at its end.  FALSE: there is no sender;
 * one that comes makes a key frame anyway. */
gboolean fasp_endpoint_want_key_frame (FaspEndpoint * endpoint, FaspTime now);

/* --- events --------------------------------------------------------------- */

typedef enum
{
  FASP_EVENT_CONNECTING,        /* listener with `ask': decide() is awaited */
  FASP_EVENT_UNANSWERED,        /* caller: nobody has answered so far */
  FASP_EVENT_CONNECTED,         /* session established; latency_ms is final if
                                   it is known */
  FASP_EVENT_REJECTED,          /* listener: a caller was turned away; caller:
                                   the listener turned us away */
  FASP_EVENT_PROMISE,           /* the promised interval has changed, or the
                                   latency is known now */
  FASP_EVENT_INTERRUPTED,       /* nothing heard for a while, still trying */
  FASP_EVENT_RESUMED,           /* heard again; goes on where it stood */
  FASP_EVENT_FLOW_OUT,          /* one of several flows carries nothing; see faspoutage.h */
  FASP_EVENT_FLOW_BACK,         /* it carries again */
  FASP_EVENT_BITRATE,           /* sender: an encoder may use another rate now */
  FASP_EVENT_DEAF,              /* receiver: the group is not heard any more, the
                                   stream comes by unicast */
  FASP_EVENT_HEARING,           /* receiver: the group is heard again, the stream
                                   comes by it */
  FASP_EVENT_KEY_FRAME,         /* sender: receivers need a key frame, as they have joined,
                                   go on behind a gap, or say so; once a second at most */
  FASP_EVENT_SKIPPED,           /* sender: a receiver does not keep up, and goes on
                                   behind a gap; once a second at most */
  FASP_EVENT_BEHIND,            /* sender: a receiver that had the stream before goes
                                   on behind a gap, as up to bytes_lost bytes are not
                                   kept any more; once a minute at most */
  FASP_EVENT_GAP,               /* receiver: bytes are missing; once a minute at most */
  FASP_EVENT_MOVED,             /* receiver: the stream it had goes on in another
                                   session; bytes_lost bytes in between are missing */
  FASP_EVENT_JOINED,            /* receiver: the first bytes of a stream were read: `place' */
  FASP_EVENT_REMOVED,           /* session over; reason, text and, for a
                                   sender, unacknowledged bytes */
} FaspEventType;

typedef struct
{
  FaspEventType type;
  guint32 session;              /* id, never 0 */
  FaspAddress address;
  FaspReason reason;
  gboolean final;               /* no attempt to reconnect will follow */
  gboolean calling;             /* REJECTED: this end called */
  guint64 more;                 /* REJECTED: so many before it were not told of, as there were too many */
  gboolean in_the_middle;       /* CONNECTED, sender: the peer has nothing of the stream,
                                   and will not get its beginning; JOINED: the same of us */
  FaspPlace place;              /* JOINED: where in the stream its first byte here is */
  gboolean latency_known;       /* FALSE: it is still to be found */
  guint latency_ms;             /* that the session began with */
  guint current_latency_ms;     /* PROMISE: in force now */
  guint64 promised_interval;    /* expected seconds between skips */
  guint64 observed_interval;    /* seconds per skip so far, at least 1; 0: no skip */
  gboolean falls_short;         /* sender: has begun to promise less than
                                   glitch_interval */
  guint64 bitrate;              /* BITRATE: as of fasp_endpoint_get_available_bitrate() */
  guint64 bytes_lost;           /* REMOVED: bytes the peer never confirmed; MOVED,
                                   BEHIND: bytes missing */
  guint64 bytes;                /* REMOVED: of the stream: what the peer has confirmed, or
                                   what came from it */
  FaspTime lasted;              /* REMOVED: since it was connected */
  gboolean held;                /* REMOVED: the stream waits until there is a receiver
                                   again */
  gboolean left_behind;         /* GAP: the sender did not wait for it */
  FaspAddress before;           /* MOVED: peer of the session before */
  guint flow;                   /* FLOW_OUT, FLOW_BACK: the flow.  `address' is its own, and
                                   has its link also if it is not known */
  FaspTime since;               /* FLOW_OUT: when it last carried; FLOW_BACK: since when
                                   it carries */
  FaspTime gone;                /* FLOW_BACK: how long it did not */
  guint flows, flows_here;      /* agreed upon, and what this end has */
  gboolean fec_refused;         /* sender: the peer takes no repairs */
  FaspIdentity peer;
  gchar text[FASP_TEXT_MAX + 1];        /* what the peer said */
  gchar streamid[FASP_STREAMID_MAX + 1];
} FaspEvent;

gboolean fasp_endpoint_poll_event (FaspEndpoint * endpoint, FaspEvent * event);
gboolean fasp_endpoint_has_event (FaspEndpoint * endpoint);
/* Answers FASP_EVENT_CONNECTING. */
void fasp_endpoint_decide (FaspEndpoint * endpoint, FaspTime now,
    guint32 session, gboolean accept);

/* What an encoder may use: bit/s of the stream that every receiver has room for now,
 * besides headers, rexes and repairs.  0: nobody is there, or nothing is paced. */
guint64 fasp_endpoint_get_available_bitrate (const FaspEndpoint * endpoint);

/* --- changing while running ------------------------------------------------ */

void fasp_endpoint_set_bitrates (FaspEndpoint * endpoint, FaspTime now,
    guint64 min_bitrate, guint64 max_bitrate);
/* What is written consists of packets of @size bytes (MPEG-TS: 188); 0: of any size.  Blocks hold
 * whole packets, if one fits, so that a gap begins and ends between packets. */
void fasp_endpoint_set_packet_size (FaspEndpoint * endpoint, guint32 size);
void fasp_endpoint_set_latency (FaspEndpoint * endpoint, guint latency_ms);
void fasp_endpoint_set_glitch_interval (FaspEndpoint * endpoint,
    guint64 seconds);
void fasp_endpoint_set_slow_policy (FaspEndpoint * endpoint,
    FaspSlowPolicy policy);
void fasp_endpoint_set_max_receivers (FaspEndpoint * endpoint, guint most,
    guint per_network);
void fasp_endpoint_set_wait_for_connection (FaspEndpoint * endpoint,
    gboolean wait);
void fasp_endpoint_set_too_late_skip (FaspEndpoint * endpoint, gboolean skip);
void fasp_endpoint_set_keep_listening (FaspEndpoint * endpoint,
    gboolean keep_listening);
void fasp_endpoint_set_reconnect (FaspEndpoint * endpoint, FaspTime now,
    gboolean reconnect);

/* --- ending ----------------------------------------------------------------- */

/* Says goodbye to every peer (CLOSE, repeated a few times) and accepts no
 * more peers.  The reason in CLOSE is FINISHED from a receiver that has the
 * whole stream and from a sender whose stream is acknowledged, else @reason. */
void fasp_endpoint_close (FaspEndpoint * endpoint, FaspTime now,
    FaspReason reason);
/* Receiver: has no use for what it is sent, and says so.  A sender that calls gives up. */
void fasp_endpoint_refuse (FaspEndpoint * endpoint, FaspTime now,
    const gchar * text);
/* After close: TRUE when nothing is left to send.  The caller waits for that
 * one second at most. */
gboolean fasp_endpoint_is_closed (const FaspEndpoint * endpoint);

/* --- figures ------------------------------------------------------------------ */

#define FASP_ROUNDS 8

/* One of several flows. */
typedef struct
{
  FaspAddress address;          /* len 0: not known */
  gboolean usable;              /* the peer answers there, and, sender, it is
                                   not dead */
  gdouble weight;               /* sender: 1 is an equal share */
  FaspTime rtt;                 /* sender: 0 if not known */
  guint64 datagrams_sent, wire_bytes_sent;
  guint64 datagrams_received;
  /* sender: of those sent, as far as the peer has reported; receiver: of the sender's */
  guint64 datagrams_lost, bursts_lost;  /* burst: lost in a row */
  guint64 datagrams_reordered;  /* receiver */
} FaspFlowStats;

typedef struct
{
  guint32 session;
  FaspAddress address;
  gboolean interrupted;
  guint flows;                  /* in use */
  guint latency_ms;             /* in force */
  guint64 promised_interval;    /* expected seconds between skips */
  guint64 observed_interval;    /* seconds per skip since the session opened, at least 1;
                                   0: no skip */
  guint64 skips;                /* seconds in which something was missing or too late;
                                   sender: rows of seconds, as it is not told of each */
  guint64 key_frames_wanted;    /* by the receiver's application, as the sender was told */
  FaspTime rtt, rtt_min, rtt_variation;
  guint16 datagram_size;        /* path MTU as UDP payload */
  FaspCipher cipher;
  FaspIdentity peer;
  /* sender */
  guint64 datagrams_sent, wire_bytes_sent;      /* IP header up */
  guint64 blocks_sent, payload_bytes_sent;      /* originals */
  guint64 blocks_resent, payload_bytes_resent;  /* rexes */
  guint64 copies_sent;          /* of the rexes: second and further ones */
  guint64 blocks_doubled;       /* FASP_ASSIGNMENT_DUPLICATE */
  guint64 repairs_sent;
  gdouble fec_share;            /* in force: repairs for each block */
  guint64 channel_rate;         /* bit/s of the pacer; 0: not paced */
  guint64 marked;               /* receiver: datagrams that came with an ECN mark;
                                   sender: its own, as the peer reports */
  FaspTime standing_queue;      /* with a rate controller: on the path, of late */
  FaspTime missed;              /* time in which the rate allowed sending, and nobody polled */
  guint64 blocks_lost;          /* transmissions known to be lost */
  gdouble loss, back_loss;      /* share lost there and back, as planned for */
  guint64 blocks_acknowledged, payload_bytes_acknowledged;
  guint64 blocks_skipped;       /* by slow-policy or the receiver */
  guint64 feedback_received;
  guint64 blocks_in_flight;     /* sent, not acknowledged */
  guint64 blocks_queued;        /* written, not sent */
  guint64 window;               /* units (FASP_BLOCK_UNIT) the peer still takes */
  guint64 send_rate;            /* bit/s on the wire over the last second */
  /* receiver */
  guint64 datagrams_received, wire_bytes_received;
  guint64 datagrams_lost, datagrams_reordered, datagrams_duplicate;
  guint64 bursts_lost;          /* losses in a row, on each flow by itself */
  guint64 blocks_received, payload_bytes_received;
  guint64 blocks_rex_received, blocks_duplicate;
  guint64 repairs_received, blocks_recovered;   /* by repairs */
  guint64 blocks_too_late;      /* given up by too-late=skip or the sender */
  guint64 feedback_sent;
  guint64 buffer_blocks, buffer_bytes;
  guint64 receive_rate;         /* bit/s on the wire over the last second */
  FaspTime reorder_delay;
  gdouble sender_ppm;           /* how much its clock is faster than ours; 0: not known */
  guint clock_jumps;
  gboolean member;              /* the receiver is a member of a group */
  guint64 group_datagrams;      /* receiver: received from the group, */
  guint64 group_lost;           /* and lost */
  guint64 rounds[FASP_ROUNDS];  /* blocks by the rex round that completed them */
} FaspSessionStats;

typedef struct
{
  guint sessions;               /* open */
  guint interrupted;            /* of these */
  guint64 bytes_written;        /* sender: bytes the application wrote */
  guint64 bytes_dropped;        /* sender: written while nobody listened */
  guint64 whole;                /* sender: receivers that have confirmed all, to the
                                 * end of the stream */
  guint64 key_frames_requested; /* sender: FASP_EVENT_KEY_FRAME so far */
  guint64 bytes_unconfirmed;    /* sender: bytes at the end of the stream so far that
                                   a receiver did not confirm before it left
                                   (the last one, or any since finish) */
  guint64 bytes_read;           /* receiver: bytes the application took */
  guint64 bytes_missing;        /* receiver: given up between those; sender: no longer
                                 * kept for receivers that came back */
  guint64 join_offset;          /* receiver: where in the stream that is read the first byte
                                 * read of it is; FASP_OFFSET_UNKNOWN: none yet, or not known */
  guint64 joins_in_the_middle;  /* receiver: streams of which the beginning was not read */
  guint64 buffer_bytes, buffer_limit;   /* store or reorder buffer */
  guint64 datagrams_malformed;  /* could not be parsed */
  guint64 datagrams_unknown;    /* no such session */
  guint64 datagrams_forged;     /* failed their tag (damaged or spoofed) */
  guint64 datagrams_version;    /* other version */
  guint64 handshakes_refused;
  guint64 callers_misdirected;  /* refused for their streamid */
  guint64 handshakes_retried;   /* answered with a cookie */
} FaspEndpointStats;

void fasp_endpoint_get_stats (FaspEndpoint * endpoint,
    FaspEndpointStats * stats);
typedef struct
{
  guint members;
  guint64 deaf;                 /* members that did not hear it, and get all by unicast; */
  guint64 returned;             /* how often one heard it again */
  guint64 datagrams_sent, wire_bytes_sent;      /* to the group */
  guint64 blocks_sent, blocks_resent, repairs_sent;
  gdouble fec_share;            /* repairs for each block, now */
  guint64 losses;               /* losses that members asked for, */
  guint64 requests;             /* the requests of all members for them, */
  guint64 losses_shared;        /* and losses that several asked for */
  FaspTime rtt;                 /* the longest of a member, without those far away */
  FaspTime back_off, clock;     /* as members are told */
} FaspGroupStats;

/* Sender: the figures of its group; FALSE: it has none. */
gboolean fasp_endpoint_get_group (const FaspEndpoint * endpoint,
    FaspGroupStats * stats);
/* Fills in at most @max sessions, in the order they came, and returns how many; 0: there
 * are no more.  *@place is 0 for the first call, and is moved behind the last session
 * that was filled in: so a caller can release the lock between parts of thousands. */
guint fasp_endpoint_get_sessions (FaspEndpoint * endpoint, FaspTime now,
    guint64 * place, FaspSessionStats * sessions, guint max);
/* Fills in at most @max flows of a session that has several, or of the session that
 * ended last.  Returns how many there are. */
guint fasp_endpoint_get_flows (FaspEndpoint * endpoint, guint32 session,
    FaspFlowStats * flows, guint max);
/* The figures of the session that ended last; FALSE: none has. */
gboolean fasp_endpoint_get_last_session (const FaspEndpoint * endpoint,
    FaspSessionStats * session);
/* Records up to @size datagrams with blocks until they are fetched; 0: stops
 * recording. */
void fasp_endpoint_set_trace (FaspEndpoint * endpoint, guint size);
/* Takes out up to @max records, oldest first. @lost: how many were overwritten so far;
 * may be NULL. */
guint fasp_endpoint_fetch_trace (FaspEndpoint * endpoint,
    FaspTraceEntry * entries, guint max, guint64 * lost);
/* Sender: how long the data to be sent next to a receiver has waited, µs.  This is the longest
 * wait of all receivers with slow-policy wait, else the shortest.  -1: nobody is heard. */
FaspTime fasp_endpoint_get_backlog (FaspEndpoint * endpoint, FaspTime now);
/* Sender: the share lost (0 to 1) since the last call, to the receiver that loses the most.  Only
 * receivers with a fixed rate are looked at. */
gdouble fasp_endpoint_look_at_loss (FaspEndpoint * endpoint);
/* Sender: for how long, since the last call, the rate allowed sending and nobody polled; µs, of the
 * receiver with the most of it. */
FaspTime fasp_endpoint_look_at_missed (FaspEndpoint * endpoint);
/* Sender, to be called at regular times: finds a receiver that is heard, but has acknowledged nothing
 * of what is on its way to it in the last @looks calls.  FALSE: there is none. */
gboolean fasp_endpoint_look_for_stuck (FaspEndpoint * endpoint, FaspTime now,
    guint looks, FaspAddress * where);
/* Receiver: lateness in µs over the path's best case, of blocks as they
 * arrive or, @in_order, as they become deliverable in order.  Never NULL. */
const FaspHist *fasp_endpoint_get_lateness (FaspEndpoint * endpoint,
    gboolean in_order);

G_END_DECLS
