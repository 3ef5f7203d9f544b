/* fasp: reliable live streams over bad networks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptypes.h: types and limits that the whole core shares.
 *
 * The core never looks at a clock and never rolls dice: `now' and a source of random
 * bytes are arguments. All times are microseconds on whatever monotonic clock the
 * caller feeds in.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Microseconds on the caller's monotonic clock. */
typedef gint64 FaspTime;

#define FASP_NEVER G_MAXINT64
#define FASP_MSEC ((FaspTime) 1000)
#define FASP_SEC ((FaspTime) 1000000)

/* Of a set in a guint64, @i (below 64) alone. */
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
 * FASP_FEEDBACK_LEAST bytes per second, it may take these, but no more than
 * 1 / FASP_FEEDBACK_SHARE_MOST. */
#define FASP_FEEDBACK_SHARE 64
#define FASP_FEEDBACK_LEAST 4000
#define FASP_FEEDBACK_SHARE_MOST 8

/* The interval of regular feedback, while data comes. */
#define FASP_FEEDBACK_CLOCK_MAX (100 * FASP_MSEC)
#define FASP_FEEDBACK_CLOCK(rtt) CLAMP ((rtt) / 4, 10 * FASP_MSEC, FASP_FEEDBACK_CLOCK_MAX)

/* A new loss is reported at once, and this often in all as soon as possible, whatever
 * is known about it. After that the report is repeated while the block is missing, as far as the
 * feedback rate permits: the wait before the (i+1)-th repetition is 2, then 4, then 8 ms.
 */
#define FASP_FEEDBACK_FRESH 8
#define FASP_FEEDBACK_REPEAT(i) ((FaspTime) (2 * FASP_MSEC) << MIN ((i) / 16, 2u))

/* A latency in ms that the sender is to find, or that the peer does not name. */
#define FASP_LATENCY_AUTO G_MAXUINT32
#define FASP_LATENCY_ANY (G_MAXUINT32 - 1)
#define FASP_LATENCY_MS_MAX 600000
#define FASP_LATENCY_MS_DEFAULT 1000
/* The wanted time between skips, in seconds: a week. */
#define FASP_GLITCH_INTERVAL_DEFAULT 604800

/* Receivers of a listening sender: the most whatever is configured, and what is configured unless
 * somebody says otherwise. A session takes up to 180 kB, so 4096 take 0.7 GB at most. Behind one
 * address there may be all of a company or campus. */
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

/* Who a peer has proved to be, with a key of its own. */
typedef struct
{
  gboolean proved;               /* FALSE: the rest is not known */
  gboolean allowed;              /* its key is one that was given; else the application decides */
  guint8 key[32];                /* its public key (X25519) */
  gchar name[FASP_NAME_MAX + 1]; /* its name in allowed-keys */
} FaspIdentity;

/* What an endpoint does with the stream, whoever called. */
typedef enum
{
  FASP_ROLE_SENDER = 1,
  FASP_ROLE_RECEIVER = 2,
} FaspRole;

/* Who calls. In a rendezvous both ends know the other's address: the sender calls, and
 * the receiver punches the hole in its own NAT. */
typedef enum
{
  FASP_MODE_CALLER,
  FASP_MODE_LISTENER,
  FASP_MODE_RENDEZVOUS,
} FaspMode;

/* What happens to a receiver that does not keep up when the sender's store is full. */
typedef enum
{
  FASP_SLOW_WAIT,          /* the writer waits: nothing is lost */
  FASP_SLOW_DROP_RECEIVER, /* the receiver is disconnected */
  FASP_SLOW_SKIP,          /* the receiver is moved ahead, and gets a notice */
} FaspSlowPolicy;

/* How a datagram's flow is chosen, of several. */
typedef enum
{
  FASP_ASSIGNMENT_RANDOM,
  FASP_ASSIGNMENT_ROUND_ROBIN,
  FASP_ASSIGNMENT_DUPLICATE, /* new blocks go on every flow, all else on one */
} FaspAssignment;

#define FASP_FLOWS_MAX 64
/* The flow of a group: what is sent to all members at once. */
#define FASP_GROUP_FLOW 63

/* What a port with several endpoints knows about a datagram (fasproutes.h). */
typedef enum
{
  FASP_ROUTE_HERE,    /* it is for the endpoint that gets it */
  FASP_ROUTE_ABSENT,  /* a call for a stream that is not here */
  FASP_ROUTE_UNNAMED, /* a call that names no stream, and there are several */
  FASP_ROUTE_GONE,    /* a call for a stream that was here until just now */
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

/* Would the peer say the same to another call?  Then somebody has to do something first. */
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

/* A transport address, as seen by `link', one of our sockets. To the core, it is just a
 * sockaddr's bytes. `overhead' is the size of the IP and UDP headers in bytes, 28 or
 * 48. `local' is the address of ours that is used (the bytes of an in_addr or in6_addr;
 * all 0: the kernel chooses). The same peer address on another link, or from another
 * address of ours, is another path. */
typedef struct
{
  guint8 len;
  guint8 overhead;
  guint8 link;
  guint8 bytes[28];
  guint8 local[16];
} FaspAddress;

/* Fills @data with @size unpredictable bytes. */
typedef void (*FaspRandomFunc) (gpointer user_data, guint8 *data, gsize size);

gboolean fasp_address_equal (const FaspAddress *a, const FaspAddress *b);
/* Are they the same peer, whichever of our own addresses is used? */
gboolean fasp_address_same_peer (const FaspAddress *a, const FaspAddress *b);
/* Are they the same host, whichever ports are used? For POSIX's sockaddr_in and sockaddr_in6. */
gboolean fasp_address_same_host (const FaspAddress *a, const FaspAddress *b);
/* Hashes the peer's address only. */
guint fasp_address_hash (const FaspAddress *address);

/* Adds @n to the port of a POSIX sockaddr_in or sockaddr_in6. */
void fasp_address_add_port (FaspAddress *address, guint n);

/* The network of an address: an IPv4 address (mapped into IPv6 or not), or the first 48
 * bits of an IPv6 address, which is what a site has. For POSIX's sockaddr_in and
 * sockaddr_in6. */
#define FASP_NETWORK_SIZE 7
void fasp_address_get_network (const FaspAddress *address, guint8 network[FASP_NETWORK_SIZE]);

/* Such a network as a number, and that of the first 32 bits of an IPv6 address, which is what a
 * provider has; 0: it is IPv4. */
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

/* The same for a number that was used before, however long ago, like all below @end:
 * returns the newest such number. @end or more: there is none. */
static inline guint64
fasp_widen_given (guint32 truncated, guint bits, guint64 end)
{
  guint64 mask = FASP_BIT (bits) - 1;

  return end - 1 - ((end - 1 - truncated) & mask);
}

G_END_DECLS
