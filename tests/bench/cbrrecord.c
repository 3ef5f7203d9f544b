/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrrecord.h"
#include <string.h>
#include <time.h>

/* sync byte, PID 0x1fff, payload only; then our mark */
static const guint8 start[8] = { 0x47, 0x1f, 0xff, 0x10, 'C', 'B', 'R', '1' };

static void
fill (guint8 * record, guint64 number)
{
  guint32 word = number * 2654435761u + 1;

  for (guint i = 0; i < CBR_RECORD; i++) {
    word ^= word << 13;
    word ^= word >> 17;
    word ^= word << 5;
    record[i] = word >> 24;
  }
  for (guint i = 0; i < CBR_RECORD; i += CBR_TS_PACKET)
    memcpy (record + i, start, 4);
  memcpy (record + 4, start + 4, 4);
}

void
cbr_record_write (guint8 * record, guint64 number, gint64 time)
{
  fill (record, number);
  memcpy (record + 8, &number, 8);
  memcpy (record + 16, &time, 8);
}

gboolean
cbr_record_read (const guint8 * record, guint64 * number, gint64 * time)
{
  guint8 wanted[CBR_RECORD];

  memcpy (number, record + 8, 8);
  memcpy (time, record + 16, 8);
  cbr_record_write (wanted, *number, *time);
  return memcmp (wanted, record, CBR_RECORD) == 0;
}

gboolean
cbr_record_starts (const guint8 * data)
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
