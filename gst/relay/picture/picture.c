/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * picture: the program fasp-picture, which fasp-relay starts to decode a key frame now and then.
 *
 * It reads the stream from standard input, and writes frames (pictureframes.h) to standard output:
 *
 *     rest until it is time --> WANTS --> the stream until there is a picture and some sound
 *       ^                                                                      |
 *       +--------------------------- DONE <--- JPEG, LOOK, LEVELS, PROBLEM ----+
 *
 * It reads data of strangers, and decoders are large.  So this process may crash or be taken over:
 * picturesandbox.h limits what it can do, and the relay ends and starts it at any time.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "picturechain.h"
#include "picturelook.h"
#include "picturesandbox.h"

#define PIECE (256 * 1024) /* bytes read at a time */
#define PAUSE 10           /* ms between reads, so that the program is not woken for each packet */
#define LOOK 100           /* ms between looks for pictures and sound */
#define LIMIT 10000        /* ms from the first byte after which it gives up without a picture */
#define SILENCE 2000       /* ms without a byte after which no picture will come */
#define HEAR 500           /* ms of sound to measure */
#define HEAR_LIMIT 1500    /* ms that it waits for this sound once there is a picture */

static gint64
now_ms (void)
{
  return g_get_monotonic_time () / 1000;
}

/* --- pipes ------------------------------------------------------------------------------ */

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

static void
tell (PictureType type, const guint8 *data, gsize size)
{
  GByteArray *frame = picture_frame_make (type, data, size);

  write_all (frame->data, frame->len);
  g_byte_array_unref (frame);
}

/* Reads available data, waiting up to @ms for some. Ends the program when the relay has gone. */
static gsize
read_some (guint8 *data, gint ms)
{
  struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
  gssize n;

  if (poll (&in, 1, ms) <= 0)
    return 0;
  n = read (STDIN_FILENO, data, PIECE);
  if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
    exit (EXIT_SUCCESS);
  return MAX (n, 0);
}

/* --- one picture -------------------------------------------------------------------------- */

static void
tell_levels (const PictureChain *chain)
{
  PictureLevel levels[PICTURE_CHANNELS_MAX];
  guint n = picture_chain_get_levels (chain, levels);
  guint8 bytes[PICTURE_CHANNELS_MAX * 4];

  for (guint i = 0; i < n; i++) {
    bytes[4 * i] = (guint16) levels[i].peak >> 8;
    bytes[4 * i + 1] = (guint16) levels[i].peak & 0xff;
    bytes[4 * i + 2] = (guint16) levels[i].rms >> 8;
    bytes[4 * i + 3] = (guint16) levels[i].rms & 0xff;
  }
  tell (PICTURE_LEVELS, bytes, 4 * n);
}

/* Sends a problem to the relay, which takes UTF-8 without control characters; elements may quote
 * data of the stream. */
static void
tell_problem (const gchar *text)
{
  g_autofree gchar *valid = g_utf8_make_valid (text, -1);
  const gchar *end;

  g_strdelimit (valid, "\t\r\n\v\f", ' ');
  for (gchar *c = valid; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = ' ';
  if (strlen (valid) > PICTURE_TEXT_MAX)
    valid[PICTURE_TEXT_MAX] = '\0';
  if (!g_utf8_validate (valid, -1, &end))
    *(gchar *) end = '\0';
  tell (PICTURE_PROBLEM, (const guint8 *) valid, strlen (valid));
}

static void
tell_look (const PictureChain *chain, PictureLooker *looker)
{
  GstBuffer *samples = picture_chain_get_samples (chain);
  PictureLook look;
  GstMapInfo map;

  if (samples == NULL || !gst_buffer_map (samples, &map, GST_MAP_READ))
    return;
  look = picture_looker_take (looker, map.data, map.size);
  gst_buffer_unmap (samples, &map);
  tell (PICTURE_LOOK,
      (guint8[]) { look.dark >> 8, look.dark & 0xff, look.change >> 8, look.change & 0xff }, 4);
}

static void
tell_result (const PictureChain *chain, PictureLooker *looker)
{
  GstBuffer *picture = picture_chain_get_picture (chain);
  GstMapInfo map;

  if (picture != NULL && gst_buffer_map (picture, &map, GST_MAP_READ)) {
    if (map.size <= PICTURE_JPEG_MAX)
      tell (PICTURE_JPEG, map.data, map.size);
    gst_buffer_unmap (picture, &map);
    tell_look (chain, looker);
  } else {
    g_autofree gchar *problem = picture_chain_get_problem (chain);

    tell_problem (problem);
  }
  tell_levels (chain);
}

/* Are picture and sound complete, as far as they can be? @seen: when the picture came, ms; 0: not
 * yet. */
static gboolean
is_complete (const PictureChain *chain, gint64 seen, gint64 now)
{
  if (seen == 0 && picture_chain_may_see (chain))
    return FALSE;
  return !picture_chain_may_hear (chain) || picture_chain_get_heard (chain) >= HEAR
      || (seen != 0 && now - seen >= HEAR_LIMIT);
}

static void
take_picture (guint8 *data, PictureLooker *looker)
{
  PictureChain *chain = picture_chain_new ();
  gint64 first = 0, last = 0, seen = 0, now;
  gboolean goes_on = TRUE;

  tell (PICTURE_WANTS, NULL, 0);
  if (chain == NULL) {
    g_autofree gchar *missing = picture_chain_find_missing ();

    tell_problem (missing);
    tell (PICTURE_DONE, NULL, 0);
    return;
  }
  while (goes_on) {
    gsize n = read_some (data, first == 0 ? -1 : LOOK);

    now = now_ms ();
    if (n > 0) {
      first = first != 0 ? first : now;
      last = now;
      goes_on = picture_chain_push (chain, data, n);
    }
    goes_on = picture_chain_run (chain) && goes_on;
    if (seen == 0 && picture_chain_get_picture (chain) != NULL)
      seen = now;
    if (first != 0
        && (now - first >= LIMIT || now - last >= SILENCE || is_complete (chain, seen, now)))
      goes_on = FALSE;
    g_usleep (PAUSE * 1000);
  }
  tell_result (chain, looker);
  tell (PICTURE_DONE, NULL, 0);
  picture_chain_free (chain);
}

/* Reads and drops data that the relay had sent already. */
static void
rest (guint8 *data, gint64 until)
{
  for (;;) {
    gint64 now = now_ms ();

    if (now >= until)
      break;
    if (read_some (data, until - now) > 0)
      g_usleep (LOOK * 1000);
  }
  while (read_some (data, 0) > 0)
    ;
}

int
main (int argc, char **argv)
{
  gint64 interval = argc == 2 ? g_ascii_strtoll (argv[1], NULL, 10) * 1000 : 0;
  PictureLooker looker = { 0 };
  guint8 *data;

  if (interval <= 0) {
    fputs ("fasp-picture: fasp-relay starts it, for streams that have picture-interval.\n", stderr);
    return EXIT_FAILURE;
  }
  picture_sandbox_step_back ();
  /* an arena for each thread would take address space, which is limited */
  mallopt (M_ARENA_MAX, 1);
  /* ORC must not compile code at run time, which the sandbox forbids */
  g_setenv ("ORC_CODE", "backup", TRUE);
  if (!gst_init_check (NULL, NULL, NULL))
    return EXIT_FAILURE;
  picture_chain_load ();
  if (!picture_sandbox_close ())
    return PICTURE_EXIT_NO_SANDBOX;
  data = g_malloc (PIECE);
  while (!picture_sandbox_is_old ()) {
    gint64 next = now_ms () + interval;

    take_picture (data, &looker);
    rest (data, next);
  }
  return EXIT_SUCCESS;
}
