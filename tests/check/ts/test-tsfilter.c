/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programmes and PIDs out of streams that are made here: what passes is what came, byte by byte,
 * and the tables that are written tell of that and of nothing else.
 */
#include <string.h>
#include "tsfilter.h"
#include "tsmonitor.h"
#include "tsselection.h"

#define CHOSEN 7
#define PMT_PID 0x20
#define CLOCK 0x1f0 /* a PID with nothing but the PCR */

typedef struct
{
  GByteArray *in, *out;
  TsFilter *filter;
  TsMonitor *monitor; /* of what comes out */
  guint8 counters[TS_PIDS];
  gint64 now;
} Stream;

static void
stream_init (Stream *s)
{
  *s = (Stream) { g_byte_array_new (), g_byte_array_new (), ts_filter_new (),
    ts_monitor_new (NULL) };
}

static void
stream_clear (Stream *s)
{
  g_assert_cmpuint (ts_monitor_get_error (s->monitor, TS_ERROR_CONTINUITY)->count, ==, 0);
  g_assert_cmpuint (ts_monitor_get_error (s->monitor, TS_ERROR_CRC)->count, ==, 0);
  g_byte_array_unref (s->in);
  g_byte_array_unref (s->out);
  ts_filter_free (s->filter);
  ts_monitor_free (s->monitor);
}

/* Filters what was put; only this is in `out' then. */
static void
pass (Stream *s)
{
  s->now += 10 * TS_MSECOND;
  g_byte_array_set_size (s->out, 0);
  ts_filter_push (s->filter, s->in->data, s->in->len, s->now, s->out);
  ts_monitor_push (s->monitor, s->out->data, s->out->len, s->now);
  g_byte_array_set_size (s->in, 0);
}

/* --- what goes in ------------------------------------------------------------ */

static void
put_packet (Stream *s, guint16 pid, guint8 fill)
{
  guint8 packet[TS_PACKET];

  memset (packet, fill, sizeof packet);
  packet[0] = TS_SYNC;
  packet[1] = pid >> 8;
  packet[2] = pid;
  packet[3] = 0x10 | (s->counters[pid]++ & 0x0f);
  g_byte_array_append (s->in, packet, sizeof packet);
}

/* Takes the size without the CRC. */
static void
put_section (Stream *s, guint16 pid, guint8 *section, guint size)
{
  guint8 packets[TS_SECTION_PACKETS][TS_PACKET];
  TsVersion version = { 0 };
  guint n;

  ts_section_seal (section, size + TS_SECTION_CRC, &version);
  n = ts_section_write (section, size + TS_SECTION_CRC, pid, &s->counters[pid], packets);
  g_byte_array_append (s->in, packets[0], n * TS_PACKET);
}

static void
put_pat_section (Stream *s, const TsPatEntry *entries, guint n, guint8 number, guint8 last)
{
  guint8 section[TS_SECTION_KEPT];
  guint size = ts_pat_write (section, 0x1234, entries, n);

  section[6] = number;
  section[7] = last;
  put_section (s, 0, section, size - TS_SECTION_CRC);
}

#define PUT_PAT(s, ...) \
  put_pat_section (s, (const TsPatEntry[]) { __VA_ARGS__ }, \
      sizeof ((const TsPatEntry[]) { __VA_ARGS__ }) / sizeof (TsPatEntry), 0, 0)

/* A descriptor of a scrambling system that names a PID. */
#define CA(pid) 9, 4, 1, 2, 0xe0 | (pid) >> 8, (pid) & 0xff

/* @info: the descriptors of the programme.  @streams: PIDs, ended by 0. */
static void
put_pmt_with (Stream *s, guint16 pid, guint16 number, guint16 pcr, const guint8 *info,
    guint info_size, const guint16 *streams)
{
  guint8 section[TS_SECTION_KEPT] = { 2, 0, 0, number >> 8, number, 0xc1, 0, 0, 0xe0 | pcr >> 8,
    pcr, 0xf0 | info_size >> 8, info_size };
  guint size = 12;

  memcpy (section + size, info, info_size);
  size += info_size;
  for (; *streams != 0; streams++, size += 5)
    memcpy (section + size, (guint8[]) { 0x1b, 0xe0 | *streams >> 8, *streams, 0xf0, 0 }, 5);
  put_section (s, pid, section, size);
}

#define PUT_PMT(s, pid, number, pcr, ...) \
  put_pmt_with (s, pid, number, pcr, NULL, 0, (const guint16[]) { __VA_ARGS__, 0 })

/* --- what comes out ------------------------------------------------------------ */

/* Returns the packets of a PID. */
static guint
count (const Stream *s, guint16 pid)
{
  guint n = 0;

  for (guint at = 0; at < s->out->len; at += TS_PACKET)
    n += (ts_get_16 (s->out->data + at + 1) & 0x1fff) == pid;
  return n;
}

/* Reads the first section of a PID. */
static void
read_section (const Stream *s, guint16 pid, TsSection *section)
{
  *section = (TsSection) { 0 };
  for (guint at = 0; at < s->out->len; at += TS_PACKET) {
    TsPacket packet;
    gsize done = 0;

    ts_packet_read (&packet, s->out->data + at, TS_PACKET);
    if (packet.pid == pid && ts_section_take (section, &packet, s->out->data + at, &done))
      return;
  }
  g_assert_not_reached ();
}

/* Asserts what the PAT, or a PMT, lists, and returns its version.  @step: bytes of an entry; @at:
 * where the list, and in an entry, the number begins. */
static guint
check_list (const Stream *s, guint16 pid, guint at, guint step, const guint16 *wanted, guint n)
{
  TsSection section;

  read_section (s, pid, &section);
  g_assert_cmpuint (section.crc, ==, 0);
  g_assert_cmpuint (section.size - 4 - 8 - (step == 5 ? 4 : 0), ==, n * step);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (ts_get_16 (section.data + at + i * step) & 0x1fff, ==, wanted[i]);
  return section.data[5] >> 1 & 0x1f;
}

#define N(...) (sizeof ((guint16[]) { __VA_ARGS__ }) / sizeof (guint16))
#define CHECK_PAT(s, ...) check_list (s, 0, 8, 4, (guint16[]) { __VA_ARGS__ }, N (__VA_ARGS__))
#define CHECK_PMT(s, pid, ...) \
  check_list (s, pid, 13, 5, (guint16[]) { __VA_ARGS__ }, N (__VA_ARGS__))

/* --- tests ------------------------------------------------------------ */

static void
put_two (Stream *s)
{
  PUT_PAT (s, { 0, 0x10 }, { 6, 0x30 }, { CHOSEN, PMT_PID });
  PUT_PMT (s, 0x30, 6, 0x200, 0x200, 0x201);
  PUT_PMT (s, PMT_PID, CHOSEN, CLOCK, 0x100, 0x101);
}

/* Of all PIDs that a stream has, those of the programme pass, each packet as it came. */
static void
test_programme (void)
{
  static const guint16 pass_on[] = { CLOCK, 0x100, 0x101, 0x10, 0x12, 0x14 };
  static const guint16 drop[] = { 0x200, 0x201, 0x30, 0x300, TS_NULL_PID };
  g_autoptr (GByteArray) wanted = g_byte_array_new ();
  Stream s;

  stream_init (&s);
  ts_filter_choose_programme (s.filter, CHOSEN);
  put_two (&s);
  put_two (&s);
  pass (&s);
  CHECK_PAT (&s, 0, CHOSEN);
  CHECK_PMT (&s, PMT_PID, 0x100, 0x101);
  for (guint round = 0; round < 100; round++)
    for (guint i = 0; i < 6; i++) {
      put_packet (&s, pass_on[i], round);
      g_byte_array_append (wanted, s.in->data + s.in->len - TS_PACKET, TS_PACKET);
      put_packet (&s, drop[i % 5], round);
    }
  pass (&s);
  g_assert_cmpmem (s.out->data, s.out->len, wanted->data, wanted->len);
  stream_clear (&s);
}

/* A PAT of 2,000 programmes in eight sections, and a PMT over several packets. */
static void
test_many (void)
{
  static const guint16 streams[] = { 0x100, 0x101, 0 };
  TsPatEntry all[2000];
  guint8 info[600] = { 0 };
  TsSection section;
  Stream s;

  for (guint i = 0; i < 2000; i++)
    all[i] = (TsPatEntry) { 1 + i, 0x1000 + i };
  for (guint i = 0; i < sizeof info; i += 200)
    info[i] = 0x80, info[i + 1] = 198;
  stream_init (&s);
  ts_filter_choose_programme (s.filter, 1999);
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < 8; i++)
      put_pat_section (&s, all + 250 * i, 250, i, 7);
    put_pmt_with (&s, 0x1000 + 1998, 1999, 0x100, info, sizeof info, streams);
  }
  put_packet (&s, 0x100, 1);
  put_packet (&s, 0x102, 1);
  pass (&s);
  g_assert_cmpuint (count (&s, 0), ==, 2);
  CHECK_PAT (&s, 1999);
  g_assert_cmpuint (count (&s, 0x1000 + 1998), ==, 8);
  read_section (&s, 0x1000 + 1998, &section);
  g_assert_cmpmem (section.data + 12, sizeof info, info, sizeof info);
  g_assert_cmpuint (count (&s, 0x100), ==, 1);
  g_assert_cmpuint (count (&s, 0x102), ==, 0);
  stream_clear (&s);
}

/* The PMT changes, moves to another PID, goes, and comes back. */
static void
test_changes (void)
{
  guint version, pat;
  Stream s;

  stream_init (&s);
  ts_filter_choose_programme (s.filter, CHOSEN);
  put_two (&s);
  put_two (&s);
  pass (&s);
  pat = CHECK_PAT (&s, 0, CHOSEN);
  version = CHECK_PMT (&s, PMT_PID, 0x100, 0x101);

  PUT_PMT (&s, PMT_PID, CHOSEN, 0x102, 0x100, 0x102);
  for (guint pid = 0x100; pid <= 0x102; pid++)
    put_packet (&s, pid, 0);
  put_packet (&s, CLOCK, 0);
  pass (&s);
  g_assert_cmpuint (CHECK_PMT (&s, PMT_PID, 0x100, 0x102), ==, (version + 1) & 0x1f);
  g_assert_cmpuint (count (&s, 0x100) + count (&s, 0x102), ==, 2);
  g_assert_cmpuint (count (&s, 0x101) + count (&s, CLOCK), ==, 0);

  PUT_PAT (&s, { CHOSEN, 0x21 });
  put_packet (&s, 0x102, 0);
  PUT_PMT (&s, PMT_PID, CHOSEN, 0x100, 0x100);
  PUT_PMT (&s, 0x21, CHOSEN, 0x100, 0x100, 0x102);
  put_packet (&s, 0x102, 0);
  pass (&s);
  g_assert_cmpuint (CHECK_PAT (&s, CHOSEN), ==, (pat + 1) & 0x1f);
  g_assert_cmpuint (CHECK_PMT (&s, 0x21, 0x100, 0x102), ==, (version + 2) & 0x1f);
  g_assert_cmpuint (count (&s, 0x102), ==, 2);
  g_assert_cmpuint (count (&s, PMT_PID), ==, 0);
  stream_clear (&s);
}

static guint
get_missing (const Stream *s)
{
  guint i = 0;

  return ts_filter_get_missing_programme (s->filter, &i);
}

/* A programme goes, and comes back: the PAT says so, and so does the filter. */
static void
test_gone (void)
{
  guint version, pat;
  Stream s;

  stream_init (&s);
  ts_filter_choose_programme (s.filter, CHOSEN);
  g_assert_cmpuint (get_missing (&s), ==, 0);
  for (guint i = 0; i < 4; i++)
    PUT_PAT (&s, { 6, 0x30 });
  pass (&s);
  pat = check_list (&s, 0, 8, 4, NULL, 0);
  g_assert_cmpuint (get_missing (&s), ==, CHOSEN);

  put_two (&s);
  pass (&s);
  g_assert_cmpuint (CHECK_PAT (&s, 0, CHOSEN), ==, (pat + 1) & 0x1f);
  version = CHECK_PMT (&s, PMT_PID, 0x100, 0x101);
  g_assert_cmpuint (get_missing (&s), ==, 0);

  PUT_PAT (&s, { 6, 0x30 });
  PUT_PMT (&s, PMT_PID, CHOSEN, CLOCK, 0x100, 0x101);
  put_packet (&s, 0x100, 0);
  pass (&s);
  g_assert_cmpuint (check_list (&s, 0, 8, 4, NULL, 0), ==, (pat + 2) & 0x1f);
  g_assert_cmpuint (s.out->len, ==, TS_PACKET);
  g_assert_cmpuint (get_missing (&s), ==, CHOSEN);

  put_two (&s);
  put_packet (&s, 0x100, 0);
  pass (&s);
  g_assert_cmpuint (CHECK_PAT (&s, 0, CHOSEN), ==, (pat + 3) & 0x1f);
  g_assert_cmpuint (CHECK_PMT (&s, PMT_PID, 0x100, 0x101), ==, version);
  g_assert_cmpuint (count (&s, 0x100), ==, 1);
  stream_clear (&s);
}

/* Chosen PIDs, with the PMTs that have them, their PCR, and no other packet; which do not come. */
static void
test_pids (void)
{
  guint pid;
  Stream s;

  stream_init (&s);
  ts_filter_choose_pid (s.filter, 0x101);
  ts_filter_choose_pid (s.filter, TS_NULL_PID);
  ts_filter_choose_pid (s.filter, 0x300);
  for (guint i = 0; i < 3; i++)
    put_two (&s);
  for (pid = 0x10; pid < 0x400; pid++)
    if (pid != PMT_PID && pid != 0x30)
      put_packet (&s, pid, pid);
  put_packet (&s, TS_NULL_PID, 0);
  pass (&s);
  CHECK_PAT (&s, CHOSEN);
  CHECK_PMT (&s, PMT_PID, 0x101);
  g_assert_cmpuint (count (&s, CLOCK) + count (&s, 0x101) + count (&s, 0x300), ==, 3);
  g_assert_cmpuint (count (&s, TS_NULL_PID), ==, 1);
  g_assert_cmpuint (s.out->len / TS_PACKET, ==, 4 + count (&s, 0) + count (&s, PMT_PID));

  for (guint i = 0; i < 6; i++) {
    s.now += TS_FILTER_AWAY;
    put_packet (&s, i < 3 ? 0x300 : 0x100, 0);
    pass (&s);
    g_assert_cmpint (ts_filter_lacks_pids (s.filter), ==, i >= 4);
  }
  ts_filter_begin (s.filter);
  g_assert_false (ts_filter_lacks_pids (s.filter));
  stream_clear (&s);
}

/* Data without a packet for TS_FILTER_AWAY, at first or later, is no transport stream. */
static void
test_no_stream (void)
{
  Stream s;

  stream_init (&s);
  ts_filter_choose_programme (s.filter, CHOSEN);
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < 4; i++) {
      g_byte_array_set_size (s.in, 1000);
      memset (s.in->data, 1, 1000);
      s.now += TS_FILTER_AWAY / 2;
      pass (&s);
      g_assert_cmpint (ts_filter_lacks_packets (s.filter), ==, i >= 2);
    }
    put_two (&s);
    put_two (&s);
    pass (&s);
    g_assert_false (ts_filter_lacks_packets (s.filter));
  }
  s.now += 3 * TS_FILTER_AWAY; /* nothing came: nothing is said */
  g_byte_array_set_size (s.in, 1);
  pass (&s);
  g_assert_false (ts_filter_lacks_packets (s.filter));
  stream_clear (&s);
}

/* The PID of a PMT is chosen: it leaves, and lists no stream, once there is a PAT. */
static void
test_pmt_pid (void)
{
  Stream s;

  stream_init (&s);
  ts_filter_choose_pid (s.filter, PMT_PID);
  for (guint i = 0; i < 9; i++)
    put_packet (&s, PMT_PID, 1);
  for (guint i = 0; i < 3; i++) {
    put_two (&s);
    for (guint pid = 0x100; pid < 0x220; pid++)
      put_packet (&s, pid, 0);
    pass (&s);
  }
  CHECK_PAT (&s, CHOSEN);
  check_list (&s, PMT_PID, 13, 5, NULL, 0);
  g_assert_cmpuint (s.out->len / TS_PACKET, ==,
      count (&s, 0) + count (&s, PMT_PID) + count (&s, CLOCK));
  stream_clear (&s);
}

/* Puts an SDT with the services 6 and CHOSEN, and returns the version of what leaves. */
static guint
pass_sdt (Stream *s, guint version, guint services)
{
  guint8 sdt[] = { 0x42, 0, 0, 0x12, 0x34, 0xc1 | version << 1, 0, 0, 0, 1, 0xff, 0, 6, 0xfc, 0x80,
    0, 0, CHOSEN, 0xfc, 0x80, 0, 0, 0, 0, 0 };
  TsSection section;

  put_section (s, 0x11, sdt, sizeof sdt - 4);
  pass (s);
  read_section (s, 0x11, &section);
  g_assert_cmpuint (section.size, ==, 15 + 5 * services);
  return section.data[5] >> 1 & 0x1f;
}

/* The SDT has another version when its content changes, by a PMT or by itself, and only then. */
static void
test_sdt (void)
{
  guint version;
  Stream s;

  stream_init (&s);
  ts_filter_choose_pid (s.filter, 0x101);
  ts_filter_choose_pid (s.filter, 0x11);
  put_two (&s);
  put_two (&s);
  version = pass_sdt (&s, 30, 1);
  put_two (&s);
  g_assert_cmpuint (pass_sdt (&s, 30, 1), ==, version);
  g_assert_cmpuint (pass_sdt (&s, 31, 1), ==, (version + 1) & 0x1f);
  PUT_PMT (&s, 0x30, 6, 0x200, 0x200, 0x101);
  g_assert_cmpuint (pass_sdt (&s, 31, 2), ==, (version + 2) & 0x1f);
  PUT_PMT (&s, 0x30, 6, 0x200, 0x200);
  g_assert_cmpuint (pass_sdt (&s, 31, 1), ==, (version + 3) & 0x1f);
  stream_clear (&s);
}

/* Returns the version of the PAT of a filter that begins. */
static guint
get_first_version (guint16 programme)
{
  guint version;
  Stream s;

  stream_init (&s);
  ts_filter_choose_programme (s.filter, programme);
  for (guint i = 0; i < 3; i++)
    put_two (&s);
  pass (&s);
  version = CHECK_PAT (&s, 0, programme);
  stream_clear (&s);
  return version;
}

/* A filter that takes the place of another one writes other content with another version. */
static void
test_reload (void)
{
  g_assert_cmpuint (get_first_version (6), ==, get_first_version (6));
  g_assert_cmpuint (get_first_version (6), !=, get_first_version (CHOSEN));
}

/* Programmes that share a PID, scrambled, with an SDT and a CAT. */
static void
test_dvb (void)
{
  static const guint8 ecm[] = { CA (0x180) }, other[] = { CA (0x190) };
  static const guint16 streams[] = { 0x100, 0 }, others[] = { 0x200, 0 };
  guint8 cat[] = { 1, 0, 0, 0xff, 0xff, 0xc1, 0, 0, CA (0x1a0), 0, 0, 0, 0 };
  guint8 sdt[] = { 0x42, 0, 0, 0x12, 0x34, 0xd7, 0, 0, 0, 1, 0xff, 0, 6, 0xfc, 0x80, 2, 0x40, 0, 0,
    CHOSEN, 0xfc, 0x80, 3, 0x48, 1, 9, 0, 0, 0, 0 };
  TsSection section;
  Stream s;

  stream_init (&s);
  ts_filter_choose_programme (s.filter, CHOSEN);
  for (guint i = 0; i < 2; i++) {
    PUT_PAT (&s, { 6, PMT_PID }, { CHOSEN, PMT_PID });
    put_pmt_with (&s, PMT_PID, 6, 0x200, other, sizeof other, others);
    put_pmt_with (&s, PMT_PID, CHOSEN, 0x100, ecm, sizeof ecm, streams);
    put_section (&s, 1, cat, sizeof cat - 4);
    put_section (&s, 0x11, sdt, sizeof sdt - 4);
    for (guint pid = 0x100; pid < 0x220; pid++)
      put_packet (&s, pid, 0);
  }
  pass (&s);
  CHECK_PAT (&s, CHOSEN);
  read_section (&s, PMT_PID, &section);
  g_assert_cmpmem (section.data + 12, sizeof ecm, ecm, sizeof ecm);
  g_assert_cmpuint (count (&s, 0x180) + count (&s, 0x1a0) + count (&s, 0x100), >=, 4);
  g_assert_cmpuint (count (&s, 0x190) + count (&s, 0x200), ==, 0);
  g_assert_cmpuint (count (&s, 1), ==, 2);
  read_section (&s, 0x11, &section);
  g_assert_cmpmem (section.data + 11, section.size - 15, sdt + 18, 8);
  /* the version is that of the choice */
  g_assert_cmpuint (section.data[5] & 0xc1, ==, sdt[5] & 0xc1);
  stream_clear (&s);
}

/* Tables that do not fit together change nothing. */
static void
test_malformed (void)
{
  guint8 longer[] = { 2, 0, 0, 0, CHOSEN, 0xc1, 0, 0, 0xe1, 0, 0xf0, 200, 0, 0, 0, 0 };
  guint8 overrun[] = { 2, 0, 0, 0, CHOSEN, 0xc1, 0, 0, 0xe1, 0, 0xf0, 0, 0x1b, 0xe1, 5, 0xf0, 9, 0,
    0, 0, 0 };
  guint8 later[] = { 2, 0, 0, 0, CHOSEN, 0xc0, 0, 0, 0xe1, 0, 0xf0, 0, 0, 0, 0, 0 };
  TsPatEntry entry = { 9, 0x40 }, first = { CHOSEN, 5 };
  Stream s;

  stream_init (&s);
  ts_filter_choose_programme (s.filter, CHOSEN);
  put_two (&s);
  put_two (&s);
  pass (&s);
  put_section (&s, PMT_PID, longer, sizeof longer - 4);
  put_section (&s, PMT_PID, overrun, sizeof overrun - 4);
  put_section (&s, PMT_PID, later, sizeof later - 4);
  put_pat_section (&s, &entry, 1, 3, 2);
  put_pat_section (&s, &entry, 1, 1, 1);
  put_pat_section (&s, &first, 1, 0, 1);
  PUT_PAT (&s, { 9, 0x40 });
  s.in->data[s.in->len - TS_PACKET + 20] ^= 1; /* behind the section: stuffing */
  s.in->data[s.in->len - TS_PACKET + 14] ^= 1;
  PUT_PMT (&s, PMT_PID, CHOSEN, CLOCK, 0x100, 0x101);
  put_packet (&s, 0x101, 0);
  pass (&s);
  CHECK_PAT (&s, 0, CHOSEN);
  CHECK_PMT (&s, PMT_PID, 0x100, 0x101);
  g_assert_cmpuint (count (&s, 0x101), ==, 1);
  g_assert_cmpuint (count (&s, PMT_PID), ==, 1);
  stream_clear (&s);
}

/* Each packet has as many PATs as it has room for: no more tables come out than packets went in. */
static void
test_flood (void)
{
  guint8 pat[TS_SECTION_KEPT], flood[TS_PACKET];
  guint size = ts_pat_write (pat, 0x1234, NULL, 0), in;
  TsVersion version = { 0 };
  Stream s;

  ts_section_seal (pat, size, &version);
  memset (flood, 0xff, sizeof flood);
  memcpy (flood, (guint8[]) { TS_SYNC, 0x40, 0, 0x10, 0 }, 5);
  for (guint at = 5; at + size <= TS_PACKET; at += size)
    memcpy (flood + at, pat, size);
  stream_init (&s);
  ts_filter_choose_programme (s.filter, CHOSEN);
  for (guint i = 0; i < 1000; i++) {
    flood[3] = 0x10 | (i & 0x0f);
    g_byte_array_append (s.in, flood, sizeof flood);
  }
  in = s.in->len;
  pass (&s);
  g_assert_cmpuint (s.out->len, >, 0);
  g_assert_cmpuint (s.out->len, <=, in + TS_SELECTION_AHEAD * TS_PACKET);
  put_two (&s);
  put_two (&s);
  pass (&s);
  CHECK_PMT (&s, PMT_PID, 0x100, 0x101);
  stream_clear (&s);
}

/* Cut anywhere, with bytes around the packets or garbage between them, the same comes out. */
static void
test_cuts (void)
{
  static const guint sizes[] = { 188, 192, 204, 208 };
  g_autoptr (GByteArray) wanted = g_byte_array_new ();

  for (guint i = 0; i < 60; i++) {
    guint size = sizes[i % 4], piece = 1 + i * 37;
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    guint8 around[TS_SYNC_SIZE_MAX] = { 0 };
    Stream s;

    stream_init (&s);
    ts_filter_choose_programme (s.filter, CHOSEN);
    for (guint round = 0; round < 20; round++) {
      put_two (&s);
      put_packet (&s, 0x100, round);
    }
    for (guint at = 0; at < s.in->len; at += TS_PACKET) {
      memcpy (around + ts_sync_get_front (size), s.in->data + at, TS_PACKET);
      g_byte_array_append (bytes, around, size);
    }
    for (guint at = 0; at < bytes->len; at += piece)
      ts_filter_push (s.filter, bytes->data + at, MIN (piece, bytes->len - at), 0, s.out);
    if (i == 0)
      g_byte_array_append (wanted, s.out->data, s.out->len);
    g_assert_cmpuint (s.out->len, >, 50 * TS_PACKET);
    g_assert_cmpmem (s.out->data, s.out->len, wanted->data, wanted->len);
    stream_clear (&s);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tsfilter/programme", test_programme);
  g_test_add_func ("/tsfilter/many", test_many);
  g_test_add_func ("/tsfilter/changes", test_changes);
  g_test_add_func ("/tsfilter/gone", test_gone);
  g_test_add_func ("/tsfilter/pids", test_pids);
  g_test_add_func ("/tsfilter/no-stream", test_no_stream);
  g_test_add_func ("/tsfilter/pmt-pid", test_pmt_pid);
  g_test_add_func ("/tsfilter/sdt", test_sdt);
  g_test_add_func ("/tsfilter/reload", test_reload);
  g_test_add_func ("/tsfilter/dvb", test_dvb);
  g_test_add_func ("/tsfilter/malformed", test_malformed);
  g_test_add_func ("/tsfilter/flood", test_flood);
  g_test_add_func ("/tsfilter/cuts", test_cuts);
  return g_test_run ();
}
