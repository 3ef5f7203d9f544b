/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vseal.h"

void
vseal_close (FaspSealer *sealer, guint8 flow, guint64 pn, FaspWriter *w)
{
  guint tag_size = fasp_sealer_get_tag_size (sealer);
  FaspSeal seal;

  if (w->failed || w->size - w->used < w->payload_size + tag_size || w->used < FASP_SESSION_HEADER
      || !fasp_sealer_take (sealer, flow, pn, &seal)) {
    w->failed = TRUE;
    return;
  }
  if (fasp_seal_close (&seal, w->data, w->used, w->payload, w->payload_size)) {
    w->used += w->payload_size;
    w->payload = NULL;
    w->payload_size = 0;
  }
  w->used += tag_size;
}
