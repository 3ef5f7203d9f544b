/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of a child process, also where the kernel has no pidfd_open().
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "relayprocess.h"

typedef struct
{
  GMainLoop *loop;
  GPid pid;
  gint status;
} Watch;

static gboolean
on_end (gint fd, GIOCondition condition, gpointer data)
{
  Watch *watch = data;

  /* it is there yet, so that no other process has its number */
  g_assert_no_errno (kill (watch->pid, 0));
  watch->status = relay_process_reap (watch->pid, fd);
  g_main_loop_quit (watch->loop);
  return G_SOURCE_REMOVE;
}

static void
check_end (void)
{
  Watch watch = { g_main_loop_new (NULL, FALSE), fork () };

  if (watch.pid == 0)
    _exit (7);
  g_assert_true (relay_process_watch (watch.pid, on_end, &watch));
  g_main_loop_run (watch.loop);
  g_assert_true (WIFEXITED (watch.status));
  g_assert_cmpint (WEXITSTATUS (watch.status), ==, 7);
  g_assert_cmpint (kill (watch.pid, 0), ==, -1);
  g_main_loop_unref (watch.loop);
}

static void
test_end (void)
{
  check_end ();
}

/* As in Linux 5.2. The filter stays until this program ends. */
static void
test_without_pidfd (void)
{
  struct sock_filter rules[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = { G_N_ELEMENTS (rules), rules };

  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
      || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) {
    g_test_skip ("this kernel has no seccomp");
    return;
  }
  check_end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/process/end", test_end);
  g_test_add_func ("/relay/process/without-pidfd", test_without_pidfd);
  return g_test_run ();
}
