/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * picturering.h: the stream's bytes on their way to fasp-picture, in memory that both processes
 * share. A pipe would do, but the kernel gives a user's processes 64 MiB of pipes in all
 * (fs.pipe-user-pages-soft), and then 8 KiB for each.
 *
 *     0 <= written - read <= PICTURE_RING_SIZE     both count bytes, modulo 2^32
 *
 * The relay writes, and never waits: what has no room is not written. The process reads, and may
 * have been taken over: whatever it does to the ring, the relay writes inside of it, and
 * reads nothing but the two counters.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PICTURE_RING_SIZE (1024 * 1024) /* bytes, a power of two: 0.4 s at 20 Mbit/s */

typedef struct _PictureRing PictureRing;

/* Makes a ring, and a file descriptor by which another process opens it. NULL: there is no memory,
 * and errno says why. */
PictureRing *picture_ring_new (gint *fd);
/* NULL: it is none. */
PictureRing *picture_ring_open (gint fd);
void picture_ring_free (PictureRing *ring);

/* FALSE: there is no room. *wake: set to TRUE if the reader has read all, and may sleep. */
gboolean picture_ring_write (PictureRing *ring, const guint8 *data, gsize size, gboolean *wake);
/* Returns how many bytes it has read; 0: there is none, so the next one is written with *wake. */
gsize picture_ring_read (PictureRing *ring, guint8 *data, gsize most);

G_END_DECLS
