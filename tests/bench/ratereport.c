/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ratereport.h"
#include <stdio.h>
#include <sys/resource.h>

static gdouble
cpu (const struct timeval *time)
{
  return time->tv_sec + time->tv_usec / 1e6;
}

void
rate_report (guint64 bytes, gint64 first, gint64 last, ...)
{
  gdouble elapsed = (last - first) / (gdouble) G_USEC_PER_SEC;
  const gchar *name;
  struct rusage usage;
  va_list counts;

  getrusage (RUSAGE_SELF, &usage);
  printf ("{\"bytes\": %" G_GUINT64_FORMAT ", \"seconds\": %.3f, ", bytes, elapsed);
  va_start (counts, last);
  while ((name = va_arg (counts, const gchar *)) != NULL)
    printf ("\"%s\": %" G_GUINT64_FORMAT ", ", name, va_arg (counts, guint64));
  va_end (counts);
  printf ("\"user\": %.3f, \"system\": %.3f, \"gbit_s\": %.3f}\n", cpu (&usage.ru_utime),
      cpu (&usage.ru_stime), elapsed > 0 ? bytes * 8e-9 / elapsed : 0);
}
