/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tsitems.h"

#define PAT_ENTRY 4 /* bytes */

gboolean
ts_section_is_good (const TsSection *section)
{
  return section->crc == 0 && section->size <= TS_SECTION_KEPT
      && section->size >= TS_LONG_HEADER + TS_SECTION_CRC && (section->data[5] & TS_CURRENT) != 0;
}

gboolean
ts_is_video (guint8 type)
{
  static const guint8 types[] = { 0x01, 0x02, 0x10, 0x1b, 0x1e, 0x1f, 0x20, 0x21, 0x24, 0x25, 0x32,
    0x33, 0x42, 0xd1, 0xea };

  return memchr (types, type, sizeof types) != NULL;
}

const guint8 *
ts_items_take (TsItems *left, guint header, TsItems *body)
{
  const guint8 *item = left->data;
  guint size;

  if (left->size < header)
    return NULL;
  size = header == TS_DESCRIPTOR_HEADER ? item[1] : ts_get_16 (item + 3) & TS_LENGTH_MASK;
  if (size > left->size - header)
    return NULL;
  *body = (TsItems) { item + header, size };
  *left = (TsItems) { body->data + size, left->size - header - size };
  return item;
}

gboolean
ts_items_take_programme (TsItems *left, TsPatEntry *entry)
{
  if (left->size < PAT_ENTRY)
    return FALSE;
  *entry = (TsPatEntry) { ts_get_16 (left->data), ts_get_16 (left->data + 2) & TS_PID_MASK };
  *left = (TsItems) { left->data + PAT_ENTRY, left->size - PAT_ENTRY };
  return TRUE;
}

gboolean
ts_pat_is_whole (const guint8 *section, guint *next)
{
  guint number = section[6], last = section[7];

  if (number == 0)
    *next = 0;
  if (number == *next)
    ++*next;
  return number == last && *next == last + 1;
}

guint16
ts_pmt_get_pcr_pid (const guint8 *pmt)
{
  return ts_get_16 (pmt + 8) & TS_PID_MASK;
}

guint
ts_pmt_get_streams (const guint8 *pmt)
{
  return TS_PMT_HEADER + (ts_get_16 (pmt + 10) & TS_LENGTH_MASK);
}

TsItems
ts_items_of (const guint8 *section, guint size, guint from)
{
  guint end = size - TS_SECTION_CRC;

  return from < end ? (TsItems) { section + from, end - from } : (TsItems) { NULL, 0 };
}
