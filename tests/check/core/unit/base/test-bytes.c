/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers as they are written: of as many bytes as they need, and cut.
 */
#include "faspbytes.h"
#include "fasptypes.h"

static void
test_varint (void)
{
  static const guint64 values[] = { 0, 63, 64, 16383, 16384, 1073741823, 1073741824,
    FASP_VARINT_MAX };
  static const guint sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8 };
  guint8 data[8];
  FaspWriter w;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    FaspReader r;

    w = (FaspWriter) { data, sizeof data };
    fasp_write_varint (&w, values[i]);
    g_assert_cmpuint (w.used, ==, sizes[i]);
    g_assert_cmpuint (fasp_varint_size (values[i]), ==, sizes[i]);
    r = (FaspReader) { data, w.used };
    g_assert_cmpuint (fasp_read_varint (&r), ==, values[i]);
    g_assert_false (r.failed);
    r = (FaspReader) { data, w.used - 1 };
    fasp_read_varint (&r);
    g_assert_true (r.failed);
  }
  w = (FaspWriter) { data, sizeof data };
  fasp_write_varint (&w, FASP_VARINT_MAX + 1);
  g_assert_true (w.failed);
}

/* Every truncation comes back to the number it was cut from, half the range
 * to either side. */
static void
test_widen (void)
{
  static const guint64 bases[] = { 0, 100, 1 << 23, 1 << 24, 0xffffff,
    G_GUINT64_CONSTANT (0x123456789abcdef) };

  for (guint i = 0; i < G_N_ELEMENTS (bases); i++)
    for (gint64 d = -(1 << 23) + 1; d < 1 << 23; d += 99991) {
      guint64 number = bases[i] + d;

      if (d < 0 && bases[i] < (guint64) (-d))
        continue;
      g_assert_cmpuint (fasp_widen (number & 0xffffff, 24, bases[i]), ==, number);
    }
  g_assert_cmpuint (fasp_widen_given (0xffffff, 24, 0x1000000), ==, 0xffffff);
  g_assert_cmpuint (fasp_widen_given (0, 24, 0x1000000), ==, 0);
  g_assert_cmpuint (fasp_widen_given (0, 24, 0x1000001), ==, 0x1000000);
  g_assert_cmpuint (fasp_widen_given (1, 24, 0x1000001), ==, 1);
  g_assert_cmpuint (fasp_widen_given (7, 24, 7), >=, 7);
  g_assert_cmpuint (fasp_widen_given (0, 24, 0), ==, G_MAXUINT64 & ~0xffffff);
  g_assert_cmpuint (fasp_widen (0xfffffff0, 32, 0x10), ==, 0xfffffff0);
  g_assert_cmpuint (fasp_widen (0x10, 32, 0xfffffff0), ==, G_GUINT64_CONSTANT (0x100000010));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wire/varint", test_varint);
  g_test_add_func ("/wire/widen", test_widen);
  return g_test_run ();
}
