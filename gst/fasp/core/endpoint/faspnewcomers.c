/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspnewcomers.h"

typedef struct
{
  guint64 network;
  FaspHeapItem fullest; /* in the heap, by the number of its sessions */
  GQueue sessions;      /* FaspSession, the oldest first */
} Network;

struct _FaspNewcomers
{
  GHashTable *networks; /* guint64 -> Network, owned */
  FaspHeap fullest;     /* networks; the one with the most sessions has the least key */
};

FaspNewcomers *
fasp_newcomers_new (void)
{
  FaspNewcomers *newcomers = g_new0 (FaspNewcomers, 1);

  newcomers->networks = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  return newcomers;
}

void
fasp_newcomers_free (FaspNewcomers *newcomers)
{
  fasp_heap_clear (&newcomers->fullest);
  g_hash_table_unref (newcomers->networks);
  g_free (newcomers);
}

static Network *
find (const FaspNewcomers *newcomers, guint64 number)
{
  return g_hash_table_lookup (newcomers->networks, &number);
}

static void
sort_in (FaspNewcomers *newcomers, Network *network)
{
  fasp_heap_set (&newcomers->fullest, &network->fullest, -(gint64) network->sessions.length);
}

void
fasp_newcomers_add (FaspNewcomers *newcomers, FaspSession *session)
{
  Network *network = find (newcomers, session->record->network.number);

  if (network == NULL) {
    network = g_new0 (Network, 1);
    network->network = session->record->network.number;
    network->fullest.owner = network;
    g_hash_table_insert (newcomers->networks, &network->network, network);
  }
  session->record->newcomer_link.data = session;
  g_queue_push_tail_link (&network->sessions, &session->record->newcomer_link);
  sort_in (newcomers, network);
}

void
fasp_newcomers_remove (FaspNewcomers *newcomers, FaspSession *session)
{
  Network *network;

  if (session->record->newcomer_link.data == NULL)
    return;
  network = find (newcomers, session->record->network.number);
  g_queue_unlink (&network->sessions, &session->record->newcomer_link);
  session->record->newcomer_link.data = NULL;
  if (network->sessions.length > 0) {
    sort_in (newcomers, network);
    return;
  }
  fasp_heap_remove (&newcomers->fullest, &network->fullest);
  g_hash_table_remove (newcomers->networks, &network->network);
}

FaspSession *
fasp_newcomers_choose (const FaspNewcomers *newcomers)
{
  const FaspHeapItem *fullest = fasp_heap_peek (&newcomers->fullest);

  return fullest != NULL ? g_queue_peek_head (&((Network *) fullest->owner)->sessions) : NULL;
}

FaspSession *
fasp_newcomers_choose_of (const FaspNewcomers *newcomers, guint64 number)
{
  Network *network = find (newcomers, number);

  return network != NULL ? g_queue_peek_head (&network->sessions) : NULL;
}

gboolean
fasp_newcomers_is_alone (const FaspNewcomers *newcomers, const FaspSession *session)
{
  const Network *network = find (newcomers, session->record->network.number);

  return network != NULL && network->sessions.length == 1;
}
