/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tserrors.h"

const TsErrorRow ts_error_rows[TS_ERRORS] = {
  [TS_ERROR_SYNC_LOSS] = { "sync-loss", 1, "1.1", "TS_sync_loss",
      "two packets in a row have a wrong sync byte; or five that follow one another are not found" },
  [TS_ERROR_SYNC_BYTE] = { "sync-byte", 1, "1.2", "Sync_byte_error",
      "a packet does not begin with 0x47" },
  [TS_ERROR_PAT] = { "pat", 1, "1.3.a", "PAT_error_2",
      "no PAT for 0.5 s; its PID carries another table, or is scrambled" },
  [TS_ERROR_CONTINUITY] = { "continuity", 1, "1.4", "Continuity_count_error",
      "packets of a PID are missing, out of order, or there more than twice" },
  [TS_ERROR_PMT] = { "pmt", 1, "1.5.a", "PMT_error_2",
      "no PMT of a programme for 0.5 s, or its PID is scrambled" },
  [TS_ERROR_PID] = { "pid", 1, "1.6", "PID_error",
      "nothing comes for 5 s on a PID of video or main sound that a PMT names" },
  [TS_ERROR_TRANSPORT] = { "transport", 2, "2.1", "Transport_error",
      "a packet is marked as damaged, as by a demodulator" },
  [TS_ERROR_CRC] = { "crc", 2, "2.2", "CRC_error", "a table has a wrong checksum" },
  [TS_ERROR_PCR_REPETITION] = { "pcr-repetition", 2, "2.3.a", "PCR_repetition_error",
      "no PCR of a programme came for 100 ms" },
  [TS_ERROR_PCR_DISCONTINUITY] = { "pcr-discontinuity", 2, "2.3.b",
      "PCR_discontinuity_indicator_error",
      "a PCR is more than 100 ms after the one before it, or before it, unannounced" },
  [TS_ERROR_PCR_ACCURACY] = { "pcr-accuracy", 2, "2.4", "PCR_accuracy_error",
      "a PCR is off its place by more than 500 ns; known of a constant rate with null packets" },
  [TS_ERROR_PTS] = { "pts", 2, "2.5", "PTS_error",
      "no PTS for 0.7 s on a PID of video or sound that had one" },
  [TS_ERROR_CAT] = { "cat", 2, "2.6", "CAT_error",
      "packets are scrambled and no CAT comes for 5 s; or its PID carries another table" },
};

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
ts_errors_add (TsErrors *errors, TsErrorKind kind, guint64 n)
{
  TsError *error = &errors->errors[kind];

  error->examined = errors->now;
  if (n == 0)
    return;
  if (error->count == 0)
    error->first = errors->now;
  error->count += n;
  error->last = error->bad = errors->now;
}

void
ts_errors_judge (TsErrors *errors, TsErrorKind kind, gboolean good)
{
  ts_errors_add (errors, kind, good ? 0 : 1);
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
