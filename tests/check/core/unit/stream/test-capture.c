/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Marks of capture times, good ones and those of a hostile sender.
 */
#include <string.h>
#include "faspcapture.h"

#define NOW (G_GINT64_CONSTANT (1800000000) * FASP_SEC)

static const FaspStreamOffset here = { .known = TRUE, .origin = { { 1 } } };
static const FaspStreamOffset other = { .known = TRUE, .origin = { { 2 } } };

static void
take (FaspCaptureMap *map, const guint8 *mark, guint32 size, FaspTime media)
{
  FaspBlock *block = fasp_block_new (size);

  block->size = size;
  block->flags = FASP_BLOCK_MARK;
  block->media_time = media;
  memcpy (block->data, mark, size);
  fasp_capture_map_take (map, block, &here);
  fasp_block_unref (block);
}

static void
test_mark (void)
{
  FaspCapture capture = { NOW, 250, FASP_TIME_PTP, TRUE, TRUE }, got;
  FaspCaptureMap map = { 0 };
  guint8 mark[FASP_CAPTURE_MARK];

  g_assert_false (fasp_capture_map_get (&map, &here, 0).known);
  fasp_capture_write (mark, &capture);
  take (&map, mark, sizeof mark, 5 * FASP_SEC);
  got = fasp_capture_map_get (&map, &here, 4 * FASP_SEC);
  g_assert_true (got.known && got.is_tai);
  g_assert_cmpint (got.time, ==, NOW - FASP_SEC);
  g_assert_cmpuint (got.error, ==, 250);
  g_assert_cmpuint (got.source, ==, FASP_TIME_PTP);
  /* another stream's bytes, and those far behind it, have none */
  g_assert_false (fasp_capture_map_get (&map, &other, 5 * FASP_SEC).known);
  g_assert_true (fasp_capture_map_get (&map, &here, 15 * FASP_SEC).known);
  g_assert_false (fasp_capture_map_get (&map, &here, 15 * FASP_SEC + 1).known);
  g_assert_false (fasp_capture_map_get (&map, &here, -5 * FASP_SEC - 1).known);
}

/* What has the wrong length is skipped; a time that cannot be makes it not known. */
static void
test_hostile (void)
{
  FaspCapture capture = { NOW, 250, FASP_TIME_NTP, FALSE, TRUE };
  FaspCaptureMap map = { 0 };
  guint8 mark[FASP_CAPTURE_MARK + 1] = { 0 };

  fasp_capture_write (mark, &capture);
  take (&map, mark, FASP_CAPTURE_MARK, 0);
  for (guint size = 0; size <= sizeof mark; size++) {
    if (size == FASP_CAPTURE_MARK)
      continue;
    take (&map, mark, size, FASP_SEC);
    g_assert_cmpint (fasp_capture_map_get (&map, &here, 0).time, ==, NOW);
  }
  mark[2] = 200; /* a source of a later version */
  take (&map, mark, FASP_CAPTURE_MARK, 0);
  g_assert_cmpuint (fasp_capture_map_get (&map, &here, 0).source, ==, FASP_TIME_NONE);
  mark[1] = 2; /* a scale of a later version */
  take (&map, mark, FASP_CAPTURE_MARK, 0);
  g_assert_false (fasp_capture_map_get (&map, &here, 0).known);
  mark[1] = 0;
  memset (mark + 7, 0xff, 8);
  take (&map, mark, FASP_CAPTURE_MARK, 0);
  g_assert_false (fasp_capture_map_get (&map, &here, 0).known);
  g_assert_cmpint (fasp_capture_map_get (&map, &here, 0).time, ==, 0);
  capture.time = FASP_CAPTURE_MAX;
  fasp_capture_write (mark, &capture);
  take (&map, mark, FASP_CAPTURE_MARK, 0);
  g_assert_cmpint (fasp_capture_map_get (&map, &here, FASP_CAPTURE_HOLDS).time, <,
      G_MAXINT64 / 1000);
  g_assert_true (fasp_capture_map_get (&map, &here, 0).known);
  capture.time++;
  fasp_capture_write (mark, &capture);
  take (&map, mark, FASP_CAPTURE_MARK, 0);
  g_assert_false (fasp_capture_map_get (&map, &here, 0).known);
  memset (mark + 7, 0, 8);
  take (&map, mark, FASP_CAPTURE_MARK, FASP_SEC);
  g_assert_true (fasp_capture_map_get (&map, &here, FASP_SEC).known);
  g_assert_false (fasp_capture_map_get (&map, &here, 0).known);
}

/* A sender that knows the capture time no longer says so. */
static void
test_not_known (void)
{
  FaspCapture capture = { NOW, 250, FASP_TIME_NTP, FALSE, TRUE };
  FaspCaptureMap map = { 0 };
  guint8 mark[FASP_CAPTURE_MARK];

  fasp_capture_write (mark, &capture);
  take (&map, mark, FASP_CAPTURE_MARK, 0);
  capture.known = FALSE;
  fasp_capture_write (mark, &capture);
  take (&map, mark, FASP_CAPTURE_MARK, 0);
  g_assert_false (fasp_capture_map_get (&map, &here, 0).known);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capture/mark", test_mark);
  g_test_add_func ("/capture/hostile", test_hostile);
  g_test_add_func ("/capture/not-known", test_not_known);
  return g_test_run ();
}
