/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprate.h: the rate at which a session sends.
 *
 * A controller learns when packets arrived and sets the channel rate: bit/s of everything on the
 * wire, from the IP header up.  It treats all packets alike (new blocks, retransmissions, copies,
 * repairs) and ignores how losses are repaired: loss by itself lowers no rate. docs/rate-control.md
 * describes the controllers and their reasons.
 *
 * A peer's report is not trusted.  Reports with times that go back, or that jump
 * further than clocks do, are ignored, and every rate stays within [min, max].
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef enum
{
  FASP_RATE_CONTROL_FIXED,
  FASP_RATE_CONTROL_PERT,
  FASP_RATE_CONTROL_ADAPTIVE,
} FaspRateControl;

/* Rates of a controller, bit/s: bounds, and where it begins. */
#define FASP_RATE_LEAST 100000
#define FASP_RATE_MOST G_GUINT64_CONSTANT (10000000000)
#define FASP_RATE_FIRST 2000000
/* Bits of a packet, about.  Fewer bits say little about a rate. */
#define FASP_RATE_PACKET 12000.
/* The weight of a new value in a smoothed one (RFC 6298). */
#define FASP_RATE_WEIGHT .125
/* The packets of a stretch of this length are measured together. */
#define FASP_RATE_STRETCH (16 * FASP_MSEC)
/* The most time in flight beyond a round trip (TARGET of LEDBAT, RFC 6817).  So it also bounds a
 * pulse, the spread of delays and the reach of averages, and is the round trip assumed before the
 * first measurement. */
#define FASP_RATE_TARGET (100 * FASP_MSEC)
/* How long a path's behaviour is remembered; no delay on it is longer. */
#define FASP_RATE_MEMORY (10 * FASP_SEC)

/* A packet: its departure by our clock, its arrival by the peer's. */
typedef struct
{
  FaspTime sent, arrived; /* µs */
  guint64 bytes;          /* sum of all packets sent on its path by then, itself included */
} FaspRateSample;

typedef struct
{
  FaspTime now;
  FaspTime rtt; /* smoothed round trip; 0: not known */
  guint8 flow;
  guint64 reported, lost, marked; /* the flow's packets so far: reported; of these, missing; and
                                     marked by ECN.  A controller gets the growth of each, with lost
                                     and marked at most reported, and only certain losses */
  guint64 unsettled; /* number of newest packets that may still arrive if they are missing */
  const FaspRateSample *samples; /* samples of one flow, oldest first */
  guint n;
  FaspTime delay; /* from the newest packet's arrival to this report, by the peer; µs */
} FaspRateFeedback;

typedef struct _FaspRate FaspRate;

typedef struct
{
  gsize size;
  void (*init) (FaspRate *rate, FaspTime now);
  void (*feedback) (FaspRate *rate, const FaspRateFeedback *feedback);
  /* Returns the rate to send at from now on; *until: when to call again at the latest.  @sent: all
   * bytes sent on the path, as in samples. */
  guint64 (*get) (FaspRate *rate, FaspTime now, guint64 sent, FaspTime *until);
  gboolean l4s; /* it reacts to marks as RFC 9331 asks for, so its packets are ECT(1) */
} FaspRateClass;

struct _FaspRate
{
  const FaspRateClass *class;
  guint64 min, max;      /* bit/s */
  guint64 rate;          /* estimate of the path's capacity, bit/s */
  const gchar *why;      /* the last change of `rate': a word for the log */
  guint64 offer;         /* rate for an encoder, on average, bit/s */
  FaspTime standing;     /* recent standing queue, µs */
  guint64 seen;          /* bytes, as in samples, up to the newest packet that was reported */
  guint64 left;          /* bytes, as in samples, that were sent */
  FaspTime oldest;       /* no unreported packet was sent before this time */
  FaspTime feedback_rtt; /* from a packet's departure to its report, without a queue, µs; 0: not
                            known */
  gdouble window;        /* bytes that may be in flight */
  FaspTime wait_time;    /* last feedback at which nothing waited on the path */
  guint64 wait_seen;     /* `seen' at that time */
  gdouble proven; /* what arrived while packets last waited on the path, bit/s: it may be used at
                     once when nothing waits any more; 0: they never waited */
  FaspTime probe_time, probe_wait; /* when a datagram may leave although the window is full, and the
                                      wait for that after the last datagram */
  gboolean even;       /* the path marks bursts, so they are to be short; set by the controller */
  gboolean enough;     /* the encoder would not use a higher rate (faspdemand.h) */
  gboolean dry;        /* the rate allows sending, but there is nothing to send */
  FaspTime dry_until;  /* when `dry' was last TRUE */
  FaspTime full_until; /* when a datagram last waited for the window */
  guint64 reported[FASP_FLOWS_MAX], lost[FASP_FLOWS_MAX]; /* totals in the last report */
  guint64 marked[FASP_FLOWS_MAX];                         /* marked packets in the last report */
  guint64 missing[FASP_FLOWS_MAX];                        /* packets missing in the last report */
  FaspTime overtaken[FASP_FLOWS_MAX];                     /* when `missing' last fell; 0: never */
};

/* Returns NULL for FASP_RATE_CONTROL_FIXED, which needs no controller: the rate is @max.
 * 0 for @min or @max means FASP_RATE_LEAST or FASP_RATE_MOST. */
FaspRate *fasp_rate_new (FaspRateControl control, guint64 min, guint64 max, FaspTime now);
void fasp_rate_free (FaspRate *rate);
/* Sets the bounds of the rate. May be called at any time. */
void fasp_rate_set_bounds (FaspRate *rate, guint64 min, guint64 max);
void fasp_rate_feedback (FaspRate *rate, const FaspRateFeedback *feedback);
/* A packet is reported without a receive timestamp; @bytes: as in a sample.  It is no longer in
 * flight; no controller learns of it. */
void fasp_rate_reported (FaspRate *rate, FaspTime now, guint64 bytes);
guint64 fasp_rate_get (FaspRate *rate, FaspTime now, guint64 sent, FaspTime *until);
/* When @bytes more may leave without exceeding the window.  If all datagrams in flight are lost, no
 * report follows: so from time to time a datagram may leave nevertheless (a probe, RFC 9002,
 * section 7.5).  @sent: as in fasp_rate_get(). */
FaspTime fasp_rate_get_time (const FaspRate *rate, FaspTime now, guint64 sent, gsize bytes);
/* Datagrams were sent: @sent is the new sum of bytes. */
void fasp_rate_sent (FaspRate *rate, FaspTime now, guint64 sent);
/* Bytes sent and not yet reported. */
guint64 fasp_rate_get_in_flight (const FaspRate *rate, guint64 sent);
/* The bytes in flight beyond the rate times a round trip: they wait in a queue. */
guint64 fasp_rate_get_excess (const FaspRate *rate, guint64 sent);
/* How long the report of the oldest bytes in flight is overdue, µs: their time in flight beyond
 * feedback_rtt. */
FaspTime fasp_rate_get_overdue (const FaspRate *rate, FaspTime now);

void fasp_rate_set_dry (FaspRate *rate, FaspTime now, gboolean dry);
void fasp_rate_set_enough (FaspRate *rate, gboolean enough);
/* A datagram waits for the window. */
void fasp_rate_set_full (FaspRate *rate, FaspTime now);
/* Was there nothing to send at any time from @from on? */
gboolean fasp_rate_was_dry (const FaspRate *rate, FaspTime from);

extern const FaspRateClass fasp_rate_pert, fasp_rate_adaptive;

/* For controllers: @bits within the bounds. */
guint64 fasp_rate_clamp (const FaspRate *rate, gdouble bits);

G_END_DECLS
