/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <seccomp.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include "picturesandbox.h"

/* 16 pictures of 3840x2160 with 10 bits, what an H.265 decoder keeps at most, are 400 MB */
#define MEMORY_MAX (1024 * 1024 * 1024) /* bytes of address space */
/* After so much processor time, s, the kernel ends the process. */
#define CPU_MAX 120
/* After so much processor time, s, the process ends by itself and is started anew. */
#define CPU_OLD 60
#define FILES_MAX 64
#define GUARD_INSTALL 102 /* Linux 6.13, which headers may not have: MADV_GUARD_INSTALL */
#define GUARD_REMOVE 103  /* MADV_GUARD_REMOVE */
#define LOWEST 19         /* nice */
#define LOW 10            /* a tenth of what others get */

/* --- before --------------------------------------------------------------------------------- */

static void
set_limit (int which, rlim_t value)
{
  struct rlimit limit = { value, value };

  setrlimit (which, &limit);
}

/* Makes the kernel end this process first when memory runs out. */
static void
offer_itself (void)
{
  int fd = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

  if (fd < 0)
    return;
  if (write (fd, "1000", 4) != 4)
    g_debug ("oom_score_adj stays");
  close (fd);
}

void
picture_sandbox_step_back (PictureShare share)
{
  struct sched_param none = { 0 };

  /* a terminal sends these to the whole process group, but the relay ends this process */
  signal (SIGINT, SIG_IGN);
  signal (SIGTERM, SIG_IGN);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  set_limit (RLIMIT_CORE, 0);
  /* one of these may be allowed where the other is not */
  if (share == PICTURE_IDLES)
    sched_setscheduler (0, SCHED_IDLE, &none);
  setpriority (PRIO_PROCESS, 0, share == PICTURE_IDLES ? LOWEST : LOW);
  offer_itself ();
}

/* --- after ----------------------------------------------------------------------------------- */

/* System calls of threads that only compute. All others fail with EPERM. */
static const gchar allowed[] =
    "read readv write writev close fstat lseek ppoll eventfd2 pipe2 poll futex brk munmap "
    "mremap set_robust_list rseq exit exit_group rt_sigaction rt_sigprocmask "
    "rt_sigreturn sigaltstack restart_syscall sched_yield sched_getaffinity getcpu getpid "
    "gettid getrusage getrandom sysinfo uname membarrier gettimeofday clock_gettime "
    "clock_getres clock_nanosleep nanosleep";

static void
allow_if (scmp_filter_ctx filter, int call, struct scmp_arg_cmp argument)
{
  seccomp_rule_add (filter, SCMP_ACT_ALLOW, call, 1, argument);
}

/* A rule that cannot be added leaves its call forbidden. */
static void
add_rules (scmp_filter_ctx filter)
{
  /* without F_SETOWN and F_SETSIG, by which a socket signals any process of this user */
  static const int commands[] = { F_GETFD, F_SETFD, F_GETFL, F_SETFL };
  /* to free memory, and to guard stacks; without MADV_REMOVE, which would take memory from the ring
   * (picturering.h), so that the relay's next write might find none and end the relay */
  static const int advices[] = { MADV_DONTNEED, MADV_FREE, GUARD_INSTALL, GUARD_REMOVE };
  g_auto (GStrv) calls = g_strsplit (allowed, " ", -1);

  for (guint i = 0; calls[i] != NULL; i++)
    seccomp_rule_add (filter, SCMP_ACT_ALLOW, seccomp_syscall_resolve_name (calls[i]), 0);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    allow_if (filter, SCMP_SYS (fcntl), SCMP_A1 (SCMP_CMP_EQ, commands[i]));
  for (guint i = 0; i < G_N_ELEMENTS (advices); i++)
    allow_if (filter, SCMP_SYS (madvise), SCMP_A2 (SCMP_CMP_EQ, advices[i]));
  /* no new executable memory */
  allow_if (filter, SCMP_SYS (mmap), SCMP_A2 (SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  allow_if (filter, SCMP_SYS (mprotect), SCMP_A2 (SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  /* threads, but no processes; clone3(), whose flags a filter cannot read, fails, and libc then
   * uses clone() */
  allow_if (filter, SCMP_SYS (clone), SCMP_A0 (SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  seccomp_rule_add (filter, SCMP_ACT_ERRNO (ENOSYS), SCMP_SYS (clone3), 0);
  allow_if (filter, SCMP_SYS (prctl), SCMP_A0 (SCMP_CMP_EQ, PR_SET_NAME));
  /* GStreamer wakes its threads by these */
  allow_if (filter, SCMP_SYS (socketpair), SCMP_A0 (SCMP_CMP_EQ, AF_UNIX));
  /* abort() */
  allow_if (filter, SCMP_SYS (tgkill), SCMP_A0 (SCMP_CMP_EQ, getpid ()));
}

/* Installs the filter in all threads, as GLib has started some. */
static gboolean
filter_calls (void)
{
  /* 32-bit architectures have other calls, or mmap() with its arguments in memory; s390x has the
   * arguments of mmap() there, too, and those of clone() in another order */
  gboolean known = GLIB_SIZEOF_VOID_P == 8 && seccomp_arch_native () != SCMP_ARCH_S390X;
  scmp_filter_ctx filter = known ? seccomp_init (SCMP_ACT_ERRNO (EPERM)) : NULL;
  gboolean good = filter != NULL && seccomp_attr_set (filter, SCMP_FLTATR_CTL_TSYNC, TRUE) == 0;

  if (good) {
    add_rules (filter);
    good = seccomp_load (filter) == 0;
  }
  if (filter != NULL)
    seccomp_release (filter);
  return good;
}

gboolean
picture_sandbox_close (void)
{
  set_limit (RLIMIT_AS, MEMORY_MAX);
  set_limit (RLIMIT_CPU, CPU_MAX);
  set_limit (RLIMIT_NOFILE, FILES_MAX);
  return filter_calls ();
}

gboolean
picture_sandbox_is_old (void)
{
  struct rusage used;

  getrusage (RUSAGE_SELF, &used);
  return used.ru_utime.tv_sec + used.ru_stime.tv_sec >= CPU_OLD;
}
