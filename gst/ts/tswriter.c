/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tswriter.h"

#define HEADER 3 /* bytes, up to the section_length */
#define STUFFING 0xff
#define VERSION 0x3e /* in byte 5 */

static void
put_16 (guint8 *data, guint value)
{
  data[0] = value >> 8;
  data[1] = value;
}

guint
ts_pat_write (guint8 section[TS_SECTION_KEPT], guint16 stream_id, const TsPatEntry *entries,
    guint n)
{
  guint8 *at = section + TS_LONG_HEADER;

  g_return_val_if_fail (n <= TS_PAT_ENTRIES, 0);
  section[0] = 0; /* table_id */
  put_16 (section + 3, stream_id);
  section[5] = 0xc1; /* it is current */
  section[6] = section[7] = 0;
  for (guint i = 0; i < n; i++, at += 4) {
    put_16 (at, entries[i].number);
    put_16 (at + 2, 0xe000 | entries[i].pmt_pid);
  }
  return at - section + TS_SECTION_CRC;
}

/* Returns the version that this content has to have. */
static guint8
count_version (TsVersion *version, const guint8 *section, guint size)
{
  guint32 content = ts_section_add_crc (0xffffffff, section, 5);

  content = ts_section_add_crc (content, section + 6, size - 6 - TS_SECTION_CRC);
  if (!version->written)
    version->version = (version->made ? content : section[5] >> 1) & (VERSION >> 1);
  else if (version->content != content)
    version->version = (version->version + 1) & (VERSION >> 1);
  version->written = TRUE;
  version->content = content;
  return version->version;
}

void
ts_section_raise (guint8 *section, guint by)
{
  section[5] = (section[5] & ~VERSION) | ((section[5] + (by << 1)) & VERSION);
}

void
ts_section_seal (guint8 *section, guint size, TsVersion *version)
{
  guint32 crc;

  g_return_if_fail (size >= TS_LONG_HEADER + TS_SECTION_CRC && size <= TS_SECTION_KEPT);
  put_16 (section + 1, 0xb000 | (size - HEADER));
  section[5] = (section[5] & ~VERSION) | count_version (version, section, size) << 1;
  crc = GUINT32_TO_BE (ts_section_add_crc (0xffffffff, section, size - TS_SECTION_CRC));
  memcpy (section + size - TS_SECTION_CRC, &crc, TS_SECTION_CRC);
}

guint
ts_section_write (const guint8 *section, guint size, guint16 pid, guint8 *counter,
    guint8 packets[TS_SECTION_PACKETS][TS_PACKET])
{
  guint n = 0;

  g_return_val_if_fail (size <= TS_SECTION_KEPT, 0);
  for (guint done = 0; done < size; n++) {
    guint8 *packet = packets[n];
    guint at = n == 0 ? 5 : 4; /* the first has a pointer_field, of 0 */
    guint part = MIN (size - done, TS_PACKET - at);

    memset (packet, STUFFING, TS_PACKET);
    packet[0] = TS_SYNC;
    put_16 (packet + 1, pid | (n == 0 ? 0x4000 : 0));
    packet[3] = 0x10 | (*counter & 0x0f);
    packet[4] = 0;
    memcpy (packet + at, section + done, part);
    *counter = (*counter + 1) & 0x0f;
    done += part;
  }
  return n;
}
