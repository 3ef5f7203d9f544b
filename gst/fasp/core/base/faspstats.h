/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstats.h: the statistics of a flow, a session, an endpoint and a group, as the
 * application gets them.  Counters only grow; times are microseconds.
 */
#pragma once

#include "fasplimits.h"
#include "fasptypes.h"

G_BEGIN_DECLS

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

G_END_DECLS
