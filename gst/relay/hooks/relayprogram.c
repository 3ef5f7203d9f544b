/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayprogram.h"
#include <gio/gio.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <gst/gst.h>
#include "relaylog.h"

struct _RelayProgram
{
  gint users; /* the output, and each call; atomic */
  gchar **words;
  guint most;       /* s */
  GMutex lock;      /* guards the rest */
  GPtrArray *calls; /* Call, those that run */
  gboolean ended;
};

/* Used in the main context, but for the process. */
typedef struct
{
  RelayProgram *program;
  GSubprocess *process;
  gchar *what; /* the reason of the call: a path, or an event */
  guint timer;
  gboolean late;
} Call;

RelayProgram *
relay_program_new (const gchar *const *words, guint most)
{
  RelayProgram *program = g_new0 (RelayProgram, 1);

  program->users = 1;
  program->words = g_strdupv ((gchar **) words);
  program->most = most;
  program->calls = g_ptr_array_new ();
  g_mutex_init (&program->lock);
  return program;
}

static void
unref (RelayProgram *program)
{
  if (!g_atomic_int_dec_and_test (&program->users))
    return;
  g_ptr_array_unref (program->calls);
  g_mutex_clear (&program->lock);
  g_strfreev (program->words);
  g_free (program);
}

/* Kills the process and its group. NULL: it has ended, and its number may be another's. */
static void
kill_call (gpointer data, gpointer unused)
{
  const gchar *pid = g_subprocess_get_identifier (((Call *) data)->process);

  if (pid != NULL)
    kill (-atoi (pid), SIGKILL);
}

void
relay_program_free (RelayProgram *program)
{
  g_mutex_lock (&program->lock);
  program->ended = TRUE;
  g_ptr_array_foreach (program->calls, kill_call, NULL);
  g_mutex_unlock (&program->lock);
  unref (program);
}

static gboolean
on_late (gpointer data)
{
  Call *call = data;

  call->timer = 0;
  call->late = TRUE;
  kill_call (call, NULL);
  return G_SOURCE_REMOVE;
}

/* Logs what is wrong with a call. @text: between the names of the program and of what it was called
 * for. */
static void G_GNUC_PRINTF (3, 4)
    warn (const RelayProgram *program, const gchar *what, const gchar *format, ...)
{
  g_autoptr (GstStructure) details = gst_structure_new_empty (RELAY_LOG_HOOK_FAILED);
  g_autofree gchar *text = NULL, *line = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  line = g_strdup_printf ("%s %s: %s.", program->words[0], text, what);
  relay_log_end (NULL, NULL, G_LOG_LEVEL_WARNING, details, line);
}

/* Logs how a call has ended, unless it is well. */
static void
log_end (const Call *call)
{
  GSubprocess *process = call->process;

  if (call->late)
    warn (call->program, call->what, "was killed, as it had not ended after %u s",
        call->program->most);
  else if (!g_subprocess_get_if_exited (process))
    warn (call->program, call->what, "was ended by signal %d", g_subprocess_get_term_sig (process));
  else if (g_subprocess_get_exit_status (process) != 0)
    warn (call->program, call->what, "has failed, with status %d",
        g_subprocess_get_exit_status (process));
}

static void
on_end (GObject *object, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  RelayProgram *program = call->program;
  gboolean ended;

  g_subprocess_wait_finish (call->process, result, NULL);
  g_mutex_lock (&program->lock);
  g_ptr_array_remove_fast (program->calls, call);
  ended = program->ended;
  g_mutex_unlock (&program->lock);
  if (!ended)
    log_end (call);
  if (call->timer != 0)
    g_source_remove (call->timer);
  g_object_unref (call->process);
  g_free (call->what);
  g_free (call);
  unref (program);
}

/* In the main context. */
static gboolean
follow (gpointer data)
{
  Call *call = data;

  call->timer = g_timeout_add_seconds (call->program->most, on_late, call);
  g_subprocess_wait_async (call->process, NULL, on_end, call);
  return G_SOURCE_REMOVE;
}

/* Between fork() and exec(). */
static void
lead_group (gpointer unused)
{
  setpgid (0, 0);
}

/* Starts the process. NULL: it cannot be started. */
static GSubprocess *
spawn (const RelayProgram *program, const gchar *path, GBytes *input, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE
          | G_SUBPROCESS_FLAGS_STDERR_SILENCE
          | (input != NULL ? G_SUBPROCESS_FLAGS_STDIN_PIPE : G_SUBPROCESS_FLAGS_NONE));
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  GSubprocess *process;

  for (guint i = 0; program->words[i] != NULL; i++)
    g_ptr_array_add (words, program->words[i]);
  if (path != NULL)
    g_ptr_array_add (words, (gpointer) path);
  g_ptr_array_add (words, NULL);
  g_subprocess_launcher_set_child_setup (launcher, lead_group, NULL, NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const gchar *const *) words->pdata, error);
  if (process != NULL && input != NULL) {
    GOutputStream *pipe = g_subprocess_get_stdin_pipe (process);

    /* does not wait, as the pipe is empty; fails if the program has closed it */
    g_output_stream_write_all (pipe, g_bytes_get_data (input, NULL),
        MIN (g_bytes_get_size (input), RELAY_PROGRAM_INPUT), NULL, NULL, NULL);
    g_output_stream_close (pipe, NULL, NULL);
  }
  return process;
}

gboolean
relay_program_call (RelayProgram *program, const gchar *path, GBytes *input)
{
  const gchar *what = path != NULL ? path : "an event";
  g_autoptr (GError) error = NULL;
  GSubprocess *process;
  Call *call;
  guint running;

  g_mutex_lock (&program->lock);
  running = program->calls->len;
  g_mutex_unlock (&program->lock);
  if (running == RELAY_PROGRAM_MOST) {
    if (input == NULL)
      warn (program, what, "is not called, as it runs %u times already", running);
    return FALSE;
  }
  /* without the lock, as this waits for the disk with the program */
  process = spawn (program, path, input, &error);
  if (process == NULL) {
    warn (program, what, "cannot be called (%s)", error->message);
    return TRUE;
  }
  call = g_new0 (Call, 1);
  call->process = process;
  call->program = program;
  call->what = g_strdup (what);
  g_atomic_int_inc (&program->users);
  g_mutex_lock (&program->lock);
  g_ptr_array_add (program->calls, call);
  g_mutex_unlock (&program->lock);
  g_idle_add (follow, call);
  return TRUE;
}
