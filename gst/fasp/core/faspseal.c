/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include "faspseal.h"

struct _FaspSeal
{
  EVP_MAC_CTX *mac;
  guint8 key[FASP_KEY_SIZE];
};

/* Memory is the only thing that can fail here, and GLib's answer to that is
 * to abort. */
static void
must (int ok, const gchar * what)
{
  if (G_UNLIKELY (ok <= 0))
    g_error ("libcrypto cannot do %s: is its default provider installed?",
        what);
}

FaspSeal *
fasp_seal_new (const guint8 key[FASP_KEY_SIZE])
{
  static gsize siphash = 0;
  FaspSeal *seal = g_new0 (FaspSeal, 1);
  size_t tag_size = 8;
  OSSL_PARAM params[] = {
    OSSL_PARAM_construct_size_t (OSSL_MAC_PARAM_SIZE, &tag_size),
    OSSL_PARAM_construct_end ()
  };

  /* fetched once: a lookup in the provider costs more than the tag */
  if (g_once_init_enter (&siphash)) {
    EVP_MAC *mac = EVP_MAC_fetch (NULL, "SIPHASH", NULL);

    must (mac != NULL, "SipHash");
    g_once_init_leave (&siphash, (gsize) mac);
  }
  seal->mac = EVP_MAC_CTX_new ((EVP_MAC *) siphash);
  must (seal->mac != NULL, "a SipHash context");
  must (EVP_MAC_CTX_set_params (seal->mac, params), "64 bit tags");
  memcpy (seal->key, key, FASP_KEY_SIZE);
  return seal;
}

void
fasp_seal_free (FaspSeal * seal)
{
  if (seal == NULL)
    return;
  EVP_MAC_CTX_free (seal->mac);
  g_free (seal);
}

static void
compute (FaspSeal * seal, const guint8 * data, gsize size, guint8 tag[8])
{
  size_t done;

  must (EVP_MAC_init (seal->mac, seal->key, FASP_KEY_SIZE, NULL), "SipHash");
  must (EVP_MAC_update (seal->mac, data, size), "SipHash");
  must (EVP_MAC_final (seal->mac, tag, &done, 8), "SipHash");
}

void
fasp_seal_close (FaspSeal * seal, FaspWriter * w)
{
  guint8 tag[8];

  if (w->failed)
    return;
  compute (seal, w->data, w->used, tag);
  fasp_write_bytes (w, tag, FASP_TAG_SIZE);
}

gboolean
fasp_seal_open (FaspSeal * seal, const guint8 * data, gsize size)
{
  guint8 tag[8];

  if (size < FASP_TAG_SIZE)
    return FALSE;
  compute (seal, data, size - FASP_TAG_SIZE, tag);
  return memcmp (tag, data + size - FASP_TAG_SIZE, FASP_TAG_SIZE) == 0;
}

void
fasp_hmac (const guint8 * key, gsize key_size, const gchar * label,
    const guint8 * data, gsize data_size, guint8 * out, gsize size)
{
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, key, key_size);
  guint8 digest[32];
  gsize digest_size = sizeof (digest);

  g_hmac_update (hmac, (const guchar *) label, strlen (label));
  g_hmac_update (hmac, data, data_size);
  g_hmac_get_digest (hmac, digest, &digest_size);
  g_hmac_unref (hmac);
  memcpy (out, digest, MIN (size, sizeof (digest)));
}

void
fasp_seal_derive (const guint8 caller[FASP_NONCE_SIZE],
    const guint8 listener[FASP_NONCE_SIZE], guint8 key[FASP_KEY_SIZE])
{
  guint8 both[2 * FASP_NONCE_SIZE];

  memcpy (both, caller, FASP_NONCE_SIZE);
  memcpy (both + FASP_NONCE_SIZE, listener, FASP_NONCE_SIZE);
  fasp_hmac (both, sizeof (both), "fasp clear 1", NULL, 0, key, FASP_KEY_SIZE);
}

void
fasp_seal_close_handshake (FaspWriter * w, const guint8 key[FASP_KEY_SIZE])
{
  FaspSeal *seal = fasp_seal_new (key);

  fasp_seal_close (seal, w);
  fasp_seal_free (seal);
}

gboolean
fasp_seal_open_handshake (const guint8 * data, gsize size,
    const guint8 key[FASP_KEY_SIZE])
{
  FaspSeal *seal = fasp_seal_new (key);
  gboolean good = fasp_seal_open (seal, data, size);

  fasp_seal_free (seal);
  return good;
}
