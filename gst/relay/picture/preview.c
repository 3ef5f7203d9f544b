/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preview.h"
#include <stdlib.h>
#include "pictureio.h"
#include "picturesandbox.h"
#include "previewchain.h"

#define PAUSE 20                    /* ms between reads, so that it is not woken for each packet */
#define LIMIT (12 * G_USEC_PER_SEC) /* µs from the first byte after which it gives up */

int
preview_run (void)
{
  guint8 *data = g_malloc (PICTURE_READ);
  PreviewChain *chain = preview_chain_new ();
  gint64 first = 0;
  gboolean goes_on = TRUE;

  while (goes_on && !picture_sandbox_is_old ()) {
    gsize n = picture_read (data, first == 0 ? -1 : PAUSE);

    if (first == 0 && n > 0)
      first = g_get_monotonic_time ();
    goes_on = (n == 0 || preview_chain_push (chain, data, n)) && preview_chain_run (chain)
        && (first == 0 || preview_chain_has_begun (chain)
            || g_get_monotonic_time () - first < LIMIT);
    g_usleep (PAUSE * 1000);
  }
  if (!preview_chain_has_begun (chain)) {
    g_autofree gchar *problem = preview_chain_get_problem (chain);

    if (problem != NULL)
      picture_tell_text (PICTURE_PROBLEM, problem);
  }
  return EXIT_SUCCESS;
}
