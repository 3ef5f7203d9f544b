/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnoise.h: the two-message handshakes of the Noise Protocol Framework,
 * revision 34, that fasp uses.
 *
 *   NN       -> e                    <- e, ee           no keys
 *   NNpsk0   -> psk, e               <- e, ee           a shared secret
 *   IK       -> e, es, s, ss         <- e, ee, se       keys known beforehand
 *   IKpsk2   -> e, es, s, ss         <- e, ee, se, psk  both
 *
 * with 25519, SHA256, and ChaChaPoly or AESGCM.  tests/check/core/unit/crypto/test-noise.c
 * checks them against the vectors published with cacophony.
 *
 * All state is in the struct.  Copy it before reading a message that may be forged, and go on with
 * the copy if that fails.
 */
#pragma once

#include "faspcrypto.h"

G_BEGIN_DECLS

typedef enum
{
  FASP_NOISE_NN = 1,
  FASP_NOISE_NN_PSK0 = 2,
  FASP_NOISE_IK = 3,
  FASP_NOISE_IK_PSK2 = 4,
} FaspNoisePattern;

typedef struct
{
  FaspNoisePattern pattern;
  FaspAeadType aead; /* AES-256-GCM or ChaCha20-Poly1305 */
  gboolean initiator;
  guint8 e[FASP_KEY_SIZE];        /* ephemeral private key: never used for two handshakes */
  guint8 s[FASP_KEY_SIZE];        /* IK: our private key */
  guint8 s_public[FASP_KEY_SIZE]; /* IK: our public key */
  guint8 rs[FASP_KEY_SIZE];       /* IK: the peer's public key; the responder reads it in the first
                                     message */
  guint8 re[FASP_KEY_SIZE];       /* the peer's public key, read in its message */
  guint8 psk[FASP_KEY_SIZE];
  /* the framework's names */
  guint8 ck[FASP_KEY_SIZE], h[FASP_KEY_SIZE], k[FASP_KEY_SIZE];
  gboolean has_key;
  guint64 n;
  guint messages; /* written or read so far */
} FaspNoise;

/* Fills in all but the keys.  Before this, set e, and those of s, s_public, rs
 * and psk that the pattern needs. */
void fasp_noise_start (FaspNoise *noise, const guint8 *prologue, gsize size);
gboolean fasp_noise_has_psk (FaspNoisePattern pattern);
gboolean fasp_noise_has_static (FaspNoisePattern pattern);

/* Writes the next message.  FALSE: the next message is the peer's, the peer's key is invalid, or
 * there is no room. */
gboolean fasp_noise_write (FaspNoise *noise, const guint8 *payload, gsize size, FaspWriter *w);
/* Reads the next message.  @payload has room for @size bytes.  FALSE: it is forged, damaged or of
 * another handshake, or the next message is ours; @noise must not be used afterwards. */
gboolean fasp_noise_read (FaspNoise *noise, const guint8 *message, gsize size, guint8 *payload,
    gsize *payload_size);

/* After both messages: gives the keys that the initiator and the responder seal with. */
void fasp_noise_split (const FaspNoise *noise, guint8 initiator[FASP_KEY_SIZE],
    guint8 responder[FASP_KEY_SIZE]);
void fasp_noise_wipe (FaspNoise *noise);

G_END_DECLS
