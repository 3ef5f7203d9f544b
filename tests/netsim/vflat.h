/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vflat.h: puts a datagram in one piece, as a network takes it.
 */
#pragma once

#include <string.h>
#include "faspdatagram.h"

G_BEGIN_DECLS

/* Copies the payload to its place in data, which is then the whole datagram. */
static inline void
vflat_datagram (FaspDatagram *d)
{
  gsize rest = d->size - d->head - d->payload_size;

  if (d->block == NULL)
    return;
  memmove (d->data + d->head + d->payload_size, d->data + d->head, rest);
  memcpy (d->data + d->head, d->payload, d->payload_size);
  fasp_datagram_release (d);
}

G_END_DECLS
