/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "fasplogformat.h"
#include "vlog.h"

/* Endpoints that are followed at a time, and names of theirs. */
#define LOGS 16
#define NAME_MAX_SIZE 32
/* Events that an endpoint keeps until they are taken: more than it decides at a time, also if it
 * has 2000 sessions. */
#define KEEP 4096
#define AT_ONCE 16
/* A handler that hangs, as memory is damaged, ends after so many seconds. */
#define HANDLER_MOST 5

struct _Vlog
{
  gchar name[NAME_MAX_SIZE];
  FaspLogEntry end[VLOG_END]; /* the last ones, event n at n % VLOG_END */
  guint64 n;
  gint file; /* -1: none */
};

/* All that a signal handler may look at. */
static Vlog logs[LOGS];
static guint used;
static guint networks; /* there now */
static guint files;    /* written so far */
static gboolean is_off;

static gsize
count_text (gchar *text, gsize size, const gchar *format, ...)
{
  va_list args;
  gint n;

  va_start (args, format);
  n = g_vsnprintf (text, size, format, args);
  va_end (args);
  return CLAMP (n, 0, (gint) size - 1);
}

static void
put (gint file, const gchar *text, gsize size)
{
  gssize done;

  for (; size > 0; text += done, size -= done) {
    done = write (file, text, size);
    if (done < 0)
      return;
  }
}

/* As comments of the test's output (TAP). */
static void
print_ends (void)
{
  gchar line[FASP_LOG_LINE], text[FASP_LOG_LINE + 8];

  for (guint i = 0; i < used; i++) {
    const Vlog *log = &logs[i];
    guint64 from = log->n - MIN (log->n, VLOG_END);

    put (STDERR_FILENO, text,
        count_text (text, sizeof text,
            "# %s: the last %u of %" G_GUINT64_FORMAT " events of its log\n", log->name,
            (guint) (log->n - from), log->n));
    for (guint64 n = from; n < log->n; n++) {
      fasp_log_write_line (&log->end[n % VLOG_END], NULL, line, sizeof line);
      put (STDERR_FILENO, text, count_text (text, sizeof text, "#   %s\n", line));
    }
  }
}

/* abort() raises the signal in the thread that failed, so this may use what is not safe in handlers
 * of others. */
static void
on_abort (gint number)
{
  signal (SIGABRT, SIG_DFL);
  alarm (HANDLER_MOST);
  print_ends ();
  raise (SIGABRT);
}

static const gchar *
get_directory (void)
{
  return g_getenv ("FASP_LOG");
}

static gboolean
is_on (void)
{
  return g_test_initialized () || get_directory () != NULL;
}

void
vlog_begin (void)
{
  static gboolean handled;

  if (!is_on ())
    return;
  if (!handled)
    signal (SIGABRT, on_abort);
  handled = TRUE;
  if (networks++ > 0)
    return;
  for (guint i = 0; i < used; i++)
    if (logs[i].file >= 0)
      close (logs[i].file);
  used = 0;
}

void
vlog_end (void)
{
  if (!is_on ())
    return;
  networks--;
  if (g_test_initialized () && g_test_failed ())
    print_ends ();
}

/* A file of its own for each, by program or test, number and name. */
static gint
open_file (const gchar *name)
{
  g_autofree gchar *file = g_strdup_printf ("%s-%u-%s.sqlog",
      g_test_initialized () ? g_test_get_path () + 1 : g_get_prgname (), ++files, name);
  g_autofree gchar *path = NULL;
  gint fd;

  g_strdelimit (file, "/ ", '-');
  path = g_build_filename (get_directory (), file, NULL);
  fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    g_error ("FASP_LOG: \"%s\" cannot be written", path);
  return fd;
}

void
vlog_set_off (gboolean off)
{
  is_off = off;
}

Vlog *
vlog_follow (Vlog *log, FaspEndpoint *endpoint, const gchar *name)
{
  FaspLogHeader header = { .title = name,
    .program = g_get_prgname () != NULL ? g_get_prgname () : name };
  gchar text[FASP_LOG_LINE];

  if (is_off || !is_on () || (log == NULL && used == LOGS))
    return NULL;
  if (log == NULL) {
    log = &logs[used++];
    memset (log, 0, sizeof *log);
    g_strlcpy (log->name, name, sizeof log->name);
    log->file = -1;
    if (get_directory () != NULL) {
      log->file = open_file (name);
      put (log->file, text, fasp_log_write_header (&header, text, sizeof text));
    }
  }
  fasp_endpoint_set_log (endpoint, KEEP);
  return log;
}

/* A reason is a word: docs/debugging.md has a list of them. */
static void
check_words (const FaspLogEntry *entry)
{
  const FaspLogKind *kind = fasp_log_get_kind (entry->event);

  for (guint i = 0; kind->fields[i].type != FASP_LOG_END; i++) {
    const gchar *word = (const gchar *) (gintptr) entry->values[i];

    if (kind->fields[i].type == FASP_LOG_NAME && word != NULL)
      g_assert_cmpuint (strspn (word, "abcdefghijklmnopqrstuvwxyz_"), ==, strlen (word));
  }
}

static void
take (Vlog *log, FaspEndpoint *endpoint)
{
  FaspLogEntry entries[AT_ONCE];
  gchar text[FASP_LOG_LINE];
  guint64 lost;
  guint n;

  do {
    n = fasp_endpoint_fetch_log (endpoint, entries, AT_ONCE, &lost);
    g_assert_cmpuint (lost, ==, 0);
    for (guint i = 0; i < n; i++) {
      check_words (&entries[i]);
      log->end[log->n++ % VLOG_END] = entries[i];
      if (log->file >= 0)
        put (log->file, text, fasp_log_write_json (&entries[i], 0, NULL, text, sizeof text));
    }
  } while (n == AT_ONCE);
}

void
vlog_take (Vlog *log, FaspEndpoint *endpoint)
{
  /* apart, as the room for entries costs even where there is no log */
  if (log != NULL)
    take (log, endpoint);
}
