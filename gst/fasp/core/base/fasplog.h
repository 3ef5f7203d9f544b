/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplog.h: the decision log: the core's decisions, with time and reason (property `log').
 *
 * An event is one entry of a ring of fixed size.  Entries that are not fetched in time are
 * overwritten, oldest first.  The log then says how many were lost.  So a slow reader never
 * holds up a stream.  Nothing is allocated and no text is made when an event is added.
 *
 * A part of the core has a pointer to its session's log.  NULL: nothing is logged.  A hook
 * is one line, and one branch while nothing is logged:
 *
 *     FASP_LOG (path->log, now, PATH_DEAD, flow, lost, FASP_LOG_SHARE (loss));
 *
 * Its values are those of the event's fields in fasplogevents.c, in that order.
 * docs/debugging.md describes all events.  No event has a secret in it.
 */
#pragma once

#include "fasplogevents.h"

G_BEGIN_DECLS

#define FASP_LOG_TEXT_MAX 63 /* bytes of UTF-8 that are kept of a text */
/* A value that is not known: its field is left out. */
#define FASP_LOG_UNKNOWN G_MININT64

typedef struct
{
  FaspTime time;   /* when it was decided: the caller's `now' */
  guint32 session; /* our id of the session that the event is about; 0: of no session */
  FaspLogEvent event;
  gint64 values[FASP_LOG_FIELDS];    /* values of the fields; texts and addresses are below */
  FaspAddress address;               /* the event's address, if it has one; len 0: none */
  gchar text[FASP_LOG_TEXT_MAX + 1]; /* the event's text, if it has one */
} FaspLogEntry;

typedef struct _FaspLog FaspLog;

/* Makes an endpoint's log. @size: entries kept at most. */
FaspLog *fasp_log_new (guint size);
/* Makes the log of one session of the endpoint.  Free it before @log.  @log: NULL gives NULL. */
FaspLog *fasp_log_new_session (FaspLog *log, guint32 session);
void fasp_log_free (FaspLog *log);
/* Frees all entries and ignores later events. */
void fasp_log_stop (FaspLog *log);
/* Takes out up to @max entries, oldest first; returns how many.  If entries were overwritten,
 * LOG_EVENTS_LOST comes first.  *lost: entries overwritten so far; may be NULL. */
guint fasp_log_fetch (FaspLog *log, FaspLogEntry *entries, guint max, guint64 *lost);

/* See FASP_LOG().  Texts and addresses are copied. */
void fasp_log_add (FaspLog *log, FaspTime now, FaspLogEvent event, const gint64 *values, guint n);

/* States of a session.  One event says that a state begins, another that it ends. */
typedef enum
{
  FASP_LOG_IS_BEHIND = 1,    /* SENDING_BEHIND, SENDING_CAUGHT_UP */
  FASP_LOG_LACKS_HEADER = 2, /* HEADER_AWAITED, HEADER_WRITTEN */
  FASP_LOG_IS_ODD_PHASE = 4, /* phase of the key that the peer seals with: KEY_UPDATED at each
                                change */
} FaspLogState;

/* Sets a state.  TRUE: it has changed, and the caller logs the event.  Always FALSE while nothing
 * is logged. */
gboolean fasp_log_changes (FaspLog *log, FaspLogState state, gboolean on);

/* Values kept only for the log. 0 at first. */
typedef enum
{
  FASP_LOG_KEEPS_WINDOW, /* session: when the peer's window last opened for a block that waited */
  FASP_LOG_KEEPS_WAIT,   /* endpoint: the trigger of the last WRITER_WAITS, until WRITER_GOES_ON */
  FASP_LOG_KEEPS,        /* number of these values */
} FaspLogKept;

/* @log: not NULL.  The caller may change it. */
gint64 *fasp_log_get_kept (FaspLog *log, FaspLogKept what);

#define FASP_LOG(log, now, event, ...) \
  G_STMT_START \
  { \
    if (G_UNLIKELY ((log) != NULL)) \
      fasp_log_add (log, now, FASP_LOG_##event, (const gint64[]) { __VA_ARGS__ }, \
          sizeof ((const gint64[]) { __VA_ARGS__ }) / sizeof (gint64)); \
  } \
  G_STMT_END

/* Values of other types.  A word is a string that is never freed. */
#define FASP_LOG_POINTER(value) ((gint64) (gintptr) (value))
#define FASP_LOG_WORD(word) FASP_LOG_POINTER (word)
#define FASP_LOG_SHARE(share) ((gint64) ((share) * FASP_LOG_SHARE_UNIT))
#define FASP_LOG_SHARE_UNIT 1000000. /* a share is kept in millionths */
/* A value that is not known if it equals @unknown. */
#define FASP_LOG_OR_UNKNOWN(value, unknown) \
  ((gint64) (value) == (gint64) (unknown) ? FASP_LOG_UNKNOWN : (gint64) (value))

G_END_DECLS
