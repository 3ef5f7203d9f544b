/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the decision log tells of a stream: every loss, and why the rate fell.  It changes no
 * packet.  A test that fails prints its end.
 */
#include <glib/gstdio.h>
#include <string.h>
#include "vlog.h"
#include "vstream.h"

static const gchar *program;

typedef struct
{
  GChecksum *sum;
  guint64 datagrams;
} Trace;

static void
on_datagram (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Trace *trace = data;

  trace->datagrams++;
  g_checksum_update (trace->sum, (const guint8 *) &now, sizeof now);
  g_checksum_update (trace->sum, bytes, size);
}

static void
make_lossy (Vnet *net)
{
  const gdouble loss[2] = { .03, .01 }, burst[2] = { 3, 1 };

  vnet_set_path (net, 60 * FASP_MSEC, loss, burst, 0);
}

/* A lossy stream that finds its rate and latency, with FEC and new keys; returns the hash of all
 * datagrams. */
static gchar *
run (gboolean logs, guint64 *datagrams)
{
  Trace trace = { g_checksum_new (G_CHECKSUM_SHA256) };
  Vnet *net = vnet_new (11);
  VstreamConfig config;
  Vstream *stream;
  gchar *hash;

  vstream_config_init (&config);
  config.duration = 10 * FASP_SEC;
  config.bitrate = 3000000;
  config.channel = 0;
  config.sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  config.sender.settings.latency_ms = config.receiver.settings.latency_ms = FASP_LATENCY_AUTO;
  config.sender.fec = config.receiver.fec = FASP_FEC_AUTO;
  config.sender.rekey_interval = config.receiver.rekey_interval = 2 * FASP_SEC;
  make_lossy (net);
  vnet_get_wire (net, VNET_A, VNET_B)->rate = 5000000;
  vnet_set_tap (net, on_datagram, &trace);
  vlog_set_off (!logs);
  stream = vstream_new (net, &config);
  vlog_set_off (FALSE);
  g_assert_true (vstream_run (stream));
  vstream_free (stream);
  vnet_free (net);
  hash = g_strdup (g_checksum_get_string (trace.sum));
  g_checksum_free (trace.sum);
  *datagrams = trace.datagrams;
  return hash;
}

static void
test_same_packets (void)
{
  guint64 n[2];
  g_autofree gchar *with = run (TRUE, &n[0]);
  g_autofree gchar *without = run (FALSE, &n[1]);

  g_assert_cmpuint (n[0], >, 3000);
  g_assert_cmpuint (n[0], ==, n[1]);
  g_assert_cmpstr (with, ==, without);
}

/* The log of the sender of a stream, whole. */
typedef struct
{
  Vnet *net;
  Vstream *stream;
  guint64 count[FASP_LOG_EVENTS];
  FaspLogEntry last[FASP_LOG_EVENTS];
  guint falls;  /* of the rate, as a queue grows */
  guint64 lost; /* packets */
  guint remote; /* new keys of the peer */
} Story;

static void
story_begin (Story *story, const VstreamConfig *config)
{
  memset (story, 0, sizeof *story);
  story->net = vnet_new (5);
  vlog_set_off (TRUE); /* the test takes the events itself */
  story->stream = vstream_new (story->net, config);
  vlog_set_off (FALSE);
  fasp_endpoint_set_log (story->stream->sender, 65536);
  fasp_endpoint_set_log (story->stream->receiver, 65536);
}

static gboolean
has_word (const FaspLogEntry *e, guint field, const gchar *word)
{
  return g_strcmp0 ((const gchar *) (gintptr) e->values[field], word) == 0;
}

static void
take (Story *story, FaspEndpoint *endpoint)
{
  FaspTime last = 0;
  FaspLogEntry e;

  while (fasp_endpoint_fetch_log (endpoint, &e, 1, NULL) == 1) {
    g_assert_cmpint (e.time, >=, last);
    last = e.time;
    story->count[e.event]++;
    story->last[e.event] = e;
    if (e.event == FASP_LOG_PACKETS_LOST)
      story->lost += e.values[3];
    story->remote += e.event == FASP_LOG_KEY_UPDATED && has_word (&e, 0, "remote_update");
    story->falls += e.event == FASP_LOG_RATE_CHANGED && e.values[1] < e.values[0]
        && has_word (&e, 2, "queue_grows");
  }
  g_assert_cmpuint (story->count[FASP_LOG_LOG_EVENTS_LOST], ==, 0);
}

static void
story_end (Story *story)
{
  vstream_free (story->stream);
  vnet_free (story->net);
}

/* What was counted as lost is told, each packet once. */
static void
test_losses (void)
{
  VstreamConfig config;
  Story story;

  vstream_config_init (&config);
  config.duration = 10 * FASP_SEC;
  story_begin (&story, &config);
  make_lossy (story.net);
  g_assert_true (vstream_run (story.stream));
  take (&story, story.stream->sender);
  g_assert_cmpuint (story.lost, ==, story.stream->sender_stats.sent.lost);
  g_assert_cmpuint (story.count[FASP_LOG_PACKETS_LOST], >, 50);
  g_assert_cmpuint (story.count[FASP_LOG_SESSION_CONNECTED], ==, 1);
  g_assert_cmpuint (story.count[FASP_LOG_MTU_UPDATED], >, 0);
  g_assert_cmpuint (story.last[FASP_LOG_PACKETS_LOST].session, !=, 0);
  story_end (&story);
}

/* A slower line: the rate falls, as a queue grows. */
static void
test_rate (void)
{
  VstreamConfig config;
  Story story;

  vstream_config_init (&config);
  config.duration = 20 * FASP_SEC;
  config.channel = 0;
  config.bitrate = 4000000;
  config.sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  story_begin (&story, &config);
  vnet_get_wire (story.net, VNET_A, VNET_B)->rate = 10000000;
  vnet_get_wire (story.net, VNET_A, VNET_B)->delay = 20 * FASP_MSEC;
  vnet_get_wire (story.net, VNET_B, VNET_A)->delay = 20 * FASP_MSEC;
  vstream_run_until (story.stream, 10 * FASP_SEC);
  take (&story, story.stream->sender);
  story.falls = 0;
  vnet_get_wire (story.net, VNET_A, VNET_B)->rate = 2000000;
  vstream_run_until (story.stream, 15 * FASP_SEC);
  take (&story, story.stream->sender);
  g_assert_cmpuint (story.falls, >, 0);
  g_assert_cmpint (story.last[FASP_LOG_RATE_CHANGED].values[1], <=, 2500000);
  story_end (&story);
}

/* An outage: interrupted, stalled, resumed. */
static void
test_outage (void)
{
  VstreamConfig config;
  ImpairConfig *wire;
  Story story;

  vstream_config_init (&config);
  config.duration = 30 * FASP_SEC; /* it catches up in nine seconds */
  story_begin (&story, &config);
  for (guint way = 0; way < 2; way++) {
    wire = vnet_get_wire (story.net, way, !way);
    impair_black_out (wire, 5 * FASP_SEC, 6 * FASP_SEC);
  }
  g_assert_true (vstream_run (story.stream));
  take (&story, story.stream->sender);
  g_assert_cmpuint (story.count[FASP_LOG_SESSION_INTERRUPTED], ==, 1);
  g_assert_cmpuint (story.count[FASP_LOG_SESSION_RESUMED], ==, 1);
  g_assert_cmpuint (story.count[FASP_LOG_SENDING_STALLED], ==, 1);
  g_assert_cmpuint (story.count[FASP_LOG_SENDING_RESUMED], ==, 1);
  g_assert_cmpuint (story.count[FASP_LOG_SENDING_BEHIND], >, 0);
  g_assert_cmpuint (story.count[FASP_LOG_SENDING_CAUGHT_UP], ==,
      story.count[FASP_LOG_SENDING_BEHIND]);
  g_assert_true (has_word (&story.last[FASP_LOG_SENDING_BEHIND], 4, "stall"));
  g_assert_true (has_word (&story.last[FASP_LOG_SESSION_INTERRUPTED], 1, "silent"));
  story_end (&story);
}

/* The receiver does not read, and its window closes. */
static void
test_window (void)
{
  VstreamConfig config;
  Story story;

  vstream_config_init (&config);
  config.duration = 8 * FASP_SEC;
  config.reader_stops = TRUE;
  config.stop_from = 2 * FASP_SEC;
  config.stop_to = 5 * FASP_SEC;
  config.receiver.buffer_size = 256 * 1024;
  story_begin (&story, &config);
  g_assert_true (vstream_run (story.stream));
  take (&story, story.stream->sender);
  g_assert_cmpuint (story.count[FASP_LOG_SENDING_BEHIND], >, 0);
  g_assert_true (has_word (&story.last[FASP_LOG_SENDING_BEHIND], 4, "window"));
  story_end (&story);
}

/* Each end tells of the other's new keys. */
static void
test_keys (void)
{
  VstreamConfig config;
  guint own[2], remote[2];
  Story story;

  vstream_config_init (&config);
  config.duration = 10 * FASP_SEC;
  config.sender.rekey_interval = FASP_SEC;
  story_begin (&story, &config);
  vstream_run (story.stream);
  for (guint i = 0; i < 2; i++) {
    take (&story, i == 0 ? story.stream->sender : story.stream->receiver);
    remote[i] = story.remote;
    own[i] = story.count[FASP_LOG_KEY_UPDATED] - story.remote;
    story.remote = story.count[FASP_LOG_KEY_UPDATED] = 0;
  }
  g_assert_cmpuint (own[0], >=, 8);
  g_assert_cmpuint (remote[1], ==, own[0]);
  g_assert_cmpuint (remote[0], ==, own[1]);
  story_end (&story);
}

static gsize
write_some (FaspEndpoint *endpoint, FaspTime now)
{
  guint8 data[1000] = { 0 };

  return fasp_endpoint_write (endpoint, now, now, data, sizeof data, NULL);
}

/* A sender that listens, and a receiver that is to call it. */
static void
make_two (Story *story, FaspEndpointConfig *s, FaspEndpointConfig *r, FaspEndpoint *ends[2])
{
  memset (story, 0, sizeof *story);
  story->net = vnet_new (5);
  vlog_set_off (TRUE); /* the test takes the events itself */
  ends[0] = vnet_add_endpoint (story->net, VNET_A, s);
  ends[1] = vnet_add_endpoint (story->net, VNET_B, r);
  vlog_set_off (FALSE);
  fasp_endpoint_set_log (ends[0], 1024);
}

static void
dial (Story *story, FaspEndpoint *receiver)
{
  FaspAddress address = vnet_get_address (VNET_A);

  fasp_endpoint_dial (receiver, vnet_get_time (story->net), &address);
  vnet_run_for (story->net, FASP_SEC);
}

/* What is kept for a receiver that is gone is held, until nobody is waited for any more. */
static void
test_held (void)
{
  FaspEndpoint *ends[2];
  FaspEndpointConfig s, r;
  Story story;

  fasp_endpoint_config_init (&s, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  fasp_endpoint_config_init (&r, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  make_two (&story, &s, &r, ends);
  dial (&story, ends[1]);
  vnet_attach (story.net, VNET_B, NULL);
  g_assert_cmpuint (write_some (ends[0], vnet_get_time (story.net)), ==, 1000);
  vnet_run_for (story.net, 60 * FASP_SEC);
  take (&story, ends[0]);
  g_assert_cmpuint (story.count[FASP_LOG_STREAM_HELD], ==, 1);
  g_assert_cmpint (story.last[FASP_LOG_STREAM_HELD].values[1], ==, 1000);
  g_assert_cmpuint (story.count[FASP_LOG_STREAM_RELEASED], ==, 0);
  vnet_configure (ends[0], vnet_get_time (story.net), wait_for_connection, FALSE);
  take (&story, ends[0]);
  g_assert_cmpuint (story.count[FASP_LOG_STREAM_RELEASED], ==, 1);
  g_assert_cmpint (story.last[FASP_LOG_STREAM_RELEASED].values[1], ==, 1000);
  g_assert_true (has_word (&story.last[FASP_LOG_STREAM_RELEASED], 2, "not_awaited"));
  fasp_endpoint_free (ends[0]);
  fasp_endpoint_free (ends[1]);
  vnet_free (story.net);
}

/* A receiver joins in the past: what it gets has not waited for the rate.  Before, the writer waits
 * for receivers, until it is told not to. */
static void
test_joined (void)
{
  FaspEndpoint *ends[2], *sender;
  FaspEndpointConfig s, r;
  Story story;

  fasp_endpoint_config_init (&s, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  fasp_endpoint_config_init (&r, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  s.history = 10 * FASP_SEC;
  s.settings.max_bitrate = 20000000;
  r.join = FASP_JOIN_BACK;
  r.join_back_ms = 1000;
  make_two (&story, &s, &r, ends);
  sender = ends[0];
  g_assert_cmpuint (write_some (sender, 0), ==, 0);
  g_assert_cmpuint (write_some (sender, 0), ==, 0);
  take (&story, sender);
  g_assert_cmpuint (story.count[FASP_LOG_WRITER_WAITS], ==, 1);
  g_assert_true (has_word (&story.last[FASP_LOG_WRITER_WAITS], 0, "no_receiver"));
  vnet_configure (sender, 0, wait_for_connection, FALSE);
  for (guint i = 0; i < 200; i++) {
    write_some (sender, vnet_get_time (story.net));
    vnet_run_for (story.net, 10 * FASP_MSEC);
  }
  take (&story, sender);
  g_assert_cmpuint (story.count[FASP_LOG_WRITER_GOES_ON], ==, 1);
  g_assert_cmpuint (story.count[FASP_LOG_SENDING_BEHIND], ==, 0);
  dial (&story, ends[1]);
  take (&story, sender);
  g_assert_cmpuint (story.count[FASP_LOG_SENDING_BEHIND], ==, 1);
  g_assert_true (has_word (&story.last[FASP_LOG_SENDING_BEHIND], 4, "joined"));
  /* a second of blocks, of more than 1100 bytes each */
  g_assert_cmpint (story.last[FASP_LOG_SENDING_BEHIND].values[2], >=, 80);
  g_assert_cmpint (story.last[FASP_LOG_SENDING_BEHIND].values[2], <=, 90);
  fasp_endpoint_free (ends[0]);
  fasp_endpoint_free (ends[1]);
  vnet_free (story.net);
}

/* too-late=skip: what is given up, and why. */
static void
test_given_up (void)
{
  VstreamConfig config;
  Story story;

  vstream_config_init (&config);
  config.duration = 10 * FASP_SEC;
  config.receiver.settings.latency_ms = 50;
  config.receiver.settings.too_late_skip = TRUE;
  story_begin (&story, &config);
  make_lossy (story.net);
  vstream_run (story.stream);
  take (&story, story.stream->receiver);
  g_assert_cmpuint (story.count[FASP_LOG_BLOCKS_GIVEN_UP], >, 0);
  g_assert_cmpstr ((const gchar *) (gintptr) story.last[FASP_LOG_BLOCKS_GIVEN_UP].values[3], ==,
      "too_late");
  g_assert_cmpuint (story.count[FASP_LOG_PACKETS_MISSING], >, 0);
  story_end (&story);
}

/* --- a test that fails ---------------------------------------------------------------------- */

/* Run by test_prints() alone. */
static void
test_fails (gconstpointer aborts)
{
  VstreamConfig config;
  Vstream *stream;
  g_autoptr (Vnet) net = NULL;

  if (g_getenv ("FASP_LOG_FAIL") == NULL) {
    g_test_skip ("of /decisions/prints");
    return;
  }
  net = vnet_new (5);
  vstream_config_init (&config);
  config.duration = 2 * FASP_SEC;
  stream = vstream_new (net, &config);
  make_lossy (net);
  vstream_run (stream);
  if (GPOINTER_TO_INT (aborts))
    g_assert_false (stream->eos);
  g_test_fail ();
  vstream_free (stream);
}

static gchar *
fail (const gchar *path, const gchar *directory)
{
  /* what runs this program, if the machine is of another kind */
  const gchar *wrapper = g_getenv ("MESON_EXE_WRAPPER");
  g_autofree gchar *quoted = g_shell_quote (program);
  g_autofree gchar *command =
      g_strjoin (" ", wrapper != NULL ? wrapper : "env", quoted, "-p", path, NULL);
  g_auto (GStrv) words = NULL;
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "FASP_LOG_FAIL", "1", TRUE);
  gchar *text = NULL;
  gint status;

  environment = directory != NULL ?
      g_environ_setenv (g_steal_pointer (&environment), "FASP_LOG", directory, TRUE) :
      g_environ_unsetenv (g_steal_pointer (&environment), "FASP_LOG");
  g_assert_true (g_shell_parse_argv (command, NULL, &words, NULL));
  g_assert_true (g_spawn_sync (NULL, words, environment,
      G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &text, &status, NULL));
  g_assert_cmpint (status, !=, 0);
  return text;
}

static void
assert_ends (const gchar *text)
{
  const gchar *a = strstr (text, "# A: the last 40 of ");
  const gchar *b = strstr (text, "\n# B: the last ");

  g_assert_nonnull (a);
  g_assert_nonnull (b);
  g_assert_nonnull (strstr (a, " packets_lost flow=0 "));
}

static void
test_prints (void)
{
  g_autofree gchar *aborted = fail ("/decisions/aborts", NULL);
  g_autofree gchar *failed = fail ("/decisions/fails", NULL);

  assert_ends (aborted);
  assert_ends (failed);
}

/* FASP_LOG=DIRECTORY: all of the log. */
static void
test_writes (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-log-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "decisions-fails-1-A.sqlog", NULL);
  g_autofree gchar *other = g_build_filename (folder, "decisions-fails-2-B.sqlog", NULL);
  G_GNUC_UNUSED g_autofree gchar *printed = fail ("/decisions/fails", folder);
  g_autofree gchar *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "\x1e{\"file_schema\":"));
  g_assert_nonnull (strstr (text, "\"fasp:session_connected\""));
  g_assert_nonnull (strstr (text, "\"fasp:packets_lost\""));
  g_assert_true (g_str_has_suffix (text, "}\n"));
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_unlink (other), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  program = argv[0];
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decisions/same-packets", test_same_packets);
  g_test_add_func ("/decisions/losses", test_losses);
  g_test_add_func ("/decisions/rate", test_rate);
  g_test_add_func ("/decisions/outage", test_outage);
  g_test_add_func ("/decisions/window", test_window);
  g_test_add_func ("/decisions/keys", test_keys);
  g_test_add_func ("/decisions/held", test_held);
  g_test_add_func ("/decisions/joined", test_joined);
  g_test_add_func ("/decisions/given-up", test_given_up);
  g_test_add_data_func ("/decisions/aborts", GINT_TO_POINTER (TRUE), test_fails);
  g_test_add_data_func ("/decisions/fails", GINT_TO_POINTER (FALSE), test_fails);
  g_test_add_func ("/decisions/prints", test_prints);
  g_test_add_func ("/decisions/writes", test_writes);
  return g_test_run ();
}
