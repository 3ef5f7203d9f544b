/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptokenbucket.h"
#include "gstfaspquiet.h"

#define AT_ONCE 10
#define EVERY (10 * FASP_SEC)

gboolean
gst_fasp_quiet_may_post (GstFaspQuiet *quiet, gchar **more)
{
  *more = NULL;
  if (!fasp_token_bucket_take (&quiet->full, g_get_monotonic_time (), EVERY, AT_ONCE)) {
    quiet->unposted++;
    return FALSE;
  }
  *more = quiet->unposted == 0 ?
      g_strdup ("") :
      g_strdup_printf (" %" G_GUINT64_FORMAT " more like this since the last such message.",
          quiet->unposted);
  quiet->unposted = 0;
  return TRUE;
}
