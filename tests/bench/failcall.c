/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * failcall: a library for LD_PRELOAD. Of the calls of the function $FAILCALL_NAME that this
 * project's code makes, itself or through a library, number $FAILCALL_NUMBER fails with the errno
 * $FAILCALL_ERRNO. The file $FAILCALL_DONE exists from then on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many calls may lie between ours and the one that fails. Libraries open files and start
 * threads for us; GLib's own wakeups and clocks, without which it aborts, are not meant. */
#define DIRECT 0
#define STARTING 3 /* of g_thread_try_new(); GLib's own threads begin deeper */
#define THROUGH 8
#define FRAMES (THROUGH + 3) /* those of this file, too */

static const char *wanted, *done;
static long number;
static int reason;
static atomic_long count;
static _Thread_local bool inside; /* what this file calls itself does not count */

static bool
is_ours (const void *address)
{
  static const char *const names[] = { "libgstfasp.", "libgstcbrpacer.", "fasp-relay" };
  Dl_info info;
  const char *name;

  if (dladdr (address, &info) == 0 || info.dli_fname == NULL)
    return false;
  name = strrchr (info.dli_fname, '/');
  name = name != NULL ? name + 1 : info.dli_fname;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strncmp (name, names[i], strlen (names[i])) == 0)
      return true;
  return false;
}

/* Is one of the @between + 1 callers behind @caller ours? */
static bool
called_by_us (void *caller, int between)
{
  void *frames[FRAMES];
  int n, first = 0;

  if (is_ours (caller))
    return true;
  if (between == DIRECT)
    return false;
  n = backtrace (frames, FRAMES);
  while (first < n && frames[first] != caller)
    first++;
  for (int i = first; i < n && i <= first + between; i++)
    if (is_ours (frames[i]))
      return true;
  return false;
}

/* @name of a call on this file, or "": an event counter has no disk that may be full, and does not
 * fail. libmicrohttpd aborts where its own does, and GLib waits for ever. */
static const char *
name_of (const char *name, int fd)
{
  struct stat found;

  return fstat (fd, &found) == 0 && (found.st_mode & S_IFMT) == 0 ? "" : name;
}

/* Does this call of @name fail? Then errno says why. */
static bool
fails (const char *name, void *caller, int between)
{
  bool now = false;

  if (wanted == NULL || inside || strcmp (name, wanted) != 0)
    return false;
  inside = true;
  if (called_by_us (caller, between) && ++count == number) {
    int fd = open (done, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
      abort ();
    close (fd);
    now = true;
  }
  inside = false;
  errno = now ? reason : errno;
  return now;
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *text = getenv ("FAILCALL_NUMBER"), *why = getenv ("FAILCALL_ERRNO");
  void *frame;

  done = getenv ("FAILCALL_DONE");
  if (text == NULL || why == NULL || done == NULL)
    return;
  number = atol (text);
  reason = atoi (why);
  backtrace (&frame, 1); /* the first time it loads a library */
  wanted = getenv ("FAILCALL_NAME");
  unsetenv ("LD_PRELOAD"); /* the processes that this one starts have no faults */
}

#define WRAP(type, name, call, between, failed, parameters, ...) \
  type name parameters \
  { \
    static type (*real) parameters; \
\
    if (real == NULL) \
      real = (type (*) parameters) dlsym (RTLD_NEXT, #name); \
    return fails (call, __builtin_return_address (0), between) ? failed : real (__VA_ARGS__); \
  }

#define OPEN(name) \
  int name (const char *path, int flags, ...) \
  { \
    static int (*real) (const char *, int, ...); \
    va_list rest; \
    mode_t mode; \
\
    if (real == NULL) \
      real = (int (*) (const char *, int, ...)) dlsym (RTLD_NEXT, #name); \
    va_start (rest, flags); \
    mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg (rest, mode_t) : 0; \
    va_end (rest); \
    return fails ("open", __builtin_return_address (0), THROUGH) ? -1 : real (path, flags, mode); \
  }

#pragma GCC visibility push(default) /* the linker has to find these */
OPEN (open)
OPEN (open64)
WRAP (int, socket, "socket", DIRECT, -1, (int family, int type, int protocol), family, type,
    protocol)
WRAP (int, bind, "bind", DIRECT, -1, (int fd, const struct sockaddr *address, socklen_t size), fd,
    address, size)
WRAP (int, connect, "connect", DIRECT, -1, (int fd, const struct sockaddr *address, socklen_t size),
    fd, address, size)
WRAP (int, setsockopt, "setsockopt", DIRECT, -1,
    (int fd, int level, int name, const void *value, socklen_t size), fd, level, name, value, size)
WRAP (int, getsockname, "getsockname", DIRECT, -1,
    (int fd, struct sockaddr *address, socklen_t *size), fd, address, size)
WRAP (int, sendmmsg, "sendmmsg", DIRECT, -1,
    (int fd, struct mmsghdr *messages, unsigned n, int flags), fd, messages, n, flags)
WRAP (int, recvmmsg, "recvmmsg", DIRECT, -1,
    (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *wait), fd, messages,
    n, flags, wait)
WRAP (ssize_t, recvmsg, "recvmsg", DIRECT, -1, (int fd, struct msghdr *message, int flags), fd,
    message, flags)
WRAP (int, ppoll, "ppoll", DIRECT, -1,
    (struct pollfd * fds, nfds_t n, const struct timespec *wait, const sigset_t *mask), fds, n,
    wait, mask)
WRAP (int, __ppoll_chk, "ppoll", DIRECT, -1,
    (struct pollfd * fds, nfds_t n, const struct timespec *wait, const sigset_t *mask, size_t size),
    fds, n, wait, mask, size)
WRAP (int, poll, "poll", DIRECT, -1, (struct pollfd * fds, nfds_t n, int wait), fds, n, wait)
WRAP (int, eventfd, "eventfd", DIRECT, -1, (unsigned value, int flags), value, flags)
WRAP (ssize_t, getrandom, "getrandom", DIRECT, -1, (void *data, size_t size, unsigned flags), data,
    size, flags)
WRAP (ssize_t, read, name_of ("read", fd), THROUGH, -1, (int fd, void *data, size_t size), fd, data,
    size)
WRAP (ssize_t, write, name_of ("write", fd), THROUGH, -1, (int fd, const void *data, size_t size),
    fd, data, size)
WRAP (int, fsync, "fsync", THROUGH, -1, (int fd), fd)
WRAP (int, rename, "rename", THROUGH, -1, (const char *from, const char *to), from, to)
WRAP (int, pthread_create, "pthread_create", STARTING, errno,
    (pthread_t * thread, const pthread_attr_t *how, void *(*run) (void *), void *data), thread, how,
    run, data)
