/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictureio.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "picturering.h"

#define WAKES 64 /* bytes that woke it, read at once */

static PictureRing *ring;

gboolean
picture_open (void)
{
  ring = picture_ring_open (STDIN_FILENO);
  return ring != NULL;
}

static void
write_all (const guint8 *data, gsize size)
{
  while (size > 0) {
    gssize n = write (STDOUT_FILENO, data, size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      exit (EXIT_FAILURE);
    data += n;
    size -= n;
  }
}

void
picture_tell (PictureType type, const guint8 *data, gsize size)
{
  GByteArray *frame = picture_frame_make (type, data, size);

  write_all (frame->data, frame->len);
  g_byte_array_unref (frame);
}

void
picture_tell_text (PictureType type, const gchar *text)
{
  gsize max = type == PICTURE_PROBLEM ? PICTURE_TEXT_MAX : PICTURE_MEDIA_MAX;
  g_autofree gchar *valid = g_utf8_make_valid (text, -1);
  const gchar *end;

  for (gchar *c = valid; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = ' ';
  if (strlen (valid) > max)
    valid[max] = '\0';
  if (!g_utf8_validate (valid, -1, &end))
    *(gchar *) end = '\0';
  picture_tell (type, (const guint8 *) valid, strlen (valid));
}

gsize
picture_read (guint8 *data, gint ms)
{
  struct pollfd in = { STDOUT_FILENO, POLLIN, 0 };
  gsize size = picture_ring_read (ring, data, PICTURE_READ);
  guint8 wakes[WAKES];
  gssize n;

  if (size > 0 || poll (&in, 1, ms) <= 0)
    return size;
  n = read (STDOUT_FILENO, wakes, sizeof wakes);
  if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
    exit (EXIT_SUCCESS);
  return picture_ring_read (ring, data, PICTURE_READ);
}
