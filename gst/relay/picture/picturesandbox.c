/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "picturesandbox.h"

/* 16 pictures of 3840x2160 with 10 bits, what an H.265 decoder keeps at most, are 400 MB */
#define MEMORY_MAX (1024 * 1024 * 1024) /* bytes of address space */
/* After so much processor time, s, the kernel ends the process. */
#define CPU_MAX 120
/* After so much processor time, s, the process ends by itself and is started anew. */
#define CPU_OLD 60
#define FILES_MAX 64
#define LOWEST 19 /* nice */
#define LOW 10    /* a tenth of what others get */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

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

/* other architectures have other system calls, for which there is no list */
#ifdef ARCHITECTURE

/* System calls of threads that only compute. All others fail with EPERM. */
static const guint allowed[] = {
  __NR_read,
  __NR_readv,
  __NR_write,
  __NR_writev,
  __NR_close,
  __NR_fstat,
  __NR_lseek,
  __NR_ppoll,
  __NR_eventfd2,
  __NR_pipe2,
#ifdef __NR_poll
  __NR_poll,
#endif
  __NR_futex,
  __NR_brk,
  __NR_munmap,
  __NR_mremap,
  __NR_madvise,
  __NR_set_robust_list,
#ifdef __NR_rseq
  __NR_rseq,
#endif
  __NR_exit,
  __NR_exit_group,
  __NR_rt_sigaction,
  __NR_rt_sigprocmask,
  __NR_rt_sigreturn,
  __NR_sigaltstack,
  __NR_restart_syscall,
  __NR_sched_yield,
  __NR_sched_getaffinity,
  __NR_getcpu,
  __NR_getpid,
  __NR_gettid,
  __NR_getrusage,
  __NR_getrandom,
  __NR_sysinfo,
  __NR_uname,
  __NR_membarrier,
  __NR_gettimeofday,
  __NR_clock_gettime,
  __NR_clock_getres,
  __NR_clock_nanosleep,
  __NR_nanosleep,
};

#define LOAD(field) \
  (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, field))
/* the low half, on little endian */
#define LOAD_ARGUMENT(n) \
  (struct sock_filter) \
      BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, args) + 8 * (n))
#define RETURN(what) (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, what)
#define IF_EQUAL(value, otherwise) \
  (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, value, 0, otherwise)
#define IF_BITS(bits, then, otherwise) \
  (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, bits, then, otherwise)
#define DENY RETURN (SECCOMP_RET_ERRNO | EPERM)
#define ALLOW RETURN (SECCOMP_RET_ALLOW)

#define FILTER_MAX 160

typedef struct
{
  struct sock_filter steps[FILTER_MAX];
  guint n;
} Filter;

static void
add (Filter *filter, struct sock_filter step)
{
  g_assert (filter->n < FILTER_MAX);
  filter->steps[filter->n++] = step;
}

/* Allows a call only if one of these bits of an argument is set; or, @unless, if none is. */
static void
allow_bits (Filter *filter, guint call, guint argument, guint32 bits, gboolean unless)
{
  add (filter, IF_EQUAL (call, 4));
  add (filter, LOAD_ARGUMENT (argument));
  add (filter, IF_BITS (bits, unless ? 1 : 0, unless ? 0 : 1));
  add (filter, ALLOW);
  add (filter, DENY);
}

/* Allows a call only with one of these values of an argument. */
static void
allow_values (Filter *filter, guint call, guint argument, const guint32 *values, guint n)
{
  add (filter, IF_EQUAL (call, 2 * n + 2));
  add (filter, LOAD_ARGUMENT (argument));
  for (guint i = 0; i < n; i++) {
    add (filter, IF_EQUAL (values[i], 1));
    add (filter, ALLOW);
  }
  add (filter, DENY);
}

static void
allow_value (Filter *filter, guint call, guint argument, guint32 value)
{
  allow_values (filter, call, argument, &value, 1);
}

static void
make_filter (Filter *filter)
{
  /* without F_SETOWN and F_SETSIG, by which a socket signals any process of this user */
  static const guint32 commands[] = { F_GETFD, F_SETFD, F_GETFL, F_SETFL };

  add (filter, LOAD (arch));
  add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
  add (filter, DENY);
  add (filter, LOAD (nr));
  for (guint i = 0; i < G_N_ELEMENTS (allowed); i++) {
    add (filter, IF_EQUAL (allowed[i], 1));
    add (filter, ALLOW);
  }
  /* no new executable memory */
  allow_bits (filter, __NR_mmap, 2, PROT_EXEC, TRUE);
  allow_bits (filter, __NR_mprotect, 2, PROT_EXEC, TRUE);
  /* threads, but no processes; clone3(), whose flags a filter cannot read, fails, and libc then
   * uses clone() */
  allow_bits (filter, __NR_clone, 0, CLONE_THREAD, FALSE);
#ifdef __NR_clone3
  add (filter, IF_EQUAL (__NR_clone3, 1));
  add (filter, RETURN (SECCOMP_RET_ERRNO | ENOSYS));
#endif
  allow_values (filter, __NR_fcntl, 1, commands, G_N_ELEMENTS (commands));
  allow_value (filter, __NR_prctl, 0, PR_SET_NAME);
  /* GStreamer wakes its threads by these */
  allow_value (filter, __NR_socketpair, 0, AF_UNIX);
  /* abort() */
  allow_value (filter, __NR_tgkill, 0, getpid ());
  add (filter, DENY);
}

/* Installs the filter in all threads, as GLib has started some. */
static gboolean
install (const Filter *filter)
{
  struct sock_fprog program = { filter->n, (struct sock_filter *) filter->steps };

  return syscall (__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

static gboolean
filter_calls (void)
{
  Filter filter = { .n = 0 };

  make_filter (&filter);
  return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && install (&filter);
}

#else

static gboolean
filter_calls (void)
{
  return FALSE;
}

#endif

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
