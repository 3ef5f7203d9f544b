/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaychild.h"
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gio/gio.h>
#include "relayprocess.h"

#define PROGRAM "fasp-picture"
#define READ (64 * 1024) /* bytes at a time */

typedef enum
{
  NONE,
  RUNNING,
  ENDING, /* killed, and not gone yet */
} State;

struct _RelayChild
{
  gint users; /* atomic: the owner, and the watch of a process */
  gchar *called;
  RelayStreamTap *tap;
  RelayChildFuncs funcs;
  gpointer data;
  State state;
  GPid pid;
  PictureRing *ring;
  gint socket; /* its frames; it is woken by the other direction */
  guint source;
  PictureFrames *frames;
};

RelayChild *
relay_child_new (const gchar *called, RelayStreamTap *tap, const RelayChildFuncs *funcs,
    gpointer data)
{
  RelayChild *child = g_new0 (RelayChild, 1);

  child->users = 1;
  child->called = g_strdup (called);
  child->tap = tap;
  child->funcs = *funcs;
  child->data = data;
  child->socket = -1;
  return child;
}

void
relay_child_unref (RelayChild *child)
{
  if (!g_atomic_int_dec_and_test (&child->users))
    return;
  g_free (child->called);
  g_free (child);
}

gboolean
relay_child_may_start (const RelayChild *child)
{
  return child->state == NONE;
}

/* --- its end -------------------------------------------------------------------------------- */

/* Closes what leads to and from the process. */
static void
disconnect (RelayChild *child)
{
  relay_stream_tap_set_ring (child->tap, NULL, -1);
  if (child->source != 0)
    g_source_remove (child->source);
  child->source = 0;
  if (child->socket >= 0)
    close (child->socket);
  child->socket = -1;
  g_clear_pointer (&child->ring, picture_ring_free);
  g_clear_pointer (&child->frames, picture_frames_free);
}

void
relay_child_kill (RelayChild *child)
{
  if (child->state != RUNNING)
    return;
  disconnect (child);
  kill (child->pid, SIGKILL);
  child->state = ENDING;
}

static gchar *
describe_end (const RelayChild *child, gint status)
{
  if (WIFSIGNALED (status))
    return g_strdup_printf ("The %s was ended by signal %d (%s).", child->called, WTERMSIG (status),
        g_strsignal (WTERMSIG (status)));
  if (WEXITSTATUS (status) == PICTURE_EXIT_NO_SANDBOX)
    return g_strdup_printf ("The %s does not run without seccomp, which is not possible here.",
        child->called);
  return WEXITSTATUS (status) == 0 ?
      NULL :
      g_strdup_printf ("The %s ended with status %d.", child->called, WEXITSTATUS (status));
}

static gboolean
on_end (gint fd, GIOCondition condition, gpointer data)
{
  RelayChild *child = data;
  gboolean by_itself = child->state == RUNNING;
  gint status = relay_process_reap (child->pid, fd);

  if (by_itself)
    disconnect (child);
  child->state = NONE;
  if (by_itself)
    child->funcs.ended (describe_end (child, status), child->data);
  relay_child_unref (child);
  return G_SOURCE_REMOVE;
}

/* --- what it says --------------------------------------------------------------------------- */

static void
refuse (RelayChild *child, const gchar *what)
{
  gchar *why = g_strdup_printf ("The %s said %s.", child->called, what);

  relay_child_kill (child);
  child->funcs.ended (why, child->data);
}

/* The owner may kill the process when it takes a frame. */
static void
take_all (RelayChild *child)
{
  PictureResult result = PICTURE_FRAME;
  PictureFrame frame;

  while (result == PICTURE_FRAME && child->state == RUNNING) {
    result = picture_frames_pop (child->frames, &frame);
    if (result == PICTURE_FRAME && !child->funcs.take (&frame, child->data))
      result = PICTURE_BAD;
  }
  if (result == PICTURE_BAD && child->state == RUNNING)
    refuse (child, "what it should not");
}

static gboolean
on_readable (gint fd, GIOCondition condition, gpointer data)
{
  RelayChild *child = data;
  guint8 bytes[READ];
  gssize n = read (fd, bytes, sizeof bytes);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return G_SOURCE_CONTINUE;
  if (n <= 0) {
    /* the process has ended, which on_end() handles, or has only closed the socket */
    child->source = 0;
    return G_SOURCE_REMOVE;
  }
  if (picture_frames_push (child->frames, bytes, n))
    take_all (child);
  else
    refuse (child, "more than it should");
  return child->source != 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* --- its beginning ------------------------------------------------------------------------- */

/* Returns the path of the program: beside this one, as after a build, or where it is installed. */
static gchar *
find_program (void)
{
  g_autofree gchar *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree gchar *folder = self != NULL ? g_path_get_dirname (self) : NULL;
  gchar *path = folder != NULL ? g_build_filename (folder, PROGRAM, NULL) : NULL;

  if (path != NULL && g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
    return path;
  g_free (path);
  return g_build_filename (PICTURE_DIR, PROGRAM, NULL);
}

/* Returns the environment without variables that make GStreamer write logs, traces and files. */
static gchar **
make_environment (void)
{
  static const gchar *const not[] = { "GST_DEBUG", "GST_DEBUG_FILE", "GST_TRACERS",
    "GST_DEBUG_DUMP_DOT_DIR", "G_MESSAGES_DEBUG" };
  gchar **all = g_get_environ ();

  for (guint i = 0; i < G_N_ELEMENTS (not); i++)
    all = g_environ_unsetenv (all, not[i]);
  return all;
}

static void
set_error (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (errno), g_strerror (errno));
}

/* Starts the program. Its standard input is the ring, its standard output its end of the socket.
 * FALSE: it cannot be started. */
static gboolean
spawn (RelayChild *child, const gchar *argument, GError **error)
{
  g_autofree gchar *program = find_program ();
  const gchar *argv[] = { program, argument, NULL };
  g_auto (GStrv) environment = make_environment ();
  gint ring, ends[2];
  gboolean good;

  child->ring = picture_ring_new (&ring);
  if (child->ring == NULL || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    set_error (error);
    if (child->ring != NULL)
      close (ring);
    return FALSE;
  }
  child->socket = ends[0];
  good = g_spawn_async_with_fds (NULL, (gchar **) argv, environment,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &child->pid, ring,
      ends[1], -1, error);
  close (ring);
  close (ends[1]);
  if (!good || relay_process_watch (child->pid, on_end, child))
    return good;
  set_error (error);
  kill (child->pid, SIGKILL);
  relay_process_reap (child->pid, -1);
  return FALSE;
}

gchar *
relay_child_start (RelayChild *child, const gchar *argument, PictureFrames *frames)
{
  g_autoptr (GError) error = NULL;

  child->frames = frames;
  if (!spawn (child, argument, &error)) {
    disconnect (child);
    return g_strdup_printf ("The %s cannot be started: %s.", child->called, error->message);
  }
  g_unix_set_fd_nonblocking (child->socket, TRUE, NULL);
  relay_stream_tap_set_ring (child->tap, child->ring, child->socket);
  child->source = g_unix_fd_add (child->socket, G_IO_IN | G_IO_HUP, on_readable, child);
  child->state = RUNNING;
  g_atomic_int_inc (&child->users);
  return NULL;
}
