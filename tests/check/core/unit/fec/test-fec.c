/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender's repair symbols are those of the blocks that were sent.
 */
#include "faspfec.h"
#include "faspstore.h"
#include "faspwire.h"

/* Three blocks of a wider path and two of this: what is written, and never more than there is
 * room for. */
static void
test_write (void)
{
  static const gsize sizes[] = { 1000, 1400, 1400, 900, 800 };
  static const guint8 bytes[1400];
  const gsize size = FASP_REPAIR_HEADER + FASP_SYMBOL_HEADER + 900;
  FaspStore *store = fasp_store_new (1 << 20, 1400);
  guint8 data[2000];

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    fasp_store_write (store, 0, 0, bytes, sizes[i], NULL);
    fasp_store_get (store, i); /* that is all of it */
  }
  for (gsize room = 0; room <= size + 1; room++) {
    FaspWriter w = { data, room };
    FaspFec fec;

    fasp_fec_init (&fec, FASP_FEC_FIXED, .1, FASP_FEC_WINDOW_MAX);
    memset (data, 0xaa, sizeof data);
    g_assert_true (fasp_fec_write (&fec, 0, store, 0, 5, 1200, &w));
    g_assert_cmpuint (fec.from, ==, 3);
    g_assert_cmpint (w.failed, ==, room < size);
    if (!w.failed)
      g_assert_cmpuint (w.used, ==, size);
    for (gsize i = room; i < sizeof data; i++)
      g_assert_cmpuint (data[i], ==, 0xaa);
    w = (FaspWriter) { data, sizeof data };
    g_assert_false (fasp_fec_write (&fec, 0, store, 3, 5, 700, &w));
    g_assert_cmpuint (fec.from, ==, 5);
    g_assert_cmpuint (w.used, ==, 0);
  }
  fasp_store_free (store);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fec/write", test_write);
  return g_test_run ();
}
