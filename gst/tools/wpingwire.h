/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * wpingwire.h: the datagrams of fasp-wping, big-endian:
 *
 *   "wpg2" | 0 request, 1 reply | drops 3 | run 8 | burst 4 | index 2 | count 2 |
 *   held 4 | zeros up to the size
 *
 * A reply is the request, of the same length, with one bit changed and two fields set (both are 0
 * in a request): `held', how long the reflector's host had the request, in ns; and `drops', how
 * many datagrams that host has dropped because the reflector was too slow.
 */
#pragma once

#include <glib.h>
#include <string.h>

#define WPING_HEADER 28
#define WPING_DROPS (1 << 24)

typedef struct
{
  gboolean reply;
  guint64 run; /* random; identifies the sender's run */
  guint32 burst;
  guint16 index, count;
  guint32 held;  /* ns */
  guint32 drops; /* modulo WPING_DROPS */
} WpingHeader;

static inline void
wping_write (guint8 *data, const WpingHeader *h)
{
  guint64 run = GUINT64_TO_BE (h->run);
  guint32 burst = GUINT32_TO_BE (h->burst);
  guint16 index = GUINT16_TO_BE (h->index), count = GUINT16_TO_BE (h->count);
  guint32 held = GUINT32_TO_BE (h->held);

  memcpy (data, "wpg2", 4);
  data[4] = h->reply;
  data[5] = h->drops >> 16;
  data[6] = h->drops >> 8;
  data[7] = h->drops;
  memcpy (data + 8, &run, 8);
  memcpy (data + 16, &burst, 4);
  memcpy (data + 20, &index, 2);
  memcpy (data + 22, &count, 2);
  memcpy (data + 24, &held, 4);
}

static inline gboolean
wping_parse (const guint8 *data, gsize size, WpingHeader *h)
{
  guint64 run;
  guint32 burst;
  guint16 index, count;
  guint32 held;

  if (size < WPING_HEADER || memcmp (data, "wpg2", 4) != 0 || data[4] > 1)
    return FALSE;
  memcpy (&run, data + 8, 8);
  memcpy (&burst, data + 16, 4);
  memcpy (&index, data + 20, 2);
  memcpy (&count, data + 22, 2);
  memcpy (&held, data + 24, 4);
  *h = (WpingHeader) { data[4], GUINT64_FROM_BE (run), GUINT32_FROM_BE (burst),
    GUINT16_FROM_BE (index), GUINT16_FROM_BE (count), GUINT32_FROM_BE (held),
    data[5] << 16 | data[6] << 8 | data[7] };
  return h->index < h->count;
}
