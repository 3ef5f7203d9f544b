/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayaddress.h"

/* The host of an output is looked up at this interval: half of the usual time to live of a dynamic
 * name. */
#define LOOK_UP_EACH (30 * G_TIME_SPAN_SECOND)
/* If each answer has another one of up to ten addresses of a name, all of them come within this
 * time. */
#define ANSWERS_LAST (11 * LOOK_UP_EACH)

struct _RelayAddress
{
  const gchar *host;
  GCancellable *cancellable;
  gchar *address;       /* that was chosen last */
  GHashTable *answered; /* addresses of the host in the answers of ANSWERS_LAST, each with the time
                           of its last answer: g_get_monotonic_time, µs */
  gint64 look_up_at;    /* when the host is looked up again: g_get_monotonic_time, µs */
};

gboolean
relay_address_is_name (const gchar *host)
{
  return host != NULL && !g_hostname_is_ip_address (host);
}

RelayAddress *
relay_address_new (const gchar *host, GCancellable *cancellable)
{
  RelayAddress *self = g_new0 (RelayAddress, 1);

  self->host = host;
  self->cancellable = g_object_ref (cancellable);
  self->answered = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

void
relay_address_free (RelayAddress *self)
{
  g_object_unref (self->cancellable);
  g_free (self->address);
  g_hash_table_unref (self->answered);
  g_free (self);
}

const gchar *
relay_address_get (const RelayAddress *self)
{
  return self->address;
}

/* Resolves the host here, rather than in GStreamer's elements, which could not be interrupted and
 * would use only the first address. NULL: it failed. */
static GList *
look_up (RelayAddress *self, GError **error)
{
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  GList *found;

  self->look_up_at = g_get_monotonic_time () + LOOK_UP_EACH;
  found = g_resolver_lookup_by_name (resolver, self->host, self->cancellable, error);
  if (found == NULL)
    g_prefix_error (error, "%s is not found: check the name, and this machine's DNS: ", self->host);
  return found;
}

/* Returns the entry of the last address in @found; NULL: it is not there. */
static GList *
find_last (RelayAddress *self, GList *found)
{
  g_autoptr (GInetAddress) last =
      self->address != NULL ? g_inet_address_new_from_string (self->address) : NULL;

  while (found != NULL && (last == NULL || !g_inet_address_equal (found->data, last)))
    found = found->next;
  return found;
}

static gboolean
is_old (gpointer address, gpointer time, gpointer now)
{
  return *(gint64 *) now - *(gint64 *) time >= ANSWERS_LAST;
}

/* Notes the addresses of an answer. TRUE: one of them was in no answer of ANSWERS_LAST. */
static gboolean
note_answer (RelayAddress *self, GList *found)
{
  gint64 now = g_get_monotonic_time ();
  gboolean other = FALSE;

  g_hash_table_foreach_remove (self->answered, is_old, &now);
  for (; found != NULL; found = found->next)
    other |= g_hash_table_replace (self->answered, g_inet_address_to_string (found->data),
        g_memdup2 (&now, sizeof now));
  return other;
}

gboolean
relay_address_choose (RelayAddress *self, gboolean worked, GError **error)
{
  GList *found, *last;

  if (!relay_address_is_name (self->host)) {
    g_free (self->address);
    self->address = g_strdup (self->host);
    return TRUE;
  }
  found = look_up (self, error);
  if (found == NULL)
    return FALSE;
  note_answer (self, found);
  last = find_last (self, found);
  if (last != NULL && !worked)
    last = last->next;
  g_free (self->address);
  self->address = g_inet_address_to_string (last != NULL ? last->data : found->data);
  g_resolver_free_addresses (found);
  return TRUE;
}

gboolean
relay_address_has_moved (RelayAddress *self)
{
  GList *found;
  gboolean other, moved;

  if (g_get_monotonic_time () < self->look_up_at || !relay_address_is_name (self->host))
    return FALSE;
  found = look_up (self, NULL);
  other = note_answer (self, found);
  /* an answer without that address does not show it if the answers list different parts of the
   * host's addresses */
  moved = found != NULL && find_last (self, found) == NULL
      && (other || !g_hash_table_contains (self->answered, self->address));
  g_resolver_free_addresses (found);
  return moved;
}
