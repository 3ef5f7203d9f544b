/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaycalls.h"

void
relay_peer_call_free (RelayPeerCall *call)
{
  g_free (call->address);
  g_free (call->streamid);
  g_free (call);
}

void
relay_calls_clear (RelayCalls *calls)
{
  g_queue_clear_full (&calls->all, (GDestroyNotify) relay_peer_call_free);
}

static gint
compare (gconstpointer call, gconstpointer address)
{
  return g_strcmp0 (((const RelayPeerCall *) call)->address, address);
}

RelayPeerCall *
relay_calls_take (RelayCalls *calls, const gchar *address)
{
  GList *link = g_queue_find_custom (&calls->all, address, compare);
  RelayPeerCall *call = link != NULL ? link->data : NULL;

  if (link != NULL)
    g_queue_delete_link (&calls->all, link);
  return call;
}

void
relay_calls_add (RelayCalls *calls, gint64 now, const gchar *address, const gchar *streamid)
{
  RelayPeerCall *call = relay_calls_take (calls, address);

  g_clear_pointer (&call, relay_peer_call_free);
  call = g_new0 (RelayPeerCall, 1);
  call->address = g_strdup (address);
  call->streamid = g_strdup (streamid);
  call->time = now;
  g_queue_push_tail (&calls->all, call);
}

RelayPeerCall *
relay_calls_take_late (RelayCalls *calls, gint64 now)
{
  const RelayPeerCall *call = g_queue_peek_head (&calls->all);

  if (call == NULL || (calls->all.length <= RELAY_CALLS_MAX && now - call->time < RELAY_CALLS_LATE))
    return NULL;
  return g_queue_pop_head (&calls->all);
}
