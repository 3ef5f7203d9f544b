/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspnetworks.h"

typedef struct
{
  guint64 number;
  guint receivers;
  FaspFairGroup group;
} Network;

struct _FaspNetworks
{
  GHashTable *networks; /* guint64 -> Network, owned */
};

static void
free_network (gpointer data)
{
  Network *network = data;

  fasp_fair_queue_clear (&network->group.queue);
  g_free (network);
}

FaspNetworks *
fasp_networks_new (void)
{
  FaspNetworks *networks = g_new (FaspNetworks, 1);

  networks->networks = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, free_network);
  return networks;
}

void
fasp_networks_free (FaspNetworks *networks)
{
  g_hash_table_unref (networks->networks);
  g_free (networks);
}

static Network *
find (const FaspNetworks *networks, guint64 number)
{
  return g_hash_table_lookup (networks->networks, &number);
}

static Network *
join (FaspNetworks *networks, guint64 number)
{
  Network *network = find (networks, number);

  if (network == NULL) {
    network = g_new0 (Network, 1);
    network->number = number;
    network->group.member.item.owner = &network->group;
    g_hash_table_insert (networks->networks, &network->number, network);
  }
  network->receivers++;
  return network;
}

FaspFairGroup *
fasp_networks_join (FaspNetworks *networks, const FaspNetwork *network)
{
  if (network->wide != 0)
    join (networks, network->wide);
  return &join (networks, network->number)->group;
}

static void
leave (FaspNetworks *networks, guint64 number)
{
  Network *network = find (networks, number);

  g_return_if_fail (network != NULL);
  if (--network->receivers == 0)
    g_hash_table_remove (networks->networks, &number);
}

void
fasp_networks_leave (FaspNetworks *networks, const FaspNetwork *network)
{
  leave (networks, network->number);
  if (network->wide != 0)
    leave (networks, network->wide);
}

guint
fasp_networks_count (const FaspNetworks *networks, guint64 number)
{
  const Network *network = find (networks, number);

  return network != NULL ? network->receivers : 0;
}
