/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaynetwork.h"
#include <string.h>

#define SHARE 8

/* Before an IPv4 address that is mapped to IPv6 (RFC 4291, 2.5.5.2). */
static const guint8 mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

gboolean
relay_network_is_mapped (const void *address, gsize size)
{
  return size == 16 && memcmp (address, mapped, sizeof mapped) == 0;
}

guint64
relay_network_get (const void *address, gsize size)
{
  const guint8 *bytes = address;
  gboolean four = size == 4 || relay_network_is_mapped (address, size);
  guint8 network[8] = { four ? 4 : 6 };
  guint64 number;

  memcpy (network + 1, size == 16 && four ? bytes + sizeof mapped : bytes, four ? 4 : 6);
  memcpy (&number, network, sizeof number);
  return number;
}

gboolean
relay_network_may_have (guint n, guint room)
{
  return n < (room + SHARE - 1) / SHARE;
}
