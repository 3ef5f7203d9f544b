/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaymain: the command line of fasp-relay.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <signal.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include "relay.h"
#include "relaylog.h"
#include "toolstd.h"

#define LARGE (64 * 1024) /* bytes: the memory for a datagram that the kernel has joined */

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
    "\n"
    "[relay]\n"
    "  status                  http://ADDRESS:PORT: serve a page for browsers there,\n"
    "                          and /status.json, /metrics (OpenMetrics), /healthz and\n"
    "                          /readyz for programs\n"
    "  status-names            host names by which the status may be asked for,\n"
    "                          beside addresses and localhost; with ; between them\n"
    "  receiver-metrics        true: /metrics lists each receiver (false)\n"
    "  api                     true: streams and outputs can be changed there, see\n"
    "                          fasp-relayctl --help (false)\n"
    "  api-token-file          file with the token that this needs; required unless the\n"
    "                          status is served at 127.0.0.1 or ::1\n"
    "  api-socket              PATH: serve the API at a UNIX socket, without a token\n"
    "[stream NAME], one for each stream\n"
    "  input                   fasp://HOST:PORT dials, fasp://:PORT waits for a call;\n"
    "                          every property of faspsrc can be ?key=value&key=value,\n"
    "                          except those that name files. Or srt://, rist://,\n"
    "                          udp://, rtp://, file:///PATH: see docs/gateway.md\n"
    "  output                  the same for faspsink; several with ; between them\n"
    "  streamid                by which callers choose if several streams share a port;\n"
    "                          callers that give another one are refused; the relay\n"
    "                          gives it when it dials (NAME)\n"
    "  require-streamid        true: refuse callers that give none (false)\n"
    "  optional                true: /readyz does not wait for its input (false)\n"
    "  picture-interval        seconds from one picture of the stream to the next, at\n"
    "                          /streams/NAME/picture.jpg (0: none)\n"
    "  switch-source           which of several sources of the input leads, from 0 on\n"
    "  input-passphrase-file   file that holds the passphrase of the input\n"
    "  output-passphrase-file  ... of the outputs\n"
    "  input-key-file, input-allowed-keys, input-record, input-log\n"
    "                          files, as the properties of faspsrc\n"
    "  output-key-file, output-allowed-keys, output-record, output-log\n"
    "                          ... of faspsink, for all outputs";

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

/* Each stream needs files.  The limit that a shell sets is for programs that use select(). */
static void
allow_files (void)
{
  struct rlimit files;

  if (getrlimit (RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max)
    return;
  files.rlim_cur = files.rlim_max;
  setrlimit (RLIMIT_NOFILE, &files);
}

/* What an output needs is mostly blocks of 64 KiB and more. When it closes, the system gets them
 * back. Without this, as soon as the first one is freed, glibc takes the next ones from its heaps
 * (mallopt(3)), and smaller blocks that lie between them keep them there. */
static void
return_memory (void)
{
#ifdef __GLIBC__
  mallopt (M_MMAP_THRESHOLD, LARGE);
#endif
}

int
main (int argc, char **argv)
{
  static gboolean check;
  static gchar *log_format;
  static const GOptionEntry entries[] = {
    { "check", 0, 0, G_OPTION_ARG_NONE, &check, "Only check whether CONFIG is good", NULL },
    { "log-format", 0, 0, G_OPTION_ARG_STRING, &log_format,
        "How the log is written: text (the default), json, journald", "FORMAT" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("CONFIG");
  g_autoptr (GError) error = NULL;
  g_autoptr (RelayConfig) config = NULL;
  gboolean good, known;

  tool_begin_standard ();
  /* SIGHUP may come before there is a configuration, SIGPIPE when the reader of the log has gone */
  signal (SIGHUP, SIG_IGN);
  signal (SIGPIPE, SIG_IGN);
  allow_files ();
  return_memory ();
  g_option_context_set_summary (context, summary);
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
  g_print ("%s is good: %u stream%s.\n", argv[1], config->streams->len,
      config->streams->len != 1 ? "s" : "");
  return RELAY_ENDED;
}
