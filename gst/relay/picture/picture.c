/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * picture: the program fasp-picture, which fasp-relay starts to decode a key frame now and then,
 * or, called with `preview' instead of an interval, to make a preview of the stream (preview.h).
 *
 * It reads the stream from a ring, and writes frames (pictureframes.h) to a socket (pictureio.h):
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

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include "picturechain.h"
#include "pictureio.h"
#include "picturelook.h"
#include "picturesandbox.h"
#include "preview.h"
#include "previewchain.h"

#define PAUSE 10        /* ms between reads, so that the program is not woken for each packet */
#define LOOK 100        /* ms between looks for pictures and sound */
#define LIMIT 10000     /* ms from the first byte after which it gives up without a picture */
#define SILENCE 2000    /* ms without a byte after which no picture will come */
#define HEAR 500        /* ms of sound to measure */
#define HEAR_LIMIT 1500 /* ms that it waits for this sound once there is a picture */

static gint64
now_ms (void)
{
  return g_get_monotonic_time () / 1000;
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
  picture_tell (PICTURE_LEVELS, bytes, 4 * n);
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
  picture_tell (PICTURE_LOOK,
      (guint8[]) { look.dark >> 8, look.dark & 0xff, look.change >> 8, look.change & 0xff }, 4);
}

static void
tell_result (const PictureChain *chain, PictureLooker *looker)
{
  GstBuffer *picture = picture_chain_get_picture (chain);
  GstMapInfo map;

  if (picture != NULL && gst_buffer_map (picture, &map, GST_MAP_READ)) {
    if (map.size <= PICTURE_JPEG_MAX)
      picture_tell (PICTURE_JPEG, map.data, map.size);
    gst_buffer_unmap (picture, &map);
    tell_look (chain, looker);
  } else {
    g_autofree gchar *problem = picture_chain_get_problem (chain);

    picture_tell_text (PICTURE_PROBLEM, problem);
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

  picture_tell (PICTURE_WANTS, NULL, 0);
  if (chain == NULL) {
    g_autofree gchar *missing = picture_chain_find_missing ();

    picture_tell_text (PICTURE_PROBLEM, missing);
    picture_tell (PICTURE_DONE, NULL, 0);
    return;
  }
  while (goes_on) {
    gsize n = picture_read (data, first == 0 ? -1 : LOOK);

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
  picture_tell (PICTURE_DONE, NULL, 0);
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
    if (picture_read (data, until - now) > 0)
      g_usleep (LOOK * 1000);
  }
  while (picture_read (data, 0) > 0)
    ;
}

static int
take_pictures (gint64 interval)
{
  guint8 *data = g_malloc (PICTURE_READ);
  PictureLooker looker = { 0 };

  while (!picture_sandbox_is_old ()) {
    gint64 next = now_ms () + interval;

    take_picture (data, &looker);
    rest (data, next);
  }
  return EXIT_SUCCESS;
}

int
main (int argc, char **argv)
{
  gboolean previews = argc == 2 && g_str_equal (argv[1], "preview");
  gint64 interval = argc == 2 ? g_ascii_strtoll (argv[1], NULL, 10) * 1000 : 0;

  if ((interval <= 0 && !previews) || !picture_open ()) {
    fputs ("fasp-picture: fasp-relay starts it, for streams that have picture-interval or "
           "preview-viewers.\n",
        stderr);
    return EXIT_FAILURE;
  }
  picture_sandbox_step_back (previews ? PICTURE_SHARES : PICTURE_IDLES);
  /* an arena for each thread would take address space, which is limited */
  mallopt (M_ARENA_MAX, 1);
  /* ORC must not compile code at run time, which the sandbox forbids */
  g_setenv ("ORC_CODE", "backup", TRUE);
  if (!gst_init_check (NULL, NULL, NULL))
    return EXIT_FAILURE;
  if (previews)
    preview_chain_load ();
  else
    picture_chain_load ();
  if (!picture_sandbox_close ())
    return PICTURE_EXIT_NO_SANDBOX;
  return previews ? preview_run () : take_pictures (interval);
}
