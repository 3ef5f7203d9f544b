/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For builds without ISA-L: there is no FEC, so these functions are never called.
 */
#include "fasprlc.h"

gboolean
fasp_rlc_is_built (void)
{
  return FALSE;
}

guint32
fasp_rlc_encode (const FaspBlock *const *blocks, guint n, guint16 key, guint8 *symbol)
{
  g_assert_not_reached ();
}

void
fasp_rlc_add_block (guint8 *symbol, const FaspBlock *block, guint8 c)
{
  g_assert_not_reached ();
}

void
fasp_rlc_add (guint8 *to, const guint8 *from, gsize n, guint8 c)
{
  g_assert_not_reached ();
}

void
fasp_rlc_scale (guint8 *data, gsize n, guint8 c)
{
  g_assert_not_reached ();
}

guint8
fasp_rlc_invert (guint8 c)
{
  g_assert_not_reached ();
}

void
fasp_rlc_get_coefficients (guint16 key, guint8 *coefficients, guint n)
{
  g_assert_not_reached ();
}
