/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspconfig.h: what an endpoint is to do, given when it is made.
 */
#pragma once

#include "faspfec.h"
#include "faspposition.h"
#include "fasprate.h"

G_BEGIN_DECLS

/* What can be changed while an endpoint runs: fasp_endpoint_configure(). */
typedef struct
{
  guint latency_ms;                /* the larger value of the two ends is used; or
                                      FASP_LATENCY_AUTO, FASP_LATENCY_ANY; later sessions have
                                      a changed one */
  guint64 glitch_interval;         /* sender: wanted seconds between skips */
  guint64 max_bitrate;             /* sender: channel rate, bit/s; 0: not paced, or
                                      as much as the controller finds */
  guint64 max_total_bitrate;       /* sender: bit/s to all receivers together; 0: no limit */
  guint64 min_bitrate;             /* sender: a controller never goes below, bit/s */
  guint max_receivers;             /* listening sender: receivers in all; 0: FASP_RECEIVERS_MOST;
                                      receivers that are connected stay */
  guint max_receivers_per_network; /* listening sender: receivers of a network (fasplimiter.h);
                                      0: no limit of their own */
  FaspSlowPolicy slow_policy;      /* sender */
  gboolean wait_for_connection;    /* sender: hold bytes while it has no receiver */
  gboolean reconnect;              /* caller: dial again when the peer is gone */
  gboolean keep_listening; /* caller: also dial again after the peer ended the session; receiver
                              that listens: accept another sender after the end of a stream */
  gboolean too_late_skip;  /* receiver: give up blocks later than latency */
} FaspEndpointSettings;

typedef struct
{
  FaspRole role;
  FaspMode mode;
  FaspEndpointSettings settings;        /* the first settings */
  const gchar *streamid;                /* caller: the stream that it wants; listener: the name
                                           of its stream (callers that name another one are
                                           refused); copied; NULL or empty for none */
  struct _FaspLimiter *limiter;         /* listener: shared with others at its port, must stay
                                        valid; NULL: its own */
  guint id_bits;                        /* high bits of its connection ids that are fixed */
  guint32 id_prefix;                    /* value of these bits (fasproutes.h) */
  struct _FaspCredentials *credentials; /* a reference is taken; NULL: any peer
                                           (faspcredentials.h) */
  FaspTime rekey_interval;              /* a key is used for at most this time; 0: the default */
  guint64 rekey_datagrams; /* a key is used for at most this many datagrams; 0: the default */
  /* Number of flows, one for each socket (FaspAddress); 0 and 1: one.  The first
   * `flowlets' flows go to the address that is dialled: to its port and the ports
   * above it.  Each further `flowlets' flows go to one of `others', of which a
   * caller has flows / flowlets - 1. */
  guint flows, flowlets;
  guint lanes;                  /* see fasp_endpoint_poll_lane(); 0: one */
  const FaspAddress *others;    /* caller: not copied, must stay valid */
  FaspAssignment assignment;    /* sender */
  FaspFecMode fec;              /* receiver: anything but off enables it; off where it is not built
                                   (fasp_rlc_is_built()) */
  gdouble fec_share;            /* sender, fixed: repairs for each block, at most 1 */
  gboolean no_rtx;              /* sender: give up blocks that FEC does not recover */
  FaspRateControl rate_control; /* sender */
  gsize buffer_size;            /* bytes that the store or the reorder buffer
                                   holds at most */
  guint half_open_max;          /* handshakes answered without a cookie at a
                                   time; beyond that callers get a RETRY */
  gboolean ask;                 /* listener: FASP_EVENT_CONNECTING waits for
                                   fasp_endpoint_decide() */
  FaspTime resume_timeout;      /* how long a silent peer keeps its place */
  FaspTime history;             /* sender: how long written data is kept for receivers
                                   that join, as far as there is room */
  FaspJoin join;                /* where a receiver that joins begins: the sender's choice
                                   (FASP_JOIN_ANY: live), the receiver's wish */
  guint32 join_back_ms;         /* FASP_JOIN_BACK; 0: as far back as possible */
  gboolean one_of_several;      /* receiver: the stream comes from other sources, too:
                                   fasp_endpoint_set_other_sources() */
  guint peers;                  /* calling receiver: number of peers that have the
                                   stream, called in turn; 0 and 1: one */
  /* Multicast group; len 0: none.  A sender that listens sends to this address, too.
   * A receiver that calls dials the senders that announce themselves to the group, and
   * reads only `len'.  One flow, and no rate controller. */
  FaspAddress group;
  guint8 group_socket; /* receiver: the socket on which the group's datagrams come */
} FaspEndpointConfig;

/* Sets @role and @mode, and defaults for everything else. */
void fasp_endpoint_config_init (FaspEndpointConfig *config, FaspRole role, FaspMode mode);

/* TRUE if this end dials.  In a rendezvous the sender of the stream does. */
gboolean fasp_endpoint_config_dials (const FaspEndpointConfig *config);

/* Sender: does it control the rate, or that of each of several paths? With duplicate each path
 * carries all, so there is nothing to divide. */
gboolean fasp_endpoint_config_controls (const FaspEndpointConfig *config);

G_END_DECLS
