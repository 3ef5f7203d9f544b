/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayfigures.h: figures of the relay, of its streams and of their ends, at one moment.
 *
 * relayfiguretable.c has a row for each member of these structs that is shown.  The functions here
 * fill them; relaydescribe.c adds those of the configuration.
 */
#pragma once

#include "relaystream.h"

G_BEGIN_DECLS

/* From this value on, a time is unknown, or never. */
#define RELAY_NEVER (GST_CLOCK_TIME_NONE - 1)

/* All statistics, at one moment. */
typedef struct
{
  GPtrArray *streams; /* RelayStreamStats, by name */
  gint64 started;     /* µs, UTC */
  gint64 begun;       /* the same, µs, monotonic */
  gint64 loaded;      /* the configuration in force; µs, UTC */
  guint64 reloads, reloads_refused;
  gchar *refused; /* why the last one was refused; NULL: it was not */
  gboolean receiver_metrics;
  const gchar *api; /* changes by HTTP: `off', `open', or `token': with one */
  gboolean saved;   /* the file has the configuration in force */
  gboolean alive;   /* the main loop runs */
  gboolean ending;
} RelayStats;

void relay_stats_free (RelayStats *stats);

/* TRUE: every stream that is not optional receives, and the relay is not ending. */
gboolean relay_stats_is_ready (const RelayStats *stats);

/* A number of any type.  NAN: it is not known, or no number.  INFINITY: never. */
gdouble relay_figures_read (const GValue *value);

/* --- figures ------------------------------------------------------------------------------ */

/* Structs of statistics in these are copies that own nothing.  NAN: not known. */

typedef struct
{
  RelayStats stats;
  const gchar *version;
  gboolean ready;
  gint64 begun; /* when the relay was started, by the machine's clock as it is now: s, UTC */
  guint64 happened, memory, history;
  gdouble time; /* s, UTC */
} RelayOwnFigures;

/* Of a stream, made of two statistics of different times. */
typedef struct
{
  gdouble rate; /* without repairs: bit/s, over the last second or more */
  gdouble loss; /* share of the datagrams to the relay, over ten seconds */
} RelayRates;

typedef struct
{
  RelayStreamStats stats;
  const gchar *name, *streamid;
  gdouble state_seconds;
  gboolean running, optional, require_streamid;
  guint picture_interval; /* s */
  RelayRates rates;
  gdouble rtt, lateness;      /* ms; the lateness of all but 0.1 %, in order */
  gdouble latency;            /* ms, in force */
  gdouble promised, observed; /* s between skips; INFINITY: none was observed */
  gdouble behind;             /* ms; of the receiver that is furthest behind */
  guint64 received, lost;     /* datagrams, of all senders that are connected */
  guint64 bytes;              /* of the stream, that came in */
  guint64 skips;
  guint receivers; /* of all outputs */
} RelayStreamFigures;

typedef struct
{
  RelayEndStats stats;
  guint id;
  const gchar *uri, *error;
  gboolean open, passphrase;
  guint receivers, interrupted;
  gdouble behind; /* ms; of the receiver that is furthest behind */
} RelayEndFigures;

/* A receiver of an output, or a sender of an input. */
typedef struct
{
  const GstStructure *stats;
  const gchar *address, *name, *streamid;
  gboolean interrupted;
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

/* Leaves happened, memory, history and time as they are. @utc: µs, added to monotonic times. */
void relay_figures_get_own (const RelayStats *stats, gint64 utc, RelayOwnFigures *figures);
/* @stats: NULL: there are none yet. */
void relay_figures_get_stream (const RelayStreamStats *stats, RelayRates rates,
    RelayStreamFigures *figures);
/* @end: NULL: there are none yet.  @rate: of the stream, bit/s. */
void relay_figures_get_end (const RelayEndStats *end, gdouble rate, RelayEndFigures *figures);
/* Returns RelayPeerFigures. */
GArray *relay_figures_list_peers (const RelayEndStats *end, gdouble rate);
/* Returns RelaySourceFigures, none if there is one source. */
GArray *relay_figures_list_sources (const RelayEndStats *input);

G_END_DECLS
