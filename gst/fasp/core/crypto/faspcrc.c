/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <isa-l/crc.h>
#include "faspcrc.h"
#include "faspvector.h"

guint32
fasp_crc_add (guint32 crc, const guint8 *data, gsize n)
{
  /* not const, as ISA-L does not declare it so; it changes nothing */
  crc = ~crc32_iscsi ((guint8 *) data, n, ~crc);
  fasp_vector_leave ();
  return crc;
}
