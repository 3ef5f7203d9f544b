/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tserrors.h"

static const struct
{
  const gchar *name;
  guint priority;
} kinds[TS_ERRORS] = {
  [TS_ERROR_SYNC_LOSS] = { "sync-loss", 1 },
  [TS_ERROR_SYNC_BYTE] = { "sync-byte", 1 },
  [TS_ERROR_PAT] = { "pat", 1 },
  [TS_ERROR_CONTINUITY] = { "continuity", 1 },
  [TS_ERROR_PMT] = { "pmt", 1 },
  [TS_ERROR_PID] = { "pid", 1 },
  [TS_ERROR_TRANSPORT] = { "transport", 2 },
  [TS_ERROR_CRC] = { "crc", 2 },
  [TS_ERROR_PCR_REPETITION] = { "pcr-repetition", 2 },
  [TS_ERROR_PCR_DISCONTINUITY] = { "pcr-discontinuity", 2 },
  [TS_ERROR_PCR_ACCURACY] = { "pcr-accuracy", 2 },
  [TS_ERROR_PTS] = { "pts", 2 },
  [TS_ERROR_CAT] = { "cat", 2 },
};

const gchar *
ts_error_get_name (TsErrorKind kind)
{
  return kinds[kind].name;
}

guint
ts_error_get_priority (TsErrorKind kind)
{
  return kinds[kind].priority;
}

void
ts_errors_init (TsErrors *errors)
{
  errors->now = 0;
  for (guint i = 0; i < TS_ERRORS; i++)
    errors->errors[i] = (TsError) { 0, TS_NEVER, TS_NEVER, TS_NEVER, TS_NEVER };
}

void
ts_errors_forget (TsErrors *errors)
{
  for (guint i = 0; i < TS_ERRORS; i++)
    errors->errors[i].examined = errors->errors[i].bad = TS_NEVER;
}

void
ts_errors_hold (TsErrors *errors, TsErrorKind kind)
{
  TsError *error = &errors->errors[kind];

  error->last = error->bad = error->examined = errors->now;
}

void
ts_errors_judge (TsErrors *errors, TsErrorKind kind, gboolean good)
{
  TsError *error = &errors->errors[kind];

  error->examined = errors->now;
  if (good)
    return;
  if (error->count++ == 0)
    error->first = errors->now;
  error->last = error->bad = errors->now;
}

TsState
ts_errors_get_state (const TsErrors *errors, TsErrorKind kind)
{
  const TsError *error = &errors->errors[kind];

  if (error->examined == TS_NEVER || errors->now - error->examined > TS_ERROR_KNOWN)
    return TS_STATE_UNKNOWN;
  return error->bad != TS_NEVER && errors->now - error->bad < TS_ERROR_HOLD ? TS_STATE_BAD :
                                                                              TS_STATE_GOOD;
}

void
ts_repeat_await (TsRepeat *repeat, gint64 now)
{
  if (repeat->since == TS_NEVER)
    *repeat = (TsRepeat) { now, FALSE };
}

void
ts_repeat_forget (TsRepeat *repeat)
{
  *repeat = (TsRepeat) { TS_NEVER, FALSE };
}

void
ts_repeat_check (TsRepeat *repeat, TsErrors *errors, TsErrorKind kind, gint64 limit)
{
  if (repeat->since == TS_NEVER || errors->now - repeat->since <= limit)
    return;
  if (repeat->missing)
    ts_errors_hold (errors, kind);
  else
    ts_errors_judge (errors, kind, FALSE);
  repeat->missing = TRUE;
}

void
ts_repeat_arrive (TsRepeat *repeat, TsErrors *errors, TsErrorKind kind, gint64 limit)
{
  ts_repeat_check (repeat, errors, kind, limit);
  ts_errors_judge (errors, kind, TRUE);
  *repeat = (TsRepeat) { errors->now, FALSE };
}
