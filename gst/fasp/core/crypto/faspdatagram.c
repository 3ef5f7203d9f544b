/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspprotection.h"

void
fasp_datagram_clear (FaspDatagram *d)
{
  d->ecn = 0;
  d->block = NULL;
  d->payload_size = 0;
  d->seal.lock = NULL;
}

gboolean
fasp_datagram_finish (FaspDatagram *d, FaspSealer *sealer, guint8 flow, guint64 pn,
    const FaspWriter *w, const FaspBlock *block)
{
  if (w->failed || w->size - w->used < w->payload_size || w->used < FASP_SESSION_HEADER
      || !fasp_sealer_take (sealer, flow, pn, &d->seal))
    return FALSE;
  d->head = w->used;
  d->payload = w->payload;
  d->payload_size = w->payload_size;
  d->block = block != NULL ? fasp_block_ref ((FaspBlock *) block) : NULL;
  d->size = w->used + w->payload_size + fasp_sealer_get_tag_size (sealer);
  return TRUE;
}

void
fasp_datagram_seal (FaspDatagram *d)
{
  if (d->seal.lock != NULL
      && fasp_seal_close (&d->seal, d->data, d->head, d->payload, d->payload_size))
    fasp_datagram_release (d); /* the payload is in data now */
}

void
fasp_datagram_release (FaspDatagram *d)
{
  fasp_seal_drop (&d->seal);
  g_clear_pointer (&d->block, fasp_block_unref);
  d->payload_size = 0;
}
