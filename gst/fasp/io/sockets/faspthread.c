/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspthread.h"

GThread *
fasp_thread_new (const gchar *name, GThreadFunc run, gpointer data, GError **error)
{
  g_autoptr (GError) why = NULL;
  GThread *thread = g_thread_try_new (name, run, data, &why);

  if (thread == NULL)
    g_set_error (error, why->domain, why->code,
        "Cannot start the thread %s: %s. Raise the limit of processes (`ulimit -u', "
        "pids.max of a container), or end other programs.",
        name, why->message);
  return thread;
}
