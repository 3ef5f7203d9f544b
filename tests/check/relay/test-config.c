/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The relay's configuration: what is taken, what is refused and what is said then, and
 * what a change of it asks for.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include "gstfaspfile.h"
#include "relayconfig.h"

#define IN "input = fasp://127.0.0.1:7001\n"
#define NAME_30 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define NAME_120 NAME_30 NAME_30 NAME_30 NAME_30
#define NAME_600 NAME_120 NAME_120 NAME_120 NAME_120 NAME_120
#define HASH \
  "$scrypt$ln=15,r=8,p=3$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define OUT "output = fasp://:7101\n"

static RelayConfig *
parse (const gchar *text, GError **error)
{
  return relay_config_parse (text, strlen (text), NULL, error);
}

static RelayConfig *
parse_good (const gchar *text)
{
  g_autoptr (GError) error = NULL;
  RelayConfig *config = parse (text, &error);

  g_assert_no_error (error);
  return config;
}

static void
test_good (void)
{
  g_autofree gchar *status = NULL;
  g_autoptr (RelayConfig) config =
      parse_good ("[relay]\nstatus = http://[::1]:8080\nstatus-names = a.example; b\n"
                  "[stream news]\n" IN OUT
                  "[stream two words]\nstreamid = x\nrequire-streamid = true\n"
                  "optional = true\ninput = fasp://:7002?latency=auto&redundancy=hot\n"
                  "output = fasp://:7102?max-bitrate=1000000&slow-policy=wait;fasp://h:1\n");
  const RelayStreamConfig *news = relay_config_find (config, "news");
  const RelayStreamConfig *other = relay_config_find (config, "two words");
  g_autoptr (GstElement) sink = NULL;
  g_autofree gchar *streamid = NULL;
  gboolean waits;

  status = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (config->status));
  g_assert_cmpstr (status, ==, "[::1]:8080");
  g_assert_cmpstr (config->status_names[0], ==, "a.example");
  g_assert_cmpstr (config->status_names[1], ==, "b");
  g_assert_null (config->status_names[2]);
  g_assert_cmpuint (config->streams->len, ==, 2);
  g_assert_cmpstr (news->streamid, ==, "news");
  g_assert_false (news->require_streamid || news->optional);
  g_assert_true (other->require_streamid && other->optional);
  g_assert_cmpuint (other->outputs->len, ==, 2);
  g_assert_null (relay_config_find (config, "sport"));

  /* what a relay wants where the URI says nothing */
  sink = gst_object_ref_sink (relay_end_make (g_ptr_array_index (news->outputs, 0), NULL, NULL));
  g_object_get (sink, "wait-for-connection", &waits, "streamid", &streamid, NULL);
  g_assert_false (waits);
  g_assert_cmpstr (streamid, ==, "news");
}

/* A main source and backups of any kind; a semicolon of a URI is written with a backslash. */
static void
test_backups (void)
{
  g_autoptr (RelayConfig) config = parse_good (
      "[stream a]\n" OUT "input = srt://:9000;fasp://h:1;srt://:9001?passphrase=horse\\;battery\n"
      "switch-after = 100\nwait-to-restore = 0\nleave-on-black = 5\nleave-on-errors = 3\n"
      "[stream b]\noutput = udp://127.0.0.1:1\ninput = udp://:5000;rtp://:5002;\n"
      "[stream c]\noutput = udp://127.0.0.1:1\ninput = udp://:5004\n");
  const RelayEnd *a = relay_config_find (config, "a")->input;
  const RelayEnd *b = relay_config_find (config, "b")->input;

  g_assert_cmpstr (a->uri, ==, "srt://:9000");
  g_assert_cmpuint (a->backups->len, ==, 2);
  g_assert_cmpstr (((RelayEnd *) g_ptr_array_index (a->backups, 0))->uri, ==, "fasp://h:1");
  g_assert_cmpstr (((RelayEnd *) g_ptr_array_index (a->backups, 1))->uri, ==,
      "srt://:9001?passphrase=horse;battery");
  g_assert_cmpuint (a->switch_after, ==, 100);
  g_assert_cmpuint (a->wait_to_restore, ==, 0);
  g_assert_cmpuint (a->rules[RELAY_RULE_BLACK], ==, 5);
  g_assert_cmpuint (a->rules[RELAY_RULE_ERRORS], ==, 3);
  g_assert_cmpuint (a->rules[RELAY_RULE_SILENCE], ==, 0);
  /* there are no pictures by which it can be told whether they are black */
  g_assert_cmpuint (config->warnings->len, ==, 1);
  g_assert_nonnull (strstr (g_ptr_array_index (config->warnings, 0),
      "[stream a] leave-on-black has nothing to judge by: write picture-interval"));
  g_assert_cmpuint (b->backups->len, ==, 1);
  g_assert_cmpuint (b->switch_after, ==, 1000);
  g_assert_cmpuint (b->wait_to_restore, ==, 10000);
  g_assert_null (relay_config_find (config, "c")->input->backups);
}

/* Of a change, only the times are set while the input plays. */
static void
test_backups_changed (void)
{
  static const struct
  {
    const gchar *input;
    RelayDifference difference;
  } others[] = {
    { "udp://:1;srt://:2\n", RELAY_SAME },
    { "udp://:1;srt://:2\nswitch-after = 500\n", RELAY_ADJUST },
    { "udp://:1;srt://:2\nwait-to-restore = 500\n", RELAY_ADJUST },
    { "udp://:1;srt://:2\nleave-on-frozen = 5\n", RELAY_ADJUST },
    { "udp://:1;srt://:3\n", RELAY_ENDS },
    { "udp://:4;srt://:2\n", RELAY_ENDS },
    { "srt://:2;udp://:1\n", RELAY_ENDS },
    { "udp://:1;srt://:2;srt://:3\n", RELAY_ENDS },
    { "udp://:1\n", RELAY_ENDS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autofree gchar *text = g_strconcat ("[stream a]\n" OUT "input = ", others[i].input, NULL);
    g_autoptr (RelayConfig) one = parse_good ("[stream a]\n" OUT "input = udp://:1;srt://:2\n");
    g_autoptr (RelayConfig) other = parse_good (text);
    const RelayStreamConfig *a = relay_config_find (one, "a"), *b = relay_config_find (other, "a");

    g_test_message ("%s", others[i].input);
    g_assert_cmpint (relay_stream_config_compare (a, b), ==, others[i].difference);
    g_assert_cmpint (relay_stream_config_compare (b, a), ==, others[i].difference);
  }
}

/* A key that no end uses is no fault where the API may have removed the last one that does. */
static void
test_unused (void)
{
  static const gchar *const texts[] = {
    OUT "input = srt://h:1;udp://:5\ninput-allowed-addresses = ::1\n",
    OUT "input = srt://h:1\ninput-allowed-addresses = ::1\n",
    IN "output = udp://127.0.0.1:1;srt://:5\noutput-allowed-addresses = ::1\n",
    IN "output = udp://127.0.0.1:1\noutput-allowed-addresses = ::1\n",
    IN "output = udp://127.0.0.1:1;fasp://:5\noutput-log = /tmp/x\n",
    IN "output = udp://127.0.0.1:1;srt://:5\noutput-log = /tmp/x\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree gchar *text = g_strconcat ("[stream a]\n", texts[i], NULL);
    RelayConfig *config = parse_good (text);

    g_assert_cmpuint (config->warnings->len, ==, i % 2);
    relay_config_free (config);
  }
}

/* A text, and what has to be in the answer. */
static const struct
{
  const gchar *text, *where, *what;
} faults[] = {
  { "", "", "[stream NAME]" },
  { "[relay]\n", "", "[stream NAME]" },
  { "nonsense", "", "" },
  { "[streams a]\n" IN OUT, "line 1: there is no such section", "[stream NAME]" },
  { "[stream ]\n" IN OUT, "[stream ]", "with a name" },
  { "[stream " NAME_600 "]\n" IN OUT, "[stream x", "with a name of at most" },
  { "[stream \xff]\n" IN OUT, "[stream \xef\xbf\xbd]", "is not UTF-8" },
  { "[stream \xe2\x80\xaen]\nstreamid = n\n" IN OUT, "[stream  n]", "cannot be seen" },
  { "[stream \xff]\nx = 1\n", "[stream \xef\xbf\xbd] line 2", "no such key" },
  { "[user \xff]\nrole = 1\n", "[user \xef\xbf\xbd]", "letters of ASCII" },
  { "[stream \xff" NAME_600 "]\nstreamid = \xff\n", "[stream ", "UTF-8" },
  { "[stream a]\n" IN, "[stream a] output:", "fasp://:PORT" },
  { "[stream a]\n" OUT, "[stream a] input:", "fasp://HOST:PORT" },
  { "[stream a]\n" IN OUT "bitrate = 5\n", "[stream a] line 4: there is no",
      "input-passphrase-file" },
  { "[stream a]\n" IN OUT "optional = perhaps\n", "[stream a] optional:", "true or false" },
  { "[stream a]\n" IN OUT "monitor-ts = off\n", "[stream a] monitor-ts:", "true or false" },
  { "[stream a]\n" IN OUT "output-monitor-ts = off\n",
      "[stream a] output-monitor-ts:", "true or false" },
  { "[stream a]\n" IN OUT "output-allowed-addresses = 10.1.2.3/8\n",
      "[stream a] output-allowed-addresses:", "10.1.0.0/16" },
  { "[stream a]\n" OUT "input = rist://:2\ninput-allowed-addresses =\n",
      "[stream a] input-allowed-addresses:", "leave it out" },
  { "[relay]\nauth-role = view\n", "[relay] auth-role:", "write auth-url" },
  { "[relay]\nauth-role = root\n", "[relay] auth-role:", "view, operate, administer" },
  { "[relay]\nstatus-allowed-addresses = localhost\n",
      "[relay] status-allowed-addresses:", "192.0.2.7" },
  { "[stream a]\n" OUT "input = http://x:1\n", "[stream a] input:", "fasp://" },
  { "[stream a]\n" OUT "input = srt://x\n", "[stream a] input:", "srt://HOST:PORT" },
  { "[stream a]\n" IN "output = udp://:5000\n", "[stream a] output:", "udp://HOST:PORT" },
  { "[stream a]\n" OUT "input = udp://:5000\ninput-record = /tmp/x.csv\n",
      "[stream a] input:", "input-record is for fasp://" },
  { "[stream a]\ninput = srt://:7101\n" OUT, "[stream a] output:", "only ends of fasp://" },
  { "[stream a]\n" IN "output = file:///tmp/a.ts\n[stream b]\ninput = fasp://h:1\noutput = "
    "file:///tmp/a.ts\n",
      "[stream b] output:", "[stream a]" },
  { "[stream a]\n" IN "output = file:///tmp/a-%F.ts;file:///tmp/a-%Y-%m-%d.ts?piece=60\n",
      "[stream a] output:", "give each a name of its own" },
  { "[stream a]\n" IN "output = file:///tmp/a-%s.ts?piece=60;file:///tmp/a-%Y.ts?piece=60\n",
      "[stream a] output:", "give each a name of its own" },
  { "[stream a]\n" IN "output = hls:///tmp/a%.m3u8?keep=3;hls:///tmp/a%.m3u8\n",
      "[stream a] output:", "give each a name of its own" },
  { "[stream a]\n" IN "output = hls:///tmp/a.m3u8;file:///tmp/a.%s.ts?piece=60\n",
      "[stream a] output:", "give each a name of its own" },
  { "[stream a]\n" IN "output = hls:///tmp/a%.m3u8;file:///tmp/a%%.m3u8\n",
      "[stream a] output:", "give each a name of its own" },
  { "[stream a]\n" IN "output = file:///tmp/a-%s.m3u8?piece=60;hls:///tmp/a-123456789.m3u8\n",
      "[stream a] output:", "give each a name of its own" },
  { "[stream a]\ninput = rist://:7100\n" OUT, "[stream a] output:", "only ends of fasp://" },
  { "[stream a]\ninput = srt://:7101?streamid=a\n" OUT,
      "[stream a] output:", "only ends of fasp://" },
  { "[stream a]\ninput = srt://:7200\noutput = srt://:7200?streamid=a\n",
      "[stream a] output:", "that have a streamid" },
  { "[stream a]\ninput = srt://:7200?streamid=a\n"
    "output = srt://:7200?streamid=a;srt://:7200?streamid=a\n",
      "[stream a] output:", "the same streamid" },
  { "[stream a]\ninput = srt://127.0.0.1:7200?mode=listener&streamid=a\noutput = srt://:7200?streamid=b\n",
      "[stream a] output:", "give all the same address" },
  { "[stream a]\ninput = srt://:7200?streamid=a\noutput = srt://:7200?streamid=b&interface=lo\n",
      "[stream a] output:", "interface" },
  { "[stream a]\ninput = udp://239.1.1.1:7101\n" OUT, "[stream a] output:", "multicast group" },
  { "[stream a]\ninput = fasp://239.1.1.1:7101\n" OUT, "[stream a] output:", "multicast group" },
  { "[stream a]\ninput = rist://239.1.1.1:7100\n" OUT, "[stream a] output:", "multicast group" },
  { "[stream a]\n" IN "output = rist://239.1.1.1:7100;udp://h:1\n[stream b]\n" OUT
    "input = udp://:7101\n",
      "[stream b] input:", "multicast group" },
  { "[stream a]\n" OUT "input = fasp://x\n", "[stream a] input:", "port" },
  { "[stream a]\n" OUT "input = fasp://x:1 # the studio\n",
      "[stream a] input:", "a line of its own" },
  { "[stream a]\n" IN "output = fasp://:1;fasp://:2\t# two\n",
      "[stream a] output:", "a line of its own" },
  { "[stream a]\n" OUT "input = fasp://x:1?max-bitrate=5\n",
      "[stream a] input:", "\"max-bitrate\" is not a key" },
  { "[stream a]\n" IN "output = fasp://:1?max-bitrate=fast\n", "[stream a] output:", "\"fast\"" },
  { "[stream a]\n" IN OUT "input-passphrase-file = /nowhere/at/all\n",
      "[stream a] input-passphrase-file:", "/nowhere/at/all" },
  { "[relay]\napi-token-file = /nowhere\n[stream a]\n" IN OUT,
      "[relay] api-token-file:", "nothing but the token" },
  { "[stream a]\n" OUT
    "input = fasp://x:1?public-key=CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%3D\n"
    "input-key-file = /nowhere\n",
      "[stream a] input:", "key-file: " },
  { "[stream a]\n" IN OUT "output-allowed-keys = /nowhere\n",
      "[stream a] output:", "need a key-file" },
  { "[stream a]\n" IN OUT "[user a]\n", "[user a] role:", "view, operate or administer" },
  { "[stream a]\n" IN OUT "[user a]\nrole = none\n", "[user a] role:", "\"none\" is not" },
  { "[stream a]\n" IN OUT "[user a]\nrole = view\n", "[user a] password-hash:", "--hash-password" },
  { "[stream a]\n" IN OUT "[user a]\nrole = view\npassword-hash = correct-horse\n",
      "[user a] password-hash:", "--hash-password" },
  { "[stream a]\n" IN OUT "[user a]\nrole = view\nstreams = a\n",
      "[user a] line 6: there is no such key", "password-hash" },
  { "[stream a]\n" IN OUT "[user ]\nrole = view\n", "[user ]:", "letters of ASCII" },
  { "[stream a]\n" IN OUT "[user a\xff]\nrole = view\n",
      "[user a\xef\xbf\xbd]:", "letters of ASCII" },
  { "[stream a]\n" IN OUT "[user a]\nrole = view\npassword-hash = " HASH
    "\n[user  a]\nrole = view\npassword-hash = " HASH "\n",
      "[user  a]:", "another one of that name" },
  { "[stream a]\n" IN OUT "[token a]\nrole = view\n", "[token a] token-file:", "it is missing" },
  { "[stream a]\n" IN OUT "[token a]\nrole = view\ntoken-file = /nowhere\n",
      "[token a] token-file:", "nothing but the token" },
  { "[relay]\nstatus = http://0.0.0.0:1\napi = true\n[stream a]\n" IN OUT,
      "[relay] api:", "[user NAME]" },
  /* a URI comes from anywhere, also one that was pasted here */
  { "[stream a]\n" OUT "input = fasp://x:1?key-file=/nowhere\n",
      "[stream a] input:", "write input-key-file = FILE" },
  { "[stream a]\n" IN "output = fasp://:1?allowed-keys=/nowhere\n",
      "[stream a] output:", "write output-allowed-keys = FILE" },
  { "[stream a]\n" IN "output = fasp://:1;fasp://:2?record=/nowhere/x.db\n",
      "[stream a] output:", "write output-record = FILE" },
  { "[stream a]\n" IN "output = fasp://:1?log=/nowhere/x\n",
      "[stream a] output:", "write output-log = FILE" },
  /* GStreamer 1.22 crashes at a key like these */
  { "[stream a]\n" IN "output = fasp://h:1?a%=1\n", "[stream a] output:", "write %25 for a %" },
  { "[stream a]\n" IN "output = srt://h:1?a%=1\n", "[stream a] output:", "write %25 for a %" },
  { "[stream a]\n" IN "output = rist://h:2?a%00=1\n", "[stream a] output:", "write %25 for a %" },
  { "[stream a]\n" IN "output = udp://h:1?ttl=3&%\n", "[stream a] output:", "write %25 for a %" },
  { "[stream a]\n" OUT "input = udp://:1?%4\n", "[stream a] input:", "write %25 for a %" },
  { "[stream a]\n" IN "output = rtp://h:1?%zz=3\n", "[stream a] output:", "write %25 for a %" },
  { "[stream a]\n" IN "output = file:///tmp/x?a%=1\n", "[stream a] output:", "%25 for a %" },
  /* a host that cannot be read would be all addresses */
  { "[stream a]\n" OUT "input = udp://239.1.1%1:5000\n", "[stream a] input:", "%25 for a %" },
  /* what only the elements know */
  { "[stream a]\n" IN "output = fasp://:7101?fec=14\n",
      "[stream a] output:", HAVE_FEC ? "1% to 100%" : "needs FEC" },
  { "[stream a]\n" OUT "input = fasp://:1?passphrase=battery\n",
      "[stream a] input:", "at least 10 characters" },
  { "[stream a]\n" OUT "input = fasp://:1?bonding-addresses=nonsense\n",
      "[stream a] input:", "\"nonsense\" in bonding-addresses" },
  { "[stream a]\n" OUT "input = fasp://:1?fallback-addresses=127.0.0.1:2\n",
      "[stream a] input:", "fasp://HOST:PORT" },
  /* several sources */
  { "[stream a]\n" OUT
    "input = udp://:1;udp://:2;udp://:3;udp://:4;udp://:5;udp://:6;udp://:7;udp://:8;"
    "udp://:9\n",
      "[stream a] input:", "up to 8 sources" },
  { "[stream a]\n" OUT "input = udp://:1;;udp://:2\n", "[stream a] input:", "no URI of a relay" },
  { "[stream a]\n" OUT "input = udp://:1;srt://x\n", "[stream a] input:", "srt://HOST:PORT" },
  { "[stream a]\n" OUT "input = udp://:5000;srt://:5000\n",
      "[stream a] input:", "UDP port 5000 is also that of the input of [stream a]" },
  { "[stream a]\n" OUT "input = rtp://:5000?leg2=:5002;udp://:5002\n",
      "[stream a] input:", "UDP port 5002 is also that of the input of [stream a]" },
  { "[stream a]\n" OUT
    "input = rtp://127.0.0.1:25000?leg2=127.0.0.1:26000&fec=5x10;udp://127.0.0.1:26002\n",
      "[stream a] input:", "UDP port 26002 is also that of the input of [stream a]" },
  { "[stream a]\n" OUT "input = rtp://127.0.0.1:25004?leg2=127.0.0.1:25000&fec=5x10\n",
      "[stream a] input:", "UDP port 25004 is also that of the input of [stream a]" },
  { "[stream a]\n" OUT "input = rtp://:5000?leg2=127.0.0.1:5000\n",
      "[stream a] input:", "UDP port 5000 is also that of the input of [stream a]" },
  { "[stream a]\n" OUT "input = rtp://239.1.1.1:5000?leg2=:5000\n",
      "[stream a] input:", "where one hears a multicast group" },
  { "[stream a]\n" OUT "input = srt://:9000?streamid=a;srt://:9000?streamid=a\n",
      "[stream a] input:", "with the same streamid" },
  { "[stream a]\n" OUT "input = udp://:5000;udp://:5001\nswitch-after = 99\n",
      "[stream a] switch-after:", "a whole number" },
  { "[stream a]\n" OUT "input = udp://:5000;udp://:5001\nwait-to-restore = 3600001\n",
      "[stream a] wait-to-restore:", "a whole number" },
  { "[stream a]\n" OUT "input = udp://:5000\nswitch-after = 1000\n",
      "[stream a] switch-after:", "MAIN;BACKUP" },
  { "[stream a]\n" OUT "input = udp://:5000\nwait-to-restore = 0\n",
      "[stream a] wait-to-restore:", "MAIN;BACKUP" },
  { "[stream a]\n" OUT "input = udp://:5000\nleave-on-silence = 9\n",
      "[stream a] leave-on-silence:", "MAIN;BACKUP" },
  { "[stream a]\n" OUT "input = udp://:5000;udp://:5001\nleave-on-black = 3601\n",
      "[stream a] leave-on-black:", "a whole number" },
  { "[stream a]\n" OUT "input = udp://:5000;rtp://:5002\ninput-passphrase-file = /nowhere\n",
      "[stream a] input-passphrase-file:", "/nowhere" },
  { "[stream a]\n" OUT "input = fasp://127.0.0.1:1?redundancy=hot\n",
      "[stream a] input:", "set fallback-addresses" },
  { "[stream a]\n" OUT "input = fasp://a:1?redundancy=warm&fallback-addresses=b:1\n",
      "[stream a] input:", "\"warm\"" },
  { "[stream a]\n" OUT
    "input = fasp://192.0.2.1:1?redundancy=hot&fallback-addresses=b:1,192.0.2.1:1\n",
      "[stream a] input:", "192.0.2.1:1 is there twice" },
  { "[stream a]\n" OUT "input = fasp://[::1]:1?redundancy=standby&fallback-addresses=[0::1]:1\n",
      "[stream a] input:", "[0::1]:1 is there twice" },
  { "[stream a]\n" OUT "input = fasp://:1?redundancy=hot&flowlets=2\n",
      "[stream a] input:", "leave out flowlets" },
  { "[stream a]\n" IN "output = fasp://:1?redundancy=hot\n",
      "[stream a] output:", "into the input" },
  { "[stream a]\n" IN "output = fasp://:7101?authentication=true\n",
      "[stream a] output:", "set passphrase" },
  { "[stream a]\n" IN "output = fasp://:7101?encryption=none&passphrase=correct-horse\n",
      "[stream a] output:", "leave one of them out" },
  { "[stream a]\n" IN "output = fasp://:7101?localaddress=here\n",
      "[stream a] output:", "\"here\"" },
  { "[stream a]\n" IN OUT "output-record = /nowhere/x.db\n",
      "[stream a] output:", "/nowhere/x.db" },
  { "[stream a]\n" IN OUT "output-log = /nowhere/x\n", "[stream a] output:", "Cannot log" },
  { "[stream a]\n" IN OUT "input-record = /tmp\n", "[stream a] input:", ".csv" },
  { "[stream a]\n" IN OUT "input-record = \\q\n", "[stream a] input-record:", "backslash" },
  { "[stream a]\n" IN "output = fasp://:7101;fasp://:7101\n", "[stream a] output:",
      "7101 is also that of the output of [stream a], with the same streamid" },
  { "[stream a]\n" IN OUT "[stream b]\nstreamid = a\n" IN OUT,
      "[stream b] output:", "the same streamid" },
  { "[stream a]\n" IN OUT "[stream b]\n" IN "output = fasp://:7101?tos=8\n",
      "[stream b] output:", "another tos" },
  { "[stream a]\n" IN OUT "[stream b]\n" IN
    "output = fasp://:7101?bonding-addresses=127.0.0.1:7102\n",
      "[stream b] output:", "bonding-addresses" },
  { "[stream a]\n" IN OUT "[stream b]\n" IN "output = fasp://:7101?localaddress=127.0.0.1\n",
      "[stream b] output:", "another localaddress" },
  { "[stream a]\n" IN OUT "[stream b]\n" IN "output = fasp://127.0.0.1:7101?mode=listener\n",
      "[stream b] output:", "another localaddress" },
  { "[stream a]\n" IN OUT "[stream b]\n" IN "output = fasp://0.0.0.0:7101\n",
      "[stream b] output:", "another localaddress" },
  { "[stream a]\nstreamid = x\n" IN "output = fasp://[::]:7101\n"
    "[stream b]\nstreamid = x\n" IN OUT,
      "[stream b] output:", "the same streamid" },
  { "[stream a]\n" IN "output = fasp://127.0.0.1:7101?mode=listener\n"
    "[stream b]\n" IN "output = fasp://0.0.0.0:7101\n",
      "[stream b] output:", "another localaddress" },
  { "[stream a]\n" IN "output = fasp://[::0:1]:7101?mode=listener\n"
    "[stream b]\n" IN "output = fasp://[::1]:7101?mode=listener&tos=8\n",
      "[stream b] output:", "another tos" },
  { "[stream a]\n" IN OUT "[stream b]\ninput = fasp://:7100?flowlets=2\n"
    "output = fasp://:7200\n",
      "[stream b] input:", "[stream a]" },
  { "[stream a]\n" IN OUT "[stream a ]\n" IN "output = fasp://:1\n", "[stream a ]",
      "another stream of that name" },
  { "[stream a]\ninput = udp://:7001\noutput = srt://h:1?localport=7001\n",
      "[stream a] output:", "7001 is also that of the input of [stream a], and an end that dials" },
  { "[stream a]\ninput = udp://:7001\noutput = fasp://h:1?localport=7001\n",
      "[stream a] output:", "an end that dials" },
  { "[stream a]\ninput = fasp://:7001\noutput = fasp://h:7001?mode=rendezvous\n",
      "[stream a] output:", "an end that dials" },
  { "[stream a]\n" IN "output = fasp://h:1?localport=7001;fasp://h:2?localport=7001\n",
      "[stream a] output:", "an end that dials" },
  { "[stream a]\n" IN "output = fasp://h:1?localport=7001&flowlets=2;srt://:7002\n",
      "[stream a] output:", "an end that dials" },
  { "[stream a]\n" IN "output = srt://h:1?localport=7001;srt://h:2?localport=7001&interface=lo\n",
      "[stream a] output:", "the same interface" },
  { "[stream a]\ninput = srt://127.0.0.1:7001?mode=listener\noutput = srt://127.0.0.1:1?localport=7001\n",
      "[stream a] output:", "listen at all addresses" },
  { "[stream a]\n" IN
    "output = srt://192.0.2.1:1?localport=7001;srt://[2001:db8::1]:1?localport=7001\n",
      "[stream a] output:", "all by IPv4 or all by IPv6" },
  { "[stream a]\n" IN "output = srt://:7001?streamid=a;srt://[2001:db8::1]:1?localport=7001\n",
      "[stream a] output:", "all by IPv4 or all by IPv6" },
  { "[stream a]\n" IN "output = srt://[::]:7001?streamid=a;srt://192.0.2.1:1?localport=7001\n",
      "[stream a] output:", "all by IPv4 or all by IPv6" },
  { "[hook a]\non = came\nrun = /bin/true\n[hook  a ]\non = went\nrun = /bin/true\n", "[hook  a ]",
      "another hook of that name" },
  { "[hook a]\non = came\nstreams = a\\q\nrun = /bin/true\n", "[hook a] streams:", "backslash" },
  { "[hook a]\non = came\nstreams =\nrun = /bin/true\n", "[hook a] streams:", "names of streams" },
  { "[token a]\nrole = view\ntoken-file = /proc/sys/kernel/random/boot_id\nstreams = a\\q\n",
      "[token a] streams:", "backslash" },
  { "[stream .]\n" IN OUT, "[stream .]", "out of the paths" },
  { "[stream .. ]\n" IN OUT, "[stream .. ]", "out of the paths" },
  { "[relay]\nstatus = 8080\n", "[relay] status:", "http://127.0.0.1:8080" },
  { "[relay]\nstatus = https://127.0.0.1:8080\n", "[relay] status:", "http://127.0.0.1:8080" },
  { "[relay]\nstatus = http://127.0.0.1:8080/x\n", "[relay] status:", "http://127.0.0.1:8080" },
  { "[relay]\nstatus = http://example.org:8080\n", "[relay] status:", "http://127.0.0.1:8080" },
  /* any free one, which no user would know */
  { "[relay]\nstatus = http://127.0.0.1:0\n", "[relay] status:", "http://127.0.0.1:8080" },
  { "[relay]\nhistory = history.db\n", "[relay] history:", "/var/lib/fasp-relay/history.db" },
  { "[relay]\nstatus-names =\n", "[relay] status-names:", "without a port" },
  { "[relay]\nstatus-names = a;;b\n", "[relay] status-names:", "without a port" },
  { "[relay]\nstatus-names = relay.example:8080\n", "[relay] status-names:", "without a port" },
  { "[relay]\nport = 8080\n", "[relay] line 2: there is no", "status" },
  { "[stream a]\ninput = fasp://:7001?latency=1\\q\noutput = fasp://:7002\n",
      "[stream a] input:", "backslash" },
  { "[stream a]\nstreamid = a\\q\ninput = fasp://:7001\noutput = fasp://:7002\n",
      "[stream a] streamid:", "backslash" },
  /* what has got to the next line, or lacks its key, may be a secret */
  { "[stream a]\n" IN "output = fasp://:7101?passphrase=correct horse\n"
    "  battery staple\n",
      "line 4", "no KEY = VALUE" },
  { "# a comment\n\n[stream a]\n" IN OUT "=battery staple", "line 6", "no KEY = VALUE" },
  { "[stream a]\n" IN "output = fasp://:7101?passphrase=correct horse\n"
    "  [battery staple\n" OUT,
      "line 4", "no KEY = VALUE" },
  { "[stream a]\n" IN OUT "battery[staple = 7\n", "line 4", "no such key" },
  { "[stream a]\n" IN OUT "output[battery] = x\n", "line 4", "no such key" },
  { "[stream a]\n" IN OUT "[battery]\n", "line 4", "no such section" },
  { "[stream a]\n" IN OUT "[stream battery\tstaple]\n", "line 4", "no [section]" },
  { "battery = horse\n[stream a]\n" IN OUT, "line 1", "no KEY = VALUE" },
  /* what stands twice is not merged */
  { "[stream a]\n" IN OUT "[stream b]\n" IN "output = fasp://:7102\n"
    "[stream a]\noptional = true\n",
      "[stream a]: it stands twice, in line 1 and in line 7", "Leave one" },
  { "[relay]\n[stream a]\n" IN OUT " [relay] \n",
      "[relay]: it stands twice, in line 1 and in line 5", "Leave one" },
  { "[stream a]\n" IN OUT "\n# again\n\toutput  =fasp://:7102\n",
      "[stream a] output: it stands twice, in line 3 and in line 6", "Leave one" },
  { "[relay]\r\nstatus=http://127.0.0.1:1\r\nstatus=http://127.0.0.1:2\r\n",
      "[relay] status: it stands twice, in line 2 and in line 3", "Leave one" },
  { "[stream a]\n" OUT "input = fasp://:1?latency=7passphrase=battery\n",
      "[stream a] input:", "value of latency" },
};

static void
test_faults (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    g_autoptr (GError) error = NULL;

    if (parse (faults[i].text, &error) != NULL)
      g_error ("it was taken: %s", faults[i].text);
    if (strstr (error->message, faults[i].where) == NULL
        || strstr (error->message, faults[i].what) == NULL)
      g_error ("%s: %s", faults[i].text, error->message);
    g_assert_null (strstr (error->message, "battery"));
    g_assert_null (strstr (error->message, "horse"));
  }
}

/* The parser of caps calls itself for each bracket in another, until the stack is full. */
static void
test_brackets (void)
{
  g_autofree gchar *brackets = g_strnfill (30000, '{');
  g_autofree gchar *text =
      g_strconcat ("[stream a]\n" OUT "input = fasp://h:1?caps=video/mpegts,a=", brackets, "\n",
          NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (RelayConfig) good = NULL;

  g_assert_null (parse (text, &error));
  g_assert_nonnull (strstr (error->message, "brackets"));
  g_assert_cmpuint (strlen (error->message), <, 400);
  good = parse_good ("[stream a]\n" OUT "input = fasp://h:1?caps=video/mpegts,a={[1,2],[4,5]}\n");
}

static void
test_long (void)
{
  g_autofree gchar *text = g_malloc (GST_FASP_FILE_MAX);
  g_autoptr (GError) error = NULL;

  memset (text, '#', GST_FASP_FILE_MAX);
  g_assert_null (relay_config_parse (text, GST_FASP_FILE_MAX, NULL, &error));
  g_assert_nonnull (strstr (error->message, "less than 16 MiB"));
}

/* As editors of other systems write it; what has the same key in another section is no second
 * one. */
static void
test_lines (void)
{
  static const gchar zero[] = "[stream a]\n" IN OUT "#\0\n";
  g_autoptr (GError) error = NULL;

  relay_config_free (parse_good ("\r\n  # x\r\n\t[stream a] \r\n\t"
                                 "input = fasp://127.0.0.1:7001\r\noutput = fasp://:7101\r\n"
                                 "[stream b]\r\ninput = fasp://127.0.0.1:7001\r\n"
                                 "output = fasp://:7102"));
  g_assert_null (relay_config_parse (zero, sizeof zero - 1, NULL, &error));
  g_assert_nonnull (strstr (error->message, "line 4 has a zero byte"));
}

/* Of any length: a reload, while streams pass, does not take hours. */
static void
test_stray_line (void)
{
  static const guint at[] = { 2, 12345, 50000 };

  for (guint i = 0; i < G_N_ELEMENTS (at); i++) {
    g_autoptr (GString) text = g_string_new ("[stream a]\n" IN OUT);
    g_autofree gchar *line = g_strdup_printf ("line %u is no [section]", at[i] + 3);
    g_autoptr (GError) error = NULL;

    for (guint n = 1; n <= 50000; n++)
      g_string_append (text, n == at[i] ? "battery\n" : "# a comment\n");
    g_assert_null (parse (text->str, &error));
    g_assert_nonnull (strstr (error->message, line));
  }
}

/* One port for many, in both directions; each chosen by role and streamid. */
static void
test_shared (void)
{
  relay_config_free (parse_good ("[stream a]\ninput = fasp://:7001\n"
                                 "output = fasp://:7001;fasp://:7001?streamid=again\n"
                                 "[stream b]\ninput = fasp://:7001\noutput = fasp://:7001\n"));
}

/* Different addresses may have the same port. */
static void
test_addresses (void)
{
  relay_config_free (parse_good ("[stream a]\n" IN "output = fasp://:7101?localaddress=127.0.0.1;"
                                 "fasp://:7101?localaddress=127.0.0.2;"
                                 "fasp://127.0.0.3:7101?mode=listener;"
                                 "fasp://[::1]:7101?mode=listener\n"));
  /* IPv4 and IPv6 are apart, and an end that dials holds no port */
  relay_config_free (
      parse_good ("[stream a]\n" IN "output = fasp://0.0.0.0:7101;fasp://[::1]:7101?mode=listener;"
                  "fasp://127.0.0.1:7101?streamid=x;fasp://127.0.0.1:7101?streamid=x\n"));
  /* a group that many of them hear or send to is an address of its own */
  relay_config_free (
      parse_good ("[stream a]\n"
                  "input = fasp://239.1.1.1:7101\noutput = fasp://127.0.0.1:7101?mode=listener\n"
                  "[stream b]\ninput = fasp://239.1.1.1:7101\n"
                  "output = fasp://127.0.0.1:7101?mode=listener&streamid=b;"
                  "fasp://239.1.1.2:7101?max-bitrate=5000000\n"
                  "[stream c]\ninput = udp://239.1.1.1:7101?interface=lo\n"
                  "output = udp://239.1.1.1:7101\n"
                  "[stream d]\ninput = rtp://192.0.2.1@239.1.1.1:7101\n"
                  "output = file:///dev/null\n"
                  "[stream e]\ninput = rist://239.1.1.1:7100\noutput = rist://239.1.1.1:7100\n"
                  "[stream f]\ninput = udp://:7102\noutput = file:///dev/null\n"
                  "[stream g]\ninput = udp://[ff15::1]:7102\noutput = file:///dev/null\n"));
}

/* Ends that dial from a port of their own; those of SRT share it. */
static void
test_dialling (void)
{
  relay_config_free (parse_good (
      "[stream a]\ninput = srt://:7001\noutput = srt://h:1?localport=7001;"
      "srt://h:7001?mode=rendezvous;srt://:7002?interface=lo;"
      "srt://h:1?localport=7002&interface=lo;fasp://h:1;fasp://h:1;fasp://h:1?localport=0;"
      "fasp://h:1?localport=0;fasp://127.0.0.1:1?localport=7003;"
      "srt://[::]:7004?streamid=a;srt://[2001:db8::1]:1?localport=7004;srt://h:1?localport=7004;"
      "fasp://[::1]:7003?mode=listener\n"));
}

/* It comes out of the file as it was meant, and is in no message. */
static void
test_passphrase (void)
{
  static const gchar secret[] = "correct horse battery";
  g_autofree gchar *path = NULL;
  g_autofree gchar *text = NULL, *long_text = g_strnfill (5000, 'x');
  g_autoptr (GError) error = NULL;
  RelayConfig *config;
  gint fd = g_file_open_tmp ("relay-XXXXXX", &path, NULL);

  g_close (fd, NULL);
  text = g_strdup_printf ("[stream a]\n" IN OUT "output-passphrase-file = %s\n", path);
  g_assert_true (g_file_set_contents (path, " correct horse battery \n", -1, NULL));
  config = parse_good (text);
  g_assert_cmpstr (
      ((RelayEnd *) g_ptr_array_index (relay_config_find (config, "a")->outputs, 0))->passphrase,
      ==, secret);
  g_assert_null (relay_config_find (config, "a")->input->passphrase);
  relay_config_free (config);
  for (guint i = 0; i < 2; i++) {
    g_clear_error (&error);
    g_assert_true (g_file_set_contents (path, i == 0 ? "battery\n" : long_text, -1, NULL));
    g_assert_null (parse (text, &error));
    g_assert_nonnull (strstr (error->message, "openssl rand -base64 18 >NEW-FILE"));
    g_assert_null (strstr (error->message, "battery"));
  }
  g_unlink (path);
}

/* Files that are named for a side are named to each of its elements, and to no other. */
static void
test_files (void)
{
  static const gchar *const keys[] = { "output-record = /tmp/x.csv", "output-record = /tmp/y.csv",
    "" };
  RelayConfig *configs[3];

  for (guint i = 0; i < 3; i++) {
    g_autofree gchar *text =
        g_strdup_printf ("[stream a]\n" IN "output = fasp://:7101;fasp://:7102\n%s\n", keys[i]);
    const RelayStreamConfig *stream;

    configs[i] = parse_good (text);
    stream = relay_config_find (configs[i], "a");
    for (guint k = 0; k < 3; k++) {
      const RelayEnd *end = k == 0 ? stream->input : g_ptr_array_index (stream->outputs, k - 1);
      g_autoptr (GstElement) element = gst_object_ref_sink (relay_end_make (end, NULL, NULL));
      g_autofree gchar *record = NULL;

      g_object_get (element, "record", &record, NULL);
      g_assert_cmpstr (record, ==, k == 0 || i == 2 ? NULL : strchr (keys[i], '/'));
    }
    g_assert_cmpint (relay_stream_config_compare (relay_config_find (configs[0], "a"), stream), ==,
        i == 0 ? RELAY_SAME : RELAY_ENDS);
  }
  for (guint i = 0; i < 3; i++)
    relay_config_free (configs[i]);
  g_assert_false (g_file_test ("/tmp/x.csv", G_FILE_TEST_EXISTS));
}

/* A configuration that has a passphrase, or names a file that has one, is the relay's alone. */
static void
test_open_files (void)
{
  static const struct
  {
    const gchar *text;
    mode_t mode;
    guint warnings;
    const gchar *command;
  } cases[] = {
    { "[stream a]\n" IN OUT, 0644, 0, NULL },
    { "[stream a]\n" IN OUT, 0664, 1, "chmod go-w " },
    { "[stream a]\n" IN "output = fasp://:1?passphrase=correct-horse\n", 0600, 0, NULL },
    { "[stream a]\n" IN "output = fasp://:1?passphrase=correct-horse\n", 0640, 1, "chmod go= " },
    { "[stream a]\n" IN "output = srt://h:1?streamid=%23!::r=x,s=correct-horse\n", 0644, 1,
        "chmod go= " },
    { "[stream a]\n" IN "output = fasp://h:1?streamid=read:x:joe:correct-horse\n", 0644, 1,
        "chmod go= " },
    { "[stream a]\n" IN "output = srt://:1?streamid=a:b:c:d;srt://:2?\n", 0644, 0, NULL },
    /* the file with the passphrase is told of once; the configuration is no secret */
    { "[stream a]\n" IN OUT "output-passphrase-file = FILE\n"
      "input-passphrase-file = FILE\n",
        0604, 1, "chmod go= " },
  };
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "relay.conf", NULL);
  g_autofree gchar *secret = g_build_filename (folder, "secret", NULL);

  g_assert_true (g_file_set_contents (secret, "correct-horse", -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) parts = g_strsplit (cases[i].text, "FILE", -1);
    g_autofree gchar *text = g_strjoinv (secret, parts);
    g_autoptr (GError) error = NULL;
    g_autoptr (RelayConfig) config = NULL;

    g_assert_true (g_file_set_contents (path, text, -1, NULL));
    g_assert_cmpint (g_chmod (path, cases[i].mode), ==, 0);
    g_assert_cmpint (g_chmod (secret, cases[i].mode), ==, 0);
    config = relay_config_load (path, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (config->warnings->len, ==, cases[i].warnings);
    for (guint k = 0; k < config->warnings->len; k++) {
      const gchar *warning = g_ptr_array_index (config->warnings, k);

      g_assert_nonnull (strstr (warning, cases[i].command));
      g_assert_null (strstr (warning, "horse"));
    }
  }
  g_unlink (path);
  g_unlink (secret);
  g_rmdir (folder);
}

/* What is changed by the API starts nothing anew because a file has changed: that is read
 * at a reload. */
static void
test_known_secrets (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "secret", NULL);
  g_autofree gchar *text =
      g_strdup_printf ("[relay]\nstatus = http://127.0.0.1:1\napi = true\n"
                       "api-token-file = %s\n[stream a]\n" IN OUT "output-passphrase-file = %s\n",
          path, path);
  g_autoptr (RelayConfig) before = NULL;

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (RelayConfig) config = NULL;

    if (i < 2)
      g_assert_true (g_file_set_contents (path, i == 0 ? "correct-horse" : "battery-staple", -1,
          NULL));
    else
      g_unlink (path);
    config = relay_config_parse (text, strlen (text), before, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (config->api_token, ==, "correct-horse");
    if (before != NULL)
      g_assert_cmpint (relay_stream_config_compare (relay_config_find (before, "a"),
                           relay_config_find (config, "a")),
          ==, RELAY_SAME);
    if (i == 1) {
      g_autoptr (RelayConfig) anew = parse_good (text);

      g_assert_cmpstr (anew->api_token, ==, "battery-staple");
    }
    g_clear_pointer (&before, relay_config_free);
    before = g_steal_pointer (&config);
  }
  g_rmdir (folder);
}

static const struct
{
  const gchar *input, *output, *more;
  RelayDifference expected;
} changes[] = {
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=5000000", "", RELAY_SAME },
  { "fasp://h:1?latency=200", "fasp://:2?max-bitrate=5000000", "", RELAY_ADJUST },
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=6000000", "", RELAY_ADJUST },
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=5000000", "require-streamid=true",
      RELAY_ADJUST },
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=5000000", "optional=true", RELAY_ADJUST },
  /* what the element was told and is not named any more would stay */
  { "fasp://h:1", "fasp://:2?max-bitrate=5000000", "", RELAY_ENDS },
  { "fasp://h:1?latency=100&tos=136", "fasp://:2?max-bitrate=5000000", "", RELAY_ENDS },
  { "fasp://h:1?latency=100", "fasp://:2?min-bitrate=5000000", "", RELAY_ENDS },
  { "fasp://i:1?latency=100", "fasp://:2?max-bitrate=5000000", "", RELAY_ENDS },
  { "fasp://h:3?latency=100", "fasp://:2?max-bitrate=5000000", "", RELAY_ENDS },
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=5000000;fasp://:3", "", RELAY_ENDS },
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=5000000", "streamid=b", RELAY_RESTART },
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=5000000",
      "output-allowed-addresses=10.0.0.0/8;::1", RELAY_ENDS },
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=5000000", "monitor-ts=true", RELAY_SAME },
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=5000000", "monitor-ts=false", RELAY_ENDS },
  { "fasp://h:1?latency=100", "fasp://:2?max-bitrate=5000000", "output-monitor-ts=false",
      RELAY_ENDS },
};

static RelayConfig *
make (guint i)
{
  g_autofree gchar *text = g_strdup_printf ("[stream a]\ninput=%s\noutput=%s\n"
                                            "%s\n",
      changes[i].input, changes[i].output, changes[i].more);

  return parse_good (text);
}

/* Input and outputs are measured, none, the input, the outputs. */
static void
test_monitored (void)
{
  static const gchar *const keys[] = { "", "monitor-ts=false", "output-monitor-ts=false",
    "monitor-ts=false\noutput-monitor-ts=true" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    g_autofree gchar *text = g_strconcat ("[stream a]\n" IN OUT, keys[i], "\n", NULL);
    g_autoptr (RelayConfig) config = parse_good (text);
    const RelayStreamConfig *stream = g_ptr_array_index (config->streams, 0);

    g_assert_cmpint (stream->input->monitored, ==, i == 0 || i == 2);
    g_assert_cmpint (relay_stream_config_find_output (stream, 1)->monitored, ==, i == 0 || i == 3);
  }
}

static void
test_changes (void)
{
  g_autoptr (RelayConfig) first = make (0);

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (RelayConfig) next = make (i);

    g_assert_cmpint (relay_stream_config_compare (relay_config_find (first, "a"),
                         relay_config_find (next, "a")),
        ==, changes[i].expected);
  }
}

static guint
get_id (const RelayConfig *config, guint i)
{
  return ((RelayEnd *) g_ptr_array_index (relay_config_find (config, "a")->outputs, i))->id;
}

/* An output keeps its id as long as it is there, and no other one gets that. */
static void
test_ids (void)
{
  static const struct
  {
    const gchar *outputs;
    guint ids[4];
  } steps[] = {
    { "fasp://:1;fasp://:2;fasp://:3", { 1, 2, 3 } },
    { "fasp://:3;fasp://:1", { 3, 1 } },
    { "fasp://:4;fasp://:1?latency=50;fasp://:3", { 4, 1, 3 } },
    { "fasp://:1?streamid=x;fasp://:1?latency=50;fasp://:5", { 5, 1, 6 } },
    { "fasp://:2", { 7 } },
  };
  g_autoptr (RelayConfig) old = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autofree gchar *text = g_strdup_printf ("[stream a]\n" IN "output = %s\n", steps[i].outputs);
    RelayConfig *config = parse_good (text);

    if (old != NULL)
      relay_config_adopt (config, old, NULL);
    for (guint k = 0; steps[i].ids[k] != 0; k++)
      g_assert_cmpuint (get_id (config, k), ==, steps[i].ids[k]);
    g_clear_pointer (&old, relay_config_free);
    old = config;
  }
}

/* An input that has another place is closed and opened alone, unless an output may hold it up. */
static void
test_holders (void)
{
  static const gchar *const outputs[] = { "fasp://:2", "fasp://:2?slow-policy=wait",
    "fasp://:2?wait-for-connection=true" };

  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++) {
    g_autofree gchar *a =
        g_strdup_printf ("[stream a]\ninput = fasp://h:1\noutput = %s\n", outputs[i]);
    g_autofree gchar *b =
        g_strdup_printf ("[stream a]\ninput = fasp://h:2\noutput = %s\n", outputs[i]);
    g_autoptr (RelayConfig) first = parse_good (a), next = parse_good (b);

    g_assert_cmpint (relay_stream_config_compare (relay_config_find (first, "a"),
                         relay_config_find (next, "a")),
        ==, i == 0 ? RELAY_ENDS : RELAY_RESTART);
  }
}

static void
test_adjust (void)
{
  g_autoptr (RelayConfig) a = make (0), b = make (2);
  RelayEnd *old = g_ptr_array_index (relay_config_find (a, "a")->outputs, 0);
  RelayEnd *new = g_ptr_array_index (relay_config_find (b, "a")->outputs, 0);
  g_autoptr (GstElement) sink = gst_object_ref_sink (relay_end_make (old, NULL, NULL));
  guint64 rate;

  relay_end_adjust (old, new, sink);
  g_object_get (sink, "max-bitrate", &rate, NULL);
  g_assert_cmpuint (rate, ==, 6000000);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/config/good", test_good);
  g_test_add_func ("/relay/config/backups", test_backups);
  g_test_add_func ("/relay/config/backups-changed", test_backups_changed);
  g_test_add_func ("/relay/config/faults", test_faults);
  g_test_add_func ("/relay/config/unused", test_unused);
  g_test_add_func ("/relay/config/brackets", test_brackets);
  g_test_add_func ("/relay/config/long", test_long);
  g_test_add_func ("/relay/config/lines", test_lines);
  g_test_add_func ("/relay/config/stray-line", test_stray_line);
  g_test_add_func ("/relay/config/shared", test_shared);
  g_test_add_func ("/relay/config/addresses", test_addresses);
  g_test_add_func ("/relay/config/dialling", test_dialling);
  g_test_add_func ("/relay/config/passphrase", test_passphrase);
  g_test_add_func ("/relay/config/files", test_files);
  g_test_add_func ("/relay/config/open-files", test_open_files);
  g_test_add_func ("/relay/config/known-secrets", test_known_secrets);
  g_test_add_func ("/relay/config/changes", test_changes);
  g_test_add_func ("/relay/config/monitored", test_monitored);
  g_test_add_func ("/relay/config/ids", test_ids);
  g_test_add_func ("/relay/config/holders", test_holders);
  g_test_add_func ("/relay/config/adjust", test_adjust);
  return g_test_run ();
}
