/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspnoise.h"

#define TOKENS_MAX 5

typedef enum
{
  TOKEN_END,
  TOKEN_E,
  TOKEN_S,
  TOKEN_EE,
  TOKEN_ES,
  TOKEN_SE,
  TOKEN_SS,
  TOKEN_PSK,
} Token;

typedef struct
{
  const gchar *name;
  gboolean has_psk, has_static;
  Token messages[2][TOKENS_MAX];
} Pattern;

static const Pattern patterns[] = {
  [FASP_NOISE_NN] = { "NN", FALSE, FALSE, { { TOKEN_E }, { TOKEN_E, TOKEN_EE } } },
  [FASP_NOISE_NN_PSK0] = { "NNpsk0", TRUE, FALSE,
      { { TOKEN_PSK, TOKEN_E }, { TOKEN_E, TOKEN_EE } } },
  [FASP_NOISE_IK] = { "IK", FALSE, TRUE,
      { { TOKEN_E, TOKEN_ES, TOKEN_S, TOKEN_SS }, { TOKEN_E, TOKEN_EE, TOKEN_SE } } },
  [FASP_NOISE_IK_PSK2] = { "IKpsk2", TRUE, TRUE,
      { { TOKEN_E, TOKEN_ES, TOKEN_S, TOKEN_SS }, { TOKEN_E, TOKEN_EE, TOKEN_SE, TOKEN_PSK } } },
};

gboolean
fasp_noise_has_psk (FaspNoisePattern pattern)
{
  return patterns[pattern].has_psk;
}

gboolean
fasp_noise_has_static (FaspNoisePattern pattern)
{
  return patterns[pattern].has_static;
}

/* --- the symmetric state (section 5.2) ---------------------------------------- */

/* HKDF as the framework defines it, with two or three outputs; @c may be NULL. */
static void
hkdf (const guint8 *ck, const guint8 *input, gsize size, guint8 *a, guint8 *b, guint8 *c)
{
  guint8 temp[FASP_KEY_SIZE], block[FASP_KEY_SIZE + 1];
  guint8 first[FASP_KEY_SIZE];

  fasp_hmac (ck, FASP_KEY_SIZE, "", input, size, temp, sizeof temp);
  block[0] = 1;
  fasp_hmac (temp, sizeof temp, "", block, 1, first, sizeof first);
  memcpy (block, first, FASP_KEY_SIZE);
  block[FASP_KEY_SIZE] = 2;
  fasp_hmac (temp, sizeof temp, "", block, sizeof block, b, FASP_KEY_SIZE);
  if (c != NULL) {
    memcpy (block, b, FASP_KEY_SIZE);
    block[FASP_KEY_SIZE] = 3;
    fasp_hmac (temp, sizeof temp, "", block, sizeof block, c, FASP_KEY_SIZE);
  }
  memcpy (a, first, FASP_KEY_SIZE); /* @a may be @ck */
  fasp_wipe (temp, sizeof temp);
  fasp_wipe (block, sizeof block);
  fasp_wipe (first, sizeof first);
}

static void
mix_hash (FaspNoise *noise, const guint8 *data, gsize size)
{
  fasp_sha256 (noise->h, sizeof noise->h, data, size, noise->h);
}

static void
mix_key (FaspNoise *noise, const guint8 *input)
{
  hkdf (noise->ck, input, FASP_KEY_SIZE, noise->ck, noise->k, NULL);
  noise->has_key = TRUE;
  noise->n = 0;
}

static void
mix_key_and_hash (FaspNoise *noise, const guint8 *input)
{
  guint8 hash[FASP_KEY_SIZE];

  hkdf (noise->ck, input, FASP_KEY_SIZE, noise->ck, hash, noise->k);
  mix_hash (noise, hash, sizeof hash);
  noise->has_key = TRUE;
  noise->n = 0;
  fasp_wipe (hash, sizeof hash);
}

/* The counter as the last eight bytes: little-endian for ChaChaPoly,
 * big-endian for AESGCM (section 12). */
static void
make_nonce (const FaspNoise *noise, guint8 nonce[FASP_AEAD_NONCE_SIZE])
{
  guint64 n = noise->aead == FASP_AEAD_CHACHA20_POLY1305 ? GUINT64_TO_LE (noise->n) :
                                                           GUINT64_TO_BE (noise->n);

  memset (nonce, 0, FASP_AEAD_NONCE_SIZE);
  memcpy (nonce + 4, &n, sizeof n);
}

static void
encrypt_and_hash (FaspNoise *noise, const guint8 *data, gsize size, FaspWriter *w)
{
  gsize sealed = size + (noise->has_key ? FASP_AEAD_TAG_SIZE : 0);
  guint8 *at = fasp_write_room (w, sealed), nonce[FASP_AEAD_NONCE_SIZE];

  if (at == NULL)
    return;
  if (noise->has_key) {
    FaspAead *aead = fasp_aead_new (noise->aead, noise->k);

    make_nonce (noise, nonce);
    fasp_aead_seal (aead, nonce, noise->h, sizeof noise->h, data, size, NULL, 0, at);
    fasp_aead_free (aead);
    noise->n++;
  } else if (size > 0) {
    memcpy (at, data, size);
  }
  mix_hash (noise, at, sealed);
}

/* Takes @size bytes; the output is shorter by the tag, if there is one. */
static gboolean
decrypt_and_hash (FaspNoise *noise, FaspReader *r, gsize size, guint8 *out, gsize *out_size)
{
  const guint8 *data = fasp_read_bytes (r, size);
  guint8 nonce[FASP_AEAD_NONCE_SIZE];
  gboolean good = TRUE;

  if (data == NULL)
    return FALSE;
  *out_size = size;
  if (noise->has_key) {
    FaspAead *aead = fasp_aead_new (noise->aead, noise->k);

    make_nonce (noise, nonce);
    good = fasp_aead_open (aead, nonce, noise->h, sizeof noise->h, data, size, out);
    fasp_aead_free (aead);
    noise->n++;
    if (good)
      *out_size -= FASP_AEAD_TAG_SIZE;
  } else if (size > 0) {
    memcpy (out, data, size);
  }
  if (good)
    mix_hash (noise, data, size);
  return good;
}

/* --- the handshake (section 5.3) ------------------------------------------------ */

void
fasp_noise_start (FaspNoise *noise, const guint8 *prologue, gsize size)
{
  const Pattern *pattern = &patterns[noise->pattern];
  gchar name[64];

  g_snprintf (name, sizeof name, "Noise_%s_25519_%s_SHA256", pattern->name,
      noise->aead == FASP_AEAD_CHACHA20_POLY1305 ? "ChaChaPoly" : "AESGCM");
  memset (noise->h, 0, sizeof noise->h);
  if (strlen (name) <= sizeof noise->h)
    memcpy (noise->h, name, strlen (name));
  else
    fasp_sha256 ((const guint8 *) name, strlen (name), NULL, 0, noise->h);
  memcpy (noise->ck, noise->h, sizeof noise->ck);
  noise->has_key = FALSE;
  noise->n = 0;
  noise->messages = 0;
  mix_hash (noise, prologue, size);
  if (pattern->has_static) {
    /* the responder's key is known beforehand: "<- s" */
    mix_hash (noise, noise->initiator ? noise->rs : noise->s_public, FASP_KEY_SIZE);
  }
}

static gboolean
mix_secret (FaspNoise *noise, const guint8 *ours, const guint8 *theirs)
{
  guint8 shared[FASP_KEY_SIZE];
  gboolean good = fasp_x25519 (ours, theirs, shared);

  if (good)
    mix_key (noise, shared);
  fasp_wipe (shared, sizeof shared);
  return good;
}

/* Mixes in the secret that a token names: the same for the writer and the
 * reader. */
static gboolean
mix_token (FaspNoise *noise, Token token)
{
  switch (token) {
    case TOKEN_EE:
      return mix_secret (noise, noise->e, noise->re);
    case TOKEN_ES:
      return noise->initiator ? mix_secret (noise, noise->e, noise->rs) :
                                mix_secret (noise, noise->s, noise->re);
    case TOKEN_SE:
      return noise->initiator ? mix_secret (noise, noise->s, noise->re) :
                                mix_secret (noise, noise->e, noise->rs);
    case TOKEN_SS:
      return mix_secret (noise, noise->s, noise->rs);
    case TOKEN_PSK:
      mix_key_and_hash (noise, noise->psk);
      return TRUE;
    default:
      g_assert_not_reached ();
  }
}

/* Mixes in an ephemeral key that was written or read. */
static void
mix_ephemeral (FaspNoise *noise, const guint8 *public_key)
{
  mix_hash (noise, public_key, FASP_KEY_SIZE);
  if (patterns[noise->pattern].has_psk)
    mix_key (noise, public_key);
}

/* The tokens of the next message, or NULL if the next message is not @ours. */
static const Token *
take_tokens (FaspNoise *noise, gboolean ours)
{
  gboolean initiators = noise->messages == 0;

  if (noise->messages >= 2 || (initiators == noise->initiator) != ours)
    return NULL;
  return patterns[noise->pattern].messages[noise->messages++];
}

gboolean
fasp_noise_write (FaspNoise *noise, const guint8 *payload, gsize size, FaspWriter *w)
{
  const Token *tokens = take_tokens (noise, TRUE);
  guint8 public_key[FASP_KEY_SIZE];

  if (tokens == NULL)
    return FALSE;
  for (guint i = 0; i < TOKENS_MAX && tokens[i] != TOKEN_END; i++) {
    if (tokens[i] == TOKEN_E) {
      fasp_x25519_public (noise->e, public_key);
      fasp_write_bytes (w, public_key, sizeof public_key);
      mix_ephemeral (noise, public_key);
    } else if (tokens[i] == TOKEN_S) {
      encrypt_and_hash (noise, noise->s_public, FASP_KEY_SIZE, w);
    } else if (!mix_token (noise, tokens[i])) {
      return FALSE;
    }
  }
  encrypt_and_hash (noise, payload, size, w);
  return !w->failed;
}

gboolean
fasp_noise_read (FaspNoise *noise, const guint8 *message, gsize size, guint8 *payload,
    gsize *payload_size)
{
  const Token *tokens = take_tokens (noise, FALSE);
  FaspReader r = { message, size };

  if (tokens == NULL)
    return FALSE;
  for (guint i = 0; i < TOKENS_MAX && tokens[i] != TOKEN_END; i++) {
    if (tokens[i] == TOKEN_E) {
      if (!fasp_read_copy (&r, noise->re, FASP_KEY_SIZE))
        return FALSE;
      mix_ephemeral (noise, noise->re);
    } else if (tokens[i] == TOKEN_S) {
      gsize done;

      if (!decrypt_and_hash (noise, &r, FASP_KEY_SIZE + (noise->has_key ? FASP_AEAD_TAG_SIZE : 0),
              noise->rs, &done))
        return FALSE;
    } else if (!mix_token (noise, tokens[i])) {
      return FALSE;
    }
  }
  return decrypt_and_hash (noise, &r, r.left, payload, payload_size);
}

void
fasp_noise_split (const FaspNoise *noise, guint8 initiator[FASP_KEY_SIZE],
    guint8 responder[FASP_KEY_SIZE])
{
  hkdf (noise->ck, NULL, 0, initiator, responder, NULL);
}

void
fasp_noise_wipe (FaspNoise *noise)
{
  fasp_wipe (noise, sizeof *noise);
}
