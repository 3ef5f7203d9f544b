/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tscheck.h"
#include <string.h>

#define NONE 0xff

void
ts_check_init (TsCheck *check)
{
  memset (check, 0, sizeof *check);
  memset (check->counters, NONE, sizeof check->counters);
}

static void
check_packet (TsCheck *check)
{
  const guint8 *p = check->packet;
  guint pid = (p[1] & 0x1f) << 8 | p[2];
  guint8 counter = p[3] & 0x0f, last = check->counters[pid];
  gboolean payload = p[3] & 0x10;
  gboolean announced = (p[3] & 0x20) && p[4] > 0 && (p[5] & 0x80);

  check->packets++;
  if (pid == 0x1fff) /* null packets have no valid counter */
    return;
  if (last != NONE && !announced && counter != (payload ? (last + 1) & 0x0f : last))
    check->errors++;
  check->counters[pid] = counter;
}

void
ts_check_data (TsCheck *check, const guint8 *data, gsize size)
{
  while (size > 0) {
    guint n = MIN (size, sizeof check->packet - check->held);

    if (check->held == 0 && data[0] != 0x47) {
      check->lost_sync++;
      data++;
      size--;
      continue;
    }
    memcpy (check->packet + check->held, data, n);
    check->held += n;
    data += n;
    size -= n;
    if (check->held == sizeof check->packet) {
      check_packet (check);
      check->held = 0;
    }
  }
}
