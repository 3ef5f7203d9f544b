/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspgrouplistener.h"

void
fasp_group_listener_ask (const FaspEndpoint *endpoint, FaspHello *hello)
{
  hello->has_group = endpoint->config.group.len > 0 && endpoint->config.role == FASP_ROLE_RECEIVER;
}

void
fasp_group_listener_accepted (FaspEndpoint *endpoint, FaspTime now, FaspSession *session,
    const FaspHello *hello, const FaspHello *answer)
{
  guint64 seed;

  if (!answer->has_group_key || endpoint->config.group.len == 0
      || endpoint->config.role == FASP_ROLE_SENDER)
    return;
  /* a cipher that our hello did not offer: ignores the group */
  if (memchr (hello->ciphers, answer->group_key.cipher, hello->n_ciphers) == NULL)
    return;
  endpoint->random (endpoint->random_data, (guint8 *) &seed, sizeof seed);
  fasp_session_listen (session, now, &answer->group_key, seed);
}

gboolean
fasp_group_listener_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const FaspSessionHeader *header, const guint8 *data, gsize size, FaspMemory *memory)
{
  if (endpoint->config.group.len == 0 || endpoint->config.role == FASP_ROLE_SENDER
      || header->flow != FASP_GROUP_FLOW)
    return FALSE;
  FASP_EACH_SESSION (endpoint, session) {
    if (session->group.receiver == NULL || session->group.receiver->cid != header->cid
        || session->state != FASP_SESSION_OPEN)
      continue;
    switch (fasp_session_hear (session, now, from, header, data, size, memory)) {
      case FASP_SESSION_FORGED:
        endpoint->stats.datagrams_forged++;
        return TRUE;
      case FASP_SESSION_MALFORMED:
      case FASP_SESSION_ALIEN:
        endpoint->stats.datagrams_malformed++;
        break;
      case FASP_SESSION_REFUSED:
        return TRUE;
      case FASP_SESSION_OK:
        break;
    }
    fasp_endpoint_wake (endpoint, session);
    return TRUE;
  }
  return FALSE;
}

void
fasp_group_listener_notify_deaf (FaspEndpoint *endpoint, FaspSession *session)
{
  FaspMulticastReceiver *receiver = session->group.receiver;

  if (receiver == NULL || receiver->deaf == receiver->deaf_notified)
    return;
  receiver->deaf_notified = receiver->deaf;
  fasp_endpoint_push_event (endpoint, receiver->deaf ? FASP_EVENT_DEAF : FASP_EVENT_HEARING,
      session);
}
