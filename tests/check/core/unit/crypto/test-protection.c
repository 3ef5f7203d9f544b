/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each datagram has a nonce of its own, in every order in which they may come, and over two
 * rekeyings.
 */
#include "faspbytes.h"
#include "faspprotection.h"
#include "faspwire.h"
#include "vseal.h"

/* A sealer seals nothing under a nonce that it has used; what is late opens
 * with the key before, and two phases back with none. */
static void
test_nonces (gconstpointer data)
{
  FaspCipher cipher = GPOINTER_TO_UINT (data);
  const guint8 key[FASP_KEY_SIZE] = { 1, 2, 3 };
  FaspSealer *sealer = fasp_sealer_new (cipher, key);
  FaspOpener *opener = fasp_opener_new (cipher, key);
  guint8 kept[12][64], scratch[64];
  gsize sizes[12], size;

  for (guint i = 0; i < 12; i++) {
    FaspSessionHeader header = { 0, fasp_sealer_get_phase (sealer), 5, i };
    FaspWriter w = { kept[i], sizeof kept[i] };

    fasp_wire_write_session (&w, &header);
    fasp_write_uint (&w, 1000 + i, 2);
    vseal_close (sealer, 0, i, &w);
    g_assert_false (w.failed);
    sizes[i] = w.used;
    w.used -= fasp_cipher_get_tag_size (cipher);
    vseal_close (sealer, 0, i, &w);
    g_assert_true (w.failed);
    if (i % 4 == 3)
      fasp_sealer_rekey (sealer);
  }
  for (guint i = 0; i < 24; i++) {
    /* 0 and 1; the second phase, then the rest of the first; the third */
    static const guint8 order[] = { 0, 1, 5, 2, 4, 3, 7, 6, 9, 11, 8, 10, 4, 5, 6, 7, 0, 1, 2, 3, 8,
      9, 10, 11 };
    guint which = order[i];
    FaspSessionHeader header;
    const guint8 *frames;

    g_assert_true (fasp_wire_parse_session (kept[which], sizes[which], &header));
    frames = fasp_opener_open (opener, &header, which, kept[which], sizes[which], scratch, &size);
    if (i >= 16 && which < 4) {
      g_assert_null (frames); /* its key is forgotten */
      continue;
    }
    g_assert_nonnull (frames);
    g_assert_cmpuint (size, ==, 2);
    g_assert_cmpuint (frames[1], ==, (1000 + which) & 255);
  }
  fasp_sealer_free (sealer);
  fasp_opener_free (opener);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/secure/nonces/aes", GUINT_TO_POINTER (FASP_CIPHER_AES_128_GCM),
      test_nonces);
  g_test_add_data_func ("/secure/nonces/chacha", GUINT_TO_POINTER (FASP_CIPHER_CHACHA20_POLY1305),
      test_nonces);
  g_test_add_data_func ("/secure/nonces/clear", GUINT_TO_POINTER (FASP_CIPHER_NONE), test_nonces);
  return g_test_run ();
}
