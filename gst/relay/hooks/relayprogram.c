/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayprogram.h"
#include <errno.h>
#include <gio/gunixoutputstream.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gst/gst.h>
#include "relaylog.h"
#include "relayprocess.h"
#include "relayrepeats.h"

struct _RelayProgram
{
  gchar **words;
  guint most; /* s */
  RelayRepeats *repeats;
  GPtrArray *calls; /* Call, those that run */
  gboolean ended;   /* it is freed with the last of them */
};

typedef struct
{
  RelayProgram *program;
  GPid pid; /* of the process, and of its group */
  guint timer;
  gboolean late;
} Call;

RelayProgram *
relay_program_new (const gchar *const *words, guint most)
{
  RelayProgram *program = g_new0 (RelayProgram, 1);

  program->words = g_strdupv ((gchar **) words);
  program->most = most;
  program->repeats = relay_repeats_new ();
  program->calls = g_ptr_array_new ();
  return program;
}

static void
free_unused (RelayProgram *program)
{
  if (!program->ended || program->calls->len > 0)
    return;
  g_ptr_array_unref (program->calls);
  relay_repeats_free (program->repeats);
  g_strfreev (program->words);
  g_free (program);
}

/* Kills the processes that are left of the group.  It is not reaped yet (relayprocess.h). */
static void
kill_call (gpointer data, gpointer unused)
{
  kill (-((Call *) data)->pid, SIGKILL);
}

void
relay_program_free (RelayProgram *program)
{
  program->ended = TRUE;
  g_ptr_array_foreach (program->calls, kill_call, NULL);
  free_unused (program);
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

/* Logs a call that failed, unless that is a repetition: the program, and how it failed. */
static void G_GNUC_PRINTF (2, 3) warn (const RelayProgram *program, const gchar *format, ...)
{
  g_autofree gchar *text = NULL, *line = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  line = g_strdup_printf ("%s %s", program->words[0], text);
  relay_repeats_warn (program->repeats, NULL, RELAY_LOG_HOOK_FAILED, line, ".");
}

/* Logs how a call has ended, unless it is well. */
static void
log_end (const Call *call, gint status)
{
  if (call->late)
    warn (call->program, "was killed, as it had not ended after %u s", call->program->most);
  else if (WIFSIGNALED (status))
    warn (call->program, "was ended by signal %d", WTERMSIG (status));
  else if (WEXITSTATUS (status) != 0)
    warn (call->program, "has failed, with status %d", WEXITSTATUS (status));
}

/* What the process has left behind in its group ends with it. */
static gboolean
on_end (gint fd, GIOCondition condition, gpointer data)
{
  Call *call = data;
  RelayProgram *program = call->program;
  gint status;

  kill_call (call, NULL);
  g_ptr_array_remove_fast (program->calls, call);
  status = relay_process_reap (call->pid, fd);
  if (!program->ended)
    log_end (call, status);
  if (call->timer != 0)
    g_source_remove (call->timer);
  g_free (call);
  free_unused (program);
  return G_SOURCE_REMOVE;
}

/* Between fork() and exec(). */
static void
lead_group (gpointer unused)
{
  setpgid (0, 0);
}

/* Starts the process.  *pid: its number, and that of its group.  FALSE: it cannot be started. */
static gboolean
spawn (const RelayProgram *program, GBytes *input, GPid *pid, GError **error)
{
  g_autoptr (GOutputStream) pipe = NULL;
  gint end;

  if (!g_spawn_async_with_pipes (NULL, program->words, NULL,
          G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
          lead_group, NULL, pid, &end, NULL, NULL, error))
    return FALSE;
  pipe = g_unix_output_stream_new (end, TRUE);
  /* does not wait, as the pipe is empty; fails if the program has closed it */
  g_output_stream_write_all (pipe, g_bytes_get_data (input, NULL),
      MIN (g_bytes_get_size (input), RELAY_PROGRAM_INPUT), NULL, NULL, NULL);
  return TRUE;
}

RelayProgramResult
relay_program_call (RelayProgram *program, GBytes *input)
{
  g_autoptr (GError) error = NULL;
  GPid pid;
  Call *call;

  if (program->calls->len == RELAY_PROGRAM_MOST)
    return RELAY_PROGRAM_BUSY;
  if (!spawn (program, input, &pid, &error)) {
    warn (program, "cannot be called (%s)", error->message);
    return RELAY_PROGRAM_FAILED;
  }
  call = g_new0 (Call, 1);
  call->pid = pid;
  call->program = program;
  g_ptr_array_add (program->calls, call);
  call->timer = g_timeout_add_seconds (program->most, on_late, call);
  if (!relay_process_watch (pid, on_end, call)) {
    warn (program, "cannot be watched, and is killed (%s)", g_strerror (errno));
    on_end (-1, 0, call);
  }
  return RELAY_PROGRAM_STARTED;
}
