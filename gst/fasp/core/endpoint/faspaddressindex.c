/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspaddressindex.h"

/* An index of n flows is rebuilt after n times this at the earliest. Building it takes some
 * hundredths of that time. */
#define OLD_AFTER 20 /* µs */
/* After more than this many sessions at one address were handled, no address is looked up for a
 * while. */
#define FEW 16

typedef struct
{
  guint32 session;
  guint next; /* next entry with this hash; 0: none */
} Entry;

void
fasp_address_index_clear (FaspAddressIndex *index)
{
  g_clear_pointer (&index->first, g_hash_table_unref);
  g_clear_pointer (&index->list, g_array_unref);
}

static void
add (FaspAddressIndex *index, const FaspAddress *address, guint32 session)
{
  gpointer key = GUINT_TO_POINTER (fasp_address_hash (address));
  Entry entry = {
    .session = session,
    .next = GPOINTER_TO_UINT (g_hash_table_lookup (index->first, key)),
  };

  if (address->len == 0)
    return;
  g_array_append_val (index->list, entry);
  g_hash_table_insert (index->first, key, GUINT_TO_POINTER (index->list->len));
}

void
fasp_address_index_update (FaspAddressIndex *index, FaspTime now, const GPtrArray *sessions)
{
  if (index->first != NULL && now - index->made < index->list->len * OLD_AFTER)
    return;
  fasp_address_index_clear (index);
  index->first = g_hash_table_new (NULL, NULL);
  index->list = g_array_sized_new (FALSE, FALSE, sizeof (Entry), sessions->len);
  index->made = now;
  for (guint i = 0; i < sessions->len; i++) {
    const FaspSession *session = g_ptr_array_index (sessions, i);

    for (guint flow = 0; flow < session->n_flows; flow++)
      add (index, &session->flows[flow].address, session->id);
  }
}

guint
fasp_address_index_find (const FaspAddressIndex *index, const FaspAddress *address)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (index->first,
      GUINT_TO_POINTER (fasp_address_hash (address))));
}

guint32
fasp_address_index_take (const FaspAddressIndex *index, guint *cursor)
{
  const Entry *entry = &g_array_index (index->list, Entry, *cursor - 1);

  *cursor = entry->next;
  return entry->session;
}

void
fasp_address_index_dealt_with (FaspAddressIndex *index, FaspTime now, guint n)
{
  if (n > FEW)
    index->busy_until = now + n * OLD_AFTER;
}
