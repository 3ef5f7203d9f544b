/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspprotection.h: protects the datagrams of a session, each direction by itself: a sealer seals
 * them, the peer's opener opens them.
 *
 * With a cipher, the frames are encrypted and the header is authenticated with them. Flow and
 * packet number make the nonce. Without a cipher (encryption=none at both ends), a short tag
 * detects damage, and rejects forgeries by hosts that have not seen the handshake. It hides
 * nothing.
 *
 * Rekeying: the key of the next phase is derived from the current one, which is then forgotten. The
 * header's phase bit says which of the two a datagram uses. Packet numbers continue, so that no
 * nonce is used twice even with different keys. The sealer must not rekey again before the peer has
 * opened a datagram of this phase. The opener keeps the previous key for late datagrams.
 *
 * A secret that both ends have agreed upon (faspexchange.h) goes into the sealer's next key. The
 * opener does not know in which phase that happens, so it tries each next phase with and without
 * the secret.
 */
#pragma once

#include "faspcrypto.h"
#include "faspdatagram.h"
#include "faspwire.h"

G_BEGIN_DECLS

/* The result of a handshake. */
typedef struct
{
  FaspCipher cipher;
  guint8 caller[FASP_KEY_SIZE];   /* the key that the caller seals with */
  guint8 listener[FASP_KEY_SIZE]; /* the key that the listener seals with */
} FaspKeys;

typedef struct _FaspOpener FaspOpener;

/* Bytes that the tag adds to a datagram. */
guint fasp_cipher_get_tag_size (FaspCipher cipher);

/* Replaces the key of a phase with the next phase's key. */
void fasp_seal_next_key (guint8 key[FASP_KEY_SIZE]);

FaspSealer *fasp_sealer_new (FaspCipher cipher, const guint8 key[FASP_KEY_SIZE]);
void fasp_sealer_free (FaspSealer *sealer);
gboolean fasp_sealer_get_phase (const FaspSealer *sealer);
guint fasp_sealer_get_tag_size (const FaspSealer *sealer);
/* Makes @seal ready to seal packet @pn. Before, it must hold no lock; after, it has a reference,
 * which fasp_seal_close() or fasp_seal_drop() releases. FALSE: @pn is not above the last one on
 * that flow. */
gboolean fasp_sealer_take (FaspSealer *sealer, guint8 flow, guint64 pn, FaspSeal *seal);
/* With a cipher: encrypts the bytes behind the header, up to @used, and the payload into @data, and
 * appends the tag. Without a cipher: writes the tag at @used, leaves the payload where it is, and
 * returns FALSE. @data has room for all. */
gboolean fasp_seal_close (FaspSeal *seal, guint8 *data, gsize used, const guint8 *payload,
    gsize payload_size);
/* Releases an unused @seal. */
void fasp_seal_drop (FaspSeal *seal);
void fasp_sealer_rekey (FaspSealer *sealer);
/* Makes the next key with @secret. */
void fasp_sealer_set_secret (FaspSealer *sealer, const guint8 secret[FASP_KEY_SIZE]);

FaspOpener *fasp_opener_new (FaspCipher cipher, const guint8 key[FASP_KEY_SIZE]);
void fasp_opener_free (FaspOpener *opener);
/* The phase bit of the newest key that the peer has used. */
gboolean fasp_opener_get_phase (const FaspOpener *opener);
/* Expects that the peer makes one of its next keys with @secret. */
void fasp_opener_set_secret (FaspOpener *opener, const guint8 secret[FASP_KEY_SIZE]);
/* Has the peer not yet used a key made with the secret? */
gboolean fasp_opener_awaits_secret (const FaspOpener *opener);
/* TRUE, once: the peer has used a key made with the secret. Moves the secret to @secret. */
gboolean fasp_opener_take_secret (FaspOpener *opener, guint8 secret[FASP_KEY_SIZE]);
/* Opens a datagram whose header has been parsed. Returns its frames, @frames_size bytes, either in
 * @scratch (room for @size) or in @data itself. NULL: it is damaged or forged. @pn: all 64 bits. */
const guint8 *fasp_opener_open (FaspOpener *opener, const FaspSessionHeader *header, guint64 pn,
    const guint8 *data, gsize size, guint8 *scratch, gsize *frames_size);

G_END_DECLS
