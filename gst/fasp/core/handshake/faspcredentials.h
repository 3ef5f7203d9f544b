/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcredentials.h: the keys with which an endpoint proves its identity, the keys that it trusts,
 * and the ciphers that it accepts.  They select the Noise handshake:
 *
 *   nothing                   NN: encrypted, not authenticated
 *   passphrase                NNpsk0: both ends know it
 *   key                       IK: the caller knows the listener's key, and the
 *                             listener has a list of callers' keys, or asks about each
 *   key and passphrase        IKpsk2
 *
 * Both ends must have the same kind.  A handshake of another kind is refused, so that no peer can
 * make an end omit its keys.
 */
#pragma once

#include "faspnoise.h"
#include "faspprotection.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

typedef struct _FaspCredentials FaspCredentials;

/* New credentials without passphrase and key, with the ciphers that suit this machine. */
FaspCredentials *fasp_credentials_new (void);
FaspCredentials *fasp_credentials_ref (FaspCredentials *credentials);
void fasp_credentials_unref (FaspCredentials *credentials);

/* Call these setters before the credentials are given to an endpoint. */
/* Accept this cipher alone; FASP_CIPHER_NONE: no encryption. */
void fasp_credentials_set_cipher (FaspCredentials *credentials, FaspCipher cipher);
/* @psk: the result of fasp_stretch() for a passphrase. */
void fasp_credentials_set_psk (FaspCredentials *credentials, const guint8 psk[FASP_KEY_SIZE]);
void fasp_credentials_set_key (FaspCredentials *credentials,
    const guint8 private_key[FASP_KEY_SIZE]);
/* Trusts a public key.  A caller expects that the listener has the first one.  @name: for messages,
 * cut to FASP_NAME_MAX bytes; may be NULL. */
void fasp_credentials_allow (FaspCredentials *credentials, const guint8 public_key[FASP_KEY_SIZE],
    const gchar *name);
/* A listener: the application may accept callers with other keys.  It is then asked about each
 * caller, even if FaspEndpointConfig.ask is FALSE. */
void fasp_credentials_ask (FaspCredentials *credentials);
gboolean fasp_credentials_asks (const FaspCredentials *credentials);

FaspNoisePattern fasp_credentials_get_pattern (const FaspCredentials *credentials);
/* NULL if @pattern is the handshake of these credentials, else a text that says
 * why not. */
const gchar *fasp_credentials_object (const FaspCredentials *credentials, guint pattern);
/* Begins the handshake of @open.  @ephemeral: fresh random bytes. */
void fasp_credentials_begin (const FaspCredentials *credentials, gboolean initiator,
    const FaspHandshake *open, const guint8 ephemeral[FASP_KEY_SIZE], FaspNoise *noise);
/* Is this public key trusted, or does the application decide about it? If so, fills in @who. */
gboolean fasp_credentials_know (const FaspCredentials *credentials,
    const guint8 public_key[FASP_KEY_SIZE], FaspIdentity *who);
/* Writes the accepted ciphers into @hello. */
void fasp_credentials_offer (const FaspCredentials *credentials, FaspHello *hello);
/* The preferred cipher of these credentials. */
FaspCipher fasp_credentials_get_first (const FaspCredentials *credentials);
/* Chooses the best cipher of an offer.  FALSE: these credentials accept none of them. */
gboolean fasp_credentials_choose (const FaspCredentials *credentials, const FaspHello *offer,
    FaspCipher *cipher);

G_END_DECLS
