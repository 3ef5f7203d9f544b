/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tserrors.h: the errors of a transport stream that ETSI TR 101 290 (V1.4.1, 5.2.1 and 5.2.2)
 * names, how often each was seen, and whether it is there now.
 *
 * An error counts once when it happens.  A table, PCR or PTS that does not come within its limit
 * counts as one error, however long it does not come.  An error is there now for TS_ERROR_HOLD
 * after it was last seen; a table, PCR or PTS that does not come is an error that is seen all the
 * time. Whether there is an error is unknown if the stream had no data in TS_ERROR_KNOWN by which
 * to tell.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In the order of TR 101 290: the first six have priority 1, the others priority 2. */
typedef enum
{
  TS_ERROR_SYNC_LOSS,
  TS_ERROR_SYNC_BYTE,
  TS_ERROR_PAT,
  TS_ERROR_CONTINUITY,
  TS_ERROR_PMT,
  TS_ERROR_PID,
  TS_ERROR_TRANSPORT,
  TS_ERROR_CRC,
  TS_ERROR_PCR_REPETITION,
  TS_ERROR_PCR_DISCONTINUITY,
  TS_ERROR_PCR_ACCURACY,
  TS_ERROR_PTS,
  TS_ERROR_CAT,
  TS_ERRORS
} TsErrorKind;

typedef enum
{
  TS_STATE_UNKNOWN,
  TS_STATE_GOOD,
  TS_STATE_BAD,
} TsState;

#define TS_SECOND G_GINT64_CONSTANT (1000000000)
#define TS_MSECOND G_GINT64_CONSTANT (1000000)
#define TS_NEVER G_GINT64_CONSTANT (-1)

#define TS_ERROR_HOLD TS_SECOND         /* ns */
#define TS_ERROR_KNOWN (10 * TS_SECOND) /* ns */

/* Times are in ns, or TS_NEVER. */
typedef struct
{
  guint64 count;
  gint64 first, last;
  gint64 examined; /* when this stream was last looked at for it */
  gint64 bad;      /* when this stream last had it */
} TsError;

typedef struct
{
  gint64 now; /* changed by the monitor */
  TsError errors[TS_ERRORS];
} TsErrors;

/* Something that has to come again within a time. */
typedef struct
{
  gint64 since; /* when it came last, or was awaited first; TS_NEVER: it is not awaited */
  gboolean missing;
} TsRepeat;

/* What users are told of an error: statistics, metrics, the page and the documents are made of it.
 */
typedef struct
{
  const gchar *name;   /* such as "pat" */
  guint priority;      /* 1 or 2 */
  const gchar *clause; /* its number in TR 101 290 */
  const gchar *label;  /* the name that TR 101 290 gives it */
  const gchar *meaning;
} TsErrorRow;

extern const TsErrorRow ts_error_rows[TS_ERRORS];

void ts_errors_init (TsErrors *errors);
/* Another stream begins: nothing is known of it.  The counts stay. */
void ts_errors_forget (TsErrors *errors);
/* The stream was looked at for this error: there are @n more. */
void ts_errors_add (TsErrors *errors, TsErrorKind kind, guint64 n);
/* There is none, or one more. */
void ts_errors_judge (TsErrors *errors, TsErrorKind kind, gboolean good);
/* The error that was counted goes on. */
void ts_errors_hold (TsErrors *errors, TsErrorKind kind);
TsState ts_errors_get_state (const TsErrors *errors, TsErrorKind kind);

/* From now on, it is awaited; if it is already, nothing changes. */
void ts_repeat_await (TsRepeat *repeat, gint64 now);
void ts_repeat_forget (TsRepeat *repeat);
/* Time has passed; @limit: ns. */
void ts_repeat_check (TsRepeat *repeat, TsErrors *errors, TsErrorKind kind, gint64 limit);
/* It has come. */
void ts_repeat_arrive (TsRepeat *repeat, TsErrors *errors, TsErrorKind kind, gint64 limit);

G_END_DECLS
