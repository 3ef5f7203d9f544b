/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcredentials.h"

/* The handshake's own cipher.  It need not be fast, and is safe from timing attacks
 * on machines without instructions for AES. */
#define HANDSHAKE_AEAD FASP_AEAD_CHACHA20_POLY1305

struct _FaspCredentials
{
  gint refs;
  guint n_ciphers;
  guint8 ciphers[FASP_CIPHERS]; /* best first */
  gboolean has_psk, has_key, has_peer;
  gboolean asks; /* the application decides about keys that are not allowed */
  guint8 psk[FASP_KEY_SIZE], key[FASP_KEY_SIZE];
  guint8 public_key[FASP_KEY_SIZE]; /* public key of `key' */
  guint8 peer[FASP_KEY_SIZE];       /* the first allowed key */
  GHashTable *allowed;              /* public key as GBytes -> name */
};

FaspCredentials *
fasp_credentials_new (void)
{
  FaspCredentials *c = g_new0 (FaspCredentials, 1);

  c->refs = 1;
  c->allowed =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, g_free);
  /* an end with slow AES offers ChaCha20 first, and the other end follows: see
   * fasp_credentials_choose() */
  if (fasp_crypto_has_aes ()) {
    c->ciphers[0] = FASP_CIPHER_AES_128_GCM;
    c->ciphers[1] = FASP_CIPHER_CHACHA20_POLY1305;
  } else {
    c->ciphers[0] = FASP_CIPHER_CHACHA20_POLY1305;
    c->ciphers[1] = FASP_CIPHER_AES_128_GCM;
  }
  c->ciphers[2] = FASP_CIPHER_AES_256_GCM;
  c->n_ciphers = 3;
  return c;
}

FaspCredentials *
fasp_credentials_ref (FaspCredentials *c)
{
  g_atomic_int_inc (&c->refs);
  return c;
}

void
fasp_credentials_unref (FaspCredentials *c)
{
  if (c == NULL || !g_atomic_int_dec_and_test (&c->refs))
    return;
  g_hash_table_unref (c->allowed);
  fasp_wipe (c, sizeof *c);
  g_free (c);
}

void
fasp_credentials_set_cipher (FaspCredentials *c, FaspCipher cipher)
{
  c->ciphers[0] = cipher;
  c->n_ciphers = 1;
}

void
fasp_credentials_set_psk (FaspCredentials *c, const guint8 psk[FASP_KEY_SIZE])
{
  memcpy (c->psk, psk, FASP_KEY_SIZE);
  c->has_psk = TRUE;
}

void
fasp_credentials_set_key (FaspCredentials *c, const guint8 private_key[FASP_KEY_SIZE])
{
  memcpy (c->key, private_key, FASP_KEY_SIZE);
  fasp_x25519_public (private_key, c->public_key);
  c->has_key = TRUE;
}

void
fasp_credentials_allow (FaspCredentials *c, const guint8 public_key[FASP_KEY_SIZE],
    const gchar *name)
{
  if (!c->has_peer)
    memcpy (c->peer, public_key, FASP_KEY_SIZE);
  c->has_peer = TRUE;
  g_hash_table_replace (c->allowed, g_bytes_new (public_key, FASP_KEY_SIZE), g_strdup (name));
}

void
fasp_credentials_ask (FaspCredentials *c)
{
  c->asks = TRUE;
}

gboolean
fasp_credentials_asks (const FaspCredentials *c)
{
  return c->asks;
}

FaspNoisePattern
fasp_credentials_get_pattern (const FaspCredentials *c)
{
  if (c->has_key)
    return c->has_psk ? FASP_NOISE_IK_PSK2 : FASP_NOISE_IK;
  return c->has_psk ? FASP_NOISE_NN_PSK0 : FASP_NOISE_NN;
}

const gchar *
fasp_credentials_object (const FaspCredentials *c, guint pattern)
{
  gboolean theirs;

  if (pattern < FASP_NOISE_NN || pattern > FASP_NOISE_IK_PSK2)
    return "the caller asks for a handshake that the listener does not know: update the listener";
  theirs = fasp_noise_has_psk (pattern);
  if (theirs && !c->has_psk)
    return "the caller has a passphrase and the listener has none: set the same on both";
  if (!theirs && c->has_psk)
    return "the listener has a passphrase and the caller has none: set the same on both";
  theirs = fasp_noise_has_static (pattern);
  if (theirs && !c->has_key)
    return "the caller has a key-file and the listener has none: give it one, and allowed-keys";
  if (!theirs && c->has_key)
    return "the listener has a key-file and the caller has none: give it one, "
           "and the listener's public-key";
  return NULL;
}

void
fasp_credentials_begin (const FaspCredentials *c, gboolean initiator, const FaspHandshake *open,
    const guint8 ephemeral[FASP_KEY_SIZE], FaspNoise *noise)
{
  guint8 prologue[FASP_PROLOGUE_SIZE];
  FaspWriter w = { prologue, sizeof prologue };

  memset (noise, 0, sizeof *noise);
  noise->pattern = fasp_credentials_get_pattern (c);
  noise->aead = HANDSHAKE_AEAD;
  noise->initiator = initiator;
  memcpy (noise->e, ephemeral, FASP_KEY_SIZE);
  memcpy (noise->s, c->key, FASP_KEY_SIZE);
  memcpy (noise->s_public, c->public_key, FASP_KEY_SIZE);
  memcpy (noise->psk, c->psk, FASP_KEY_SIZE);
  if (initiator)
    memcpy (noise->rs, c->peer, FASP_KEY_SIZE);
  fasp_wire_write_prologue (&w, open);
  fasp_noise_start (noise, prologue, w.used);
}

gboolean
fasp_credentials_know (const FaspCredentials *c, const guint8 public_key[FASP_KEY_SIZE],
    FaspIdentity *who)
{
  GBytes *key = g_bytes_new_static (public_key, FASP_KEY_SIZE);
  gpointer name = NULL;
  gboolean known = g_hash_table_lookup_extended (c->allowed, key, NULL, &name);

  g_bytes_unref (key);
  if (!known && !c->asks)
    return FALSE;
  who->proved = TRUE;
  who->allowed = known;
  memcpy (who->key, public_key, FASP_KEY_SIZE);
  g_strlcpy (who->name, name != NULL ? name : "", sizeof who->name);
  return TRUE;
}

void
fasp_credentials_offer (const FaspCredentials *c, FaspHello *hello)
{
  hello->n_ciphers = c->n_ciphers;
  memcpy (hello->ciphers, c->ciphers, c->n_ciphers);
}

FaspCipher
fasp_credentials_get_first (const FaspCredentials *c)
{
  return c->ciphers[0];
}

gboolean
fasp_credentials_choose (const FaspCredentials *c, const FaspHello *offer, FaspCipher *cipher)
{
  /* if the two ends prefer different ciphers, ChaCha20 wins: AES is slow at the end that prefers
   * it */
  gboolean ours_first = c->ciphers[0] == FASP_CIPHER_CHACHA20_POLY1305;
  const guint8 *first = ours_first ? c->ciphers : offer->ciphers;
  const guint8 *second = ours_first ? offer->ciphers : c->ciphers;
  guint n_first = ours_first ? c->n_ciphers : offer->n_ciphers;
  guint n_second = ours_first ? offer->n_ciphers : c->n_ciphers;

  for (guint i = 0; i < n_first; i++)
    if (memchr (second, first[i], n_second) != NULL) {
      *cipher = first[i];
      return TRUE;
    }
  return FALSE;
}
