/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspendpoint.h"

void
fasp_datagram_flatten (FaspDatagram * d)
{
  gsize rest = d->size - d->head - d->payload_size;

  if (d->block == NULL)
    return;
  memmove (d->data + d->head + d->payload_size, d->data + d->head, rest);
  memcpy (d->data + d->head, d->payload, d->payload_size);
  fasp_datagram_release (d);
}

void
fasp_datagram_release (FaspDatagram * d)
{
  g_clear_pointer (&d->block, fasp_block_unref);
  d->payload_size = 0;
}
