/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tsitems.h"

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

TsItems
ts_items_of (const guint8 *section, guint size, guint from)
{
  guint end = size - TS_SECTION_CRC;

  return from < end ? (TsItems) { section + from, end - from } : (TsItems) { NULL, 0 };
}
