/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "fasptypes.h"

gboolean
fasp_address_equal (const FaspAddress * a, const FaspAddress * b)
{
  return a->len == b->len && memcmp (a->bytes, b->bytes, a->len) == 0;
}
