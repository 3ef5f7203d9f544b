/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * linkem: a bad network for real processes.
 *
 *   linkem run --rtt 200 --loss 2 -- COMMAND
 *   linkem relay --rtt 200 --loss 2 --listen 9000 --to 127.0.0.1:9001
 */
#include <stdio.h>
#include <string.h>
#include "linkrelay.h"
#include "linktun.h"

static const gchar usage[] =
    "Usage:\n"
    "  linkem run   [OPTIONS] -- COMMAND [ARGUMENTS]\n"
    "  linkem relay [OPTIONS] --listen [HOST:]PORT --to HOST:PORT\n\n"
    "run:   makes two hosts (network namespaces) with a link between them and\n"
    "       runs COMMAND, which finds in its environment how to run things on\n"
    "       them: $LINKEM_A PROGRAM ..., $LINKEM_B PROGRAM ...; their addresses\n"
    "       are $LINKEM_ADDR_A, $LINKEM_ADDR_B, $LINKEM_ADDR6_A, $LINKEM_ADDR6_B.\n"
    "relay: passes UDP datagrams on, without any rights.\n\n"
    "The impairments of the link: linkem run --help-all\n";

gint
main (gint argc, gchar **argv)
{
  g_autoptr (GError) error = NULL;
  gboolean relay, good;
  LinkOptions options;
  gint status = 0;

  if (argc < 2 || (!g_str_equal (argv[1], "run") && !g_str_equal (argv[1], "relay"))) {
    gboolean asked = argc == 2 && (g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h"));

    fputs (usage, asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  relay = g_str_equal (argv[1], "relay");
  argv++;
  argc--;
  good = link_options_parse (&options, relay, &argc, &argv, &error);
  if (good && argc > 1 && g_str_equal (argv[1], "--")) {
    argv++;
    argc--;
  }
  if (good && relay == (argc > 1)) {
    g_set_error (&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s",
        relay ? "a relay runs no command" : "there is no command to run");
    good = FALSE;
  }
  if (good)
    good = relay ? link_relay_run (&options, &error) :
                   link_tun_run (&options, argv + 1, &status, &error);
  link_options_clear (&options);
  if (!good) {
    fprintf (stderr, "linkem: %s\n", error->message);
    return 2;
  }
  return status;
}
