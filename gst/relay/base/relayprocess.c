/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayprocess.h"
#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Below that of the descriptors from which the program is read: what it said last is taken before
 * its end is. */
#define PRIORITY (G_PRIORITY_DEFAULT + 1)

typedef struct
{
  GPid pid;
  GUnixFDSourceFunc ended;
  gpointer data;
} Wait;

static gboolean
on_waited (gpointer data)
{
  const Wait *wait = data;

  return wait->ended (-1, G_IO_IN, wait->data);
}

static gpointer
wait_in_thread (gpointer data)
{
  const Wait *wait = data;
  siginfo_t unused;

  while (waitid (P_PID, wait->pid, &unused, WEXITED | WNOWAIT) < 0 && errno == EINTR)
    ;
  g_idle_add_full (PRIORITY, on_waited, data, g_free);
  return NULL;
}

/* Has a thread wait for the process, without reaping it. */
static gboolean
watch_by_thread (GPid pid, GUnixFDSourceFunc ended, gpointer data)
{
  Wait *wait = g_new (Wait, 1);
  GThread *thread;

  *wait = (Wait) { pid, ended, data };
  thread = g_thread_try_new ("process", wait_in_thread, wait, NULL);
  if (thread == NULL) {
    g_free (wait);
    errno = EAGAIN;
    return FALSE;
  }
  g_thread_unref (thread);
  return TRUE;
}

gboolean
relay_process_watch (GPid pid, GUnixFDSourceFunc ended, gpointer data)
{
  gint fd = syscall (SYS_pidfd_open, pid, 0); /* glibc has it since 2.36 */

  /* Linux before 5.3, and seccomp filters from before it, do not have the call */
  if (fd < 0)
    return watch_by_thread (pid, ended, data);
  g_unix_fd_add_full (PRIORITY, fd, G_IO_IN, ended, data, NULL);
  return TRUE;
}

gint
relay_process_reap (GPid pid, gint fd)
{
  gint status = 0;

  if (fd >= 0)
    close (fd);
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}
