/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where recordings are cut, and the program that is called for each piece.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "relaycut.h"
#include "relayprogram.h"
#include "tsmaker.h"
#include "tswriter.h"
#include "vcases.h"

#define PMT_PID 0x100
#define VIDEO_PID 0x101
#define SOUND_PID 0x102
#define H264 0x1b
#define PIECE 10 /* s */
#define BEGIN 1000000000

/* --- packets ------------------------------------------------------------------------------- */

/* Makes a packet of a PMT of three.  In front of its video, it names sound with two long
 * descriptors. */
static void
make_long_map (guint8 *packet, guint i, guint8 codec)
{
  guint8 pmt[TS_SECTION_KEPT] = { 2, 0, 0, 0, 1, 0xc1, 0, 0, 0xe1, 1, 0xf0, 0, 3, 0xe1, 2, 0xf1,
    404 - 256, 0x80, 200, [219] = 0x80, 200 };
  const guint8 video[] = { codec, 0xe1, 1, 0xf0, 0 };
  guint8 packets[TS_SECTION_PACKETS][TS_PACKET], counter = 0;
  guint size = 17 + 404;
  TsVersion version = { FALSE };

  memcpy (pmt + size, video, sizeof video);
  size += sizeof video + TS_SECTION_CRC;
  ts_section_seal (pmt, size, &version);
  g_assert_cmpuint (ts_section_write (pmt, size, PMT_PID, &counter, packets), ==, 3);
  memcpy (packet, packets[i], TS_PACKET);
}

/* 'p': a PAT, 'm': a PMT, 'M', 'N' and 'O': the packets of a longer one, 'c': a PMT that ends
 * before its PCR_PID, 'r': a picture with the random_access_indicator, 'k': a key frame by its
 * codec alone, 'v': another picture, 's': one with the stream_id 0xE5, 'a': sound. */
static void
make_packet (guint8 *packet, gchar what, guint8 codec)
{
  static const guint8 pat[] = { 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xe1, 0 };
  static const guint8 short_pmt[] = { 2, 0, 0, 0, 1, 0xc1, 0, 0 };
  guint8 pmt[] = { 2, 0, 0, 0, 1, 0xc1, 0, 0, 0xe1, 1, 0xf0, 0, 3, 0xe1, 2, 0xf0, 0, codec, 0xe1, 1,
    0xf0, 0 };
  guint8 units[256] = { 0 };
  guint16 pid = what == 'p' ? 0 : what == 'm' ? PMT_PID : what == 'a' ? SOUND_PID : VIDEO_PID;
  guint8 pes[] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0, 0, 0, 1, 0 };

  units[0x02] = 0xb3;    /* MPEG-2: a sequence header */
  units[H264] = 0x65;    /* an IDR picture */
  units[0x24] = 19 << 1; /* H.265: IDR_W_RADL */
  pes[3] = what == 's' ? 0xe5 : 0xe0;
  pes[sizeof pes - 1] = what == 'k' ? units[codec] : codec == 0x02 ? 0 : 0x41;
  memset (packet, 0xff, TS_PACKET);
  packet[0] = 0x47;
  packet[1] = 0x40 | pid >> 8;
  packet[2] = pid & 0xff;
  packet[3] = 0x10;
  if (what == 'p') {
    maker_put_section (packet, 0, pat, sizeof pat);
  } else if (what == 'm') {
    maker_put_section (packet, PMT_PID, pmt, sizeof pmt);
  } else if (what == 'c') {
    maker_put_section (packet, PMT_PID, short_pmt, sizeof short_pmt);
  } else if (what >= 'M' && what <= 'O') {
    make_long_map (packet, what - 'M', codec);
  } else if (what == 'r') {
    packet[3] = 0x30;
    packet[4] = 1;
    packet[5] = 0x40;
    memcpy (packet + 6, pes, sizeof pes);
  } else {
    memcpy (packet + 4, pes, sizeof pes);
  }
}

static void
set_counter (guint8 *packet, guint counter)
{
  packet[3] = (packet[3] & 0xf0) | (counter & 0x0f);
}

/* --- pieces -------------------------------------------------------------------------------- */

typedef struct
{
  RelayCut *cut;
  gint64 number;   /* of the piece */
  GString *pieces; /* what was written, a letter for each packet; a | between two pieces */
  GByteArray *given, *written;
  guint8 codec;
} Recorder;

static gchar
get_letter (const guint8 *packet, guint8 codec)
{
  for (const gchar *letter = "pmMNOcrkvsa"; *letter != '\0'; letter++) {
    guint8 one[TS_PACKET];

    make_packet (one, *letter, codec);
    set_counter (one, packet[3]);
    if (memcmp (one, packet, sizeof one) == 0)
      return *letter;
  }
  return '?';
}

static gboolean
on_packets (const guint8 *data, gsize size, gint64 seconds, gpointer data_of)
{
  Recorder *r = data_of;

  g_byte_array_append (r->written, data, size);
  if (seconds / PIECE != r->number && r->number != 0 && r->pieces != NULL)
    g_string_append_c (r->pieces, '|');
  r->number = seconds / PIECE;
  for (gsize i = 0; r->pieces != NULL && i + TS_PACKET <= size; i += TS_PACKET)
    g_string_append_c (r->pieces, get_letter (data + i, r->codec));
  return TRUE;
}

/* Records a second of each word in @stream, which has a packet for each letter, and at = the last
 * one again; a word that begins with < is a second before the last one, not behind it. @codec: of
 * the video. Returns the pieces. */
static gchar *
record (const gchar *stream, guint8 codec, guint *lacks)
{
  Recorder r = { relay_cut_new (PIECE), 0, g_string_new (NULL), g_byte_array_new (),
    g_byte_array_new (), codec };
  g_auto (GStrv) words = g_strsplit (stream, " ", -1);
  gint64 seconds = BEGIN - 1;
  guint8 packet[TS_PACKET], counters[TS_PIDS] = { 0 };

  *lacks = 0;
  for (guint i = 0; words[i] != NULL; i++) {
    g_autoptr (GByteArray) packets = g_byte_array_new ();
    gboolean back = words[i][0] == '<';

    seconds += back ? -1 : 1;
    for (const gchar *c = words[i] + back; *c != '\0'; c++) {
      if (*c != '=') {
        make_packet (packet, *c, codec);
        set_counter (packet, counters[maker_get_pid (packet)]++);
      }
      g_byte_array_append (packets, packet, sizeof packet);
    }
    if (packets->len == 0) /* nothing comes */
      continue;
    g_byte_array_append (r.given, packets->data, packets->len);
    g_assert_true (relay_cut_push (r.cut, packets->data, packets->len, seconds, on_packets, &r));
    *lacks += relay_cut_lacks_key_frames (r.cut);
  }
  relay_cut_flush (r.cut, on_packets, &r);
  /* all of it, in its order, and nothing twice */
  g_assert_cmpmem (r.written->data, r.written->len, r.given->data, r.given->len);
  g_byte_array_unref (r.given);
  g_byte_array_unref (r.written);
  relay_cut_free (r.cut);
  return g_string_free (r.pieces, FALSE);
}

typedef struct
{
  const gchar *what, *stream, *pieces;
  guint8 codec;
  guint lacks; /* how often it is said that there are no key frames */
} Case;

static const Case cases[] = {
  { "at once", "pmrv pmv pmv pmv pmv pmv pmv pmv pmv pmv pmrv pmv",
      "pmrvpmvpmvpmvpmvpmvpmvpmvpmvpmv|pmrvpmv", H264, 0 },
  { "two seconds late", "pmrv pmv pmv pmv pmrv pmv pmv pmv pmrv pmv apmv av apmavra pmv",
      "pmrvpmvpmvpmvpmrvpmvpmvpmvpmrvpmvapmvava|pmavrapmv", H264, 0 },
  { "tables before it only later", "pmrv v v v v v v v v v rv rv pmv vrv v",
      "pmrvvvvvvvvvvrvrv|pmvvrvv", H264, 0 },
  { "a PMT of three packets", "pMNOrv pMNOv v v v v v v v v v vpvMNOrv v",
      "pMNOrvpMNOvvvvvvvvvvv|pvMNOrvv", H264, 0 },
  { "packets of tables that come twice", "pMNOrv v v v v v v v v v v p=M=N=O=rv v",
      "pMNOrvvvvvvvvvvv|ppMMNNOOrvv", H264, 0 },
  { "a PMT that is too short", "pmrv v v v v v v v v v v pmcrv pmrv", "pmrvvvvvvvvvvv|pmcrvpmrv",
      H264, 0 },
  { "a PMT around the PAT", "pMNOrv v v v v v v v v v MpNOrv pMNOrv",
      "pMNOrvvvvvvvvvvMpNOrv|pMNOrv", H264, 0 },
  { "a PMT that lacks a packet", "pMNOrv v v v v v v v v v pMrv pMNOrv",
      "pMNOrvvvvvvvvvvpMrv|pMNOrv", H264, 0 },
  { "a PAT without a PMT", "pmrv v v v v v v v v v prv pmrv", "pmrvvvvvvvvvvprv|pmrv", H264, 0 },
  { "by the codec: H.264", "pmkv v v v v v v v v v v pmkv", "pmkvvvvvvvvvvv|pmkv", H264, 0 },
  { "by the codec: H.265", "pmkv v v v v v v v v v v pmkv", "pmkvvvvvvvvvvv|pmkv", 0x24, 0 },
  { "by the codec: MPEG-2", "pmkv v v v v v v v v v v pmkv", "pmkvvvvvvvvvvv|pmkv", 0x02, 0 },
  { "a stream_id like an IDR picture", "pmkv v v v v v v v v v pmsv pmkv", "pmkvvvvvvvvvvpmsv|pmkv",
      H264, 0 },
  { "only sound", "pma a a a a a a a a a a a pma a a a a a a a a a a",
      "pmaaaaaaaaaaaa|pmaaaaaaaa|aaa", 0x0f, 1 },
  { "tables that do not come again", "pmr v r v r v r v r v r v r v r v r v r v r v r v r v",
      "pmrvrvrvrvrvrvrvrvrvrvrv|rvrv", H264, 1 },
  { "a clock that steps back while packets are held back",
      "pmrv pmv pmv pmv pmv pmv pmv pmv pmv pmv pmv <v pmrv",
      "pmrvpmvpmvpmvpmvpmvpmvpmvpmvpmvpmvv|pmrv", H264, 0 },
  { "a pause", "pmrv                 pv v", "pmrv|pvv", H264, 0 },
  { "a pause while packets are held back", "pmrv v v v v v v v v v pv               pmrv v",
      "pmrvvvvvvvvvvpv|pmrvv", H264, 0 },
};

static void
test_cut (gconstpointer data)
{
  const Case *c = data;
  guint lacks;
  g_autofree gchar *pieces = record (c->stream, c->codec, &lacks);

  g_assert_cmpstr (pieces, ==, c->pieces);
  g_assert_cmpuint (lacks, ==, c->lacks);
}

/* When the clock is set back, it is cut at once. */
static void
test_set_back (void)
{
  Recorder r = { relay_cut_new (PIECE), 0, g_string_new (NULL), g_byte_array_new (),
    g_byte_array_new (), H264 };
  guint8 packet[TS_PACKET];

  make_packet (packet, 'v', H264);
  relay_cut_push (r.cut, packet, sizeof packet, BEGIN, on_packets, &r);
  relay_cut_push (r.cut, packet, sizeof packet, BEGIN - 3600, on_packets, &r);
  g_assert_cmpstr (r.pieces->str, ==, "v|v");
  g_assert_cmpint (r.number, ==, (BEGIN - 3600) / PIECE);
  g_string_free (r.pieces, TRUE);
  g_byte_array_unref (r.given);
  g_byte_array_unref (r.written);
  relay_cut_free (r.cut);
}

/* Whatever the packets say, all are written, in their order. */
static void
test_anything (void)
{
  Recorder r = { relay_cut_new (PIECE), 0, NULL, g_byte_array_new (), g_byte_array_new (), H264 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < 20000; i++) {
    guint8 packet[TS_PACKET];

    make_packet (packet, "pmrkva"[g_rand_int_range (rand, 0, 6)], g_rand_int_range (rand, 0, 256));
    for (gint n = g_rand_int_range (rand, -4, 8); n > 0; n--)
      packet[g_rand_int_range (rand, 1, 40)] = g_rand_int (rand);
    g_byte_array_append (r.given, packet, sizeof packet);
    relay_cut_push (r.cut, packet, sizeof packet, BEGIN + i / 10, on_packets, &r);
  }
  relay_cut_flush (r.cut, on_packets, &r);
  g_assert_cmpmem (r.written->data, r.written->len, r.given->data, r.given->len);
  g_byte_array_unref (r.given);
  g_byte_array_unref (r.written);
  relay_cut_free (r.cut);
}

/* --- the program --------------------------------------------------------------------------- */

static GPtrArray *lines;

static GLogWriterOutput
keep_line (GLogLevelFlags level, const GLogField *fields, gsize n, gpointer unused)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (fields[i].key, "MESSAGE"))
      g_ptr_array_add (lines, g_strdup (fields[i].value));
  return G_LOG_WRITER_HANDLED;
}

/* Waits for @n lines of the log, and returns them. */
static gchar *
wait_for_lines (guint n)
{
  gint64 until = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;
  g_autofree gchar *all = NULL;

  while (lines->len < n && g_get_monotonic_time () < until)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  g_assert_cmpuint (lines->len, ==, n);
  g_ptr_array_add (lines, NULL);
  all = g_strjoinv ("\n", (gchar **) lines->pdata);
  g_ptr_array_set_size (lines, 0);
  return g_steal_pointer (&all);
}

static gchar *
write_program (const gchar *folder, const gchar *name, const gchar *text)
{
  gchar *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  return path;
}

/* Waits until @n programs have begun to write to the pipe; 0: until it is open in no process. */
static void
wait_for_writers (gint reader, guint n)
{
  gint64 until = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;
  gssize got = -1;
  guint begun = 0;
  gchar byte;

  while ((n > 0 ? begun < n : got != 0) && g_get_monotonic_time () < until) {
    got = read (reader, &byte, 1);
    begun += got > 0;
    g_usleep (got > 0 ? 0 : 1000);
  }
  g_assert_true (n > 0 ? begun == n : got == 0);
}

/* Runs the main loop until the pipe is open in no process. */
static void
wait_for_end (gint reader)
{
  gint64 until = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;
  gchar byte;

  while (read (reader, &byte, 1) != 0 && g_get_monotonic_time () < until)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
  g_assert_cmpint (read (reader, &byte, 1), ==, 0);
}

int __real_kill (pid_t pid, int number);
int __wrap_kill (pid_t pid, int number);

/* A number that a signal goes to is still that of the program. */
int
__wrap_kill (pid_t pid, int number)
{
  g_assert_cmpint (__real_kill (ABS (pid), 0), ==, 0);
  return __real_kill (pid, number);
}

/* It reads what it is called for; that it fails, is missing or takes too long is logged; it does
 * not run too often; at the end it is killed, with its children. */
static void
test_program (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *copy =
      write_program (folder, "copy", "#!/bin/sh\n[ $# = 1 ] && cat >\"$1\"; exit 3\n");
  g_autofree gchar *slow =
      write_program (folder, "slow", "#!/bin/sh\nexec 3>\"$1\"; printf x >&3; sleep 60\n");
  g_autofree gchar *copied = g_build_filename (folder, "a $(copy); b", NULL);
  g_autofree gchar *pipe = g_build_filename (folder, "pipe", NULL);
  g_autofree gchar *text = NULL, *failed = NULL, *missing = NULL, *late = NULL;
  g_autoptr (GBytes) event = g_bytes_new_static ("content", strlen ("content"));
  RelayProgram *program = relay_program_new ((const gchar *const[]) { copy, copied, NULL }, 60);
  gint reader;

  g_assert_cmpint (relay_program_call (program, event), ==, RELAY_PROGRAM_STARTED);
  failed = wait_for_lines (1);
  g_assert_nonnull (strstr (failed, "has failed, with status 3."));
  g_assert_true (g_file_get_contents (copied, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "content");
  relay_program_free (program);

  program = relay_program_new ((const gchar *const[]) { "/nowhere/at/all", NULL }, 60);
  g_assert_cmpint (relay_program_call (program, event), ==, RELAY_PROGRAM_FAILED);
  missing = wait_for_lines (1);
  g_assert_nonnull (strstr (missing, "/nowhere/at/all cannot be called"));
  relay_program_free (program);

  program = relay_program_new ((const gchar *const[]) { slow, pipe, NULL }, 1);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  reader = g_open (pipe, O_RDONLY | O_NONBLOCK, 0);
  g_assert_cmpint (relay_program_call (program, event), ==, RELAY_PROGRAM_STARTED);
  wait_for_writers (reader, 1);
  late = wait_for_lines (1);
  g_assert_nonnull (strstr (late, "was killed, as it had not ended after 1 s"));
  wait_for_writers (reader, 0);
  relay_program_free (program);
  program = relay_program_new ((const gchar *const[]) { slow, pipe, NULL }, 60);
  for (guint i = 0; i < RELAY_PROGRAM_MOST; i++)
    g_assert_cmpint (relay_program_call (program, event), ==, RELAY_PROGRAM_STARTED);
  g_assert_cmpint (relay_program_call (program, event), ==, RELAY_PROGRAM_BUSY);
  wait_for_writers (reader, RELAY_PROGRAM_MOST);
  relay_program_free (program);
  wait_for_writers (reader, 0);
  /* their ends are not logged */
  for (guint i = 0; i < 200; i++) {
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
  g_assert_cmpuint (lines->len, ==, 0);
  for (const gchar *const *one = (const gchar *const[]) { copy, slow, copied, pipe, NULL };
      *one != NULL; one++)
    g_unlink (*one);
  g_rmdir (folder);
  close (reader);
}

/* What a program leaves behind in the background ends with it.  One that fails each time has one
 * line. */
static void
test_left (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *leaves = write_program (folder, "leaves",
      "#!/bin/sh\nexec 3>\"$1\"; sleep 600 & printf x >&3; exit 3\n");
  g_autofree gchar *pipe = g_build_filename (folder, "pipe", NULL);
  RelayProgram *program = relay_program_new ((const gchar *const[]) { leaves, pipe, NULL }, 60);
  g_autoptr (GBytes) event = g_bytes_new_static ("", 0);
  gint reader;

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  reader = g_open (pipe, O_RDONLY | O_NONBLOCK, 0);
  for (guint i = 0; i < 3; i++) {
    g_autofree gchar *line = NULL;

    relay_program_call (program, event);
    wait_for_writers (reader, 1);
    line = i == 0 ? wait_for_lines (1) : NULL;
    wait_for_end (reader);
  }
  g_assert_cmpuint (lines->len, ==, 0);
  relay_program_free (program);
  g_unlink (leaves);
  g_unlink (pipe);
  g_rmdir (folder);
  close (reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lines = g_ptr_array_new_with_free_func (g_free);
  g_log_set_writer_func (keep_line, NULL, NULL);
  vcases_add ("/relay/cut", cases, sizeof *cases, G_N_ELEMENTS (cases), test_cut);
  g_test_add_func ("/relay/cut/set-back", test_set_back);
  g_test_add_func ("/relay/cut/anything", test_anything);
  g_test_add_func ("/relay/cut/program", test_program);
  g_test_add_func ("/relay/cut/left", test_left);
  return g_test_run ();
}
