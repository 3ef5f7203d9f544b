/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sections that are written: what a reader of sections makes of their packets is what was written.
 */
#include <string.h>
#include "tswriter.h"

/* Reads the packets of one section. */
static void
read_back (TsSection *section, guint8 packets[][TS_PACKET], guint n, guint8 *state)
{
  *section = (TsSection) { 0 };
  for (guint i = 0; i < n; i++) {
    TsPacket packet;
    gsize done = 0;

    ts_packet_read (&packet, packets[i], TS_PACKET);
    g_assert_cmpuint (packet.pid, ==, 0x1ff0);
    g_assert_cmpint (ts_packet_check_counter (&packet, state), ==, TS_ORDER_NEXT);
    g_assert_cmpint (ts_section_take (section, &packet, packets[i], &done), ==, i == n - 1);
  }
  g_assert_cmpuint (section->crc, ==, 0);
}

/* Every size there is, with counters that go on from one to the next. */
static void
test_sizes (void)
{
  guint8 counter = 13, state = 0;

  for (guint size = 12; size <= TS_SECTION_KEPT; size++) {
    guint8 section[TS_SECTION_KEPT], packets[TS_SECTION_PACKETS][TS_PACKET];
    TsVersion version = { 0 };
    TsSection read;
    guint n;

    memset (section, size, sizeof section);
    section[0] = 2; /* table_id: 0xff is stuffing */
    ts_section_seal (section, size, &version);
    n = ts_section_write (section, size, 0x1ff0, &counter, packets);
    g_assert_cmpuint (n, ==, (size + 1 + 183) / 184);
    read_back (&read, packets, n, &state);
    g_assert_cmpmem (read.data, read.size, section, size);
  }
}

static void
test_pat (void)
{
  static const TsPatEntry entries[] = { { 0, 0x10 }, { 0xfffe, 0x1ffe } };
  static const guint8 wanted[] = { 0, 0xb0, 17, 0x12, 0x34, 0xc1, 0, 0, 0, 0, 0xe0, 0x10, 0xff,
    0xfe, 0xff, 0xfe };
  TsPatEntry many[TS_PAT_ENTRIES] = { 0 };
  guint8 section[TS_SECTION_KEPT];
  TsVersion version = { 0 };
  guint size = ts_pat_write (section, 0x1234, entries, 2);

  ts_section_seal (section, size, &version);
  g_assert_cmpmem (section, size - TS_SECTION_CRC, wanted, sizeof wanted);
  g_assert_cmpuint (ts_pat_write (section, 1, many, TS_PAT_ENTRIES), ==, TS_SECTION_KEPT);
  g_assert_cmpuint (ts_pat_write (section, 1, NULL, 0), ==, 12);
}

static guint8
seal (TsVersion *version, guint8 came_with, guint8 content)
{
  guint8 section[16] = { 2, 0, 0, 0, 1, 0xc1 | came_with << 1, 0, 0, content };

  ts_section_seal (section, sizeof section, version);
  g_assert_cmpuint (section[5] & 0xc1, ==, 0xc1);
  return section[5] >> 1 & 0x1f;
}

/* The first version is the one it came with; after that, only a change of content counts. */
static void
test_version (void)
{
  TsVersion version = { 0 };

  g_assert_cmpuint (seal (&version, 30, 'a'), ==, 30);
  g_assert_cmpuint (seal (&version, 7, 'a'), ==, 30);
  g_assert_cmpuint (seal (&version, 30, 'b'), ==, 31);
  g_assert_cmpuint (seal (&version, 31, 'a'), ==, 0);
  g_assert_cmpuint (seal (&version, 31, 'a'), ==, 0);
}

/* The first version of a table that is made here tells of its content. */
static void
test_made (void)
{
  guint32 seen = 0;

  for (guint content = 'a'; content <= 'z'; content++) {
    TsVersion version = { .made = TRUE }, again = version;
    guint8 first = seal (&version, 3, content);

    g_assert_cmpuint (seal (&again, 4, content), ==, first);
    g_assert_cmpuint (seal (&version, 3, 'A'), ==, (first + 1) & 0x1f);
    seen |= 1u << first;
  }
  g_assert_cmpuint (__builtin_popcount (seen), >=, 16);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tswriter/sizes", test_sizes);
  g_test_add_func ("/tswriter/pat", test_pat);
  g_test_add_func ("/tswriter/version", test_version);
  g_test_add_func ("/tswriter/made", test_made);
  return g_test_run ();
}
