/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "fasptypes.h"

gboolean
fasp_address_equal (const FaspAddress * a, const FaspAddress * b)
{
  return a->len == b->len && memcmp (a->bytes, b->bytes, a->len) == 0;
}

#define SOCKADDR_IN6_SIZE 28
#define IN_ADDR 4               /* where they stand */
#define IN6_ADDR 8
#define MAPPED 12               /* bytes before an IPv4 address within */

void
fasp_address_get_network (const FaspAddress * address,
    guint8 network[FASP_NETWORK_SIZE])
{
  static const guint8 mapped[MAPPED] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff,
    0xff
  };
  const guint8 *six = address->bytes + IN6_ADDR;

  memset (network, 0, FASP_NETWORK_SIZE);
  if (address->len < SOCKADDR_IN6_SIZE) {
    network[0] = 4;
    memcpy (network + 1, address->bytes + IN_ADDR, 4);
  } else if (memcmp (six, mapped, MAPPED) == 0) {
    network[0] = 4;
    memcpy (network + 1, six + MAPPED, 4);
  } else {
    network[0] = 6;
    memcpy (network + 1, six, 6);
  }
}
