/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayfigures.h: figures of the relay, of its streams and of their ends, at one moment.
 *
 * relayfiguretable.c has a row for each member of these structs that is shown.  The functions here
 * fill them; relaydescribe.c adds those of the configuration.
 */
#pragma once

#include <math.h>
#include "relayauth.h"
#include "relayhooks.h"
#include "relaystream.h"

G_BEGIN_DECLS

/* Times from this value on stand for `unknown' and `never'. */
#define RELAY_NEVER (GST_CLOCK_TIME_NONE - 1)

/* All statistics, at one moment. */
typedef struct
{
  GPtrArray *streams; /* RelayStreamStats, by name */
  gint64 started;     /* µs, UTC */
  gint64 begun;       /* the same, µs, monotonic */
  gint64 loaded;      /* when the configuration in force was put into force; µs, UTC; 0: none is */
  guint64 reloads, reloads_refused;
  gchar *refused; /* why the last one was refused; NULL: it was not */
  gchar *unkept;  /* why the history is not kept in its file; NULL: it is, or there is none */
  gboolean receiver_metrics;
  const gchar *api; /* changes by HTTP: `off', `open', `token', or `login' */
  gboolean saved;   /* the file has the configuration in force */
  gboolean alive;   /* the main loop runs */
  gboolean ending;
  guint64 unallowed;   /* connections to the status from addresses that are not allowed */
  RelayAuthStats auth; /* questions about callers */
  RelayHooksStats hooks;
} RelayStats;

void relay_stats_free (RelayStats *stats);

/* TRUE: every stream that is not optional receives, and the relay is not ending. */
gboolean relay_stats_is_ready (const RelayStats *stats);

/* A number of any type.  NAN: it is not known, or no number.  INFINITY: never. */
gdouble relay_figures_read (const GValue *value);

/* --- figures ------------------------------------------------------------------------------ */

/* Structs of statistics within these are shallow copies that own nothing. NAN: not known. */

typedef struct
{
  RelayStats stats;
  const gchar *version;
  gboolean ready;
  gint64 begun; /* when the relay was started, by the machine's clock as it is now: s, UTC */
  guint64 happened, memory, history;
  gdouble time; /* s, UTC */
} RelayOwnFigures;

/* Rates of a stream, computed from two sets of statistics: over ten seconds, but for the first. */
typedef struct
{
  gdouble rate;       /* of the stream, without repairs, over the last second or more; bit/s */
  gdouble loss;       /* share of the datagrams to the relay that were lost */
  gdouble unrepaired; /* datagrams that were lost and not repaired */
  gdouble errors;     /* continuity errors */
  gdouble skips;
} RelayRates;

#define RELAY_RATES_UNKNOWN ((RelayRates) { NAN, NAN, NAN, NAN, NAN })

typedef struct
{
  RelayStreamStats stats;
  const gchar *name, *streamid;
  gdouble state_seconds;
  gboolean running, optional, require_streamid;
  guint picture_interval; /* s */
  guint preview_viewers;
  RelayRates rates;
  gdouble rtt, lateness;      /* ms; lateness: that of 99.9 % of the stream in order is not
                                 larger */
  gdouble latency;            /* ms, in force */
  gdouble promised, observed; /* s between skips; INFINITY: none was observed */
  gdouble behind;             /* ms; of the receiver that is furthest behind */
  guint64 received, lost;     /* datagrams, of all senders that are connected */
  gdouble missing, errors;    /* datagrams that were not repaired; continuity errors */
  guint64 bytes;              /* of the stream, received */
  gdouble skips;
  guint receivers; /* of all outputs */
} RelayStreamFigures;

typedef struct
{
  RelayEndStats stats;
  guint id;
  const gchar *uri, *error;
  const gchar *does; /* relay_figures_get_does() */
  gboolean open, down, passphrase;
  gdouble receivers;
  guint interrupted;
  gdouble behind; /* ms; of the receiver that is furthest behind */
  gdouble loss;   /* relay_figures_get_loss() */
  gboolean measured;
  gboolean judged;          /* relay_figures_is_judged(), which the caller asks */
  gdouble ts_rate;          /* bit/s */
  gdouble accuracy, jitter; /* of PCR, ns */
} RelayEndFigures;

/* An error by TR 101 290 of what comes in, or goes out. */
typedef struct
{
  const gchar *name, *state;
  guint priority;
  gdouble bad; /* 1: it is there; 0: it is not */
  guint64 count;
  gdouble first, last; /* s, UTC */
} RelayErrorFigures;

/* A receiver of an output, or a sender of an input. */
typedef struct
{
  const GstStructure *stats;
  const gchar *address, *name, *streamid;
  gboolean interrupted, stands_by;
  gdouble behind; /* how much of the stream it has not confirmed yet: ms */
  gdouble rtt;    /* ms */
  gdouble loss;   /* share of the datagrams */
  guint64 bytes_sent;
} RelayPeerFigures;

/* One of several sources of an input. */
typedef struct
{
  guint number;
  const gchar *name, *why;
  gboolean connected, leads;
} RelaySourceFigures;

/* Fills in *figures except happened, memory, history and time. @utc: µs, added to monotonic
 * times. */
void relay_figures_get_own (const RelayStats *stats, gint64 utc, RelayOwnFigures *figures);
/* @stats: NULL: there are none yet. */
void relay_figures_get_stream (const RelayStreamStats *stats, RelayRates rates,
    RelayStreamFigures *figures);
/* What the end of that id and URI does if it is an output that cannot know its receivers; else
 * NULL. */
const gchar *relay_figures_get_does (guint id, const gchar *uri);
/* Does an output not run, not hear the one receiver that it dials, or lack what it was to send? */
gboolean relay_figures_is_down (const RelayEndStats *output);
/* Returns the share of the datagrams that are lost, to the one receiver that an output dials, of
 * SRT an estimate; NAN: not known. */
gdouble relay_figures_get_loss (const RelayEndStats *output);
/* @end: NULL: there are none yet.  @rate: of the stream, bit/s. */
void relay_figures_get_end (const RelayEndStats *end, gdouble rate, RelayEndFigures *figures);
/* Returns RelayPeerFigures. */
GArray *relay_figures_list_peers (const RelayEndStats *end, gdouble rate);
/* Returns RelaySourceFigures; empty if there is only one source. */
GArray *relay_figures_list_sources (const RelayEndStats *input);
/* Has the end data by which to tell whether its stream has errors?  @receiving: of the stream. */
gboolean relay_figures_is_judged (const RelayEndStats *end, gboolean receiving);
/* Returns a RelayErrorFigures for each error; empty if the end's stream is not measured.
 * @judged: as above; FALSE: no state is known. */
GArray *relay_figures_list_errors (const RelayEndStats *end, gboolean judged);

G_END_DECLS
