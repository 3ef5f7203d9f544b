/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspnetworks.h"

struct _FaspNetworks
{
  GHashTable *networks; /* guint64, owned -> how many are there */
};

FaspNetworks *
fasp_networks_new (void)
{
  FaspNetworks *networks = g_new (FaspNetworks, 1);

  networks->networks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return networks;
}

void
fasp_networks_free (FaspNetworks *networks)
{
  g_hash_table_unref (networks->networks);
  g_free (networks);
}

static void
set (FaspNetworks *networks, guint64 network, guint n)
{
  if (n > 0)
    g_hash_table_replace (networks->networks, g_memdup2 (&network, sizeof network),
        GUINT_TO_POINTER (n));
  else
    g_hash_table_remove (networks->networks, &network);
}

void
fasp_networks_join (FaspNetworks *networks, guint64 network)
{
  set (networks, network, fasp_networks_count (networks, network) + 1);
}

void
fasp_networks_leave (FaspNetworks *networks, guint64 network)
{
  guint n = fasp_networks_count (networks, network);

  g_return_if_fail (n > 0);
  set (networks, network, n - 1);
}

guint
fasp_networks_count (const FaspNetworks *networks, guint64 network)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (networks->networks, &network));
}
