/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprate.h: which rate a session sends at.
 *
 * A controller hears when packets arrived and sets the channel rate: bit/s of
 * everything on the wire, from the IP header up.  What is in it (new blocks, rexes,
 * copies, repairs) is not its business, nor is what becomes of the losses: loss by
 * itself lowers no rate.  docs/rate-control.md has the controllers and their reasons.
 *
 * Nothing that a peer tells is believed beyond what can be: times that go back, or
 * that are wilder than clocks are, are left out, and every rate stays within
 * [min, max].
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

/* Rates of a controller, bit/s. */
#define FASP_RATE_LEAST 100000
#define FASP_RATE_MOST G_GUINT64_CONSTANT (10000000000)
#define FASP_RATE_FIRST 2000000
/* Bits of a packet, about: what is less says little of a rate. */
#define FASP_RATE_PACKET 12000.

/* A packet, its departure by our clock and its arrival by the peer's. */
typedef struct
{
  FaspTime sent, arrived;       /* µs */
  guint64 bytes;                /* of the session, sent up to and with it */
} FaspRateSample;

typedef struct
{
  FaspTime now;
  FaspTime rtt;                 /* smoothed; 0: not known */
  guint8 flow;
  guint64 told, lost, marked;   /* packets of the flow so far that are told of, of
                                   these not there, and marked by ECN; to a controller:
                                   newly, neither more than told, and lost for sure */
  guint64 source;               /* bit/s, on the wire, of a source that writes by itself; 0: not
                                   known, or it takes what there is */
  guint64 unsettled;            /* so many of the newest may still come; */
  gboolean overtaken;           /* to a controller: and did, of late: losses are told of later than the
                                   others' arrivals */
  const FaspRateSample *samples;        /* of one flow, oldest first */
  guint n;
} FaspRateReport;

typedef struct _FaspRate FaspRate;

typedef struct
{
  gsize size;
  void (*init) (FaspRate * rate, FaspTime now);
  void (*report) (FaspRate * rate, const FaspRateReport * report);
  /* The rate to send at from now on, and when to ask again, at the latest.  @sent: bytes of the
   * session by now, as in samples. */
  guint64 (*get) (FaspRate * rate, FaspTime now, guint64 sent,
      FaspTime * until);
} FaspRateClass;

struct _FaspRate
{
  const FaspRateClass *class;
  guint64 min, max;             /* bit/s */
  guint64 rate;                 /* that it holds the path to be good for, */
  guint64 offer;                /* and that an encoder may try, in the mean */
  FaspTime standing;            /* queue that does not go away, of late; µs */
  FaspTime owed;                /* so much of the rate is not sent next, as the path
                                   has it already; µs */
  guint64 told[FASP_FLOWS_MAX], lost[FASP_FLOWS_MAX];   /* by the last report, */
  guint64 marked[FASP_FLOWS_MAX];       /* too */
  guint64 missing[FASP_FLOWS_MAX];      /* by then, and */
  FaspTime overtaken[FASP_FLOWS_MAX];   /* when there were less than before; 0: never */
};

/* NULL for FASP_RATE_CONTROL_FIXED, which needs none: the rate is @max.
 * @min, @max: 0: FASP_RATE_LEAST, FASP_RATE_MOST. */
FaspRate *fasp_rate_new (FaspRateControl control, guint64 min, guint64 max,
    FaspTime now);
void fasp_rate_free (FaspRate * rate);
/* May change at any time. */
void fasp_rate_set_bounds (FaspRate * rate, guint64 min, guint64 max);
void fasp_rate_report (FaspRate * rate, const FaspRateReport * report);
guint64 fasp_rate_get (FaspRate * rate, FaspTime now, guint64 sent,
    FaspTime * until);

/* The controllers. */
extern const FaspRateClass fasp_rate_pert, fasp_rate_adaptive;

/* For these: a rate within the bounds. */
guint64 fasp_rate_clamp (const FaspRate * rate, gdouble bits);

G_END_DECLS
