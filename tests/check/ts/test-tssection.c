/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sections that packets carry in every way that ISO/IEC 13818-1 (2.4.4) allows: which are whole.
 */
#include <string.h>
#include "tssection.h"

/* Writes a section of @size bytes, of table @id, with a good CRC. */
static void
put_section (guint8 *data, guint size, guint8 id)
{
  guint32 crc;

  memset (data, id, size);
  data[0] = id;
  data[1] = 0xb0 | (size - 3) >> 8;
  data[2] = size - 3;
  crc = GUINT32_TO_BE (ts_section_add_crc (0xffffffff, data, size - 4));
  memcpy (data + size - 4, &crc, 4);
}

#define NONE -1

typedef struct
{
  const gchar *name;
  guint sizes[4]; /* of sections in a row; 0: the end, and bytes of 0xff follow */
  guint pointer;  /* bytes before the first one, that belong to an earlier section */
  gint lost;      /* the packet that does not come; NONE: all do */
  guint whole;    /* sections that are found */
} Case;

static const Case cases[] = {
  { "one", { 20 }, 0, NONE, 1 },
  { "stuffing", { 20, 30 }, 0, NONE, 2 },
  { "pointer", { 20 }, 50, NONE, 1 },
  { "pointer to the last byte", { 20 }, 182, NONE, 1 },
  { "several in a packet", { 20, 30, 40 }, 0, NONE, 3 },
  { "fits exactly", { 183 }, 0, NONE, 1 },
  { "header cut", { 181, 60 }, 0, NONE, 2 },
  { "over packets", { 500 }, 0, NONE, 1 },
  { "over packets, and more", { 500, 20, 300 }, 7, NONE, 3 },
  { "longest table", { 1024 }, 0, NONE, 1 },
  { "longest", { 4096 }, 0, NONE, 1 },
  { "middle lost", { 500 }, 0, 1, 0 },
  { "end lost, the next is found", { 300, 400 }, 0, 1, 0 },
  { "first lost", { 300, 400 }, 0, 0, 1 },
};

/* The bytes of all sections, and where each begins. */
typedef struct
{
  guint8 data[16384];
  gboolean begins[16384];
  guint size;
} Row;

static void
make_row (Row *row, const Case *c)
{
  memset (row, 0, sizeof *row);
  row->size = c->pointer;
  for (guint i = 0; i < G_N_ELEMENTS (c->sizes) && c->sizes[i] > 0; i++) {
    put_section (row->data + row->size, c->sizes[i], 1 + i);
    row->begins[row->size] = TRUE;
    row->size += c->sizes[i];
  }
}

/* Writes the next packet from byte *at of the row on. */
static void
put_packet (const Row *row, guint *at, guint8 *packet)
{
  guint room = TS_PACKET - 4, first = *at;

  memset (packet, 0xff, TS_PACKET);
  packet[0] = TS_SYNC;
  packet[1] = packet[2] = 0;
  packet[3] = 0x10;
  while (first < row->size && first < *at + room - 1 && !row->begins[first])
    first++;
  if (first < row->size && first < *at + room - 1) {
    packet[1] = 0x40;
    packet[4] = first - *at;
    room--;
  }
  memcpy (packet + TS_PACKET - room, row->data + *at, MIN (room, row->size - *at));
  *at += MIN (room, row->size - *at);
}

static guint
count_whole (const Row *row, gint lost)
{
  TsSection section = { 0 };
  guint whole = 0;

  for (guint at = 0, n = 0; at < row->size; n++) {
    guint8 data[TS_PACKET];
    TsPacket packet;
    gsize done = 0;

    put_packet (row, &at, data);
    if ((gint) n == lost) {
      ts_section_drop (&section);
      continue;
    }
    ts_packet_read (&packet, data, sizeof data);
    while (ts_section_take (&section, &packet, data, &done)) {
      g_assert_cmpuint (section.crc, ==, 0);
      whole++;
    }
  }
  return whole;
}

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree Row *row = g_new0 (Row, 1);

    g_test_message ("%s", cases[i].name);
    make_row (row, &cases[i]);
    g_assert_cmpuint (count_whole (row, cases[i].lost), ==, cases[i].whole);
  }
}

/* A packet with an adaptation field that leaves no byte of payload has a counter that advances. */
static void
test_counter (void)
{
  static const struct
  {
    guint8 control, field, counter;
    gboolean announced;
    TsOrder order;
  } steps[] = {
    { 1, 0, 3, FALSE, TS_ORDER_NEXT },
    { 3, 183, 4, FALSE, TS_ORDER_NEXT },
    { 2, 183, 4, FALSE, TS_ORDER_NEXT },
    { 3, 182, 5, FALSE, TS_ORDER_NEXT },
    { 1, 0, 6, FALSE, TS_ORDER_NEXT },
    { 1, 0, 6, FALSE, TS_ORDER_AGAIN },
    { 1, 0, 6, FALSE, TS_ORDER_LOST },
    { 3, 100, 7, TRUE, TS_ORDER_NEXT },
    { 3, 100, 12, TRUE, TS_ORDER_JUMP },
    { 1, 0, 14, FALSE, TS_ORDER_LOST },
  };
  guint8 state = 0;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    guint8 data[TS_PACKET] = { TS_SYNC, 1, 0 };
    TsPacket packet;

    data[3] = steps[i].control << 4 | steps[i].counter;
    data[4] = steps[i].field;
    data[5] = steps[i].announced ? 0x80 : 0;
    ts_packet_read (&packet, data, sizeof data);
    g_assert_cmpint (ts_packet_check_counter (&packet, &state), ==, steps[i].order);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tssection/cases", test_cases);
  g_test_add_func ("/tssection/counter", test_counter);
  return g_test_run ();
}
