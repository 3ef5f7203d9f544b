/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspseal.h: what protects the datagrams of a session, one direction each:
 * a sealer closes them, the peer's opener opens them.
 *
 * With a cipher the frames are encrypted and the header is authenticated with
 * them; flow and packet number are the nonce.  Without one (encryption=none
 * on both ends) a short tag finds damage, and keeps those out who did
 * not take part in the handshake and guess; it hides nothing.
 *
 * Rekeying: the key of the next phase is made from that of the last, which is
 * forgotten; the header's phase bit says which of the two it is.  Packet
 * numbers go on, so that a nonce is not even used again under another key.
 * Who seals must not rekey again before the peer has opened something of the
 * phase; the opener keeps the key before for what is late.
 */
#pragma once

#include "faspcrypto.h"
#include "faspdatagram.h"
#include "faspwire.h"

G_BEGIN_DECLS

/* What a handshake ends in. */
typedef struct
{
  FaspCipher cipher;
  guint8 caller[FASP_KEY_SIZE]; /* of what the caller seals, */
  guint8 listener[FASP_KEY_SIZE];       /* and the listener */
} FaspKeys;

typedef struct _FaspOpener FaspOpener;

/* Bytes that it adds to a datagram. */
guint fasp_cipher_get_tag_size (FaspCipher cipher);

/* Makes of the key of a phase that of the next. */
void fasp_seal_next_key (guint8 key[FASP_KEY_SIZE]);

FaspSealer *fasp_sealer_new (FaspCipher cipher,
    const guint8 key[FASP_KEY_SIZE]);
void fasp_sealer_free (FaspSealer * sealer);
gboolean fasp_sealer_get_phase (const FaspSealer * sealer);
guint fasp_sealer_get_tag_size (const FaspSealer * sealer);
/* What packet @pn is to be closed with; *seal has no lock before.  FALSE: @pn is not above
 * the one before on that flow. */
gboolean fasp_sealer_take (FaspSealer * sealer, guint8 flow, guint64 pn,
    FaspSeal * seal);
/* Encrypts what was written behind the header, up to @used, with the payload, which is
 * behind it then, and appends the tag.  Without a cipher, FALSE: the payload stays where it
 * is, and the tag is behind @used.  @data has room for all of it. */
gboolean fasp_seal_close (FaspSeal * seal, guint8 * data, gsize used,
    const guint8 * payload, gsize payload_size);
/* It will not be closed. */
void fasp_seal_drop (FaspSeal * seal);
void fasp_sealer_rekey (FaspSealer * sealer);

FaspOpener *fasp_opener_new (FaspCipher cipher,
    const guint8 key[FASP_KEY_SIZE]);
void fasp_opener_free (FaspOpener * opener);
/* The frames of a datagram whose header has been parsed, and how many bytes
 * they are: in @scratch (room for @size) or in @data itself.  NULL: not sealed
 * by the peer. @pn: all 64 bits of it. */
const guint8 *fasp_opener_open (FaspOpener * opener,
    const FaspSessionHeader * header, guint64 pn, const guint8 * data,
    gsize size, guint8 * scratch, gsize * frames_size);

G_END_DECLS
