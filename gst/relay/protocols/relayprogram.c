/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayprogram.h"
#include <gio/gio.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "relaylog.h"

struct _RelayProgram
{
  gint users; /* the output, and each call; atomic */
  gchar *name;
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
  gchar *path;
  guint timer;
  gboolean late;
} Call;

RelayProgram *
relay_program_new (const gchar *name, guint most)
{
  RelayProgram *program = g_new0 (RelayProgram, 1);

  program->users = 1;
  program->name = g_strdup (name);
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
  g_free (program->name);
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

/* Logs how a call has ended, unless it is well. */
static void
log_end (const Call *call)
{
  GSubprocess *process = call->process;

  if (call->late)
    relay_log_warning (NULL, "%s was killed, as it had not ended after %u s: %s.",
        call->program->name, call->program->most, call->path);
  else if (!g_subprocess_get_if_exited (process))
    relay_log_warning (NULL, "%s was ended by signal %d: %s.", call->program->name,
        g_subprocess_get_term_sig (process), call->path);
  else if (g_subprocess_get_exit_status (process) != 0)
    relay_log_warning (NULL, "%s has failed, with status %d: %s.", call->program->name,
        g_subprocess_get_exit_status (process), call->path);
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
  g_free (call->path);
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

void
relay_program_call (RelayProgram *program, const gchar *path)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE
          | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autoptr (GError) error = NULL;
  GSubprocess *process;
  Call *call;
  guint running;

  g_mutex_lock (&program->lock);
  running = program->calls->len;
  g_mutex_unlock (&program->lock);
  if (running == RELAY_PROGRAM_MOST) {
    relay_log_warning (NULL, "%s is not called, as it runs %u times already: %s.", program->name,
        running, path);
    return;
  }
  g_subprocess_launcher_set_child_setup (launcher, lead_group, NULL, NULL);
  /* without the lock, as this waits for the disk with the program */
  process = g_subprocess_launcher_spawn (launcher, &error, program->name, path, NULL);
  if (process == NULL) {
    relay_log_warning (NULL, "%s cannot be called (%s): %s.", program->name, error->message, path);
    return;
  }
  call = g_new0 (Call, 1);
  call->process = process;
  call->program = program;
  call->path = g_strdup (path);
  g_atomic_int_inc (&program->users);
  g_mutex_lock (&program->lock);
  g_ptr_array_add (program->calls, call);
  g_mutex_unlock (&program->lock);
  g_idle_add (follow, call);
}
