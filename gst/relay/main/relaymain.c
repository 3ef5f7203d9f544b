/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaymain: the command line of fasp-relay.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <openssl/crypto.h>
#include "relay.h"
#include "relayconfigkeys.h"
#include "relayfiguretable.h"
#include "relaylog.h"
#include "relaypassword.h"
#include "relaysection.h"
#include "toolstd.h"

/* Blocks from this size on are returned to the system, bytes: memory for datagrams that the kernel
 * has joined has this size. */
#define LARGE (64 * 1024)

static const gchar summary[] =
    "Receives streams over fasp and offers each of them to many receivers, unchanged:\n"
    "every byte, in order.  Relays behind relays form a tree.\n"
    "\n"
    "CONFIG is a file like\n"
    "\n"
    "  [relay]\n"
    "  status = http://127.0.0.1:8080\n"
    "\n"
    "  [stream news]\n"
    "  input = fasp://origin.example:7001\n"
    "  output = fasp://:7101?max-bitrate=20000000\n"
    "\n";

static const gchar description[] =
    "Signals:\n"
    "  SIGHUP                  reads CONFIG again. Unchanged streams are not touched;\n"
    "                          a faulty CONFIG is refused as a whole\n"
    "  SIGTERM, SIGINT         tells the receivers and ends; a second one ends at once\n"
    "\n"
    "Exit status: 0 ended by a signal, or CONFIG is good (--check); 1 it cannot run, or\n"
    "was ended by a second signal; 2 CONFIG or the command line is faulty.\n"
    "\n"
    "docs/relay.md tells more.";

/* Raises the limit of open files, as each stream needs some. The limit that a shell sets is for
 * programs that use select(). */
static void
allow_files (void)
{
  struct rlimit files;

  if (getrlimit (RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max)
    return;
  files.rlim_cur = files.rlim_max;
  setrlimit (RLIMIT_NOFILE, &files);
}

/* Makes glibc return large memory blocks to the system when an output closes. By default, as soon
 * as one is freed, glibc takes the next large ones from its heaps (mallopt(3)), where small blocks
 * between them keep them allocated. */
static void
return_memory (void)
{
#ifdef __GLIBC__
  mallopt (M_MMAP_THRESHOLD, LARGE);
#endif
}

static gchar *
make_summary (void)
{
  GString *text = g_string_new (summary);

  g_string_append (text, "[relay]\n");
  relay_key_explain (relay_section_keys, text);
  g_string_append (text, "[stream NAME], one for each stream\n");
  relay_key_explain (relay_stream_keys, text);
  g_string_append (text, "[user NAME], one for each user\n");
  relay_key_explain (relay_user_keys, text);
  g_string_append (text, "[token NAME], one for each program\n");
  relay_key_explain (relay_token_keys, text);
  g_string_append (text, "[hook NAME], one for each\n");
  relay_key_explain (relay_hook_keys, text);
  g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}

/* Switches the echo of the terminal off, or on again. */
static void
show_typing (gboolean shown)
{
  struct termios terminal;

  if (tcgetattr (STDIN_FILENO, &terminal) != 0)
    return;
  terminal.c_lflag = shown ? terminal.c_lflag | ECHO : terminal.c_lflag & ~ECHO;
  tcsetattr (STDIN_FILENO, TCSAFLUSH, &terminal);
}

static int
print_hash (void)
{
  gchar password[RELAY_PASSWORD_MOST + 2] = "";
  g_autofree gchar *hash = NULL;
  gboolean good;

  if (isatty (STDIN_FILENO))
    g_printerr ("Password: ");
  show_typing (FALSE);
  good = fgets (password, sizeof password, stdin) != NULL;
  show_typing (TRUE);
  g_strstrip (password);
  good = good && strlen (password) <= RELAY_PASSWORD_MOST && g_utf8_validate (password, -1, NULL)
      && g_utf8_strlen (password, -1) >= RELAY_PASSWORD_LEAST;
  hash = good ? relay_password_hash (password) : NULL;
  explicit_bzero (password, sizeof password);
  if (hash != NULL) {
    g_print ("%s\n", hash);
    return RELAY_ENDED;
  }
  relay_log_warning (NULL, "write one line of %d characters to %d bytes, in UTF-8.",
      RELAY_PASSWORD_LEAST, RELAY_PASSWORD_MOST);
  return RELAY_FAULTY;
}

static void
print_figure (const RelayFigure *row)
{
  static const gchar *const places[] = { "status", "events", "API", "metrics", "history" };
  g_autoptr (GString) of = g_string_new (NULL), in = g_string_new (NULL);
  g_autoptr (GString) metrics = g_string_new (NULL);

  for (guint i = 0; i < RELAY_FIGURE_OWNERS; i++)
    if ((row->of & (1 << i)) != 0) {
      g_autofree gchar *metric = relay_figure_make_metric (row, 1 << i);

      g_string_append_printf (of, "%s%s", of->len > 0 ? ", " : "", relay_figure_get_owner (1 << i));
      if ((row->in & RELAY_IN_METRICS) != 0)
        g_string_append_printf (metrics, "%s%s%s", metrics->len > 0 ? ", " : "", metric,
            row->kind == FASP_KIND_COUNTER ? "_total" : "");
    }
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if ((row->in & (1 << i)) != 0 && (1 << i) != RELAY_IN_METRICS)
      g_string_append_printf (in, "%s%s", in->len > 0 ? ", " : "", places[i]);
  g_print ("%s\t%s\t%s\t%s\t%s\t%s\n", row->name, of->str, in->str,
      row->form == RELAY_FORM_TIME ? "" : relay_units[row->unit].name, metrics->str, row->meaning);
}

static int
print_figures (void)
{
  for (const RelayFigure *row = NULL; (row = relay_figure_next (row, ~0, ~RELAY_IN_STATS)) != NULL;)
    print_figure (row);
  return RELAY_ENDED;
}

int
main (int argc, char **argv)
{
  static gboolean check;
  static gboolean figures;
  static gboolean hash;
  static gchar *log_format;
  static const GOptionEntry entries[] = {
    { "check", 0, 0, G_OPTION_ARG_NONE, &check, "Only check whether CONFIG is good", NULL },
    { "figures", 0, 0, G_OPTION_ARG_NONE, &figures,
        "Print all figures, with tabs between: name, whose, where, unit, metrics, meaning", NULL },
    { "hash-password", 0, 0, G_OPTION_ARG_NONE, &hash,
        "Read a password, and print the hash for password-hash", NULL },
    { "log-format", 0, 0, G_OPTION_ARG_STRING, &log_format,
        "How the log is written: text (the default), json, journald", "FORMAT" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("CONFIG");
  g_autoptr (GError) error = NULL;
  g_autoptr (RelayConfig) config = NULL;
  g_autofree gchar *help = make_summary (), *unwritable = NULL;
  gboolean good, known;

  tool_begin_standard ();
  /* SIGHUP may come before there is a configuration, SIGPIPE when the reader of the log has gone */
  signal (SIGHUP, SIG_IGN);
  signal (SIGPIPE, SIG_IGN);
  allow_files ();
  return_memory ();
  /* no cleanup at exit: a thread may still check a password (relaylogin.h) */
  OPENSSL_init_crypto (OPENSSL_INIT_NO_ATEXIT, NULL);
  g_option_context_set_summary (context, help);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  tool_add_version (context);
  good = g_option_context_parse (context, &argc, &argv, &error);
  known = relay_log_begin (log_format);
  if (!good) {
    relay_log_warning (NULL, "%s. See --help.", error->message);
    return RELAY_FAULTY;
  }
  if (!known) {
    relay_log_warning (NULL, "--log-format=%s: write text, json or journald.", log_format);
    return RELAY_FAULTY;
  }
  if (hash)
    return print_hash ();
  if (figures)
    return print_figures ();
  if (argc != 2) {
    relay_log_warning (NULL, "name one configuration file. See --help.");
    return RELAY_FAULTY;
  }
  if (!gst_init_check (&argc, &argv, &error)) {
    relay_log_warning (NULL, "%s", error->message);
    return RELAY_FAILED;
  }
  if (!check)
    return relay_run (argv[1]);
  config = relay_config_load (argv[1], &error);
  if (config == NULL) {
    relay_log_warning (NULL, "%s", error->message);
    return RELAY_FAULTY;
  }
  relay_tell_warnings (config);
  unwritable = relay_section_look_at_history (config);
  if (unwritable != NULL)
    relay_log_warning (NULL, "%s", unwritable);
  g_print ("%s is good: %u stream%s.\n", argv[1], config->streams->len,
      config->streams->len != 1 ? "s" : "");
  return RELAY_ENDED;
}
