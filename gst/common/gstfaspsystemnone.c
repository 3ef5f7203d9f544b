/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspsystemnone.c: for systems other than Linux: knows and does nothing of gstfaspsystem.h.
 */
#include <errno.h>
#include <time.h>
#include "gstfaspsystem.h"
#ifdef G_OS_WIN32
#include <windows.h>
#endif

gint
gst_fasp_system_sharpen_timers (void)
{
  return 0;
}

void
gst_fasp_system_restore_timers (gint slack)
{
}

gint64
gst_fasp_system_get_cpu_time (void)
{
#ifdef G_OS_WIN32
  FILETIME ignored, kernel, user;

  if (!GetThreadTimes (GetCurrentThread (), &ignored, &ignored, &kernel, &user))
    return 0;
  /* in units of 100 ns */
  return 100
      * (((gint64) kernel.dwHighDateTime + user.dwHighDateTime) * ((gint64) 1 << 32)
          + kernel.dwLowDateTime + user.dwLowDateTime);
#else
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
#endif
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
