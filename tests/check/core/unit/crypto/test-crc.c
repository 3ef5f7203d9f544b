/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CRC-32C: the check value of the algorithm's catalogue, and the same in pieces.
 */
#include "faspcrc.h"
#include "vvector.h"

static void
test_check_value (void)
{
  static const guint8 digits[] = "123456789";

  g_assert_cmphex (fasp_crc_add (0, digits, 0), ==, 0);
  for (gsize i = 0; i < sizeof digits; i++)
    g_assert_cmphex (fasp_crc_add (fasp_crc_add (0, digits, i), digits + i, 9 - i), ==, 0xe3069283);
}

/* faspvector.h */
static void
test_registers (void)
{
  static const guint8 bytes[1400];

  if (!vvector_is_told ())
    return;
  fasp_crc_add (0, bytes, sizeof bytes);
  g_assert_false (vvector_is_in_use ());
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/crc/check-value", test_check_value);
  g_test_add_func ("/crc/registers", test_registers);
  return g_test_run ();
}
