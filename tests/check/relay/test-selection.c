/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The keys `programme' and `pids' of outputs: which lists are taken, and what is said of others.
 */
#include <string.h>
#include "relayend.h"

static void
test_keys (void)
{
  static const struct
  {
    const gchar *uri, *why; /* NULL: it is taken */
    gboolean receives;
  } rows[] = {
    { "file:///tmp/x?programme=1,65535&pids=0,8191", NULL },
    { "fasp://127.0.0.1:1?programme=7&max-bitrate=9000000", NULL },
    { "file:///tmp/x?programme=news", "programme=256" },
    { "fasp://127.0.0.1:1?programme=0", "programme=256" },
    { "fasp://127.0.0.1:1?programme=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "up to 16" },
    { "udp://127.0.0.1:1?pids=256,8192", "0 to 8191" },
    { "hls:///tmp/x.m3u8?pids=", "pids=256" },
    { "fasp://127.0.0.1:1?programme=7", "programme", TRUE },
    { "udp://127.0.0.1:1?pids=7", "pids", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RelayEnd end = { .uri = (gchar *) rows[i].uri, .sends = !rows[i].receives };
    g_autoptr (GError) error = NULL;

    g_assert_cmpint (relay_end_check (&end, &error), ==, rows[i].why == NULL);
    if (rows[i].why != NULL && strstr (error->message, rows[i].why) == NULL)
      g_error ("%s: %s", rows[i].uri, error->message);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/selection/keys", test_keys);
  return g_test_run ();
}
