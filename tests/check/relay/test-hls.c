/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * HLS: where a stream is cut into segments, and the list of these.
 */
#define _GNU_SOURCE
#include <glib/gstdio.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include "relayhlscut.h"
#include "relayhlslist.h"
#include "relaykeyframes.h"
#include "tsmaker.h"
#include "userns.h"
#include "vcases.h"

#define PMT_PID 0x100
#define CLOCK_PID 0x101
#define H264 0x1b
#define AAC 0x0f
#define TARGET 2 /* s */
#define BEGIN (G_GINT64_CONSTANT (1000000000) * G_USEC_PER_SEC)

/* --- segments ------------------------------------------------------------------------------ */

/* 'p': a PAT; 'm', 's': a PMT with video, with sound alone; 'k', 'v': a key frame, or another
 * picture, with a PCR; 'i': as k, with the discontinuity_indicator; 'x': a packet without a PCR. */
static void
make_packet (guint8 *packet, gchar what, gint64 pcr)
{
  static const guint8 pat[] = { 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xe1, 0 };
  static guint8 counters[TS_PIDS];
  guint8 pmt[] = { 2, 0, 0, 0, 1, 0xc1, 0, 0, 0xe1, 1, 0xf0, 0, what == 's' ? AAC : H264, 0xe1, 1,
    0xf0, 0 };
  guint16 pid = what == 'p' ? 0 : strchr ("ms", what) != NULL ? PMT_PID : CLOCK_PID;
  guint8 field[] = { 7, strchr ("ki", what) != NULL ? 0x50 : 0x10, pcr >> 25, pcr >> 17, pcr >> 9,
    pcr >> 1, (pcr & 1) << 7, 0 };

  memset (packet, 0xff, TS_PACKET);
  packet[0] = 0x47;
  packet[1] = 0x40 | pid >> 8;
  packet[2] = pid & 0xff;
  packet[3] = 0x10;
  field[1] |= what == 'i' ? 0x80 : 0;
  if (what == 'p') {
    maker_put_section (packet, 0, pat, sizeof pat);
  } else if (pid == PMT_PID) {
    maker_put_section (packet, PMT_PID, pmt, sizeof pmt);
  } else if (what != 'x') {
    packet[3] = 0x30;
    memcpy (packet + 4, field, sizeof field);
  }
  packet[3] |= counters[pid]++ & 0x0f;
  packet[TS_PACKET - 1] = what;
}

/* Writes a segment as its duration in ms and its packets. */
static void
note (GString *text, const RelayHlsSegment *segment)
{
  if (segment == NULL)
    return;
  g_string_append_printf (text, "%s%s%" G_GINT64_FORMAT ":", text->len > 0 ? " " : "",
      segment->discontinuous ? "*" : "", segment->duration / 1000);
  g_assert_cmpuint (segment->data->len % TS_PACKET, ==, 0);
  for (guint i = TS_PACKET; i <= segment->data->len; i += TS_PACKET)
    g_string_append_c (text, segment->data->data[i - 1]);
}

/* Cuts a stream of words, each of which has the packets of half a second. A word that begins with >
 * or < has a clock that has stepped by 100 s. An empty one is a pause. */
static gchar *
cut_stream (const gchar *stream, gint64 pcr, guint *complaints)
{
  RelayHlsCut *cut = relay_hls_cut_new (TARGET);
  GString *text = g_string_new (NULL);
  g_auto (GStrv) words = g_strsplit (stream, " ", -1);

  *complaints = 0;
  for (guint i = 0; words[i] != NULL; i++, pcr += 45000)
    for (const gchar *c = words[i]; *c != '\0'; c++) {
      guint8 packet[TS_PACKET];

      if (*c == '>' || *c == '<') {
        pcr += *c == '>' ? 9000000 : -9000000;
        continue;
      }
      make_packet (packet, *c, pcr & ((G_GINT64_CONSTANT (1) << 33) - 1));
      note (text, relay_hls_cut_push (cut, packet, BEGIN + i * G_USEC_PER_SEC / 2));
      *complaints += relay_hls_cut_complain (cut) != NULL;
    }
  note (text, relay_hls_cut_flush (cut));
  relay_hls_cut_free (cut);
  return g_string_free (text, FALSE);
}

typedef struct
{
  const gchar *what, *stream, *segments;
  guint complaints;
} Case;

static const Case cases[] = {
  { "a key frame each second", "pmk v pmk v pmk v pmk v pmk v",
      "*2000:pmkvpmkv 2000:pmkvpmkv 500:pmkv", 0 },
  { "one each 1.5 s", "pmk v pv pmk pv v pmk v", "*1500:pmkvpv 1500:pmkpvv 500:pmkv", 0 },
  { "packets before the first place", "x v mv pv k v pmk v pmk", "*1000:pmkvpmk", 0 },
  { "fewer than the target", "pmk v pmv v pmv v pmv v pmk v pmk",
      "*1500:pmkvpmvv 2499:pmvvpmvv 1000:pmkv", 1 },
  { "a key frame that is due after many", "pmk pmk v v pmk v v pmk v",
      "*2000:pmkpmkvv 1500:pmkvv 500:pmkv", 0 },
  { "a PAT that has no PMT yet", "pmk v pmv v pv v", "*500:pmkv 2000:pmvvpvv", 1 },
  { "key frames without tables", "pmk v kv pv k v pmk", "*2499:pmkvkvpvkv", 1 },
  { "tables that come rarely", "pmk v k v k v k v pmk v", "*2499:pmkvkvkv *500:pmkv", 1 },
  { "tables and key frames that come rarely, twice", "pmk v pmv v v v v v pmk v pmv v v v v v pmk",
      "*500:pmkv 2499:pmvvvvv *500:pmkv 2499:pmvvvvv", 2 },
  { "sound alone", "psv psv psv psv psv psv", "*2000:psvpsvpsvpsv 500:psv", 0 },
  { "a clock that jumps at a key frame", "pmk v >pmk v pmk v", "*500:pmkv *1500:pmkvpmkv", 0 },
  { "a clock that goes back", "pmk v <pmk v pmk v", "*500:pmkv *1500:pmkvpmkv", 0 },
  { "a clock that is announced", "pmk v pmi v pmk v", "*500:pmkv *1500:pmivpmkv", 0 },
  { "a clock that jumps between key frames", "pmk pmv >v v pmv v pmk v pmk v",
      "*500:pmk *1500:pmkvpmkv", 0 },
  { "a pause", "pmk v    pmk v v", "*500:pmkv *1000:pmkvv", 0 },
  { "no clock", "x pmx pmx pmx", "", 0 },
};

static void
test_cut (gconstpointer data)
{
  const Case *c = data;
  guint complaints;

  /* the clock begins at 0, or wraps */
  for (gint64 pcr = 0; pcr >= -200000; pcr -= 100000) {
    g_autofree gchar *segments = cut_stream (c->stream, pcr, &complaints);

    g_assert_cmpstr (segments, ==, c->segments);
    g_assert_cmpuint (complaints, ==, c->complaints);
  }
}

typedef struct
{
  const gchar *what, *packets;
  gdouble step; /* of the clock from each of them to the next, s */
  guint pause;  /* after every 10 s, s */
  guint segments;
  gboolean fault;
} Stretch;

static const Stretch stretches[] = {
  { "no tables", "xv", .25, 0, 0, TRUE },
  { "no clock", "pmx", .1, 0, 0, TRUE },
  { "a clock that stands still", "pmkv", 0, 0, 0, TRUE },
  { "a clock that steps at each packet", "pmkv", 100, 0, 0, TRUE },
  { "pauses", "xv", .25, 2, 0, FALSE },
  { "nothing wrong", "pmkv", .125, 0, 14, FALSE },
};

/* A stream of which nothing can be written for 12 s beyond a segment has a fault, and again until
 * something is.  It has none while it pauses. */
static void
test_nothing (gconstpointer data)
{
  const Stretch *s = data;
  RelayHlsCut *cut = relay_hls_cut_new (TARGET);
  gint64 time = BEGIN, faulty = BEGIN + RELAY_HLS_WAIT + TARGET * G_TIME_SPAN_SECOND;
  gdouble clock = 0;
  guint segments = 0;

  for (guint i = 0; i < 60; i++) {
    for (const gchar *c = s->packets; *c != '\0'; c++, clock += s->step) {
      guint8 packet[TS_PACKET];

      make_packet (packet, *c, clock * 90000);
      segments += relay_hls_cut_push (cut, packet, time) != NULL;
    }
    if (s->fault && time < faulty)
      g_assert_null (relay_hls_cut_find_fault (cut));
    else if (time > faulty + G_TIME_SPAN_SECOND)
      g_assert_true ((relay_hls_cut_find_fault (cut) != NULL) == s->fault);
    time += (i % 20 == 19 ? s->pause : 0) * G_TIME_SPAN_SECOND + G_TIME_SPAN_SECOND / 2;
  }
  g_assert_cmpuint (segments, ==, s->segments);
  relay_hls_cut_flush (cut);
  g_assert_null (relay_hls_cut_find_fault (cut));
  relay_hls_cut_free (cut);
}

/* What a hostile stream says changes no limit. */
static void
test_anything (void)
{
  RelayHlsCut *cut = relay_hls_cut_new (TARGET);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint n = 0;

  for (guint i = 0; i < 200000; i++) {
    guint8 packet[TS_PACKET];
    const RelayHlsSegment *segment;

    make_packet (packet, "pmskvix"[g_rand_int_range (rand, 0, 7)], i * 500);
    for (gint m = g_rand_int_range (rand, -20, 4); m > 0; m--)
      packet[g_rand_int_range (rand, 1, 40)] = g_rand_int (rand);
    segment = relay_hls_cut_push (cut, packet, BEGIN + i * 1000);
    if (segment == NULL)
      continue;
    n++;
    g_assert_cmpint (segment->duration, >, 0);
    g_assert_cmpint (segment->duration, <, TARGET * G_USEC_PER_SEC + G_USEC_PER_SEC / 2);
    g_assert_cmpuint (segment->data->len, >, 0);
  }
  g_assert_cmpuint (n, >, 100);
  g_assert_cmpuint (n, <=, 60 + 4 * 200);
  relay_hls_cut_free (cut);
}

typedef struct
{
  guint made, broken, complaints; /* segments, those that do not follow, sentences */
} Flood;

/* Has 10000 places to begin at come, each @step s of the clock and @ms after the one before it. */
static Flood
flood (RelayHlsCut *cut, gint64 begin, gdouble step, guint ms)
{
  Flood flood = { 0 };

  for (guint i = 0; i < 10000; i++)
    for (const gchar *c = "pmk"; *c != '\0'; c++) {
      const RelayHlsSegment *segment;
      guint8 packet[TS_PACKET];

      make_packet (packet, *c, i * step * 90000);
      segment = relay_hls_cut_push (cut, packet, begin + (gint64) i * ms * 1000);
      flood.made += segment != NULL;
      flood.broken += segment != NULL && segment->discontinuous;
      flood.complaints += relay_hls_cut_complain (cut) != NULL;
    }
  return flood;
}

/* A clock that runs away makes few segments, and one that catches up loses none, also behind a step
 * back of the host's clock. */
static void
test_flood (void)
{
  RelayHlsCut *cut = relay_hls_cut_new (TARGET);
  Flood fast = flood (cut, BEGIN, .5, 130), late, run_away;

  g_assert_cmpuint (fast.made, ==, 10000 * .5 / TARGET - 1);
  g_assert_cmpuint (fast.broken + fast.complaints, ==, 1);
  run_away = flood (cut, BEGIN - G_TIME_SPAN_DAY, .9, 10);
  g_assert_cmpuint (run_away.made, >, 200);
  g_assert_cmpuint (run_away.made, <=, (60 + 4 * 100) / TARGET * 1.2);
  g_assert_cmpuint (run_away.broken, >, run_away.made / 2);
  g_assert_cmpuint (run_away.complaints, ==, 1);
  late = flood (cut, BEGIN - 2 * G_TIME_SPAN_DAY, .5, 500);
  g_assert_cmpuint (late.made, ==, 1 + fast.made); /* the first one is the end of what ran away */
  g_assert_cmpuint (late.broken, <=, 2);
  relay_hls_cut_free (cut);
}

/* Returns the number of segments of a stream whose clock steps 100 times, @ms after it began. */
static guint
count_between_steps (guint ms)
{
  RelayHlsCut *cut = relay_hls_cut_new (TARGET);
  guint8 packet[TS_PACKET];
  guint n = 0;

  for (guint i = 0; i <= 100; i++)
    for (const gchar *c = "pmkv"; *c != '\0'; c++) {
      make_packet (packet, *c, i * 9000000 + (*c == 'v' ? ms * 90 : 0));
      n += relay_hls_cut_push (cut, packet, BEGIN + i * G_USEC_PER_SEC) != NULL;
    }
  relay_hls_cut_free (cut);
  return n;
}

static void
test_steps (void)
{
  g_assert_cmpuint (count_between_steps (99), ==, 0);
  g_assert_cmpuint (count_between_steps (100), ==, 100);
}

/* A segment is cut when too much would be held. */
static void
test_bound (void)
{
  RelayHlsCut *cut = relay_hls_cut_new (TARGET);
  const RelayHlsSegment *segment = NULL;
  guint8 packet[TS_PACKET];
  guint n = 0;

  for (const gchar *c = "pmkv"; *c != '\0'; c++, n++) {
    make_packet (packet, *c, n * 100);
    g_assert_null (relay_hls_cut_push (cut, packet, BEGIN));
  }
  make_packet (packet, 'x', 0);
  for (; segment == NULL; n++)
    segment = relay_hls_cut_push (cut, packet, BEGIN);
  g_assert_cmpuint (segment->data->len, ==, n * TS_PACKET);
  g_assert_cmpuint (segment->data->len, <, RELAY_HLS_HELD_MAX + TS_PACKET);
  relay_hls_cut_free (cut);
}

/* --- the list ------------------------------------------------------------------------------ */

static gchar *folder; /* of a test */

/* A list begins with the second of its first segment, which is 1000000002 in most. */

static void
add (RelayHlsList *list, const gchar *content, gint64 ms, gboolean discontinuous)
{
  RelayHlsSegment segment = { g_byte_array_new (), ms * 1000, BEGIN + ms * 1000, discontinuous };
  g_autoptr (GError) error = NULL;

  g_byte_array_append (segment.data, (const guint8 *) content, strlen (content));
  relay_hls_list_add (list, &segment, &error);
  g_assert_no_error (error);
  g_byte_array_unref (segment.data);
}

static void
check_file (const gchar *name, const gchar *content)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL), *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  g_assert_cmpstr (text, ==, content);
}

static void
clear_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree gchar *path = g_build_filename (folder, name, NULL);

    g_assert_cmpint (g_unlink (path), ==, 0);
  }
}

static RelayHlsList *
open_list (const gchar *name, guint target, guint keep)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);

  return relay_hls_list_new (path, target, keep);
}

#define HEAD(target, first, steps) \
  "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:" target "\n" \
  "#EXT-X-MEDIA-SEQUENCE:" first "\n#EXT-X-DISCONTINUITY-SEQUENCE:" steps "\n"
#define ENTRY(date, duration, number) \
  "#EXT-X-PROGRAM-DATE-TIME:2001-09-09T01:46:" date "Z\n#EXTINF:" duration ",\na." number ".ts\n"
#define STEP "#EXT-X-DISCONTINUITY\n"

/* The list has the last segments; older ones stay for as long as a list lasts, and one more. */
static void
test_window (void)
{
  RelayHlsList *list = open_list ("a.m3u8", 2, 3);

  add (list, "0", 2000, TRUE);
  check_file ("a.m3u8", HEAD ("2", "1000000002", "0") ENTRY ("42.000", "2.000", "1000000002"));
  add (list, "1", 1998, TRUE);
  add (list, "2", 7, FALSE);
  add (list, "3", 2499, FALSE);
  check_file ("a.m3u8",
      HEAD ("2", "1000000003", "0") STEP ENTRY ("41.998", "1.998", "1000000003")
          ENTRY ("40.007", "0.007", "1000000004") ENTRY ("42.499", "2.499", "1000000005"));
  add (list, "4", 2000, FALSE);
  check_file ("a.m3u8",
      HEAD ("2", "1000000004", "1") ENTRY ("40.007", "0.007", "1000000004")
          ENTRY ("42.499", "2.499", "1000000005") ENTRY ("42.000", "2.000", "1000000006"));
  check_file ("a.1000000002.ts", "0");
  add (list, "5", 2000, FALSE);
  add (list, "6", 2000, FALSE);
  check_file ("a.1000000002.ts", "0");
  add (list, "7", 2000, FALSE);
  check_file ("a.1000000002.ts", NULL);
  check_file ("a.1000000003.ts", "1");
  relay_hls_list_free (list);
  clear_folder ();
}

/* A list that is there goes on; with another target, without its segments. */
static void
test_resume (void)
{
  RelayHlsList *list = open_list ("a.m3u8", 2, 4);

  add (list, "0", 2000, TRUE);
  add (list, "1", 2000, TRUE);
  relay_hls_list_free (list);
  list = open_list ("a.m3u8", 2, 4);
  add (list, "2", 2000, TRUE);
  check_file ("a.m3u8",
      HEAD ("2", "1000000002", "0") ENTRY ("42.000", "2.000", "1000000002") STEP ENTRY ("42.000",
          "2.000", "1000000003") STEP ENTRY ("42.000", "2.000", "1000000004"));
  relay_hls_list_free (list);
  list = open_list ("a.m3u8", 3, 4);
  add (list, "3", 2000, TRUE);
  check_file ("a.m3u8", HEAD ("3", "1000000005", "3") ENTRY ("42.000", "2.000", "1000000005"));
  relay_hls_list_free (list);
  clear_folder ();
}

/* When the list is lost, the numbers of its segments do not come again. */
static void
test_lost (void)
{
  RelayHlsSegment segment = { g_byte_array_new (), 2000000, BEGIN, FALSE };
  RelayHlsList *list = open_list ("a.m3u8", 2, 4);
  g_autofree gchar *path = g_build_filename (folder, "a.m3u8", NULL);
  g_autofree gchar *beside = g_strconcat (path, ".new", NULL);

  add (list, "0", 2000, TRUE);
  add (list, "1", 2000, FALSE);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_mkdir (beside, 0700), ==, 0);
  g_assert_false (relay_hls_list_add (list, &segment, NULL));
  g_assert_cmpint (g_rmdir (beside), ==, 0);
  add (list, "3", 2000, TRUE);
  check_file ("a.1000000003.ts", "1");
  check_file ("a.1000000005.ts", "3");
  relay_hls_list_free (list);
  g_byte_array_unref (segment.data);
  clear_folder ();
}

/* Segments that a longer list has left go, too. */
static void
test_shorter (void)
{
  RelayHlsList *list = open_list ("a.m3u8", 2, 10);
  g_autoptr (GDir) dir = NULL;
  guint n = 0;

  for (guint i = 0; i < 30; i++)
    add (list, "x", 2000, FALSE);
  relay_hls_list_free (list);
  list = open_list ("a.m3u8", 2, 3);
  add (list, "x", 2000, TRUE);
  relay_hls_list_free (list);
  dir = g_dir_open (folder, 0, NULL);
  while (g_dir_read_name (dir) != NULL)
    n++;
  g_assert_cmpuint (n, ==, 1 + 2 * 3 + 1);
  clear_folder ();
}

/* A list with another beginning, or other names of segments, than are written here is not believed.
 */
static void
test_foreign (void)
{
  static const gchar good[] = HEAD ("2", "7", "1") ENTRY ("42.000", "2.000", "7");
  static const gchar *const texts[] = { "", "x", "#EXTM3U\n#EXT-X-VERSION:3\n", "#EXTM3U\na.7.ts\n",
    HEAD ("2", "-1", "1"), HEAD ("2", "99999999999999999999999", "1"),
    HEAD ("2", "7", "1") "#EXTINF:2.000,\n../../etc/passwd\n" };
  g_autofree gchar *path = g_build_filename (folder, "a.m3u8", NULL);
  RelayHlsList *list;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
    list = open_list ("a.m3u8", 2, 3);
    add (list, "x", 2000, TRUE);
    check_file ("a.m3u8", HEAD ("2", "1000000002", "0") ENTRY ("42.000", "2.000", "1000000002"));
    relay_hls_list_free (list);
  }
  g_assert_true (g_file_set_contents (path, good, -1, NULL));
  list = open_list ("a.m3u8", 2, 3);
  add (list, "x", 2000, FALSE);
  check_file ("a.8.ts", "x");
  relay_hls_list_free (list);
  clear_folder ();
}

/* No name can be another line of the list, or lead elsewhere. */
static void
test_names (void)
{
  static const gchar *const names[][2] = { { "a b", "a%20b" }, { "#x", "%23x" }, { "%2e", "%252e" },
    { "http:x", "http%3Ax" }, { "a\n#EXT-X-ENDLIST\nb", "a%0A%23EXT-X-ENDLIST%0Ab" },
    { "\xff?", "%FF%3F" }, { "..", ".." } };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree gchar *name = g_strconcat (names[i][0], ".m3u8", NULL), *text = NULL;
    g_autofree gchar *path = g_build_filename (folder, name, NULL);
    g_autofree gchar *segment = g_strdup_printf ("%s.1000000002.ts", names[i][0]);
    g_autofree gchar *end = g_strdup_printf (",\n%s.1000000003.ts\n", names[i][1]);
    RelayHlsList *list = open_list (name, 2, 3);

    add (list, "x", 2000, TRUE);
    relay_hls_list_free (list);
    list = open_list (name, 2, 3);
    add (list, "y", 2000, TRUE);
    check_file (segment, "x");
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_assert_true (g_str_has_suffix (text, end));
    relay_hls_list_free (list);
    clear_folder ();
  }
}

/* In a process of its own, where it may mount. Returns its exit status: 77: it may not. */
static gint
fill_disk (void)
{
  RelayHlsSegment segment = { g_byte_array_new (), 2000000, BEGIN, TRUE };
  g_autofree gchar *before = NULL, *after = NULL;
  g_autofree gchar *path = g_build_filename (folder, "a.m3u8", NULL);
  g_autoptr (GError) error = NULL;
  RelayHlsList *list;

  if (!userns_become_root () || unshare (CLONE_NEWNS) < 0
      || mount ("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
      || mount ("none", folder, "tmpfs", 0, "size=64k") < 0)
    return 77;
  list = open_list ("a.m3u8", 2, 3);
  add (list, "x", 2000, TRUE);
  g_assert_true (g_file_get_contents (path, &before, NULL, NULL));
  g_byte_array_set_size (segment.data, 100000);
  g_assert_false (relay_hls_list_add (list, &segment, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
  g_assert_nonnull (strstr (error->message, "a.m3u8 cannot be written"));
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  g_assert_cmpstr (after, ==, before);
  /* what could not be written takes no room, and no number */
  add (list, "y", 2000, TRUE);
  check_file ("a.1000000003.ts", "y");
  clear_folder ();
  umount2 (folder, MNT_DETACH);
  g_clear_error (&error);
  g_assert_false (relay_hls_list_add (list, &segment, &error));
  g_assert_nonnull (strstr (error->message, "mount it again"));
  relay_hls_list_free (list);
  g_byte_array_unref (segment.data);
  return 0;
}

static void
test_full (void)
{
  pid_t pid = fork ();
  gint status;

  if (pid == 0)
    _exit (fill_disk ());
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  clear_folder ();
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    g_test_skip ("this user may not mount anything, not even in a namespace of its own");
  else
    g_assert_cmpint (status, ==, 0);
}

int
main (int argc, char **argv)
{
  gint result;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hls-XXXXXX", NULL);
  vcases_add ("/hls/cut", cases, sizeof *cases, G_N_ELEMENTS (cases), test_cut);
  for (guint i = 0; i < G_N_ELEMENTS (stretches); i++) {
    g_autofree gchar *name = g_strdup_printf ("/hls/cut/nothing/%s", stretches[i].what);

    g_test_add_data_func (name, &stretches[i], test_nothing);
  }
  g_test_add_func ("/hls/cut/anything", test_anything);
  g_test_add_func ("/hls/cut/steps", test_steps);
  g_test_add_func ("/hls/cut/flood", test_flood);
  g_test_add_func ("/hls/cut/bound", test_bound);
  g_test_add_func ("/hls/list/window", test_window);
  g_test_add_func ("/hls/list/resume", test_resume);
  g_test_add_func ("/hls/list/lost", test_lost);
  g_test_add_func ("/hls/list/shorter", test_shorter);
  g_test_add_func ("/hls/list/foreign", test_foreign);
  g_test_add_func ("/hls/list/names", test_names);
  g_test_add_func ("/hls/list/full", test_full);
  result = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  return result;
}
