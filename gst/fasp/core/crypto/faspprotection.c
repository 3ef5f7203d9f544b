/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspprotection.h"
#include "faspcrc.h"
#include "fasplimits.h"

/* --- a key, and the state that uses it ------------------------------------------- */

typedef struct _FaspLock
{
  gint refs; /* atomic: seals in other threads hold references */
  FaspCipher cipher;
  guint8 key[FASP_KEY_SIZE];
  FaspAead *aead;
  FaspAes *tagger; /* if there is no cipher */
} Lock;

static Lock *
lock_new (FaspCipher cipher, const guint8 *key)
{
  Lock *lock = g_new0 (Lock, 1);

  lock->refs = 1;
  lock->cipher = cipher;
  memcpy (lock->key, key, FASP_KEY_SIZE);
  if (cipher == FASP_CIPHER_NONE)
    lock->tagger = fasp_aes_new (key);
  else
    lock->aead = fasp_aead_new ((FaspAeadType) cipher, key);
  return lock;
}

static void
lock_unref (Lock *lock)
{
  if (lock == NULL || !g_atomic_int_dec_and_test (&lock->refs))
    return;
  fasp_aead_free (lock->aead);
  fasp_aes_free (lock->tagger);
  fasp_wipe (lock->key, sizeof lock->key);
  g_free (lock);
}

/* Replaces @key with the next phase's key. @secret: also goes into that key; may be NULL. */
static void
next_key (guint8 key[FASP_KEY_SIZE], const guint8 *secret)
{
  guint8 next[FASP_KEY_SIZE];

  fasp_hmac (key, FASP_KEY_SIZE, secret != NULL ? "fasp agreed 1" : "fasp rekey 1", secret,
      secret != NULL ? FASP_KEY_SIZE : 0, next, sizeof next);
  memcpy (key, next, sizeof next);
  fasp_wipe (next, sizeof next);
}

void
fasp_seal_next_key (guint8 key[FASP_KEY_SIZE])
{
  next_key (key, NULL);
}

/* The lock of the next phase; @secret: also goes into its key; may be NULL. */
static Lock *
lock_next (const Lock *lock, const guint8 *secret)
{
  guint8 key[FASP_KEY_SIZE];
  Lock *next;

  memcpy (key, lock->key, sizeof key);
  next_key (key, secret);
  next = lock_new (lock->cipher, key);
  fasp_wipe (key, sizeof key);
  return next;
}

/* The tag without a cipher: encrypts the header and the CRC-32C of the rest. That takes a tenth of
 * the time of a keyed hash of the datagram. */
static void
make_tag (Lock *lock, const guint8 *data, gsize size, const guint8 *payload, gsize payload_size,
    guint8 tag[FASP_TAG_SIZE_NONE])
{
  guint8 text[FASP_AES_BLOCK] = { 0 }, out[FASP_AES_BLOCK];
  FaspWriter w = { text, sizeof text };
  guint32 crc = fasp_crc_add (0, data + FASP_SESSION_HEADER, size - FASP_SESSION_HEADER);

  if (payload_size > 0)
    crc = fasp_crc_add (crc, payload, payload_size);
  fasp_write_bytes (&w, data, FASP_SESSION_HEADER);
  fasp_write_uint (&w, crc, 4);
  fasp_aes_encrypt (lock->tagger, text, 1, out);
  memcpy (tag, out, FASP_TAG_SIZE_NONE);
}

static void
make_nonce (guint8 flow, guint64 pn, guint8 nonce[FASP_AEAD_NONCE_SIZE])
{
  FaspWriter w = { nonce, FASP_AEAD_NONCE_SIZE };

  fasp_write_uint (&w, flow, 4);
  fasp_write_uint (&w, pn, 8);
}

guint
fasp_cipher_get_tag_size (FaspCipher cipher)
{
  return cipher == FASP_CIPHER_NONE ? FASP_TAG_SIZE_NONE : FASP_AEAD_TAG_SIZE;
}

/* --- sealing ---------------------------------------------------------------------- */

struct _FaspSealer
{
  Lock *lock;
  gboolean phase, has_secret;
  guint8 secret[FASP_KEY_SIZE];    /* secret that goes into the next key, if has_secret */
  guint64 next_pn[FASP_FLOWS_MAX]; /* packets with lower numbers may not be sealed any more */
};

FaspSealer *
fasp_sealer_new (FaspCipher cipher, const guint8 key[FASP_KEY_SIZE])
{
  FaspSealer *sealer = g_new0 (FaspSealer, 1);

  sealer->lock = lock_new (cipher, key);
  return sealer;
}

void
fasp_sealer_free (FaspSealer *sealer)
{
  if (sealer == NULL)
    return;
  lock_unref (sealer->lock);
  fasp_wipe (sealer, sizeof *sealer);
  g_free (sealer);
}

gboolean
fasp_sealer_get_phase (const FaspSealer *sealer)
{
  return sealer->phase;
}

guint
fasp_sealer_get_tag_size (const FaspSealer *sealer)
{
  return fasp_cipher_get_tag_size (sealer->lock->cipher);
}

gboolean
fasp_sealer_take (FaspSealer *sealer, guint8 flow, guint64 pn, FaspSeal *seal)
{
  if (flow >= FASP_FLOWS_MAX || pn < sealer->next_pn[flow])
    return FALSE;
  sealer->next_pn[flow] = pn + 1;
  g_atomic_int_inc (&sealer->lock->refs);
  *seal = (FaspSeal) { sealer->lock, flow, pn };
  return TRUE;
}

gboolean
fasp_seal_close (FaspSeal *seal, guint8 *data, gsize used, const guint8 *payload,
    gsize payload_size)
{
  Lock *lock = seal->lock;
  guint8 nonce[FASP_AEAD_NONCE_SIZE], *frames = data + FASP_SESSION_HEADER;
  gboolean encrypts = lock->cipher != FASP_CIPHER_NONE;

  if (encrypts) {
    make_nonce (seal->flow, seal->pn, nonce);
    fasp_aead_seal (lock->aead, nonce, data, FASP_SESSION_HEADER, frames,
        used - FASP_SESSION_HEADER, payload, payload_size, frames);
  } else {
    make_tag (lock, data, used, payload, payload_size, data + used);
  }
  fasp_seal_drop (seal);
  return encrypts;
}

void
fasp_seal_drop (FaspSeal *seal)
{
  g_clear_pointer (&seal->lock, lock_unref);
}

void
fasp_sealer_rekey (FaspSealer *sealer)
{
  Lock *next = lock_next (sealer->lock, sealer->has_secret ? sealer->secret : NULL);

  lock_unref (sealer->lock);
  sealer->lock = next;
  sealer->phase = !sealer->phase;
  sealer->has_secret = FALSE;
  fasp_wipe (sealer->secret, sizeof sealer->secret);
}

void
fasp_sealer_set_secret (FaspSealer *sealer, const guint8 secret[FASP_KEY_SIZE])
{
  memcpy (sealer->secret, secret, sizeof sealer->secret);
  sealer->has_secret = TRUE;
}

/* --- opening ----------------------------------------------------------------------- */

struct _FaspOpener
{
  Lock *previous, *current, *next; /* previous: NULL in the first phase */
  Lock *agreed;                    /* the next lock, if its key has the secret; NULL: there is no
                                      secret */
  gboolean phase, has_secret;
  guint8 secret[FASP_KEY_SIZE]; /* the secret of one of the next keys, or of a key that the peer has
                                   used */
  guint64 first_pn[FASP_FLOWS_MAX]; /* lowest packet number received in this phase, or NO_PN */
};

#define NO_PN G_MAXUINT64

static void
forget_first (FaspOpener *opener)
{
  for (guint i = 0; i < FASP_FLOWS_MAX; i++)
    opener->first_pn[i] = NO_PN;
}

FaspOpener *
fasp_opener_new (FaspCipher cipher, const guint8 key[FASP_KEY_SIZE])
{
  FaspOpener *opener = g_new0 (FaspOpener, 1);

  opener->current = lock_new (cipher, key);
  opener->next = lock_next (opener->current, NULL);
  forget_first (opener);
  return opener;
}

void
fasp_opener_free (FaspOpener *opener)
{
  if (opener == NULL)
    return;
  lock_unref (opener->previous);
  lock_unref (opener->current);
  lock_unref (opener->next);
  lock_unref (opener->agreed);
  fasp_wipe (opener, sizeof *opener);
  g_free (opener);
}

gboolean
fasp_opener_get_phase (const FaspOpener *opener)
{
  return opener->phase;
}

/* Derives the next key with the secret. */
static void
prepare_agreed (FaspOpener *opener)
{
  lock_unref (opener->agreed);
  opener->agreed = lock_next (opener->current, opener->secret);
}

void
fasp_opener_set_secret (FaspOpener *opener, const guint8 secret[FASP_KEY_SIZE])
{
  memcpy (opener->secret, secret, sizeof opener->secret);
  opener->has_secret = TRUE;
  prepare_agreed (opener);
}

gboolean
fasp_opener_awaits_secret (const FaspOpener *opener)
{
  return opener->agreed != NULL;
}

gboolean
fasp_opener_take_secret (FaspOpener *opener, guint8 secret[FASP_KEY_SIZE])
{
  if (!opener->has_secret || opener->agreed != NULL)
    return FALSE;
  memcpy (secret, opener->secret, FASP_KEY_SIZE);
  fasp_wipe (opener->secret, sizeof opener->secret);
  opener->has_secret = FALSE;
  return TRUE;
}

static const guint8 *
try_lock (Lock *lock, const FaspSessionHeader *header, guint64 pn, const guint8 *data, gsize size,
    guint8 *scratch, gsize *frames_size)
{
  guint tag_size = fasp_cipher_get_tag_size (lock->cipher);
  guint8 nonce[FASP_AEAD_NONCE_SIZE], tag[FASP_TAG_SIZE_NONE];

  if (size < FASP_SESSION_HEADER + tag_size)
    return NULL;
  *frames_size = size - FASP_SESSION_HEADER - tag_size;
  if (lock->cipher == FASP_CIPHER_NONE) {
    make_tag (lock, data, size - tag_size, NULL, 0, tag);
    return fasp_equal (tag, data + size - tag_size, sizeof tag) ? data + FASP_SESSION_HEADER : NULL;
  }
  make_nonce (header->flow, pn, nonce);
  return fasp_aead_open (lock->aead, nonce, data, FASP_SESSION_HEADER, data + FASP_SESSION_HEADER,
             size - FASP_SESSION_HEADER, scratch) ?
      scratch :
      NULL;
}

/* The peer has changed to the next phase: changes to it, too. */
static void
follow (FaspOpener *opener)
{
  lock_unref (opener->previous);
  opener->previous = opener->current;
  opener->current = opener->next;
  opener->next = lock_next (opener->current, NULL);
  if (opener->agreed != NULL)
    prepare_agreed (opener);
  opener->phase = !opener->phase;
  forget_first (opener);
}

/* Tries the keys of the next phase. */
static const guint8 *
try_next (FaspOpener *opener, const FaspSessionHeader *header, guint64 pn, const guint8 *data,
    gsize size, guint8 *scratch, gsize *frames_size)
{
  guint8 copy[FASP_DATAGRAM_MAX];
  const guint8 *frames;

  /* decrypting in place destroys a datagram that does not open */
  if (opener->agreed != NULL)
    data = memcpy (copy, data, size);
  frames = try_lock (opener->next, header, pn, data, size, scratch, frames_size);
  if (frames == NULL && opener->agreed != NULL) {
    frames = try_lock (opener->agreed, header, pn, data, size, scratch, frames_size);
    if (frames != NULL) {
      lock_unref (opener->next);
      opener->next = g_steal_pointer (&opener->agreed);
    }
  }
  if (frames != NULL)
    follow (opener);
  return frames;
}

/* For a datagram with the other phase bit, on a flow without a datagram of the current phase so
 * far: it may be of the previous phase or of the next. */
static const guint8 *
try_both (FaspOpener *opener, const FaspSessionHeader *header, guint64 pn, const guint8 *data,
    gsize size, guint8 *scratch, gsize *frames_size)
{
  guint8 copy[FASP_DATAGRAM_MAX];
  const guint8 *frames;

  /* decrypting in place destroys a datagram that does not open */
  if (opener->current->cipher != FASP_CIPHER_NONE)
    data = memcpy (copy, data, size);
  frames = try_lock (opener->previous, header, pn, data, size, scratch, frames_size);
  return frames != NULL ? frames : try_next (opener, header, pn, data, size, scratch, frames_size);
}

const guint8 *
fasp_opener_open (FaspOpener *opener, const FaspSessionHeader *header, guint64 pn,
    const guint8 *data, gsize size, guint8 *scratch, gsize *frames_size)
{
  guint64 *first_pn = &opener->first_pn[header->flow];
  gboolean now = header->phase == opener->phase;
  gboolean before = !now && opener->previous != NULL && pn < *first_pn;
  const guint8 *frames;

  if (before && *first_pn == NO_PN)
    frames = try_both (opener, header, pn, data, size, scratch, frames_size);
  else if (now || before)
    frames = try_lock (now ? opener->current : opener->previous, header, pn, data, size, scratch,
        frames_size);
  else
    frames = try_next (opener, header, pn, data, size, scratch, frames_size);
  if (frames == NULL)
    return NULL;
  if (header->phase == opener->phase)
    *first_pn = MIN (*first_pn, pn);
  return frames;
}
