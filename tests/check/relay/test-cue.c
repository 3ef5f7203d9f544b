/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a stream that takes over begins.
 */
#include "relaycue.h"
#include "tsmaker.h"
#include "vcases.h"
#include <string.h>

#define SYNC 0x47
#define START 0x40
#define MAP 0x20 /* PID of the PMT */
#define VIDEO 0x31
#define AUDIO 0x32
#define H264 0x1b
#define MP2 0x03

typedef struct
{
  guint8 data[TS_PACKET];
} Packet;

static Packet
make (guint pid, gboolean starts, const guint8 *payload, gsize size)
{
  Packet packet = { { SYNC, (starts ? START : 0) | pid >> 8, pid & 0xff, 0x10 } };

  memcpy (packet.data + 4, payload, size);
  return packet;
}

/* Writes P, a PAT; M, a PMT with video; A, one with sound alone; K, a key frame; C, a packet with a
 * PCR; -, another packet of the video. Each packet ends with its place in the text. */
static GByteArray *
write_stream (const gchar *text)
{
  static const guint8 pat[] = { 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0, MAP };
  static const guint8 pmt[] = { 2, 0, 0, 0, 1, 0xc1, 0, 0, 0xe0, VIDEO, 0xf0, 0, H264, 0xe0, VIDEO,
    0xf0, 0 };
  static const guint8 sound[] = { 2, 0, 0, 0, 1, 0xc1, 0, 0, 0xe0, AUDIO, 0xf0, 0, MP2, 0xe0, AUDIO,
    0xf0, 0 };
  static const guint8 key[] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0, 0, 0, 1, 0x65 };
  GByteArray *all = g_byte_array_new ();
  guint8 counters[TS_PIDS] = { 0 };

  for (guint i = 0; text[i] != '\0'; i++) {
    Packet packet = make (VIDEO, text[i] == 'K', key, text[i] == 'K' ? sizeof key : 0);

    if (text[i] == 'P')
      maker_put_section (packet.data, 0, pat, sizeof pat);
    if (text[i] == 'M' || text[i] == 'A')
      maker_put_section (packet.data, MAP, text[i] == 'M' ? pmt : sound, sizeof pmt);
    if (text[i] == 'C') {
      packet.data[3] |= 0x20;
      packet.data[4] = 7;
      packet.data[5] = 0x10;
    }
    packet.data[3] |= counters[maker_get_pid (packet.data)]++ & 0x0f;
    packet.data[TS_PACKET - 1] = i;
    g_byte_array_append (all, packet.data, TS_PACKET);
  }
  return all;
}

typedef struct
{
  const gchar *name, *text;
  gint begins,
      found; /* first packet of the stream, and the one after which that is known; -1: none */
  gboolean clock_in_front; /* an earlier PCR */
} Case;

static const Case cases[] = {
  { "key-frame", "--PMC-K-", 2, 6 },
  { "no-tables", "--K-CK--", -1, -1 },
  { "key-before-map", "PKMC----", -1, -1 },
  { "next-tables", "PM---PMCK", 5, 8 },
  { "no-map-again", "PMC--P--K", -1, -1 },
  { "sound", "---PA---", 3, 4 },
  { "no-clock", "--PM--K-", -1, -1 },
  { "clock-in-front", "C--PM-K-", 3, 6, TRUE },
  { "last-clock", "PMC-C-PM-K", 6, 9, TRUE },
};

/* Asserts what is held of the packets up to one, not counted. */
static void
assert_held (const RelayCue *cue, const Case *c, const GByteArray *all, gint end)
{
  guint front = c->clock_in_front ? TS_PACKET : 0;
  TsPacket packet;

  g_assert_cmpmem (cue->held->data + front, cue->held->len - front,
      all->data + c->begins * TS_PACKET, (end - c->begins) * TS_PACKET);
  ts_packet_read (&packet, cue->held->data, TS_PACKET);
  g_assert_true (packet.has_pcr == c->clock_in_front);
  g_assert_true (packet.step == 0 || !c->clock_in_front);
}

/* The packets come one by one, or all at once, which begins at the same place. */
static void
test_place (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (GByteArray) all = write_stream (c->text);
  RelayCue cue = { .held = NULL };
  gint found = -1;

  relay_cue_begin (&cue, 0);
  for (guint i = 0; found < 0 && i < all->len / TS_PACKET; i++)
    if (relay_cue_push (&cue, all->data + i * TS_PACKET, TS_PACKET, 1))
      found = i;
  g_assert_cmpint (found, ==, c->found);
  if (found >= 0)
    assert_held (&cue, c, all, found + 1);
  relay_cue_begin (&cue, 0);
  g_assert_true (relay_cue_push (&cue, all->data, all->len, 1) == (found >= 0));
  if (found >= 0)
    assert_held (&cue, c, all, all->len / TS_PACKET);
  relay_cue_clear (&cue);
}

/* Without a key frame, it begins after RELAY_CUE_WAIT, with whole packets. */
static void
test_wait (void)
{
  g_autoptr (GByteArray) all = write_stream ("-PM-");
  RelayCue cue = { .held = NULL };

  relay_cue_begin (&cue, 1000);
  g_assert_false (relay_cue_push (&cue, all->data, all->len, 1000 + RELAY_CUE_WAIT - 1));
  g_assert_true (relay_cue_push (&cue, all->data, TS_PACKET, 1000 + RELAY_CUE_WAIT));
  g_assert_cmpuint (cue.held->len, ==, 4 * TS_PACKET);
  relay_cue_begin (&cue, 0);
  g_assert_true (relay_cue_push (&cue, all->data, TS_PACKET, RELAY_CUE_WAIT));
  g_assert_cmpuint (cue.held->len, ==, TS_PACKET);
  relay_cue_clear (&cue);
}

/* What is held is bounded, whatever comes. */
static void
test_bound (void)
{
  g_autoptr (GByteArray) tables = write_stream ("PM"), rest = write_stream ("-------");
  RelayCue cue = { .held = NULL };

  relay_cue_begin (&cue, 0);
  relay_cue_push (&cue, tables->data, tables->len, 0);
  for (guint i = 0; i < RELAY_CUT_HELD_MAX / TS_PACKET; i++) {
    g_assert_false (relay_cue_push (&cue, rest->data, rest->len, 0));
    g_assert_cmpuint (cue.held->len, <, RELAY_CUT_HELD_MAX + TS_PACKET);
  }
  relay_cue_clear (&cue);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/relay/cue", cases, sizeof *cases, G_N_ELEMENTS (cases), test_place);
  g_test_add_func ("/relay/cue/wait", test_wait);
  g_test_add_func ("/relay/cue/bound", test_bound);
  return g_test_run ();
}
