/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspannouncedsender.h"
#include "faspcallingprivate.h"
#include "faspdial.h"

/* Does the receiver want another sender? Not while it has one that is heard, as any host can
 * announce a sender; and not after the end of the stream. */
static gboolean
wants_sender (const FaspEndpoint *endpoint)
{
  return !endpoint->closing && !endpoint->calling->given_up
      && fasp_endpoint_get_heard (endpoint, NULL) == NULL;
}

static gboolean
is_calling (const FaspEndpoint *endpoint, const FaspAnnouncer *announcer)
{
  const FaspEndpointCall *call = &endpoint->calling->call;

  return call->caller.active && fasp_address_equal (&call->peer, &announcer->address);
}

void
fasp_announced_sender_heard (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from)
{
  FaspEndpointCall *call = &endpoint->calling->call;
  const FaspAnnouncer *next;
  guint32 chance;

  /* only announcements to the group: the network may restrict which hosts can send there */
  if (endpoint->config.group.len == 0 || endpoint->config.role == FASP_ROLE_SENDER
      || from->socket != endpoint->config.group_socket) {
    endpoint->stats.datagrams_unknown++;
    return;
  }
  endpoint->random (endpoint->random_data, (guint8 *) &chance, sizeof chance);
  fasp_announcers_heard (&endpoint->calling->announcers, now, from, chance);
  if (!wants_sender (endpoint))
    return;
  next = fasp_announcers_choose (&endpoint->calling->announcers, now);
  if (next == NULL || is_calling (endpoint, next))
    return;
  FASP_LOG (endpoint->notes.log, now, SENDER_ANNOUNCED, FASP_LOG_POINTER (&next->address));
  call->peer = next->address;
  call->has_peer = TRUE;
  fasp_dial_anew (endpoint, now);
}
