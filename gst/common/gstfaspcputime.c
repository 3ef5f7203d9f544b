/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspcputime.c: the time of a processor that a thread has used, which each system tells.
 */
#include <time.h>
#include "gstfaspsystem.h"
#ifdef G_OS_WIN32
#include <windows.h>
#endif

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
