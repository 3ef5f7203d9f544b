/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspsystemnone.c: for systems other than Linux: knows and does nothing of gstfaspsystem.h.
 */
#include <errno.h>
#include "gstfaspsystem.h"

gint
gst_fasp_system_sharpen_timers (void)
{
  return 0;
}

void
gst_fasp_system_restore_timers (gint slack)
{
}

gboolean
gst_fasp_system_cut_datagrams (GSocket *socket, gint size)
{
  errno = ENOTSUP;
  return size == 0;
}

void
gst_fasp_system_ask_clock (gint *tai, gint64 *error)
{
  *tai = 0;
  *error = -1;
}
