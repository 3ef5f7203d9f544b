/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspseal.h: what protects a datagram.
 *
 * The clear seal: a SipHash-2-4 tag over the whole datagram, cut to 32 bits,
 * under a key from both nonces of the handshake.  It finds damage that the
 * UDP checksum misses, and whoever did not see the handshake cannot forge it
 * (with the connection id: 64 bits to guess).  It hides nothing.  An AEAD
 * takes its place in the same interface.
 */
#pragma once

#include "faspwire.h"

G_BEGIN_DECLS

#define FASP_KEY_SIZE 16

typedef struct _FaspSeal FaspSeal;

FaspSeal *fasp_seal_new (const guint8 key[FASP_KEY_SIZE]);
void fasp_seal_free (FaspSeal * seal);
/* Appends the tag to what was written. */
void fasp_seal_close (FaspSeal * seal, FaspWriter * w);
/* Checks the tag at the end of the datagram. */
gboolean fasp_seal_open (FaspSeal * seal, const guint8 * data, gsize size);

/* HMAC-SHA256 (key, label | data) cut to @size <= 32 bytes. */
void fasp_hmac (const guint8 * key, gsize key_size, const gchar * label,
    const guint8 * data, gsize data_size, guint8 * out, gsize size);

/* The session key from both nonces, and the seal of a handshake datagram
 * that comes before there is one: keyed with the caller's nonce. */
void fasp_seal_derive (const guint8 caller[FASP_NONCE_SIZE],
    const guint8 listener[FASP_NONCE_SIZE], guint8 key[FASP_KEY_SIZE]);
void fasp_seal_close_handshake (FaspWriter * w,
    const guint8 key[FASP_KEY_SIZE]);
gboolean fasp_seal_open_handshake (const guint8 * data, gsize size,
    const guint8 key[FASP_KEY_SIZE]);

G_END_DECLS
