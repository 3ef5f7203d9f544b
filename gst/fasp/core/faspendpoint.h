/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpoint.h: one end of fasp: a store or a reorder buffer, the
 * handshake, and a session for each peer.  What the I/O layer and the tests
 * talk to.
 *
 * Sans-IO: datagrams, bytes and the time go in; datagrams, blocks, events
 * and the time of the next wake-up come out by polling.  No callback but the
 * source of random bytes, no re-entrancy.  Not thread-safe: the caller holds
 * one lock around it.
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

#define FASP_DATAGRAM_COMMON 1500       /* and where jumbo frames do not help */
#define FASP_STREAMID_MAX 512   /* bytes of UTF-8 */
#define FASP_TEXT_MAX 200       /* bytes of UTF-8 in CLOSE and REJECT */

typedef struct _FaspEndpoint FaspEndpoint;

typedef struct
{
  FaspRole role;
  FaspMode mode;
  guint latency_ms;             /* the larger of both ends is used; or
                                   FASP_LATENCY_AUTO, FASP_LATENCY_ANY */
  guint64 glitch_interval;      /* sender: wanted seconds between skips */
  const gchar *streamid;        /* caller: of the stream that it wants; listener: of its
                                   own, which alone is given to callers who say one;
                                   copied; NULL or empty for none */
  struct _FaspGate *gate;       /* listener: shared with others at its port, and stays
                                   valid; NULL: its own */
  guint id_bits;                /* so many high bits of its connection ids are those */
  guint32 id_prefix;            /* of this: fasproutes.h; 0: none */
  struct _FaspCredentials *credentials; /* a reference is taken; NULL: nobody
                                   in particular (faspcredentials.h) */
  FaspTime rekey_interval;      /* a key is used for so long, */
  guint64 rekey_datagrams;      /* and for so many; 0: defaults */
  /* Flows: one for each link (FaspAddress), so many in all, 0 and 1: one. The
   * first `flowlets' of them go to the address that is dialled, its port and those
   * above it; each so many more to one of `others', which a caller has flows /
   * flowlets - 1 of. */
  guint flows, flowlets;
  guint lanes;                  /* see fasp_endpoint_poll_lane(); 0: one */
  const FaspAddress *others;    /* caller's, stays valid */
  FaspAssignment assignment;    /* sender */
  FaspFecMode fec;              /* receiver: anything but off */
  gdouble fec_share;            /* sender, fixed: repairs for each block, to 1 */
  gboolean no_rex;              /* sender: what the code does not recover is
                                   given up */
  FaspRateControl rate_control; /* sender */
  guint64 max_bitrate;          /* sender: channel rate, bit/s; 0: not paced, or
                                   as much as the controller finds */
  guint64 min_bitrate;          /* sender: a controller never goes below, bit/s */
  gsize buffer_size;            /* bytes held at most by store / reorder */
  guint half_open_max;          /* handshakes answered without a cookie at a
                                   time; above it callers get a RETRY */
  FaspSlowPolicy slow_policy;   /* sender */
  gboolean wait_for_connection; /* sender: hold bytes while nobody listens */
  gboolean reconnect;           /* caller: dial again when the peer is gone */
  gboolean keep_listening;      /* caller: it calls also after the peer's regular end; receiver that is
                                   called: it takes others after the end of a stream */
  gboolean ask;                 /* listener: FASP_EVENT_CONNECTING waits for
                                   fasp_endpoint_decide() */
  gboolean too_late_skip;       /* receiver: give up blocks later than latency */
  FaspTime resume_timeout;      /* how long a silent peer keeps its place */
  FaspTime history;             /* sender: what was written is kept so long for who
                                   joins, as far as there is room */
  FaspJoin join;                /* where who joins begins: the sender's choice
                                   (FASP_JOIN_ANY: live), the receiver's wish */
  guint32 join_back_ms;         /* FASP_JOIN_BACK: 0: as far as may be */
  guint peers;                  /* calling receiver: so many that have the stream are
                                   called in turn; 0 and 1: one */
  /* Multicast: a sender that listens sends to this address, too; a receiver that calls
   * calls who is announced, if there is one (`len'; it need not be right there). One
   * flow, and no controller of the rate. */
  FaspAddress group;
  guint8 group_link;            /* receiver: on which what is sent to it comes */
} FaspEndpointConfig;

/* Sane values for everything but role and mode. */
void fasp_endpoint_config_init (FaspEndpointConfig * config, FaspRole role,
    FaspMode mode);

/* Is it this end that dials? In a rendezvous the sender of the stream does. */
gboolean fasp_endpoint_config_dials (const FaspEndpointConfig * config);

FaspEndpoint *fasp_endpoint_new (const FaspEndpointConfig * config,
    FaspRandomFunc random, gpointer user_data);
void fasp_endpoint_free (FaspEndpoint * endpoint);

/* Caller and rendezvous: where the peer is; dials from now on. May be called
 * again with another address (name resolved anew). */
void fasp_endpoint_dial (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * peer);

/* Calling receiver with several `peers': which of them, 0 to peers - 1, is to be
 * dialled; *serial is another one each time that this changes. */
guint fasp_endpoint_get_wanted_peer (const FaspEndpoint * endpoint,
    guint * serial);

/* Caller: the peer's address is being looked for from now on; counts towards
 * the time after which one that does not reconnect gives up. */
void fasp_endpoint_expect (FaspEndpoint * endpoint, FaspTime now);

/* --- datagrams ---------------------------------------------------------- */

/* @memory: what @data lies in, which may be written to, and in which blocks stay
 * then; NULL: they are copied. @marked: congestion experienced (ECN, RFC 3168). */
void fasp_endpoint_receive (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    FaspMemory * memory, gboolean marked);
/* The same at a port with several endpoints: what fasp_routes_find() says of it. */
void fasp_endpoint_receive_routed (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    FaspMemory * memory, gboolean marked, FaspRoute route);
/* The network says that nobody listens at @to (ICMP port unreachable). */
void fasp_endpoint_unreachable (FaspEndpoint * endpoint, FaspTime now,
    const FaspAddress * to);

/* The next datagram to send now, if there is one.  Runs timers. */
gboolean fasp_endpoint_poll (FaspEndpoint * endpoint, FaspTime now,
    FaspDatagram * datagram);
/* When to call poll again if nothing comes in before; FASP_NEVER: no need. */
FaspTime fasp_endpoint_get_timeout (FaspEndpoint * endpoint);

/* Threads that send, at most, and sessions of one before another has any: they are hardly
 * work for one. */
#define FASP_LANES_MAX 16
#define FASP_LANE_FULL 64

/* Several threads that send have a lane each (config.lanes): a part of the sessions, whose
 * datagrams leave in their order, and are sealed by one thread at a time.  The first lane
 * is the endpoint's own, too, and is filled before the others. */
guint fasp_endpoint_count_lanes (const FaspEndpoint * endpoint);
/* As above, of @lane; to be sealed (fasp_datagram_seal()), which needs no endpoint. */
gboolean fasp_endpoint_poll_lane (FaspEndpoint * endpoint, guint lane,
    FaspTime now, FaspDatagram * datagram);
FaspTime fasp_endpoint_get_lane_timeout (FaspEndpoint * endpoint, guint lane);
/* What was polled of @lane from @from on has left at @until only, as the thread or the
 * socket was busy: the paces count from then. */
void fasp_endpoint_left_late (FaspEndpoint * endpoint, guint lane,
    FaspTime from, FaspTime until);

/* --- the stream, sender -------------------------------------------------- */

/* Takes bytes written at @media_time (µs, sender's media clock; falls only where
 * that was set back), without a copy of what fills blocks if they lie in a @memory that
 * stays as it is (or NULL).  Returns how many were taken; fewer than @size when the store
 * is full (slow-policy wait) or nobody has connected yet and
 * wait_for_connection is set: try again after the next poll round.  Bytes
 * that nobody listens to are taken, counted and dropped. */
gsize fasp_endpoint_write (FaspEndpoint * endpoint, FaspTime now,
    FaspTime media_time, const guint8 * data, gsize size, FaspMemory * memory);
/* The next byte written is there, by who wrote it first: what a relay says; NULL: it is
 * one of our own (as if nothing is said).  Written at @media_time.  FALSE: there is no
 * room: as with fasp_endpoint_write(). */
gboolean fasp_endpoint_set_place (FaspEndpoint * endpoint, FaspTime now,
    FaspTime media_time, const FaspPlace * place);
/* What is written from now on cannot be read without these bytes, FASP_HEADER_MAX at most:
 * they are given to who joins in the middle, before the next unit at which that can be done, but
 * for more than a quarter of the buffer.  They are not written by that.  NULL, or no bytes: it
 * can. Takes a reference. */
void fasp_endpoint_set_header (FaspEndpoint * endpoint, FaspTime now,
    GBytes * header);
/* For how long somebody who joined has waited for a unit to begin with. */
FaspTime fasp_endpoint_get_header_wait (const FaspEndpoint * endpoint,
    FaspTime now);
/* A unit that can be decoded without what was before begins with the next byte, written at
 * @media_time: a key frame, or, @each, one of a stream of nothing else.  FALSE: there is no room
 * yet for the header that goes before it; then nothing is to be written. */
gboolean fasp_endpoint_begin_key_frame (FaspEndpoint * endpoint, FaspTime now,
    FaspTime media_time, gboolean each);
/* Blocks in memory of others that nobody needs any more: NULL, or to be let go
 * of with g_ptr_array_unref() outside of the caller's lock, as what that calls
 * is not ours. To be asked for after any call. */
GPtrArray *fasp_endpoint_take_forgotten (FaspEndpoint * endpoint);
gboolean fasp_endpoint_has_forgotten (const FaspEndpoint * endpoint);
/* TRUE when fasp_endpoint_write() would take at least one byte. */
gboolean fasp_endpoint_can_write (const FaspEndpoint * endpoint);
/* FALSE: nothing was written, nobody is there who could be told, and that is waited for
 * (wait_for_connection), as a write would be. */
gboolean fasp_endpoint_can_finish (const FaspEndpoint * endpoint);
/* The stream ends here. Idempotent. */
void fasp_endpoint_finish (FaspEndpoint * endpoint, FaspTime now);
gboolean fasp_endpoint_has_finished (const FaspEndpoint * endpoint);
/* After finish: TRUE when every session has acknowledged everything (or has
 * been removed, see FASP_EVENT_REMOVED, or there was never one). */
gboolean fasp_endpoint_is_drained (const FaspEndpoint * endpoint);

/* --- the stream, receiver ------------------------------------------------ */

/* Next block in order with its reference, or NULL: each byte of a stream once, whoever
 * sends it.  A block with
 * FASP_BLOCK_EOS has no payload and ends the stream of this sender.  One with
 * FASP_BLOCK_HEADER is no part of it: what who joins in the middle needs, here too if it has
 * FASP_BLOCK_ENTER; else to be passed on. */
FaspBlock *fasp_endpoint_read (FaspEndpoint * endpoint, FaspTime now);
/* Of the block read last: the byte behind it. */
FaspPlace fasp_endpoint_get_stand (const FaspEndpoint * endpoint);
/* TRUE when fasp_endpoint_read() may return a block. */
gboolean fasp_endpoint_can_read (const FaspEndpoint * endpoint);
/* When @media_time of the block that was read last is to be played, less the
 * latency that the session began with: the time it would have arrived on a
 * path without loss, on the `now' clock. */
FaspTime fasp_endpoint_map_media_time (const FaspEndpoint * endpoint,
    FaspTime media_time);
/* The clock of the sender of the block that was read last. */
void fasp_endpoint_get_sender_clock (const FaspEndpoint * endpoint,
    FaspSenderClock * clock);

/* --- events --------------------------------------------------------------- */

typedef enum
{
  FASP_EVENT_CONNECTING,        /* listener with `ask': decide() is awaited */
  FASP_EVENT_UNANSWERED,        /* caller: nobody has answered so far */
  FASP_EVENT_CONNECTED,         /* session established; latency_ms is final if
                                   it is known */
  FASP_EVENT_REJECTED,          /* listener: a caller was turned away; caller:
                                   the listener turned us away */
  FASP_EVENT_PROMISE,           /* what is to be expected is another now, or
                                   the latency is known */
  FASP_EVENT_INTERRUPTED,       /* nothing heard for a while, still trying */
  FASP_EVENT_RESUMED,           /* heard again; where it stood */
  FASP_EVENT_BITRATE,           /* sender: an encoder may use another rate now */
  FASP_EVENT_DEAF,              /* receiver: the group is not heard any more, the
                                   stream comes by unicast */
  FASP_EVENT_HEARING,           /* receiver: it is again, and the stream comes by it */
  FASP_EVENT_SKIPPED,           /* sender: a receiver goes on behind a gap */
  FASP_EVENT_BEHIND,            /* sender: one that had the stream before does, the
                                   first for a minute; bytes_lost at most are not
                                   kept any more */
  FASP_EVENT_GAP,               /* receiver: bytes are missing, the first for a minute */
  FASP_EVENT_MOVED,             /* receiver: the stream it had goes on in another
                                   session; bytes_lost are missing in between */
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
  gboolean calling;             /* REJECTED: it was this end that called */
  gboolean in_the_middle;       /* CONNECTED, sender: the peer has nothing of the stream,
                                   and will not have its beginning */
  gboolean latency_known;       /* or it is still to be found */
  guint latency_ms;             /* that the session began with */
  guint current_latency_ms;     /* PROMISE: that is in force now */
  guint64 promised_interval;    /* seconds between skips to be expected */
  guint64 observed_interval;    /* seconds per skip so far; 0: none */
  gboolean falls_short;         /* sender: of glitch_interval, since now */
  guint64 bitrate;              /* BITRATE: bit/s of the stream that all receivers
                                   have room for, with all that goes with it; 0: as
                                   fasp_endpoint_get_available_bitrate() says */
  guint64 bytes_lost;           /* REMOVED: bytes the peer never confirmed; MOVED,
                                   BEHIND */
  gboolean held;                /* REMOVED: the stream, until there is a receiver again */
  gboolean left_behind;         /* SKIPPED, GAP: by the sender, which did not wait */
  FaspAddress before;           /* MOVED: of the session before */
  guint flows, flows_here;      /* agreed upon, and what this end has */
  gboolean fec_refused;         /* sender: the peer takes no repairs */
  FaspIdentity peer;
  gchar text[FASP_TEXT_MAX + 1];        /* what the peer said */
  gchar streamid[FASP_STREAMID_MAX + 1];
} FaspEvent;

gboolean fasp_endpoint_poll_event (FaspEndpoint * endpoint, FaspEvent * event);
gboolean fasp_endpoint_has_event (FaspEndpoint * endpoint);
void fasp_endpoint_decide (FaspEndpoint * endpoint, FaspTime now,
    guint32 session, gboolean accept);

/* Bit/s of the stream that every receiver has room for now, with all that goes with
 * it: what an encoder may use. 0: nobody is there, or nothing is paced. */
guint64 fasp_endpoint_get_available_bitrate (const FaspEndpoint * endpoint);

/* --- changing while running ------------------------------------------------ */

void fasp_endpoint_set_bitrates (FaspEndpoint * endpoint, FaspTime now,
    guint64 min_bitrate, guint64 max_bitrate);
/* What is written consists of packets of @size bytes (MPEG-TS: 188), 0: of any.  Blocks hold whole
 * ones, if one fits: so there are whole ones in front of a gap and behind it. */
void fasp_endpoint_set_packet_size (FaspEndpoint * endpoint, guint32 size);
void fasp_endpoint_set_latency (FaspEndpoint * endpoint, guint latency_ms);
void fasp_endpoint_set_glitch_interval (FaspEndpoint * endpoint,
    guint64 seconds);
void fasp_endpoint_set_slow_policy (FaspEndpoint * endpoint,
    FaspSlowPolicy policy);
void fasp_endpoint_set_wait_for_connection (FaspEndpoint * endpoint,
    gboolean wait);
void fasp_endpoint_set_too_late_skip (FaspEndpoint * endpoint, gboolean skip);
void fasp_endpoint_set_keep_listening (FaspEndpoint * endpoint,
    gboolean keep_listening);
void fasp_endpoint_set_reconnect (FaspEndpoint * endpoint, gboolean reconnect);

/* --- ending ----------------------------------------------------------------- */

/* Says goodbye to every peer (CLOSE, repeated a few times) and accepts no
 * more.  A receiver that has the whole stream and a sender whose stream is
 * acknowledged say FINISHED, others @reason. */
void fasp_endpoint_close (FaspEndpoint * endpoint, FaspTime now,
    FaspReason reason);
/* After close: TRUE when nothing is left to say. The caller gives it up to
 * one second. */
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
  /* sender: of those sent, as far as the peer has told; receiver: of its */
  guint64 datagrams_lost, bursts_lost;  /* bursts: lost in a row */
  guint64 datagrams_reordered;  /* receiver */
} FaspFlowStats;

typedef struct
{
  guint32 session;
  FaspAddress address;
  gboolean interrupted;
  guint flows;                  /* in use */
  guint latency_ms;             /* in force */
  guint64 promised_interval;    /* seconds between skips to be expected */
  guint64 skips;                /* times that something was too late */
  FaspTime streamed;            /* since the session opened */
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
  guint64 channel_rate;         /* bit/s that is paced at; 0: not paced */
  guint64 marked;               /* datagrams that came with an ECN mark; to a
                                   sender: of its own, as told */
  FaspTime standing_queue;      /* with a rate controller: on the path, of late */
  FaspTime missed;              /* the rate would have let something leave, and nobody polled */
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
  guint64 bursts_lost;          /* of them in a row; on each flow for itself */
  guint64 blocks_received, payload_bytes_received;
  guint64 blocks_rex_received, blocks_duplicate;
  guint64 repairs_received, blocks_recovered;   /* by them */
  guint64 blocks_too_late;      /* given up by too-late=skip or the sender */
  guint64 feedback_sent;
  guint64 buffer_blocks, buffer_bytes;
  guint64 receive_rate;         /* bit/s on the wire over the last second */
  FaspTime reorder_delay;
  gdouble sender_ppm;           /* its clock is faster than ours by so much; 0: not known */
  guint clock_jumps;
  gboolean member;              /* of a group; sender: this receiver is */
  guint64 group_datagrams;      /* receiver: of the group, */
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
  guint64 bytes_unconfirmed;    /* sender: at the end of the stream so far, that
                                   a receiver did not confirm before it left
                                   (the last one, or any since finish) */
  guint64 bytes_read;           /* receiver: bytes the application took */
  guint64 bytes_missing;        /* and that were given up between those; sender:
                                 * those of BEHIND */
  guint64 buffer_bytes, buffer_limit;   /* store or reorder buffer */
  guint64 datagrams_malformed;  /* could not be parsed */
  guint64 datagrams_unknown;    /* no such session */
  guint64 datagrams_forged;     /* failed their tag (damaged or spoofed) */
  guint64 datagrams_version;    /* other version */
  guint64 handshakes_refused;
  guint64 callers_misdirected;  /* refused for their streamid, told of */
  guint64 handshakes_retried;   /* answered with a cookie */
} FaspEndpointStats;

void fasp_endpoint_get_stats (FaspEndpoint * endpoint,
    FaspEndpointStats * stats);
typedef struct
{
  guint members;
  guint64 deaf;                 /* that did not hear it, and get all by unicast; */
  guint64 returned;             /* so often one heard it again */
  guint64 datagrams_sent, wire_bytes_sent;      /* to the group */
  guint64 blocks_sent, blocks_resent, repairs_sent;
  gdouble fec_share;            /* repairs for each block, now */
  guint64 losses;               /* that were asked for, */
  guint64 requests;             /* by so many members, all together, and */
  guint64 losses_shared;        /* so many by several */
  FaspTime rtt;                 /* the longest of a member, but for the farthest */
  FaspTime back_off, clock;     /* as members are told */
} FaspGroupStats;

/* Of a sender that has a group; FALSE: it has none. */
gboolean fasp_endpoint_get_group (const FaspEndpoint * endpoint,
    FaspGroupStats * stats);
/* Fills at most @max entries, in the order they came from *@place on, which is 0 for the
 * first and moved behind the last of them: so that who asks for all of thousands can let
 * go of the lock in between.  Returns how many; 0: there are no more. */
guint fasp_endpoint_get_sessions (FaspEndpoint * endpoint, FaspTime now,
    guint64 * place, FaspSessionStats * sessions, guint max);
/* The flows of a session that has several, or of the one that ended last; at most
 * @max, returns how many there are. */
guint fasp_endpoint_get_flows (FaspEndpoint * endpoint, guint32 session,
    FaspFlowStats * flows, guint max);
/* The figures of the session that ended last; FALSE: none has. */
gboolean fasp_endpoint_get_last_session (const FaspEndpoint * endpoint,
    FaspSessionStats * session);
/* Records up to @size datagrams with blocks until they are fetched; 0: none,
 * any more. */
void fasp_endpoint_set_trace (FaspEndpoint * endpoint, guint size);
/* Takes out up to @max, oldest first. @lost: overwritten so far; may be NULL. */
guint fasp_endpoint_fetch_trace (FaspEndpoint * endpoint,
    FaspTraceEntry * entries, guint max, guint64 * lost);
/* A sender's: how long what a receiver is sent next has waited for it; of the one that is
 * behind most, or, where nobody waits for that, least. -1: nobody is heard. */
FaspTime fasp_endpoint_get_backlog (FaspEndpoint * endpoint, FaspTime now);
/* A sender's: the share lost, since it was looked at last, on the way to the receiver that misses most,
 * of those whose rate is fixed: 0 to 1. */
gdouble fasp_endpoint_look_at_loss (FaspEndpoint * endpoint);
/* A sender's: for how long, since it was looked at last, the rate would have let something leave and
 * nobody polled, to the receiver of whom that is so most; µs. */
FaspTime fasp_endpoint_look_at_missed (FaspEndpoint * endpoint);
/* A sender's, to be asked at regular times: one that is heard, and of what is on its way to it nothing
 * has arrived the last @looks times. FALSE: there is none. */
gboolean fasp_endpoint_look_for_stuck (FaspEndpoint * endpoint, FaspTime now,
    guint looks, FaspAddress * where);
/* Receiver: lateness in µs over the path's best case, of blocks as they
 * arrive and as they become deliverable in order.  Never NULL. */
const FaspHist *fasp_endpoint_get_lateness (FaspEndpoint * endpoint,
    gboolean in_order);

G_END_DECLS
