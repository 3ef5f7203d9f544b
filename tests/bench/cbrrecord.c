/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrrecord.h"
#include <string.h>
#include <time.h>

/* sync byte, PID 0x1fff, payload only; then our mark */
static const guint8 start[8] = { 0x47, 0x1f, 0xff, 0x10, 'C', 'B', 'R', '1' };

static void
fill (guint8 *record, guint64 number)
{
  guint64 word = (number + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  /* by words, as a thousand receivers check them (xorshift64: Marsaglia, 2003) */
  for (guint i = 0; i < CBR_RECORD; i += sizeof word) {
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    memcpy (record + i, &word, MIN (sizeof word, CBR_RECORD - i));
  }
  for (guint i = 0; i < CBR_RECORD; i += CBR_TS_PACKET)
    memcpy (record + i, start, 4);
  memcpy (record + 4, start + 4, 4);
}

void
cbr_record_write (guint8 *record, guint64 number, gint64 time)
{
  fill (record, number);
  memcpy (record + 8, &number, 8);
  memcpy (record + 16, &time, 8);
}

gboolean
cbr_record_read (const guint8 *record, guint64 *number, gint64 *time)
{
  guint8 wanted[CBR_RECORD];

  memcpy (number, record + 8, 8);
  memcpy (time, record + 16, 8);
  cbr_record_write (wanted, *number, *time);
  return memcmp (wanted, record, CBR_RECORD) == 0;
}

gboolean
cbr_record_starts (const guint8 *data)
{
  return memcmp (data, start, sizeof start) == 0;
}

gint64
cbr_get_time_ns (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * G_GINT64_CONSTANT (1000000000) + ts.tv_nsec;
}
