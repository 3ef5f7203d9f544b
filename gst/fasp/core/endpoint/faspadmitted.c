/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspadmitted.h"

gboolean
fasp_admitted_has_name (const FaspEndpoint *endpoint)
{
  return endpoint->config.streamid != NULL && endpoint->config.streamid[0] != '\0';
}

static guint
hash_call (gconstpointer call)
{
  guint hash;

  memcpy (&hash, call, sizeof hash); /* @call is a hash */
  return hash;
}

static gboolean
is_same_call (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, FASP_KEY_SIZE) == 0;
}

void
fasp_admitted_init (FaspEndpointAdmitted *admitted, FaspEndpoint *endpoint)
{
  guint8 secret[16];

  if (fasp_admitted_has_name (endpoint))
    fasp_stream_get_names (endpoint->config.role, endpoint->config.streamid, admitted->names);
  admitted->by_call = g_hash_table_new (hash_call, is_same_call);
  admitted->limiter = endpoint->config.limiter;
  endpoint->random (endpoint->random_data, secret, sizeof secret);
  if (admitted->limiter == NULL && !fasp_endpoint_is_caller (endpoint)) {
    admitted->limiter = admitted->own_limiter = g_new (FaspLimiter, 1);
    fasp_limiter_init (admitted->limiter, secret);
  }
  admitted->networks = fasp_networks_new ();
  admitted->newcomers = fasp_newcomers_new ();
}

void
fasp_admitted_left (FaspEndpoint *endpoint, FaspSession *session)
{
  if (session->record->bucket == NULL)
    return;
  fasp_limiter_leave (endpoint->calling->admitted.limiter, session->record->bucket);
  session->record->bucket = NULL;
}

void
fasp_admitted_end (FaspEndpoint *endpoint)
{
  FASP_EACH_SESSION (endpoint, session)
    fasp_admitted_left (endpoint, session);
  fasp_networks_free (endpoint->calling->admitted.networks);
  fasp_newcomers_free (endpoint->calling->admitted.newcomers);
  g_hash_table_unref (endpoint->calling->admitted.by_call);
  g_free (endpoint->calling->admitted.own_limiter);
}

void
fasp_admitted_reports (FaspEndpoint *endpoint, FaspSession *session)
{
  if (fasp_tx_view (session->tx)->peer == FASP_TX_TAKES)
    fasp_newcomers_remove (endpoint->calling->admitted.newcomers, session);
}

void
fasp_admitted_forget (FaspEndpoint *endpoint, FaspSession *session)
{
  if (session->listener)
    g_hash_table_remove (endpoint->calling->admitted.by_call, session->record->call);
}
