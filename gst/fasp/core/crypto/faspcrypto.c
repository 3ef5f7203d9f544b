/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#include "faspcrypto.h"
#include "faspipsec.h"

/* scrypt's cost, block size and parallelism: 128 * N * r bytes. OWASP's password storage cheat
 * sheet names these first. */
#define SCRYPT_N 131072
#define SCRYPT_R 8
#define SCRYPT_P 1
#define SCRYPT_MEMORY (136 * 1024 * 1024)
#define SCRYPT_SALT "fasp passphrase 1"

static void
must (int ok, const gchar *what)
{
  if (G_UNLIKELY (ok <= 0))
    g_error ("libcrypto cannot do %s: is its default provider installed?", what);
}

/* Fetches the MAC once, as a lookup in the provider costs more than the MAC itself. */
static EVP_MAC *
get_mac (gsize *once, const gchar *name)
{
  if (g_once_init_enter (once)) {
    EVP_MAC *mac = EVP_MAC_fetch (NULL, name, NULL);

    must (mac != NULL, name);
    g_once_init_leave (once, (gsize) mac);
  }
  return (EVP_MAC *) *once;
}

/* --- AEAD ------------------------------------------------------------------- */

struct _FaspAead
{
  FaspAeadType type;
  guint8 key[FASP_KEY_SIZE];
  FaspIpsecGcm *gcm;           /* NULL: use libcrypto */
  EVP_CIPHER_CTX *seal, *open; /* made when first needed */
};

static const EVP_CIPHER *
get_cipher (FaspAeadType type)
{
  switch (type) {
    case FASP_AEAD_AES_128_GCM:
      return EVP_aes_128_gcm ();
    case FASP_AEAD_AES_256_GCM:
      return EVP_aes_256_gcm ();
    case FASP_AEAD_CHACHA20_POLY1305:
      return EVP_chacha20_poly1305 ();
  }
  g_assert_not_reached ();
}

FaspAead *
fasp_aead_new_portable (FaspAeadType type, const guint8 key[FASP_KEY_SIZE])
{
  FaspAead *aead = g_new0 (FaspAead, 1);

  aead->type = type;
  memcpy (aead->key, key, FASP_KEY_SIZE);
  return aead;
}

FaspAead *
fasp_aead_new (FaspAeadType type, const guint8 key[FASP_KEY_SIZE])
{
  FaspAead *aead = fasp_aead_new_portable (type, key);

  if (type != FASP_AEAD_CHACHA20_POLY1305)
    aead->gcm =
        fasp_ipsec_gcm_new (key, type == FASP_AEAD_AES_128_GCM ? FASP_KEY_SIZE / 2 : FASP_KEY_SIZE);
  return aead;
}

void
fasp_aead_free (FaspAead *aead)
{
  if (aead == NULL)
    return;
  fasp_ipsec_gcm_free (aead->gcm);
  EVP_CIPHER_CTX_free (aead->seal); /* wipes its copy of the key */
  EVP_CIPHER_CTX_free (aead->open);
  fasp_wipe (aead->key, sizeof aead->key);
  g_free (aead);
}

static EVP_CIPHER_CTX *
get_context (FaspAead *aead, EVP_CIPHER_CTX **ctx, int encrypt)
{
  if (*ctx == NULL) {
    *ctx = EVP_CIPHER_CTX_new ();
    must (*ctx != NULL
            && EVP_CipherInit_ex (*ctx, get_cipher (aead->type), NULL, aead->key, NULL, encrypt),
        "encryption");
  }
  return *ctx;
}

void
fasp_aead_seal (FaspAead *aead, const guint8 nonce[FASP_AEAD_NONCE_SIZE], const guint8 *ad,
    gsize ad_size, const guint8 *data, gsize size, const guint8 *more, gsize more_size, guint8 *out)
{
  EVP_CIPHER_CTX *ctx;
  int done;

  if (aead->gcm != NULL) {
    fasp_ipsec_gcm_seal (aead->gcm, nonce, ad, ad_size, data, size, more, more_size, out);
    return;
  }
  ctx = get_context (aead, &aead->seal, 1);
  must (EVP_EncryptInit_ex (ctx, NULL, NULL, NULL, nonce), "encryption");
  if (ad_size > 0)
    must (EVP_EncryptUpdate (ctx, NULL, &done, ad, ad_size), "encryption");
  if (size > 0)
    must (EVP_EncryptUpdate (ctx, out, &done, data, size), "encryption");
  out += size;
  if (more_size > 0)
    must (EVP_EncryptUpdate (ctx, out, &done, more, more_size), "encryption");
  out += more_size;
  must (EVP_EncryptFinal_ex (ctx, out, &done), "encryption");
  must (EVP_CIPHER_CTX_ctrl (ctx, EVP_CTRL_AEAD_GET_TAG, FASP_AEAD_TAG_SIZE, out), "encryption");
}

gboolean
fasp_aead_open (FaspAead *aead, const guint8 nonce[FASP_AEAD_NONCE_SIZE], const guint8 *ad,
    gsize ad_size, const guint8 *data, gsize size, guint8 *out)
{
  EVP_CIPHER_CTX *ctx;
  guint8 tag[FASP_AEAD_TAG_SIZE], right[FASP_AEAD_TAG_SIZE] = { 0 }, none[16];
  int done;

  if (size < FASP_AEAD_TAG_SIZE)
    return FALSE;
  size -= FASP_AEAD_TAG_SIZE;
  memcpy (tag, data + size, sizeof tag);
  if (aead->gcm != NULL) {
    fasp_ipsec_gcm_open (aead->gcm, nonce, ad, ad_size, data, size, out, right);
    return fasp_equal (tag, right, sizeof tag);
  }
  ctx = get_context (aead, &aead->open, 0);
  must (EVP_DecryptInit_ex (ctx, NULL, NULL, NULL, nonce), "decryption");
  must (EVP_CIPHER_CTX_ctrl (ctx, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag), "decryption");
  if (ad_size > 0)
    must (EVP_DecryptUpdate (ctx, NULL, &done, ad, ad_size), "decryption");
  if (size > 0)
    must (EVP_DecryptUpdate (ctx, out, &done, data, size), "decryption");
  return EVP_DecryptFinal_ex (ctx, none, &done) > 0;
}

/* --- hashes ------------------------------------------------------------------- */

void
fasp_sha256 (const guint8 *a, gsize a_size, const guint8 *b, gsize b_size,
    guint8 digest[FASP_KEY_SIZE])
{
  EVP_MD_CTX *ctx = EVP_MD_CTX_new ();

  must (ctx != NULL && EVP_DigestInit_ex (ctx, EVP_sha256 (), NULL), "SHA-256");
  must (EVP_DigestUpdate (ctx, a, a_size), "SHA-256");
  must (EVP_DigestUpdate (ctx, b, b_size), "SHA-256");
  must (EVP_DigestFinal_ex (ctx, digest, NULL), "SHA-256");
  EVP_MD_CTX_free (ctx);
}

void
fasp_hmac (const guint8 *key, gsize key_size, const gchar *label, const guint8 *data,
    gsize data_size, guint8 *out, gsize size)
{
  static gsize once = 0;
  OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string (OSSL_MAC_PARAM_DIGEST,
                              (gchar *) "SHA256", 0),
    OSSL_PARAM_construct_end () };
  EVP_MAC_CTX *ctx = EVP_MAC_CTX_new (get_mac (&once, "HMAC"));
  guint8 digest[FASP_KEY_SIZE];
  size_t done;

  must (ctx != NULL && EVP_MAC_init (ctx, key, key_size, params), "HMAC");
  must (EVP_MAC_update (ctx, (const guint8 *) label, strlen (label)), "HMAC");
  must (EVP_MAC_update (ctx, data, data_size), "HMAC");
  must (EVP_MAC_final (ctx, digest, &done, sizeof digest), "HMAC");
  EVP_MAC_CTX_free (ctx);
  memcpy (out, digest, MIN (size, sizeof digest));
  fasp_wipe (digest, sizeof digest);
}

/* --- AES ------------------------------------------------------------------------ */

struct _FaspAes
{
  FaspIpsecAes *ipsec; /* NULL: use ctx */
  EVP_CIPHER_CTX *ctx;
};

FaspAes *
fasp_aes_new (const guint8 key[FASP_AES_BLOCK])
{
  FaspAes *aes = g_new0 (FaspAes, 1);

  aes->ipsec = fasp_ipsec_aes_new (key);
  if (aes->ipsec != NULL)
    return aes;
  aes->ctx = EVP_CIPHER_CTX_new ();
  must (aes->ctx != NULL && EVP_EncryptInit_ex (aes->ctx, EVP_aes_128_ecb (), NULL, key, NULL)
          && EVP_CIPHER_CTX_set_padding (aes->ctx, 0),
      "AES");
  return aes;
}

void
fasp_aes_free (FaspAes *aes)
{
  if (aes == NULL)
    return;
  fasp_ipsec_aes_free (aes->ipsec);
  EVP_CIPHER_CTX_free (aes->ctx); /* wipes its copy of the key */
  g_free (aes);
}

void
fasp_aes_encrypt (FaspAes *aes, const guint8 *text, guint n, guint8 *out)
{
  int done;

  if (aes->ipsec != NULL)
    for (guint i = 0; i < n * FASP_AES_BLOCK; i += FASP_AES_BLOCK)
      fasp_ipsec_aes_encrypt (aes->ipsec, text + i, out + i);
  else
    must (EVP_EncryptUpdate (aes->ctx, out, &done, text, n * FASP_AES_BLOCK), "AES");
}

/* --- X25519 --------------------------------------------------------------------- */

static EVP_PKEY *
get_private (const guint8 *ours)
{
  EVP_PKEY *key = EVP_PKEY_new_raw_private_key (EVP_PKEY_X25519, NULL, ours, FASP_KEY_SIZE);

  must (key != NULL, "X25519");
  return key;
}

gboolean
fasp_x25519 (const guint8 ours[FASP_KEY_SIZE], const guint8 theirs[FASP_KEY_SIZE],
    guint8 shared[FASP_KEY_SIZE])
{
  EVP_PKEY *key = get_private (ours);
  EVP_PKEY *peer = EVP_PKEY_new_raw_public_key (EVP_PKEY_X25519, NULL, theirs, FASP_KEY_SIZE);
  EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new (key, NULL);
  size_t size = FASP_KEY_SIZE;
  gboolean good;

  must (ctx != NULL && EVP_PKEY_derive_init (ctx), "X25519");
  /* fails if the secret would be zero (RFC 7748, section 6.1) */
  good = peer != NULL && EVP_PKEY_derive_set_peer (ctx, peer) > 0
      && EVP_PKEY_derive (ctx, shared, &size) > 0;
  EVP_PKEY_CTX_free (ctx);
  EVP_PKEY_free (peer);
  EVP_PKEY_free (key);
  return good;
}

void
fasp_x25519_public (const guint8 ours[FASP_KEY_SIZE], guint8 public_key[FASP_KEY_SIZE])
{
  EVP_PKEY *key = get_private (ours);
  size_t size = FASP_KEY_SIZE;

  must (EVP_PKEY_get_raw_public_key (key, public_key, &size), "X25519");
  EVP_PKEY_free (key);
}

/* --- passphrases, and the processor ----------------------------------------------- */

void
fasp_stretch (const gchar *passphrase, guint8 key[FASP_KEY_SIZE])
{
  must (EVP_PBE_scrypt (passphrase, strlen (passphrase), (const guint8 *) SCRYPT_SALT,
            strlen (SCRYPT_SALT), SCRYPT_N, SCRYPT_R, SCRYPT_P, SCRYPT_MEMORY, key, FASP_KEY_SIZE),
      "scrypt");
}

gboolean
fasp_crypto_has_aes (void)
{
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_supports ("aes") && __builtin_cpu_supports ("pclmul");
#elif defined(__aarch64__) && defined(__linux__)
  return (getauxval (AT_HWCAP) & HWCAP_AES) != 0 && (getauxval (AT_HWCAP) & HWCAP_PMULL) != 0;
#else
  return FALSE;
#endif
}
