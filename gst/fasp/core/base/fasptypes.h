/* fasp: reliable live streams over bad networks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptypes.h: types and limits that the whole core shares.
 *
 * The core reads no clock and makes no random bytes: `now' and a source of random bytes are
 * arguments. All times are microseconds on the caller's monotonic clock.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Microseconds on the caller's monotonic clock. */
typedef gint64 FaspTime;

#define FASP_NEVER G_MAXINT64
#define FASP_MSEC ((FaspTime) 1000)
#define FASP_SEC ((FaspTime) 1000000)

/* Bit @i (below 64) of a set in a guint64. */
#define FASP_BIT(i) (G_GUINT64_CONSTANT (1) << (i))

/* MIN() and MAX() evaluate the chosen argument twice; these do not. */
static inline FaspTime
fasp_sooner (FaspTime a, FaspTime b)
{
  return MIN (a, b);
}

static inline FaspTime
fasp_later (FaspTime a, FaspTime b)
{
  return MAX (a, b);
}

/* Feedback takes at most 1 / FASP_FEEDBACK_SHARE of the bytes received. If that is less than
 * FASP_FEEDBACK_LEAST bytes per second, feedback may take FASP_FEEDBACK_LEAST, but at most 1 /
 * FASP_FEEDBACK_SHARE_MOST of the bytes received. */
#define FASP_FEEDBACK_SHARE 64
#define FASP_FEEDBACK_LEAST 4000
#define FASP_FEEDBACK_SHARE_MOST 8

/* The interval of regular feedback, while data comes. */
#define FASP_FEEDBACK_CLOCK_MAX (100 * FASP_MSEC)
#define FASP_FEEDBACK_CLOCK(rtt) CLAMP ((rtt) / 4, 10 * FASP_MSEC, FASP_FEEDBACK_CLOCK_MAX)

/* A receiver sends the first FASP_FEEDBACK_FRESH reports of a new loss as soon as possible. After
 * that it repeats the report while the block is missing, as far as the feedback rate permits: the
 * wait before the (i+1)-th repetition is 2, then 4, then 8 ms.
 */
#define FASP_FEEDBACK_FRESH 8
#define FASP_FEEDBACK_REPEAT(i) ((FaspTime) (2 * FASP_MSEC) << MIN ((i) / 16, 2u))

/* Special latencies in place of ms: the sender finds the latency; the peer names none. */
#define FASP_LATENCY_AUTO G_MAXUINT32
#define FASP_LATENCY_ANY (G_MAXUINT32 - 1)
#define FASP_LATENCY_MS_MAX 600000
#define FASP_LATENCY_MS_DEFAULT 1000
/* The wanted time between skips, in seconds: a week. */
#define FASP_GLITCH_INTERVAL_DEFAULT 604800

/* The least and the longest time for which a session repeats CLOSE. */
#define FASP_CLOSE_TIMEOUT FASP_SEC
#define FASP_CLOSE_TIMEOUT_MAX (3 * FASP_SEC)

/* Receivers of a listening sender: the largest configurable limit, and the default. A session takes
 * up to 180 kB, so 4096 sessions take 0.7 GB at most. A whole company or campus may share one
 * address. */
#define FASP_RECEIVERS_MOST 16384
#define FASP_RECEIVERS_DEFAULT 4096
#define FASP_RECEIVERS_NETWORK_DEFAULT 1024

/* What protects the datagrams of a session. Numbers as on the wire. */
typedef enum
{
  FASP_CIPHER_NONE = 0, /* a short tag against damage */
  FASP_CIPHER_AES_128_GCM = 1,
  FASP_CIPHER_AES_256_GCM = 2,
  FASP_CIPHER_CHACHA20_POLY1305 = 3,
} FaspCipher;

#define FASP_CIPHERS 4

#define FASP_NAME_MAX 64 /* bytes of UTF-8: the name of a key */

/* The identity that a peer has proved with its own key. */
typedef struct
{
  gboolean proved;               /* FALSE: the rest is not known */
  gboolean allowed;              /* its key is among the configured ones; else the application
                                    decides */
  guint8 key[32];                /* its public key (X25519) */
  gchar name[FASP_NAME_MAX + 1]; /* its name in allowed-keys */
} FaspIdentity;

/* Direction of the stream at an endpoint, independent of which end calls. */
typedef enum
{
  FASP_ROLE_SENDER = 1,
  FASP_ROLE_RECEIVER = 2,
} FaspRole;

/* Which end calls. In a rendezvous both ends know the other's address: the sender calls, and the
 * receiver opens its own NAT with a datagram. */
typedef enum
{
  FASP_MODE_CALLER,
  FASP_MODE_LISTENER,
  FASP_MODE_RENDEZVOUS,
} FaspMode;

/* What a sender with a full store does about a receiver that is too slow. */
typedef enum
{
  FASP_SLOW_WAIT,          /* the writer waits: nothing is lost */
  FASP_SLOW_DROP_RECEIVER, /* the receiver is disconnected */
  FASP_SLOW_SKIP,          /* the receiver is moved ahead, and gets a notice */
} FaspSlowPolicy;

/* How a sender with several flows chooses a datagram's flow. */
typedef enum
{
  FASP_ASSIGNMENT_RANDOM,
  FASP_ASSIGNMENT_ROUND_ROBIN,
  FASP_ASSIGNMENT_DUPLICATE, /* new blocks go on every flow, all else on one */
} FaspAssignment;

#define FASP_FLOWS_MAX 64
/* Flow number of multicast datagrams, which go to all members of a group at once. */
#define FASP_GROUP_FLOW 63

/* What a port with several endpoints knows about a datagram (fasproutes.h). */
typedef enum
{
  FASP_ROUTE_HERE,    /* the datagram is for the endpoint that gets it */
  FASP_ROUTE_ABSENT,  /* a call for a stream that no endpoint here has */
  FASP_ROUTE_UNNAMED, /* a call that names no stream, while there are several */
  FASP_ROUTE_GONE,    /* a call for a stream whose endpoint has just gone */
} FaspRoute;

/* Why a session ended. Numbers as on the wire, in CLOSE and REJECT. */
typedef enum
{
  FASP_REASON_NONE = 0,
  FASP_REASON_FINISHED = 1,    /* whole stream acknowledged */
  FASP_REASON_STOPPED = 2,     /* application stopped before the end */
  FASP_REASON_TOO_SLOW = 3,    /* slow-policy=drop-receiver */
  FASP_REASON_REFUSED = 4,     /* application refused the caller */
  FASP_REASON_BUSY = 5,        /* no room for one more session, now */
  FASP_REASON_SAME_ROLE = 6,   /* two senders or two receivers */
  FASP_REASON_UNSUPPORTED = 7, /* critical option not understood */
  FASP_REASON_KEY = 8,         /* another key, or a key at one end only */
  FASP_REASON_ENCRYPTION = 9,  /* no cipher that both ends accept */
  /* these never go over the wire */
  FASP_REASON_VERSION = 10,    /* no common version */
  FASP_REASON_SILENT = 11,     /* nothing heard for too long */
  FASP_REASON_REPLACED = 12,   /* the peer has started a new session in place of this one */
  FASP_REASON_ENDED_HERE = 13, /* this end said STOPPED to the peer */
} FaspReason;

/* Would the peer refuse another call for the same reason, until a user changes something? */
static inline gboolean
fasp_reason_is_lasting (FaspReason reason)
{
  switch (reason) {
    case FASP_REASON_REFUSED:
    case FASP_REASON_SAME_ROLE:
    case FASP_REASON_UNSUPPORTED:
    case FASP_REASON_KEY:
    case FASP_REASON_ENCRYPTION:
    case FASP_REASON_VERSION:
      return TRUE;
    default:
      return FALSE;
  }
}

/* A peer's transport address, as seen by `socket', one of our sockets. The core treats it as a
 * sockaddr's bytes. `overhead' is the size of the IP and UDP headers in bytes, 28 or 48. `local' is
 * our own address (the bytes of an in_addr or in6_addr; all 0: the kernel chooses). The same peer
 * address on another socket, or with another local address, is another path. */
typedef struct
{
  guint8 len;
  guint8 overhead;
  guint8 socket;
  guint8 bytes[28];
  guint8 local[16];
} FaspAddress;

/* Fills @data with @size unpredictable bytes. */
typedef void (*FaspRandomFunc) (gpointer user_data, guint8 *data, gsize size);

gboolean fasp_address_equal (const FaspAddress *a, const FaspAddress *b);
/* Are the peer's addresses equal? Ignores our own addresses. */
gboolean fasp_address_same_peer (const FaspAddress *a, const FaspAddress *b);
/* Are the hosts' addresses equal? Ignores the ports. For POSIX's sockaddr_in and sockaddr_in6. */
gboolean fasp_address_same_host (const FaspAddress *a, const FaspAddress *b);
/* Hashes the peer's address only. */
guint fasp_address_hash (const FaspAddress *address);

/* Adds @n to the port of a POSIX sockaddr_in or sockaddr_in6. */
void fasp_address_add_port (FaspAddress *address, guint n);

/* The network of an address: an IPv4 address (mapped into IPv6 or not), or the first 48 bits of an
 * IPv6 address, the size of a site's network. For POSIX's sockaddr_in and sockaddr_in6. */
#define FASP_NETWORK_SIZE 7
void fasp_address_get_network (const FaspAddress *address, guint8 network[FASP_NETWORK_SIZE]);

/* Such a network as a number, and the network of the first 32 bits of an IPv6 address, the size of
 * a provider's network; 0 for IPv4. */
typedef struct
{
  guint64 number, wide;
} FaspNetwork;

/* Widens a packet number, a block number or a media time: returns the 64-bit number
 * nearest to @expected whose low @bits (at most 32) are @truncated. */
static inline guint64
fasp_widen (guint32 truncated, guint bits, guint64 expected)
{
  guint shift = 32 - bits;
  gint64 delta = (gint32) ((truncated - (guint32) expected) << shift) >> shift;

  if (delta < 0 && expected < (guint64) (-delta))
    return truncated; /* the nearest number would be below zero */
  return expected + delta;
}

/* Widens a number that is below @end: returns the highest one that fits. @end or more: none
 * fits. */
static inline guint64
fasp_widen_given (guint32 truncated, guint bits, guint64 end)
{
  guint64 mask = FASP_BIT (bits) - 1;

  return end - 1 - ((end - 1 - truncated) & mask);
}

G_END_DECLS
