/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two FaspIo over the loopback interface, in a kernel that gives little.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include "ends.h"
#include "faspcallingprivate.h"
#include "faspioprivate.h"
#include "faspreceivers.h"

/* Has the interface been another one since sockets were bound to it? And how often they were. */
static gint replaced, bound;
/* net.core.rmem_max of a user without privileges; 0: as it is. */
static gint buffer_max;

/* The call that the kernel refuses, and how often it was made. */
static gint broken, asked;

enum
{
  WORKS,
  NO_POLL,
  NO_RECEIVE,
  NO_SEND,
  REFUSES,
  NO_RANDOM
};

static gboolean
is_broken (gint what)
{
  if (g_atomic_int_get (&broken) != what)
    return FALSE;
  g_atomic_int_inc (&asked);
  return TRUE;
}

static int
answer_ppoll (struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *signals)
{
  int (*real) (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *) =
      dlsym (RTLD_NEXT, "ppoll");

  errno = EINVAL;
  return is_broken (NO_POLL) ? -1 : real (fds, n, time, signals);
}

int
ppoll (struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *signals)
{
  return answer_ppoll (fds, n, time, signals);
}

/* what a fortified build calls */
int __ppoll_chk (struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *signals,
    size_t size);

int
__ppoll_chk (struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *signals,
    size_t size)
{
  return answer_ppoll (fds, n, time, signals);
}

int
recvmmsg (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout)
{
  int (*real) (int, struct mmsghdr *, unsigned, int, struct timespec *) =
      dlsym (RTLD_NEXT, "recvmmsg");

  errno = ENOMEM;
  return is_broken (NO_RECEIVE) ? -1 : real (fd, messages, n, flags, timeout);
}

/* and what a portable one (-Dio) calls */
ssize_t
recvmsg (int fd, struct msghdr *message, int flags)
{
  ssize_t (*real) (int, struct msghdr *, int) = dlsym (RTLD_NEXT, "recvmsg");

  errno = ENOMEM;
  return is_broken (NO_RECEIVE) ? -1 : real (fd, message, flags);
}

static gboolean
refuses (void)
{
  gint times = is_broken (REFUSES) ? g_atomic_int_get (&asked) : 0;

  /* by turns, as two lines would, and each time again as it is tried again */
  errno = times != 0 ? (times / 4 % 2 == 0 ? EPERM : ENETUNREACH) : EAGAIN;
  return times != 0 || is_broken (NO_SEND);
}

int
sendmmsg (int fd, struct mmsghdr *messages, unsigned n, int flags)
{
  int (*real) (int, struct mmsghdr *, unsigned, int) = dlsym (RTLD_NEXT, "sendmmsg");

  return refuses () ? -1 : real (fd, messages, n, flags);
}

ssize_t
sendmsg (int fd, const struct msghdr *message, int flags)
{
  ssize_t (*real) (int, const struct msghdr *, int) = dlsym (RTLD_NEXT, "sendmsg");

  return refuses () ? -1 : real (fd, message, flags);
}

/* How far the clock is ahead of the real one, in µs; only the test's thread sets it. */
static gint64 ahead;

gint64
g_get_monotonic_time (void)
{
  static gint64 (*real) (void);

  if (g_atomic_pointer_get (&real) == NULL)
    g_atomic_pointer_set (&real, dlsym (RTLD_NEXT, "g_get_monotonic_time"));
  return real () + __atomic_load_n (&ahead, __ATOMIC_RELAXED);
}

/* How often names were looked up that do not exist. */
static gint lookups;

GList *
g_resolver_lookup_by_name (GResolver *resolver, const gchar *host, GCancellable *cancellable,
    GError **error)
{
  GList *(*real) (GResolver *, const gchar *, GCancellable *, GError **) =
      dlsym (RTLD_NEXT, "g_resolver_lookup_by_name");

  if (g_str_equal (host, "slow.invalid")) {
    /* longer than it has */
    for (guint looks = 0; !g_cancellable_is_cancelled (cancellable);)
      pause_before_look (&looks);
    return g_list_append (NULL, g_inet_address_new_from_string ("127.0.0.1"));
  }
  if (!g_str_has_suffix (host, ".invalid"))
    return real (resolver, host, cancellable, error);
  g_atomic_int_inc (&lookups);
  g_set_error_literal (error, G_RESOLVER_ERROR, G_RESOLVER_ERROR_NOT_FOUND, "nobody has it");
  return NULL;
}

ssize_t
getrandom (void *data, size_t size, unsigned flags)
{
  ssize_t (*real) (void *, size_t, unsigned) = dlsym (RTLD_NEXT, "getrandom");

  errno = ENOSYS;
  return is_broken (NO_RANDOM) ? -1 : real (data, size, flags);
}

int
setsockopt (int fd, int level, int name, const void *value, socklen_t size)
{
  int (*real) (int, int, int, const void *, socklen_t) = dlsym (RTLD_NEXT, "setsockopt");
  gint less = buffer_max;

  if (level == SOL_SOCKET && name == SO_BINDTODEVICE) {
    g_atomic_int_inc (&bound);
    g_atomic_int_set (&replaced, FALSE);
    return 0;
  }
  if (buffer_max > 0 && level == SOL_SOCKET && (name == SO_RCVBUFFORCE || name == SO_SNDBUFFORCE)) {
    errno = EPERM;
    return -1;
  }
  if (buffer_max > 0 && level == SOL_SOCKET && name == SO_RCVBUF
      && *(const gint *) value > buffer_max)
    value = &less;
  return real (fd, level, name, value, size);
}

int
getsockopt (int fd, int level, int name, void *value, socklen_t *size)
{
  int (*real) (int, int, int, void *, socklen_t *) = dlsym (RTLD_NEXT, "getsockopt");

  if (level != SOL_SOCKET || name != SO_BINDTODEVICE)
    return real (fd, level, name, value, size);
  errno = ENODEV;
  return g_atomic_int_get (&replaced) ? -1 : 0;
}

typedef struct
{
  gint told;
  guint64 rate;
  gsize granted, wanted;
} Short;

static void
on_deaf (const gchar *why, gpointer times)
{
  g_test_message ("%s", why);
  g_atomic_int_inc ((gint *) times);
}

static void
on_send_failed (guint link, const gchar *why, gpointer times)
{
  on_deaf (why, times);
}

static void
on_short (guint64 rate, gsize granted, gsize wanted, gpointer data)
{
  Short *s = data;

  s->rate = rate;
  s->granted = granted;
  s->wanted = wanted;
  g_atomic_int_inc (&s->told);
}

static FaspIo *
new_io (FaspRole role, FaspMode mode, guint16 peer, guint64 rate, Short *s)
{
  EndSettings settings;

  end_settings_init (&settings, role, mode, peer, s);
  settings.link.buffer = 1 << 20;
  settings.io.buffer_short = on_short;
  settings.io.endpoint.settings.wait_for_connection = TRUE;
  settings.io.endpoint.settings.max_bitrate = rate;
  return end_new (&settings);
}

static gpointer
read_all (gpointer data)
{
  gboolean eos = FALSE;
  gsize size = 0;

  while (!eos) {
    FaspRead items[64];
    FaspEvent event;
    guint n;

    if (fasp_io_read (data, items, 64, &n, &event) != FASP_IO_OK)
      break;
    for (guint i = 0; i < n; i++) {
      eos = (items[i].block->flags & FASP_BLOCK_EOS) != 0;
      size += items[i].block->size;
      fasp_block_unref (items[i].block);
    }
  }
  return GSIZE_TO_POINTER (size);
}

/* Some seconds of 20 Mbit/s: that is 50 kB in the time that a thread may have to
 * wait. @data: what the kernel gives. */
static void
test_buffer (gconstpointer data)
{
  static const guint8 bytes[100000];
  const guint64 rate = 20000000;
  Short s = { 0 };
  FaspIo *receiver, *sender;
  GThread *reader;
  FaspEvent event;

  buffer_max = GPOINTER_TO_INT (data);
  receiver = new_io (FASP_ROLE_RECEIVER, FASP_MODE_LISTENER, 0, 0, &s);
  sender = new_io (FASP_ROLE_SENDER, FASP_MODE_CALLER, fasp_io_get_port (receiver), rate, &s);
  reader = g_thread_new ("reader", read_all, receiver);
  for (guint i = 0; i < 70; i++) {
    FaspIoPiece piece = { bytes, sizeof bytes, NULL };
    gsize done = 0;

    g_assert_cmpint (fasp_io_write (sender, 0, &piece, 1, &done, &event), ==, FASP_IO_OK);
    g_assert_cmpuint (done, ==, sizeof bytes);
  }
  end_drain (sender);
  g_assert_cmpuint (GPOINTER_TO_SIZE (g_thread_join (reader)), ==, 70 * sizeof bytes);
  fasp_io_free (sender);
  fasp_io_free (receiver);
  if (buffer_max > 0) {
    g_assert_cmpint (s.told, ==, 1);
    g_assert_cmpuint (s.rate / 8 / 50, >=, s.granted);
    g_assert_cmpuint (s.granted, ==, buffer_max);
    g_assert_cmpuint (s.wanted, >, s.granted);
  } else {
    g_assert_cmpint (s.told, ==, 0);
  }
}

/* A kernel that does something not, for a while in the midst of a stream: it is not asked for that
 * all the time, the stream is whole, and what is closed then is closed. @data: what. */
static void
test_broken (gconstpointer data)
{
  static const guint8 bytes[1000];
  const gint64 pause = 50 * G_TIME_SPAN_MILLISECOND;
  Short s = { 0 };
  FaspIo *receiver = new_io (FASP_ROLE_RECEIVER, FASP_MODE_LISTENER, 0, 0, &s);
  FaspIo *sender =
      new_io (FASP_ROLE_SENDER, FASP_MODE_CALLER, fasp_io_get_port (receiver), 8000000, &s);
  GThread *reader = g_thread_new ("reader", read_all, receiver);
  FaspEvent event;
  gint64 since;

  for (guint i = 0; i < 300; i++) {
    FaspIoPiece piece = { bytes, sizeof bytes, NULL };
    gsize done = 0;

    if (i == 150) {
      g_atomic_int_set (&asked, 0);
      g_atomic_int_set (&broken, GPOINTER_TO_INT (data));
    }
    g_assert_cmpint (fasp_io_write (sender, 0, &piece, 1, &done, &event), ==, FASP_IO_OK);
    if (i != 150)
      continue;
    /* what was just written is to be sent */
    wait_for_count (&asked, 1);
    since = g_get_monotonic_time ();
    g_usleep (pause);
    /* some at first, and then two threads in turns of 1 ms: a busy loop would ask each µs */
    g_assert_cmpint (g_atomic_int_get (&asked), <, 300 + (g_get_monotonic_time () - since) / 100);
    g_atomic_int_set (&broken, WORKS);
  }
  end_drain (sender);
  g_assert_cmpuint (GPOINTER_TO_SIZE (g_thread_join (reader)), ==, 300 * sizeof bytes);
  g_atomic_int_set (&broken, GPOINTER_TO_INT (data));
  fasp_io_free (sender);
  fasp_io_free (receiver);
  g_atomic_int_set (&broken, WORKS);
}

/* Two links refuse for different reasons: each reason is told once. */
static void
test_refusals (void)
{
  EndSettings settings;
  gint refusals = 0;
  FaspIo *sender;

  end_settings_init (&settings, FASP_ROLE_SENDER, FASP_MODE_CALLER, 9, &refusals);
  settings.io.send_failed = on_send_failed;
  settings.io.receive_failed = on_deaf;
  sender = end_new (&settings);
  g_atomic_int_set (&refusals, 0);
  g_atomic_int_set (&asked, 0);
  g_atomic_int_set (&broken, REFUSES);
  wait_for_count (&asked, 16);
  fasp_io_free (sender);
  g_atomic_int_set (&broken, WORKS);
  g_assert_cmpint (refusals, ==, 2);
}

static void
on_absent (const gchar *host, const GError *error, gpointer times)
{
  g_test_message ("%s: %s", host, error->message);
  g_atomic_int_inc ((gint *) times);
}

/* Lets the time be over that a peer has, and waits until the next one is looked for. */
static void
go_to_next_peer (FaspIo *io, guint names)
{
  gint before = g_atomic_int_get (&lookups);
  guint serial, next, wanted, looks = 0;

  fasp_endpoint_get_wanted_peer (fasp_io_lock (io), &serial);
  fasp_io_unlock (io, FALSE);
  __atomic_add_fetch (&ahead, 3 * FASP_SEC, __ATOMIC_RELAXED);
  do {
    wanted = fasp_endpoint_get_wanted_peer (fasp_io_lock (io), &next);
    fasp_io_unlock (io, TRUE);
    pause_before_look (&looks);
  } while (next == serial);
  while (wanted < names && g_atomic_int_get (&lookups) == before)
    pause_before_look (&looks);
}

/* Calls @host, then each of @fallbacks; @told: how many could not be looked up. */
static FaspIo *
call_names (const gchar *host, const FaspIoPeer *fallbacks, guint n, gint *told)
{
  EndSettings settings;

  end_settings_init (&settings, FASP_ROLE_RECEIVER, FASP_MODE_CALLER, 9, told);
  settings.io.resolve_failed = on_absent;
  settings.io.peer_host = host;
  settings.io.fallbacks = fallbacks;
  settings.io.n_fallbacks = n;
  return end_new (&settings);
}

/* Of several peers none can be reached: two names that do not exist, and an address of the other
 * kind. Each is told of once, not each time that it has its turn. */
static void
test_absent (void)
{
  static const FaspIoPeer fallbacks[] = { { "two.invalid", 9 }, { "::1", 9 } };
  gint told = 0;
  FaspIo *io = call_names ("one.invalid", fallbacks, G_N_ELEMENTS (fallbacks), &told);
  guint turns = 0;

  for (; g_atomic_int_get (&told) < 3; turns++) {
    g_assert_cmpuint (turns, <, 100);
    go_to_next_peer (io, 2);
  }
  for (guint i = 0; i < 6; i++)
    go_to_next_peer (io, 2);
  fasp_io_free (io);
  g_assert_cmpint (told, ==, 3);
}

/* A name whose address is found when its turn is over: it is not called in the turn of the next
 * one. */
static void
test_found_late (void)
{
  static const FaspIoPeer fallbacks[] = { { "two.invalid", 9 } };
  gint told = 0;
  FaspIo *io = call_names ("slow.invalid", fallbacks, G_N_ELEMENTS (fallbacks), &told);
  gboolean called;

  /* names are looked up one after the other: by now the first one's address is here */
  go_to_next_peer (io, G_N_ELEMENTS (fallbacks) + 1);
  called = fasp_io_lock (io)->calling->call.has_peer;
  fasp_io_unlock (io, FALSE);
  g_assert_false (called);
  fasp_io_free (io);
}

/* Whichever of its threads cannot be made, it does not begin, and says why. */
static void
test_no_threads (void)
{
  FaspSocketSettings links[] = {
    { .local_address = "127.0.0.1", .tos = -1 },
    { .local_address = "127.0.0.1", .tos = -1 },
  };
  EndSettings settings;
  FaspIo *io = NULL;
  gint n = 0;

  end_settings_init (&settings, FASP_ROLE_RECEIVER, FASP_MODE_CALLER, 9, NULL);
  settings.io.sockets = links;
  settings.io.n_sockets = settings.io.flowlets = settings.io.threads = 2;
  settings.io.peer_host = "localhost";
  for (; io == NULL; n++) {
    g_autoptr (GError) error = NULL;

    threads_left = n;
    io = fasp_io_new (&settings.io, &error);
    g_assert_true ((io == NULL) == (error != NULL));
    g_assert_true (io != NULL || strstr (error->message, "Raise the limit"));
  }
  threads_left = -1;
  /* one that receives beside, the resolver's, and its own */
  g_assert_cmpint (n, ==, 1 + 3);
  fasp_io_free (io);
}

/* When the kernel does not hand over what comes in, the reason is told once, to each end of a
 * shared port. */
static void
test_deaf (void)
{
  static const gchar *const streamids[] = { "one", "other" };
  FaspIo *listeners[G_N_ELEMENTS (streamids)], *caller;
  gint told[G_N_ELEMENTS (streamids)] = { 0 };
  EndSettings settings;
  Short s = { 0 };

  g_atomic_int_set (&broken, NO_RECEIVE);
  end_settings_init (&settings, FASP_ROLE_RECEIVER, FASP_MODE_LISTENER, 0, NULL);
  settings.io.receive_failed = on_deaf;
  for (guint i = 0; i < G_N_ELEMENTS (streamids); i++) {
    settings.io.endpoint.streamid = streamids[i];
    settings.io.user_data = &told[i];
    listeners[i] = end_new (&settings);
    settings.link.local_port = fasp_io_get_port (listeners[i]);
  }
  caller = new_io (FASP_ROLE_SENDER, FASP_MODE_CALLER, settings.link.local_port, 0, &s);
  for (guint i = 0; i < G_N_ELEMENTS (streamids); i++)
    wait_for_count (&told[i], 1);
  fasp_io_free (caller);
  for (guint i = 0; i < G_N_ELEMENTS (streamids); i++)
    fasp_io_free (listeners[i]);
  g_atomic_int_set (&broken, WORKS);
  for (guint i = 0; i < G_N_ELEMENTS (streamids); i++)
    g_assert_cmpint (told[i], ==, 1);
}

/* A sandbox without random numbers: nothing begins, and the process lives. */
static void
test_no_random (void)
{
  static const FaspMode modes[] = { FASP_MODE_CALLER, FASP_MODE_LISTENER };

  g_atomic_int_set (&broken, NO_RANDOM);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_autoptr (GError) error = NULL;
    EndSettings settings;

    end_settings_init (&settings, FASP_ROLE_RECEIVER, modes[i], 0, NULL);
    g_assert_null (fasp_io_new (&settings.io, &error));
    g_assert_nonnull (strstr (error->message, "random"));
  }
  g_atomic_int_set (&broken, WORKS);
}

/* An end that has an address reaches peers of that family only, and does not begin with others. */
static void
test_families (void)
{
  static const struct
  {
    const gchar *own, *peer;
    gboolean good;
  } cases[] = {
    { "127.0.0.1", "127.0.0.1", TRUE },
    { "127.0.0.1", "::1", FALSE },
    { "::1", "::1", TRUE },
    { "::1", "127.0.0.1", FALSE },
    { "::", "::1", TRUE },
    { "::", "127.0.0.1", TRUE },
    { "::ffff:127.0.0.1", "127.0.0.1", TRUE },
  };
  gint fd = socket (AF_INET6, SOCK_DGRAM, 0);

  if (fd < 0) {
    g_test_skip ("a machine without IPv6");
    return;
  }
  close (fd);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    EndSettings settings;
    FaspIo *io;

    end_settings_init (&settings, FASP_ROLE_RECEIVER, FASP_MODE_CALLER, 9, NULL);
    settings.link.local_address = cases[i].own;
    settings.io.peer_host = cases[i].peer;
    io = fasp_io_new (&settings.io, &error);
    g_assert_cmpint (io != NULL, ==, cases[i].good);
    if (io == NULL)
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE);
    fasp_io_free (io);
  }
}

/* An interface that is another one by now is followed, by an end that dials and at a port. */
static void
test_interface (void)
{
  static const FaspMode modes[] = { FASP_MODE_CALLER, FASP_MODE_LISTENER };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    EndSettings settings;
    FaspIo *io;

    end_settings_init (&settings, FASP_ROLE_RECEIVER, modes[i], 0, NULL);
    settings.link.interface = "wwan0";
    g_atomic_int_set (&bound, 0);
    io = end_new (&settings);
    g_assert_cmpint (g_atomic_int_get (&bound), ==, 1);
    g_atomic_int_set (&replaced, TRUE);
    wait_for_count (&bound, 2);
    fasp_io_free (io);
    g_assert_cmpint (g_atomic_int_get (&bound), ==, 2);
  }
}

/* Each link is one thread's, and no thread is without. */
static void
test_receivers (void)
{
  static const struct
  {
    guint wanted, links, processors, threads;
  } cases[] = {
    { 0, 1, 64, 1 },
    { 0, 8, 1, 1 },
    { 0, 8, 2, 1 },
    { 0, 8, 8, 4 },
    { 0, 8, 64, 8 },
    { 1, 8, 64, 1 },
    { 3, 8, 2, 3 },
    { 64, 8, 2, 8 },
    { 64, 64, 2, 64 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint n = cases[i].links;
    guint threads = fasp_receivers_choose (cases[i].wanted, n, cases[i].processors);
    guint64 all = 0;

    g_assert_cmpuint (threads, ==, cases[i].threads);
    for (guint t = 0; t < threads; t++) {
      guint64 share = fasp_receivers_get_share (t, threads, n);

      g_assert_cmphex (share & all, ==, 0);
      g_assert_cmphex (share, !=, 0);
      all |= share;
    }
    g_assert_cmphex (all, ==, G_MAXUINT64 >> (64 - n));
  }
}

/* Each state leads to the next one, whatever is called twice; no other change is allowed. */
static void
test_states (void)
{
  FaspIo *io = new_io (FASP_ROLE_SENDER, FASP_MODE_LISTENER, 0, 0, NULL);

  g_assert_cmpint (io->state, ==, FASP_IO_RUNNING);
  for (guint i = 0; i < 2; i++) {
    fasp_io_begin_close (io);
    g_assert_cmpint (io->state, ==, FASP_IO_CLOSING);
  }
  for (guint i = 0; i < 2; i++) {
    fasp_io_close (io);
    g_assert_cmpint (io->state, ==, FASP_IO_CLOSED);
  }
  fasp_io_free (io);
  for (guint from = FASP_IO_OPENING; from <= FASP_IO_CLOSED; from++)
    for (guint to = FASP_IO_OPENING; to <= FASP_IO_CLOSED; to++) {
      FaspIo made = { .state = from };

      if (to != from + 1)
        g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_CRITICAL, "*state*");
      fasp_io_enter (&made, to);
      g_test_assert_expected_messages ();
      g_assert_cmpint (made.state, ==, to == from + 1 ? to : from);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/io/states", test_states);
  g_test_add_func ("/io/receivers", test_receivers);
  g_test_add_func ("/io/interface", test_interface);
  g_test_add_func ("/io/refusals", test_refusals);
  g_test_add_func ("/io/no-threads", test_no_threads);
  g_test_add_func ("/io/absent", test_absent);
  g_test_add_func ("/io/found-late", test_found_late);
  g_test_add_func ("/io/no-random", test_no_random);
  g_test_add_func ("/io/families", test_families);
  g_test_add_func ("/io/deaf", test_deaf);
  g_test_add_data_func ("/io/broken/poll", GINT_TO_POINTER (NO_POLL), test_broken);
  g_test_add_data_func ("/io/broken/receive", GINT_TO_POINTER (NO_RECEIVE), test_broken);
  g_test_add_data_func ("/io/broken/send", GINT_TO_POINTER (NO_SEND), test_broken);
  g_test_add_data_func ("/io/buffer/small", GINT_TO_POINTER (20000), test_buffer);
  g_test_add_data_func ("/io/buffer/enough", GINT_TO_POINTER (0), test_buffer);
  return g_test_run ();
}
