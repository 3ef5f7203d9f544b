/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspaddress.c: compares the addresses of peers, and finds the network that each is in.
 */
#include <string.h>
#include "fasptypes.h"

#define SOCKADDR_IN6_SIZE 28
/* offsets in POSIX's sockaddr_in and sockaddr_in6 */
#define IN_PORT 2 /* offset of the port in both */
#define IN_ADDR 4
#define IN6_ADDR 8
#define MAPPED 12 /* bytes before an IPv4 address mapped into IPv6 */

gboolean
fasp_address_same_peer (const FaspAddress *a, const FaspAddress *b)
{
  return a->socket == b->socket && a->len == b->len && memcmp (a->bytes, b->bytes, a->len) == 0;
}

gboolean
fasp_address_equal (const FaspAddress *a, const FaspAddress *b)
{
  return fasp_address_same_peer (a, b) && memcmp (a->local, b->local, sizeof a->local) == 0;
}

gboolean
fasp_address_same_host (const FaspAddress *a, const FaspAddress *b)
{
  return a->len == b->len && a->len >= IN_ADDR && memcmp (a->bytes, b->bytes, IN_PORT) == 0
      && memcmp (a->bytes + IN_ADDR, b->bytes + IN_ADDR, a->len - IN_ADDR) == 0;
}

guint
fasp_address_hash (const FaspAddress *address)
{
  guint32 hash = 2166136261u ^ address->socket; /* FNV-1a */

  for (guint i = 0; i < address->len; i++)
    hash = (hash ^ address->bytes[i]) * 16777619u;
  return hash;
}

void
fasp_address_add_port (FaspAddress *address, guint n)
{
  guint8 *port = address->bytes + IN_PORT;

  n += port[0] << 8 | port[1];
  port[0] = n >> 8;
  port[1] = n;
}

void
fasp_address_get_network (const FaspAddress *address, guint8 network[FASP_NETWORK_SIZE])
{
  static const guint8 mapped[MAPPED] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
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
