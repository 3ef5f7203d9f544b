/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcalling.h"
#include "faspadmission.h"
#include "faspadmitted.h"
#include "faspannouncedsender.h"
#include "faspanswer.h"
#include "faspcallingprivate.h"
#include "faspdial.h"
#include "faspstrangers.h"

FaspCalling *
fasp_calling_new (FaspEndpoint *endpoint)
{
  FaspCalling *calling = g_new0 (FaspCalling, 1);

  calling->call.redial_time = calling->call.punch_time = FASP_NEVER;
  calling->failover.time = FASP_NEVER;
  calling->gone = fasp_gone_new ();
  fasp_admitted_init (&calling->admitted, endpoint);
  return calling;
}

void
fasp_calling_free (FaspEndpoint *endpoint)
{
  fasp_admitted_end (endpoint);
  fasp_caller_stop (&endpoint->calling->call.caller);
  fasp_gone_free (endpoint->calling->gone);
  g_free (endpoint->calling);
}

gboolean
fasp_calling_is_quiet (const FaspEndpoint *endpoint)
{
  return fasp_replies_is_empty (&endpoint->calling->replies);
}

FaspTime
fasp_calling_get_reply_time (FaspEndpoint *endpoint)
{
  return fasp_calling_is_quiet (endpoint) ? FASP_NEVER : 0;
}

gboolean
fasp_calling_poll_reply (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram)
{
  return fasp_replies_pop (&endpoint->calling->replies, datagram);
}

void
fasp_calling_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const guint8 *data, gsize size, FaspRoute route)
{
  FaspHandshake handshake;

  if (fasp_strangers_look (endpoint, from, data, size))
    return;
  if (!fasp_wire_parse_handshake (data, size, &handshake)) {
    endpoint->stats.datagrams_malformed++;
    return;
  }
  if (handshake.type == FASP_HANDSHAKE_OPEN) {
    endpoint->calling->strangers.is_called = TRUE;
    if (fasp_endpoint_is_caller (endpoint) || endpoint->closing)
      endpoint->stats.datagrams_unknown++;
    else
      fasp_admission_receive (endpoint, now, from, size, &handshake, route);
    return;
  }
  if (handshake.type == FASP_HANDSHAKE_PUNCH)
    return; /* the datagram was sent only to open a mapping of a NAT */
  if (handshake.type == FASP_HANDSHAKE_ANNOUNCE) {
    fasp_announced_sender_heard (endpoint, now, from);
    return;
  }
  if (handshake.version != FASP_VERSION && handshake.type != FASP_HANDSHAKE_VERSIONS) {
    endpoint->stats.datagrams_version++;
    return;
  }
  fasp_answer_receive (endpoint, now, from, &handshake);
}
