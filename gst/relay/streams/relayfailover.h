/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayfailover.h: which source of an input is used, of a main one and its backups.
 *
 * At most one source is used at a time, so the stream behind it is never a mixture.  Sources are
 * numbered by preference: 0 is the main one.  Each has a state:
 *
 *     SILENT --> STANDBY --> CUED --> ACTIVE --> STALLED
 *
 *     SILENT --> STANDBY     media come from it
 *     STANDBY --> CUED       it is to take over, where its stream can begin
 *     CUED --> ACTIVE        it takes over
 *     ACTIVE --> STALLED     nothing has come from it for the time `silence'
 *     STALLED --> ACTIVE     media come again, before another source has taken over
 *     STANDBY --> SILENT     nothing has come from it for that time
 *     CUED --> SILENT        the same
 *     CUED --> STANDBY       another one is to take over, or none
 *     ACTIVE --> STANDBY     another source has taken over
 *     STALLED --> SILENT     the same
 *
 * The first source that gives media is used.  When it is stalled, the most preferred one of the
 * others that give media is cued; and takes over although the stalled one gives media again, if
 * that one has given them for less than `restore' (or `silence') before it stalled.  A more
 * preferred source that has given media without a pause for the time `restore' is cued, too
 * (revert), unless the one in use was asked for.  A source that was asked for is cued, and used
 * until it stalls; to ask for source 0 ends this, unless source 0 is bad.
 *
 * Rules may find a source bad (relayrules.h).  A source that gives nothing is worse than a bad one,
 * and a bad one worse than a good one.  One that is not judged counts as good.  What keeps it from
 * going to and fro:
 *
 *   - A rule has the active source left only for a good one that has given media without a pause
 * for `restore' (`silence', if that is longer), so that each such switch is to a better source.  If
 *     there is none, the active one stays.
 *   - To revert, the more preferred source must have been without a fault for the time `restore',
 *     but for those that came and went without making it bad.
 *   - So no source takes over by a rule, or as it is preferred, twice in that time, or in the time
 *     of a rule if that is shorter.
 *
 * Time is an argument (µs, any clock that never steps back).  Silence is found when media come from
 * any source, or the states are read: without media of another source, nothing could be
 * switched.
 */
#pragma once

#include "relayend.h"
#include "relayrules.h"

G_BEGIN_DECLS

/* µs: a half of the shortest time without a table that is an error (PAT, TR 101 290, 1.3.a) */
#define RELAY_SOURCE_HELD (250 * G_TIME_SPAN_MILLISECOND)

typedef enum
{
  RELAY_SOURCE_SILENT,  /* gives nothing */
  RELAY_SOURCE_STANDBY, /* gives media, which are dropped */
  RELAY_SOURCE_CUED,    /* the same; takes over where its stream can begin */
  RELAY_SOURCE_ACTIVE,  /* is used */
  RELAY_SOURCE_STALLED, /* is used, and gives nothing */
  RELAY_SOURCE_STATES,
} RelaySourceState;

typedef struct
{
  RelaySourceState state;
  gint64 heard;  /* when media last came */
  gboolean held; /* the outputs have not taken its last packets yet, so no more can come */
  gint64 held_since;
  gint64 steady;      /* since when they come without a pause */
  gint64 faulty;      /* as relay_judgement_get_faulty() says */
  gint fault;         /* the rule by which it is bad (relayrules.h), or RELAY_RULE_NONE */
  gint64 judged;      /* µs: the time of that rule */
  gint64 since;       /* when the state began */
  guint64 changes;    /* of the state */
  gchar *why;         /* a sentence without its full stop; NULL: it has not changed yet */
  const gchar *cause; /* the same in a word, of a source that is cued or used */
} RelaySource;

typedef struct
{
  guint n;
  gint64 silence, restore; /* µs; restore 0: reverts only when it is asked to */
  gint active, cued;       /* numbers; -1: none */
  gboolean stays;          /* the active source was asked for, and is left for silence alone */
  gboolean asked;          /* the cued source was asked for */
  guint64 takeovers;       /* but for the first source */
  gint64 taken;            /* when the active source took over */
  RelaySource sources[RELAY_SOURCES_MAX];
} RelayFailover;

/* Returns whether the drawing above has this arrow. */
gboolean relay_source_follows (RelaySourceState from, RelaySourceState to);

void relay_failover_init (RelayFailover *f, guint n);
void relay_failover_clear (RelayFailover *f);
/* ms. */
void relay_failover_set_times (RelayFailover *f, guint silence, guint restore);
/* Media have come from source @i. Returns its state. */
RelaySourceState relay_failover_note (RelayFailover *f, guint i, gint64 now);
/* The cued source takes over. */
void relay_failover_take_over (RelayFailover *f, gint64 now);
/* The rules have found source @i bad (@fault, for @judged µs), or good (RELAY_RULE_NONE), and
 * it has been without a fault since @faulty (relay_judgement_get_faulty).  TRUE: that it is bad, or
 * good again, is new. */
gboolean relay_failover_judge (RelayFailover *f, guint i, gint fault, gint64 judged, gint64 faulty,
    gint64 now);
/* Says why a source is bad: a sentence without its full stop; NULL: it is not. */
gchar *relay_failover_say_fault (const RelayFailover *f, guint i);
/* Asks for a source. FALSE: there is no such source, or it gives nothing. */
gboolean relay_failover_ask (RelayFailover *f, guint i, gint64 now);
/* The outputs begin to take packets of source @i (@held), or have taken them.  The time in which
 * they hold it up is not silence. */
void relay_failover_hold (RelayFailover *f, guint i, gboolean held, gint64 now);
/* Do the media of source @i show how it is?  FALSE: it gives none, or the outputs have held it up
 * for RELAY_SOURCE_HELD, so that none could come. */
gboolean relay_failover_shows (const RelayFailover *f, guint i, gint64 now);
/* Brings the states up to date, before they are read. */
void relay_failover_look (RelayFailover *f, gint64 now);
/* Does the source give media? */
gboolean relay_source_gives (RelaySourceState state);

G_END_DECLS
