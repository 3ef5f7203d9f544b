/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstats.h: the statistics of a flow, a session, an endpoint and a group, as the application
 * gets them.  They are copies of the counters in the parts of the core, made on request
 * (faspsessionstats.c, faspendpointstats.c, faspmulticast.c, faspmerge.c).  Counters only grow;
 * times are in microseconds. faspstatfields.h has the fields that are shown, and their form.
 */
#pragma once

#include "fasplimits.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* One of several flows. */
typedef struct
{
  FaspAddress address; /* the peer's on this flow; len 0: not known */
  gboolean usable;     /* the peer answers on this flow; sender: and the flow is not dead */
  gdouble weight;      /* sender: its share of the datagrams sent; 1 is an equal share */
  FaspTime rtt;        /* sender: round trip, µs; 0: not known */
  guint64 datagrams_sent,
      wire_bytes_sent;        /* datagrams of every kind, and their bytes from the IP header up */
  guint64 datagrams_received; /* datagrams of every kind */
  /* sender: losses of the datagrams sent, as far as the peer has reported; receiver: losses of the
   * sender's datagrams */
  guint64 datagrams_lost, bursts_lost; /* datagrams, and losses in a row, each counted once */
  guint64 datagrams_reordered;         /* receiver: datagrams that came after later ones */
} FaspFlowStats;

/* Sender: one of several paths (a pair of addresses). */
typedef struct
{
  FaspAddress address; /* the peer's, with the port of one of its flows */
  gboolean usable;     /* at least one of its flows is usable */
  guint flows;
  guint64 rate;            /* bit/s, by its rate controller; 0: there is no controller */
  guint64 send_rate;       /* bit/s on the wire over the last second */
  gdouble share;           /* its share of the bytes sent in the last second */
  FaspTime queueing_delay; /* recent; 0 without a controller */
  FaspTime rtt, rtt_min;   /* round trip, smoothed and least; µs; 0: not known */
  guint64 bytes_in_flight; /* sent, and not yet reported by the peer; 0 without a controller */
  guint64 datagrams_sent, wire_bytes_sent;
  guint64 datagrams_lost; /* losses that the peer has reported */
} FaspPathStats;

/* What a session sends.  All but datagrams, wire_bytes and rate: the sender of the stream only. */
typedef struct
{
  guint64 datagrams;             /* datagrams of every kind */
  guint64 wire_bytes;            /* their bytes, from the IP header up */
  guint64 rate;                  /* bit/s on the wire over the last second */
  guint64 blocks, bytes;         /* blocks sent for the first time, and their payload */
  guint64 blocks_rtx, bytes_rtx; /* retransmissions, and their payload */
  guint64 copies;  /* second and further retransmissions of a round, counted in blocks_rtx, too */
  guint64 doubled; /* blocks sent on a second flow, too: FASP_ASSIGNMENT_DUPLICATE */
  guint64 not_doubled; /* blocks not sent on a second flow, as its path had no room */
  guint64 repairs;     /* repair symbols of FEC */
  gdouble fec_share;   /* repairs for each block, in force */
  guint64 lost;        /* transmissions of blocks that are known to be lost */
} FaspSentStats;

/* What the receiver has received of a session's blocks.  The sender only. */
typedef struct
{
  guint64 blocks, bytes; /* acknowledged, and their payload */
  guint64 skipped;       /* blocks given up by slow-policy or by the receiver */
  guint64 in_flight;     /* blocks sent and not acknowledged */
  guint64 queued;        /* blocks written and not sent */
  guint64 window;        /* units (FASP_BLOCK_UNIT) that the receiver still takes */
  guint64 feedback;      /* feedback datagrams that came */
} FaspDeliveryStats;

/* What a session receives.  Both ends count datagrams; only the receiver of the stream counts
 * blocks. */
typedef struct
{
  guint64 datagrams;                             /* datagrams of every kind */
  guint64 wire_bytes;                            /* their bytes, from the IP header up */
  guint64 rate;                                  /* bit/s on the wire over the last second */
  guint64 lost;                                  /* datagrams that did not come */
  guint64 bursts;                                /* losses in a row on a flow, each counted once */
  guint64 reordered;                             /* datagrams that came after later ones */
  guint64 datagrams_duplicate, blocks_duplicate; /* duplicates that were dropped */
  guint64 duplicates;                  /* sum of datagrams_duplicate and blocks_duplicate */
  guint64 blocks, bytes;               /* new blocks, and their payload */
  guint64 blocks_rtx;                  /* blocks that came by a retransmission */
  guint64 repairs;                     /* repair symbols of FEC */
  guint64 recovered;                   /* blocks recovered by FEC */
  guint64 too_late;                    /* blocks given up by too-late=skip or by the sender */
  guint64 feedback;                    /* feedback datagrams that left */
  guint64 buffer_blocks, buffer_bytes; /* received blocks that wait for a missing block, or for the
                                          application */
} FaspReceivedStats;

/* The paths of a session together. */
typedef struct
{
  FaspTime rtt, rtt_min, rtt_variation; /* round trip: smoothed, least, mean deviation; µs */
  guint datagram_size;                  /* path MTU as UDP payload, bytes */
  gdouble loss, back_loss;              /* sender: share lost there and back, as planned for */
  guint64 marked; /* datagrams with an ECN mark; receiver: of those received; sender: of those sent,
                     as the peer reports */
  FaspTime reorder_delay; /* a datagram that is missing for this long is lost, not reordered; µs */
} FaspPathSummary;

/* How fast a session may send.  The sender only. */
typedef struct
{
  guint64 rate;            /* bit/s of the pacer; 0: not paced */
  FaspTime queueing_delay; /* with a rate controller: recent delay on the path; µs */
  FaspTime missed; /* total time in which the rate allowed sending, but the endpoint was not polled;
                      µs */
} FaspPacingStats;

/* The latency of a session, and how often it was too short. */
typedef struct
{
  guint ms;                  /* latency in force; 0: as soon as possible, or not known yet */
  guint64 promised_interval; /* expected seconds between skips */
  guint64 observed_interval; /* seconds per skip since the session opened, at least 1;
                                0: no skip */
  guint64 skips;             /* seconds in which something was missing or too late;
                                sender: runs of such seconds, as the receiver reports each run once */
} FaspLatencyStats;

/* The clock of the stream's sender.  The receiver only. */
typedef struct
{
  gdouble ppm;   /* how much faster it is than the receiver's clock; 0: not known */
  guint64 jumps; /* jumps so far */
} FaspClockStats;

/* What a receiver received from its multicast group. */
typedef struct
{
  gboolean member;         /* the receiver hears the group (both ends know) */
  guint64 datagrams, lost; /* received from the group, and lost; the receiver only */
} FaspMemberStats;

/* One peer. */
typedef struct
{
  guint32 session; /* id, never 0 */
  FaspAddress address;
  FaspCipher cipher;
  FaspIdentity peer;
  gboolean interrupted;      /* nothing was received from it for a while */
  guint flows, n_paths;      /* flows in use; paths of a sender, else 1 */
  guint64 key_frames_wanted; /* requests by the receiver's application, as reported to the sender */
  FaspPathSummary path;
  FaspPacingStats pacing;
  FaspLatencyStats latency;
  FaspSentStats sent;
  FaspDeliveryStats delivery;
  FaspReceivedStats received;
  FaspClockStats clock;
  FaspMemberStats group;
  guint64 rounds[FASP_ROUNDS]; /* blocks by the round of retransmissions that completed them */
} FaspSessionStats;

/* One endpoint.  It counts in a struct of its own; this is a copy. */
typedef struct
{
  guint sessions;        /* open sessions */
  guint interrupted;     /* open sessions whose peer is not heard */
  guint64 bytes_written; /* sender: bytes the application wrote */
  guint64 bytes_dropped; /* sender: of these, bytes written while no receiver was connected */
  guint64 whole;         /* sender: receivers that have confirmed all, to the end of the stream */
  guint64 key_frames_requested; /* sender: FASP_EVENT_KEY_FRAME so far */
  guint64 bytes_unconfirmed; /* sender: bytes at the end of the stream so far that a receiver left
                                unconfirmed (the receiver that left last, or any since the stream's
                                end) */
  guint64 bytes_read;        /* receiver: bytes the application took */
  guint64 bytes_missing;     /* receiver: bytes given up between those read; sender: bytes no longer
                                kept for receivers that came back */
  guint64 join_offset;       /* receiver: stream offset of the first byte read; FASP_OFFSET_UNKNOWN:
                                nothing read yet, or not known */
  guint64 joins_in_the_middle;        /* receiver: streams whose beginning was not read */
  guint64 buffer_bytes, buffer_limit; /* bytes in the store or the reorder buffers, and their
                                         limit */
  gboolean buffer_is_full;            /* receiver: a sender has to wait for room */
  guint64 datagrams_malformed;        /* could not be parsed */
  guint64 datagrams_unknown;          /* belong to no session */
  guint64 datagrams_foreign;          /* are of another protocol */
  guint64 datagrams_forged;           /* failed their tag (damaged or spoofed) */
  guint64 datagrams_version;          /* are of another version */
  guint64 handshakes_refused;         /* callers refused */
  guint64 callers_misdirected;        /* callers refused for their streamid */
  guint64 handshakes_retried;         /* callers answered with a cookie */
} FaspEndpointStats;

/* One of several sources of a stream (faspmerge.h). */
typedef struct
{
  guint number; /* index in the order of the settings, from 0 */
  gboolean leads, is_trusted, is_left, stands_by, differs;
  guint64 bytes_used;     /* taken from this source */
  guint64 bytes_filled;   /* bytes_used that came before the leader delivered them */
  guint64 bytes_repeated; /* bytes that the reader had already */
} FaspSourceStats;

/* The last change of the same source (faspsourcechanges.h). */
typedef struct
{
  const gchar *name; /* HOST:PORT, as configured; empty: the source calls */
  gboolean is_connected;
  guint64 changes;     /* changes of its state: FaspMergeEvent */
  FaspTime age;        /* time since the last change, µs; FASP_NEVER: there was none */
  const gchar *reason; /* reason of the last change, in words; empty: there was none */
} FaspSourceChangeStats;

/* The source that leads. */
typedef struct
{
  guint number;              /* as in FaspSourceStats */
  FaspTime leads;            /* for how long it has led, µs; FASP_NEVER: no source leads yet */
  const gchar *reason;       /* why it leads, in words; empty: no source leads */
  guint64 changes;           /* how often another source became the leader */
  guint64 promised_interval; /* of all sources together: expected seconds between skips; 0: not
                                known */
} FaspLeadStats;

/* When a receiver plays the stream (fasppresentation.h). */
typedef struct
{
  const gchar *capture_clock; /* what the clock of the capture times follows: none, ntp, ptp; NULL:
                                 the stream has no capture times */
  FaspTime capture_error;     /* bound of that clock's error, µs; FASP_NEVER: not known */
  gboolean is_on;             /* presentation-delay is set; else the rest has no meaning */
  const gchar *wall_clock;    /* what the receiver's wall clock follows */
  FaspTime wall_error;        /* bound of its error, µs; FASP_NEVER: not known */
  gboolean is_in_time;        /* what is played is played presentation-delay after capture */
  const gchar *state;         /* the same, in a word, and why it is not */
  FaspTime error;             /* how far from that moment it is played, µs; FASP_NEVER: not known */
  FaspTime least;             /* the least presentation-delay with which it is, µs; FASP_NEVER: not
                                 known */
} FaspPresentationStats;

/* A multicast group, at its sender. */
typedef struct
{
  guint members;    /* receivers that hear the group, now */
  guint64 deaf;     /* how often the sender found that a member does not hear the group, and sent it
                       all by unicast */
  guint64 returned; /* how often such a member heard the group again */
  guint64 datagrams_sent, wire_bytes_sent; /* to the group, and their bytes from the IP header up */
  guint64 blocks_sent, blocks_resent, repairs_sent; /* to the group: for the first time,
                                                       retransmitted, and repair symbols of FEC */
  gdouble fec_share;                                /* repairs for each block, now */
  guint64 losses;                                   /* losses that members asked for */
  guint64 requests;                                 /* requests for them, of all members */
  guint64 losses_shared;                            /* losses that several members asked for */
  FaspTime rtt;      /* longest round trip of a member, except those far away; µs */
  FaspTime back_off; /* longest time that members wait before they ask, as the sender sets it; µs */
  FaspTime clock; /* feedback interval of members that ask for nothing, as the sender sets it; µs */
} FaspGroupStats;

G_END_DECLS
