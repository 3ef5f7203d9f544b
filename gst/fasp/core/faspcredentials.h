/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcredentials.h: what an endpoint proves itself with, whom it believes,
 * and which ciphers it takes.  Which handshake it makes follows from that:
 *
 *   nothing                   NN: encrypted, nobody is known
 *   passphrase                NNpsk0: who knows it
 *   key                       IK: the caller knows the listener's key, and the
 *                             listener has a list of callers' keys
 *   key and passphrase        IKpsk2
 *
 * Both ends must have the same of these: a handshake of another kind is
 * refused, so that nobody can talk an end out of its keys.
 */
#pragma once

#include "faspnoise.h"
#include "faspseal.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

typedef struct _FaspCredentials FaspCredentials;

/* Nobody in particular, with the ciphers that suit this machine. */
FaspCredentials *fasp_credentials_new (void);
FaspCredentials *fasp_credentials_ref (FaspCredentials * credentials);
void fasp_credentials_unref (FaspCredentials * credentials);

/* To be set before an endpoint is given them. */
/* This one alone; FASP_CIPHER_NONE: no encryption. */
void fasp_credentials_set_cipher (FaspCredentials * credentials,
    FaspCipher cipher);
/* What fasp_stretch() makes of a passphrase. */
void fasp_credentials_set_psk (FaspCredentials * credentials,
    const guint8 psk[FASP_KEY_SIZE]);
void fasp_credentials_set_key (FaspCredentials * credentials,
    const guint8 private_key[FASP_KEY_SIZE]);
/* One more public key that is believed; a caller calls the first of them.
 * @name: for messages, cut to FASP_NAME_MAX bytes; may be NULL. */
void fasp_credentials_allow (FaspCredentials * credentials,
    const guint8 public_key[FASP_KEY_SIZE], const gchar * name);

FaspNoisePattern fasp_credentials_get_pattern (const FaspCredentials *
    credentials);
/* A handshake of this kind: NULL if it is ours, or why not. */
const gchar *fasp_credentials_object (const FaspCredentials * credentials,
    guint pattern);
/* Begins the handshake that @open names. @ephemeral: fresh and unpredictable. */
void fasp_credentials_begin (const FaspCredentials * credentials,
    gboolean initiator, const FaspHandshake * open,
    const guint8 ephemeral[FASP_KEY_SIZE], FaspNoise * noise);
/* Is this the public key of somebody we believe? @who: set if so. */
gboolean fasp_credentials_know (const FaspCredentials * credentials,
    const guint8 public_key[FASP_KEY_SIZE], FaspIdentity * who);
/* Says which ciphers are taken. */
void fasp_credentials_offer (const FaspCredentials * credentials,
    FaspHello * hello);
/* The one that is liked best here. */
FaspCipher fasp_credentials_get_first (const FaspCredentials * credentials);
/* The best one of an offer. FALSE: none is taken here. */
gboolean fasp_credentials_choose (const FaspCredentials * credentials,
    const FaspHello * offer, FaspCipher * cipher);

G_END_DECLS
