/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is taken for AES instead of libcrypto does the same, to the bit.  (Vectors of the ciphers
 * that are published are in test-noise.c.)
 */
#include "faspcrypto.h"
#include "faspipsec.h"

#define SIZE_MAX_TRIED 9100
#define TRIES 3000

static void
fill (GRand *rand, guint8 *data, gsize size)
{
  for (gsize i = 0; i < size; i++)
    data[i] = g_rand_int (rand);
}

/* FIPS 197, appendix C.1. */
static void
test_aes (void)
{
  static const guint8 wanted[] = { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7,
    0x80, 0x70, 0xb4, 0xc5, 0x5a };
  guint8 key[FASP_AES_BLOCK], text[2 * FASP_AES_BLOCK], out[2 * FASP_AES_BLOCK];

  for (guint i = 0; i < sizeof key; i++) {
    key[i] = i;
    text[i] = text[i + FASP_AES_BLOCK] = i * 0x11;
  }
  for (FaspIpsecSet set = 0; set <= FASP_IPSEC_ALL; set++) {
    FaspAes *aes;

    fasp_ipsec_use_at_most (set);
    aes = fasp_aes_new (key);
    for (guint i = 0; i < 2; i++) {
      fasp_aes_encrypt (aes, text, 2, out);
      g_assert_cmpmem (out, sizeof wanted, wanted, sizeof wanted);
      g_assert_cmpmem (out + sizeof wanted, sizeof wanted, wanted, sizeof wanted);
    }
    fasp_aes_free (aes);
  }
}

/* NIST's GCM test case 4, and 16 with 256 bits: the texts are McGrew and Viega's. */
static void
test_gcm (void)
{
  static const guint8 key[FASP_KEY_SIZE] = { 0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d,
    0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08, 0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d,
    0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08 };
  static const guint8 nonce[FASP_AEAD_NONCE_SIZE] = { 0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb,
    0xad, 0xde, 0xca, 0xf8, 0x88 };
  static const guint8 ad[] = { 0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed, 0xfa,
    0xce, 0xde, 0xad, 0xbe, 0xef, 0xab, 0xad, 0xda, 0xd2 };
  static const guint8 text[60] = { 0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09,
    0xc5, 0xaf, 0xf5, 0x26, 0x9a, 0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c, 0x30,
    0x3d, 0x8a, 0x31, 0x8a, 0x72, 0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e,
    0x24, 0x49, 0xa6, 0xb5, 0x25, 0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b,
    0x39 };
  static const struct
  {
    FaspAeadType type;
    guint8 tag[FASP_AEAD_TAG_SIZE];
  } rows[] = {
    { FASP_AEAD_AES_128_GCM,
        { 0x5b, 0xc9, 0x4f, 0xbc, 0x32, 0x21, 0xa5, 0xdb, 0x94, 0xfa, 0xe9, 0x5a, 0xe7, 0x12, 0x1a,
            0x47 } },
    { FASP_AEAD_AES_256_GCM,
        { 0x76, 0xfc, 0x6e, 0xce, 0x0f, 0x4e, 0x17, 0x68, 0xcd, 0xdf, 0x88, 0x53, 0xbb, 0x2d, 0x55,
            0x1b } },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++) {
    FaspAead *aead = (i % 2 ? fasp_aead_new : fasp_aead_new_portable) (rows[i / 2].type, key);
    guint8 out[sizeof text + FASP_AEAD_TAG_SIZE];

    fasp_aead_seal (aead, nonce, ad, sizeof ad, text, 13, text + 13, sizeof text - 13, out);
    g_assert_cmpmem (out + sizeof text, FASP_AEAD_TAG_SIZE, rows[i / 2].tag, FASP_AEAD_TAG_SIZE);
    fasp_aead_free (aead);
  }
}

/* Any sizes, in parts, in place, with whatever instructions: what one has sealed the other opens,
 * and nothing else, and not for anything else. */
static void
test_same (gconstpointer data)
{
  FaspAeadType type = GPOINTER_TO_UINT (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (type);
  guint8 *text = g_malloc (SIZE_MAX_TRIED), *out[2];
  guint8 key[FASP_KEY_SIZE], nonce[FASP_AEAD_NONCE_SIZE], ad[40];

  for (guint i = 0; i < 2; i++)
    out[i] = g_malloc (SIZE_MAX_TRIED + FASP_AEAD_TAG_SIZE);
  for (guint i = 0; i < TRIES; i++) {
    gsize size = g_rand_int_range (rand, 0, i % 2 ? SIZE_MAX_TRIED : 100);
    gsize first = g_rand_int_range (rand, 0, size + 1);
    gsize ad_size = g_rand_int_range (rand, 0, sizeof ad);
    gsize sealed = size + FASP_AEAD_TAG_SIZE;
    FaspAead *aeads[2];

    fasp_ipsec_use_at_most (g_rand_int_range (rand, 0, FASP_IPSEC_ALL + 1));
    fill (rand, text, size);
    fill (rand, key, sizeof key);
    fill (rand, nonce, sizeof nonce);
    fill (rand, ad, sizeof ad);
    aeads[0] = fasp_aead_new (type, key);
    aeads[1] = fasp_aead_new_portable (type, key);
    for (guint j = 0; j < 2; j++) {
      memcpy (out[j], text, first);
      fasp_aead_seal (aeads[j], nonce, ad, ad_size, out[j], first, text + first, size - first,
          out[j]);
    }
    g_assert_cmpmem (out[0], sealed, out[1], sealed);
    for (guint j = 0; j < 2; j++) {
      gsize wrong = g_rand_int_range (rand, 0, sealed);
      guint8 *copy = g_memdup2 (out[j], sealed);

      copy[wrong] ^= 1 << g_rand_int_range (rand, 0, 8);
      g_assert_false (fasp_aead_open (aeads[j], nonce, ad, ad_size, copy, sealed, copy));
      memcpy (copy, out[j], sealed);
      nonce[wrong % sizeof nonce] ^= 1;
      g_assert_false (fasp_aead_open (aeads[j], nonce, ad, ad_size, copy, sealed, copy));
      nonce[wrong % sizeof nonce] ^= 1;
      memcpy (copy, out[j], sealed);
      ad[wrong % sizeof ad] ^= 1;
      g_assert_cmpint (fasp_aead_open (aeads[j], nonce, ad, ad_size, copy, sealed, copy), ==,
          wrong % sizeof ad >= ad_size);
      ad[wrong % sizeof ad] ^= 1;
      g_assert_true (fasp_aead_open (aeads[j], nonce, ad, ad_size, out[j], sealed, out[j]));
      g_assert_cmpmem (out[j], size, text, size);
      g_free (copy);
      fasp_aead_free (aeads[j]);
    }
  }
  g_free (text);
  for (guint i = 0; i < 2; i++)
    g_free (out[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/crypto/aes", test_aes);
  g_test_add_func ("/crypto/gcm", test_gcm);
  g_test_add_data_func ("/crypto/same/aes-128", GUINT_TO_POINTER (FASP_AEAD_AES_128_GCM),
      test_same);
  g_test_add_data_func ("/crypto/same/aes-256", GUINT_TO_POINTER (FASP_AEAD_AES_256_GCM),
      test_same);
  g_test_add_data_func ("/crypto/same/chacha20", GUINT_TO_POINTER (FASP_AEAD_CHACHA20_POLY1305),
      test_same);
  return g_test_run ();
}
