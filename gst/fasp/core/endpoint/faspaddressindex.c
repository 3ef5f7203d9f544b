/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspaddressindex.h"

/* A list of n flows is made again only after n times this. Making it takes some
 * hundredths of that time. */
#define OLD_AFTER 20 /* µs */
/* So many at one address are no reason to wait. */
#define FEW 16

typedef struct
{
  guint32 session;
  guint next; /* next entry with that hash; 0: none */
} Entry;

void
fasp_address_index_clear (FaspAddressIndex *w)
{
  g_clear_pointer (&w->first, g_hash_table_unref);
  g_clear_pointer (&w->list, g_array_unref);
}

static void
add (FaspAddressIndex *w, const FaspAddress *address, guint32 session)
{
  gpointer key = GUINT_TO_POINTER (fasp_address_hash (address));
  Entry entry = {
    .session = session,
    .next = GPOINTER_TO_UINT (g_hash_table_lookup (w->first, key)),
  };

  if (address->len == 0)
    return;
  g_array_append_val (w->list, entry);
  g_hash_table_insert (w->first, key, GUINT_TO_POINTER (w->list->len));
}

void
fasp_address_index_update (FaspAddressIndex *w, FaspTime now, const GPtrArray *sessions)
{
  if (w->first != NULL && now - w->made < w->list->len * OLD_AFTER)
    return;
  fasp_address_index_clear (w);
  w->first = g_hash_table_new (NULL, NULL);
  w->list = g_array_sized_new (FALSE, FALSE, sizeof (Entry), sessions->len);
  w->made = now;
  for (guint i = 0; i < sessions->len; i++) {
    const FaspSession *session = g_ptr_array_index (sessions, i);

    for (guint flow = 0; flow < session->n_paths; flow++)
      add (w, &session->paths[flow].address, session->id);
  }
}

guint
fasp_address_index_find (const FaspAddressIndex *w, const FaspAddress *address)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (w->first,
      GUINT_TO_POINTER (fasp_address_hash (address))));
}

guint32
fasp_address_index_take (const FaspAddressIndex *w, guint *place)
{
  const Entry *entry = &g_array_index (w->list, Entry, *place - 1);

  *place = entry->next;
  return entry->session;
}

void
fasp_address_index_dealt_with (FaspAddressIndex *w, FaspTime now, guint n)
{
  if (n > FEW)
    w->busy_until = now + n * OLD_AFTER;
}
