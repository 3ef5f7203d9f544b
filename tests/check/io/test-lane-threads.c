/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One sender with several threads that send, and receivers for all of them, over the
 * loopback interface.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "ends.h"
#include "fasplanes.h"

#define LANES 3
#define RECEIVERS (2 * FASP_LANE_FULL + 12)
#define WRITE 1316
#define WRITES 300
/* The longest wait for another thread. */
#define WAIT_MAX (30 * G_TIME_SPAN_SECOND)

/* Set before there are threads. */
static gboolean interrupting;
static gint interrupted; /* atomic: waits that ended with EINTR */

/* Each thread is interrupted at its first wait, its third, and so on. */
static gboolean
is_interrupted (void)
{
  static _Thread_local gboolean now;

  now = interrupting && !now;
  if (now) {
    g_atomic_int_inc (&interrupted);
    errno = EINTR;
  }
  return now;
}

int
ppoll (struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
  static int (*real) (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

  if (is_interrupted ())
    return -1;
  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "ppoll");
  return real (fds, n, timeout, mask);
}

/* The wait of other systems than Linux (-Dio). */
int
poll (struct pollfd *fds, nfds_t n, int timeout)
{
  static int (*real) (struct pollfd *, nfds_t, int);

  if (is_interrupted ())
    return -1;
  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "poll");
  return real (fds, n, timeout);
}

typedef struct
{
  GMutex lock;
  GCond changed;
  guint connected, removed;
} Callers;

static void
on_sender_event (FaspIo *io, const FaspEvent *event, gpointer data)
{
  Callers *callers = data;

  g_mutex_lock (&callers->lock);
  callers->connected += event->type == FASP_EVENT_CONNECTED;
  callers->removed += event->type == FASP_EVENT_REMOVED;
  g_cond_broadcast (&callers->changed);
  g_mutex_unlock (&callers->lock);
}

/* The sender listens, and tells @callers. */
static FaspIo *
new_io (FaspRole role, guint16 peer, Callers *callers)
{
  gboolean sends = role == FASP_ROLE_SENDER;
  EndSettings settings;

  end_settings_init (&settings, role, sends ? FASP_MODE_LISTENER : FASP_MODE_CALLER, peer, callers);
  settings.link.buffer = 1 << 18;
  settings.io.threads = sends ? LANES : 1;
  if (sends)
    settings.io.event = on_sender_event;
  settings.io.endpoint.settings.max_bitrate = 20000000;
  settings.io.endpoint.buffer_size = 1 << 20;
  return end_new (&settings);
}

static guint8
byte_at (gsize offset)
{
  return offset * 31 + (offset >> 8);
}

/* From the first byte to the end. */
static void
read_whole (FaspIo *io)
{
  gboolean eos = FALSE;
  gsize offset = 0;

  while (!eos) {
    FaspRead items[64];
    FaspEvent event;
    guint n;

    g_assert_cmpint (fasp_io_read (io, items, 64, &n, &event), ==, FASP_IO_OK);
    for (guint i = 0; i < n; i++) {
      const FaspBlock *block = items[i].block;

      for (guint32 k = 0; k < block->size; k++)
        g_assert_cmphex (block->data[k], ==, byte_at (offset + k));
      offset += block->size;
      eos = (block->flags & FASP_BLOCK_EOS) != 0;
      fasp_block_unref (items[i].block);
    }
  }
  g_assert_cmpuint (offset, ==, WRITE * WRITES);
}

static guint
count_threads (const gchar *name)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const gchar *task;
  guint n = 0;

  g_assert_nonnull (tasks);
  while ((task = g_dir_read_name (tasks)) != NULL) {
    g_autofree gchar *path = g_strdup_printf ("/proc/self/task/%s/comm", task);
    g_autofree gchar *comm = NULL;

    if (g_file_get_contents (path, &comm, NULL, NULL))
      n += g_str_equal (g_strchomp (comm), name);
  }
  return n;
}

static void
wait_for (Callers *callers, const guint *count, guint n)
{
  gint64 until = g_get_monotonic_time () + WAIT_MAX;

  g_mutex_lock (&callers->lock);
  while (*count < n)
    g_assert_true (g_cond_wait_until (&callers->changed, &callers->lock, until));
  g_mutex_unlock (&callers->lock);
}

/* All have all of it, whichever thread sends to them, and some leave on the way. */
static void
test_all (void)
{
  Callers callers = { 0 };
  FaspIo *sender = new_io (FASP_ROLE_SENDER, 0, &callers);
  guint16 port = fasp_io_get_port (sender);
  FaspIo *receivers[RECEIVERS];
  FaspEvent event;

  for (guint i = 0; i < RECEIVERS; i++)
    receivers[i] = new_io (FASP_ROLE_RECEIVER, port, NULL);
  wait_for (&callers, &callers.connected, RECEIVERS);
  g_assert_cmpuint (count_threads ("fasp-send"), ==, LANES - 1);
  for (guint n = 0; n < WRITES; n++) {
    guint8 bytes[WRITE];
    FaspIoPiece piece = { bytes, sizeof bytes, NULL };
    gsize done = 0;

    for (guint k = 0; k < WRITE; k++)
      bytes[k] = byte_at (n * WRITE + k);
    g_assert_cmpint (fasp_io_write (sender, 0, &piece, 1, &done, &event), ==, FASP_IO_OK);
    if (n == WRITES / 2) {
      /* one of each lane */
      g_clear_pointer (&receivers[0], fasp_io_free);
      g_clear_pointer (&receivers[FASP_LANE_FULL], fasp_io_free);
      g_clear_pointer (&receivers[RECEIVERS - 1], fasp_io_free);
    }
  }
  wait_for (&callers, &callers.removed, 3);
  end_drain (sender);
  for (guint i = 0; i < RECEIVERS; i++)
    if (receivers[i] != NULL)
      read_whole (receivers[i]);
  fasp_io_free (sender);
  g_assert_cmpuint (count_threads ("fasp-send"), ==, 0);
  for (guint i = 0; i < RECEIVERS; i++)
    g_clear_pointer (&receivers[i], fasp_io_free);
}

/* Half of all waits are interrupted at once: the threads look again at what is due and at what has
 * come, and lose no wakeup. */
static void
test_interrupted (void)
{
  interrupting = TRUE;
  test_all ();
  interrupting = FALSE;
  g_assert_cmpint (interrupted, >, WRITES);
}

/* The kernel gives no more files, wherever that may be: an error that says what to do, and all
 * that there was is gone. */
static void
test_no_files (void)
{
  struct rlimit before, less;
  EndSettings settings;
  guint refused = 0;
  FaspIo *io = NULL;

  end_settings_init (&settings, FASP_ROLE_SENDER, FASP_MODE_LISTENER, 0, NULL);
  settings.link.buffer = 1 << 18;
  settings.io.threads = LANES;
  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
  for (guint files = 0; io == NULL && files < 20; files++) {
    g_autoptr (GError) error = NULL;
    gint first = dup (0);

    close (first);
    less = (struct rlimit) { first + files, before.rlim_max };
    g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &less), ==, 0);
    io = fasp_io_new (&settings.io, &error);
    g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
    g_assert_true ((io == NULL) == (error != NULL));
    refused += io == NULL;
    g_assert_cmpint (fcntl (first, F_GETFD), ==, io == NULL ? -1 : FD_CLOEXEC);
  }
  /* the socket, an event counter for each that sends, the receivers' */
  g_assert_cmpuint (refused, >=, 1 + LANES + 1);
  g_assert_nonnull (io);
  fasp_io_free (io);
}

/* As many as are wanted, or there are processors, within bounds. */
static void
test_choose (void)
{
  g_assert_cmpuint (fasp_lanes_choose (0, 1), ==, 1);
  g_assert_cmpuint (fasp_lanes_choose (0, 8), ==, 8);
  g_assert_cmpuint (fasp_lanes_choose (0, 128), ==, FASP_LANES_MAX);
  g_assert_cmpuint (fasp_lanes_choose (1, 8), ==, 1);
  g_assert_cmpuint (fasp_lanes_choose (5, 2), ==, 5);
  g_assert_cmpuint (fasp_lanes_choose (64, 2), ==, FASP_LANES_MAX);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lanes/choose", test_choose);
  g_test_add_func ("/lanes/no-files", test_no_files);
  g_test_add_func ("/lanes/all", test_all);
  g_test_add_func ("/lanes/interrupted", test_interrupted);
  return g_test_run ();
}
