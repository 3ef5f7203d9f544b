/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create, fallocate, F_ADD_SEALS */
#endif
#include "picturering.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

struct _PictureRing
{
  gint written, read; /* atomic: changed by the writer, by the reader */
  guint8 bytes[PICTURE_RING_SIZE];
};

PictureRing *
picture_ring_open (gint fd)
{
  void *ring = mmap (NULL, sizeof (PictureRing), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  return ring != MAP_FAILED ? ring : NULL;
}

PictureRing *
picture_ring_new (gint *fd)
{
  PictureRing *ring = NULL;

  *fd = memfd_create ("fasp-picture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (*fd < 0)
    return NULL;
  /* to write into memory that is not there, or no more there, would end the relay: so all of it is
   * taken now, its size stays, and the process may not give memory back (picturesandbox.c) */
  if (fallocate (*fd, 0, 0, sizeof (PictureRing)) == 0
      && fcntl (*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    ring = picture_ring_open (*fd);
  if (ring == NULL)
    close (*fd);
  return ring;
}

void
picture_ring_free (PictureRing *ring)
{
  munmap (ring, sizeof *ring);
}

gboolean
picture_ring_write (PictureRing *ring, const guint8 *data, gsize size, gboolean *wake)
{
  guint written = g_atomic_int_get (&ring->written);
  guint waiting = written - (guint) g_atomic_int_get (&ring->read);
  gsize at = written % PICTURE_RING_SIZE, first = MIN (size, PICTURE_RING_SIZE - at);

  /* the reader may have set any value */
  if (waiting > PICTURE_RING_SIZE || size > PICTURE_RING_SIZE - waiting)
    return FALSE;
  memcpy (ring->bytes + at, data, first);
  memcpy (ring->bytes, data + first, size - first);
  g_atomic_int_set (&ring->written, written + size);
  /* asked only now: a reader that found nothing has not seen these bytes, or this sees that */
  *wake |= (guint) g_atomic_int_get (&ring->read) == written;
  return TRUE;
}

gsize
picture_ring_read (PictureRing *ring, guint8 *data, gsize most)
{
  guint read = g_atomic_int_get (&ring->read);
  gsize size = MIN ((guint) g_atomic_int_get (&ring->written) - read, most);
  gsize at = read % PICTURE_RING_SIZE, first = MIN (size, PICTURE_RING_SIZE - at);

  memcpy (data, ring->bytes + at, first);
  memcpy (data + first, ring->bytes, size - first);
  g_atomic_int_set (&ring->read, read + size);
  return size;
}
