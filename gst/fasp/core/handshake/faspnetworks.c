/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspnetworks.h"

struct _FaspCrowd
{
  GHashTable *networks;         /* guint64, owned -> how many are there */
};

FaspCrowd *
fasp_crowd_new (void)
{
  FaspCrowd *crowd = g_new (FaspCrowd, 1);

  crowd->networks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
      NULL);
  return crowd;
}

void
fasp_crowd_free (FaspCrowd * crowd)
{
  g_hash_table_unref (crowd->networks);
  g_free (crowd);
}

static void
set (FaspCrowd * crowd, guint64 network, guint n)
{
  if (n > 0)
    g_hash_table_replace (crowd->networks, g_memdup2 (&network,
            sizeof network), GUINT_TO_POINTER (n));
  else
    g_hash_table_remove (crowd->networks, &network);
}

void
fasp_crowd_join (FaspCrowd * crowd, guint64 network)
{
  set (crowd, network, fasp_crowd_count (crowd, network) + 1);
}

void
fasp_crowd_leave (FaspCrowd * crowd, guint64 network)
{
  guint n = fasp_crowd_count (crowd, network);

  g_return_if_fail (n > 0);
  set (crowd, network, n - 1);
}

guint
fasp_crowd_count (const FaspCrowd * crowd, guint64 network)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (crowd->networks, &network));
}
