/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcrypto.h: thin wrappers of libcrypto's functions that the protocol uses, and of a faster AES
 * where it is available (faspipsec.h).  These libraries have all the primitives.
 *
 * Unless said otherwise, calls can fail only for lack of memory, and then they
 * abort, as GLib does.
 */
#pragma once

#include "faspbytes.h"
#include "faspsecret.h"

G_BEGIN_DECLS

#define FASP_KEY_SIZE 32 /* bytes of a secret, and of a point on the curve */
#define FASP_AEAD_TAG_SIZE 16
#define FASP_AEAD_NONCE_SIZE 12
/* Bytes of a passphrase: a shorter one is too weak; a longer one is probably a mistake.  Both are
 * refused. */
#define FASP_PASSPHRASE_MIN 10
#define FASP_PASSPHRASE_MAX 1024

/* Authenticated encryption (RFC 5116, RFC 8439). */
typedef enum
{
  FASP_AEAD_AES_128_GCM = 1,
  FASP_AEAD_AES_256_GCM = 2,
  FASP_AEAD_CHACHA20_POLY1305 = 3,
} FaspAeadType;

typedef struct _FaspAead FaspAead;

/* AES-128 takes the first half of @key. */
FaspAead *fasp_aead_new (FaspAeadType type, const guint8 key[FASP_KEY_SIZE]);
/* As fasp_aead_new(), but always with libcrypto. */
FaspAead *fasp_aead_new_portable (FaspAeadType type, const guint8 key[FASP_KEY_SIZE]);
void fasp_aead_free (FaspAead *aead);
/* Seals @data and @more as one text.  Writes @size + @more_size +
 * FASP_AEAD_TAG_SIZE bytes to @out, which may be @data. */
void fasp_aead_seal (FaspAead *aead, const guint8 nonce[FASP_AEAD_NONCE_SIZE], const guint8 *ad,
    gsize ad_size, const guint8 *data, gsize size, const guint8 *more, gsize more_size,
    guint8 *out);
/* Writes @size - FASP_AEAD_TAG_SIZE bytes to @out, which may be @data.  FALSE: the tag is wrong,
 * and the contents of @out must not be used. */
gboolean fasp_aead_open (FaspAead *aead, const guint8 nonce[FASP_AEAD_NONCE_SIZE], const guint8 *ad,
    gsize ad_size, const guint8 *data, gsize size, guint8 *out);

/* SHA-256 of @a and @b as one text. */
void fasp_sha256 (const guint8 *a, gsize a_size, const guint8 *b, gsize b_size,
    guint8 digest[FASP_KEY_SIZE]);
/* HMAC-SHA256 (key, label | data) cut to @size <= 32 bytes. */
void fasp_hmac (const guint8 *key, gsize key_size, const gchar *label, const guint8 *data,
    gsize data_size, guint8 *out, gsize size);
/* AES-128 (FIPS 197) with a key of 16 bytes.  Encrypts @n blocks independently; used as a keyed
 * function of 16-byte texts. */
#define FASP_AES_BLOCK 16
typedef struct _FaspAes FaspAes;
FaspAes *fasp_aes_new (const guint8 key[FASP_AES_BLOCK]);
void fasp_aes_free (FaspAes *aes);
void fasp_aes_encrypt (FaspAes *aes, const guint8 *text, guint n, guint8 *out);

/* X25519 (RFC 7748). FALSE: @theirs is not a point that gives a secret. */
gboolean fasp_x25519 (const guint8 ours[FASP_KEY_SIZE], const guint8 theirs[FASP_KEY_SIZE],
    guint8 shared[FASP_KEY_SIZE]);
void fasp_x25519_public (const guint8 ours[FASP_KEY_SIZE], guint8 public_key[FASP_KEY_SIZE]);

/* Stretches a passphrase with scrypt (RFC 7914), so that each guess costs 128 MiB for half a
 * second.  The salt is a constant, because both ends must derive the same key before they have
 * exchanged anything. */
void fasp_stretch (const gchar *passphrase, guint8 key[FASP_KEY_SIZE]);

/* Does this machine have instructions for AES-GCM?  Without them ChaCha20 is faster, and safe from
 * timing attacks. */
gboolean fasp_crypto_has_aes (void);

G_END_DECLS
