/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For builds without ISA-L: byte by byte.
 */
#include "faspcrc.h"

#define POLYNOMIAL 0x82f63b78 /* reflected */

static const guint32 *
get_table (void)
{
  static guint32 table[256];
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    for (guint32 i = 0; i < 256; i++) {
      table[i] = i;
      for (guint bit = 0; bit < 8; bit++)
        table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? POLYNOMIAL : 0);
    }
    g_once_init_leave (&once, 1);
  }
  return table;
}

guint32
fasp_crc_add (guint32 crc, const guint8 *data, gsize n)
{
  const guint32 *table = get_table ();

  crc = ~crc;
  for (gsize i = 0; i < n; i++)
    crc = (crc >> 8) ^ table[(crc ^ data[i]) & 0xff];
  return ~crc;
}
