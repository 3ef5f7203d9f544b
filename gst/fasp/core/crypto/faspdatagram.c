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

/* Pads a datagram to FASP_DATAGRAM_MIN with frames that a receiver ignores.  They go in front, as
 * bytes after DATA would be a part of the block. */
static void
fill (FaspWriter *w, gsize tag_size)
{
  static const guint8 padding[FASP_DATAGRAM_MIN] = { FASP_FRAME_PADDING };
  static const guint8 ignored[] = { FASP_FRAME_PONG, [FASP_PING_SIZE] = FASP_FRAME_EXPIRED,
    [FASP_PING_SIZE + FASP_EXPIRED_SIZE - 1] = 0 };
  gsize size = w->used + w->payload_size + tag_size;
  guint8 *frames = w->data + FASP_SESSION_HEADER;

  G_STATIC_ASSERT (sizeof ignored >= FASP_DATAGRAM_MIN - FASP_DATA_HEADER - FASP_TAG_SIZE_NONE);
  if (w->failed || size >= FASP_DATAGRAM_MIN || w->used < FASP_SESSION_HEADER)
    return;
  if (w->payload == NULL) {
    fasp_write_bytes (w, padding, FASP_DATAGRAM_MIN - size);
  } else if (fasp_write_room (w, sizeof ignored) != NULL) {
    memmove (frames + sizeof ignored, frames, w->data + w->used - frames - sizeof ignored);
    memcpy (frames, ignored, sizeof ignored);
  }
}

gboolean
fasp_datagram_finish (FaspDatagram *d, FaspSealer *sealer, guint8 flow, guint64 pn, FaspWriter *w,
    const FaspBlock *block)
{
  gsize tag_size = fasp_sealer_get_tag_size (sealer);

  fill (w, tag_size);
  if (w->failed || w->size - w->used < w->payload_size || w->used < FASP_SESSION_HEADER
      || !fasp_sealer_take (sealer, flow, pn, &d->seal))
    return FALSE;
  d->head = w->used;
  d->payload = w->payload;
  d->payload_size = w->payload_size;
  d->block = block != NULL ? fasp_block_ref ((FaspBlock *) block) : NULL;
  d->size = w->used + w->payload_size + tag_size;
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
