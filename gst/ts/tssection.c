/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tssection.h"

#define HEADER 3 /* bytes, up to the section_length */
#define STUFFING 0xff
#define POLYNOMIAL 0x04c11db7

guint32
ts_section_add_crc (guint32 crc, const guint8 *data, gsize size)
{
  static guint32 table[256];
  static gsize made;

  if (g_once_init_enter (&made)) {
    for (guint i = 0; i < 256; i++) {
      table[i] = (guint32) i << 24;
      for (guint bit = 0; bit < 8; bit++)
        table[i] = table[i] << 1 ^ (table[i] & 0x80000000 ? POLYNOMIAL : 0);
    }
    g_once_init_leave (&made, 1);
  }
  for (gsize i = 0; i < size; i++)
    crc = crc << 8 ^ table[crc >> 24 ^ data[i]];
  return crc;
}

static void
begin (TsSection *section)
{
  section->have = section->size = 0;
  section->crc = 0xffffffff;
}

void
ts_section_drop (TsSection *section)
{
  section->open = FALSE;
  begin (section);
}

/* Takes up to @size bytes of the section.  Returns how many. */
static gsize
take_bytes (TsSection *section, const guint8 *data, gsize size)
{
  gsize n = MIN (size, (section->size > 0 ? section->size : HEADER) - section->have);

  if (section->have < TS_SECTION_KEPT)
    memcpy (section->data + section->have, data, MIN (n, TS_SECTION_KEPT - section->have));
  section->crc = ts_section_add_crc (section->crc, data, n);
  section->have += n;
  if (section->have == HEADER && section->size == 0) {
    section->size = HEADER + (ts_get_16 (section->data + 1) & 0xfff);
    if (section->size > TS_SECTION_MAX)
      ts_section_drop (section);
  }
  return n;
}

gboolean
ts_section_take (TsSection *section, const TsPacket *packet, const guint8 *data, gsize *done)
{
  const guint8 *payload = data + packet->payload;
  gsize size = TS_PACKET - packet->payload;
  /* where the first section begins that this packet begins */
  gsize first = packet->start && size > 0 ? (gsize) 1 + payload[0] : size;

  if (section->size > 0 && section->have == section->size) {
    begin (section);
    section->open = packet->start && *done >= first;
  }
  if (first > size) {
    ts_section_drop (section);
    return FALSE;
  }
  if (packet->start && *done == 0)
    *done = 1;
  while (*done < size) {
    gsize end = *done < first ? first : size;

    if (packet->start && *done == first) {
      begin (section);
      section->open = TRUE;
    }
    if (section->have == 0 && payload[*done] == STUFFING)
      section->open = FALSE;
    *done += section->open ? take_bytes (section, payload + *done, end - *done) : end - *done;
    if (section->size > 0 && section->have == section->size)
      return TRUE;
  }
  return FALSE;
}
