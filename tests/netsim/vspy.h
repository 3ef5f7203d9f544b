/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vspy.h: an attacker who has the caller's secrets. It follows a handshake without
 * keys, opens the datagrams that it sees, and seals datagrams that either side would
 * believe. For tests of what a peer can do that is inside and breaks the rules.
 */
#pragma once

#include "faspcaller.h"
#include "vnet.h"

G_BEGIN_DECLS

typedef struct
{
  Vnet *net;
  guint8 ephemeral[FASP_KEY_SIZE];
  guint8 message[FASP_MESSAGE_MAX]; /* of the OPEN */
  FaspHandshake open;
  guint32 caller, listener; /* their connection ids */
  gboolean knows;           /* the handshake is over; from then on: */
  FaspKeys keys;
} VSpy;

void vspy_init (VSpy *spy, Vnet *net);
/* Replaces vnet_random() for the caller, with @spy. */
void vspy_random (gpointer spy, guint8 *data, gsize size);
/* Must be shown all datagrams. */
void vspy_see (VSpy *spy, const guint8 *data, gsize size);
/* Copies out the frames of a datagram of the first phase; @frames has room for @size
 * bytes. 0: the datagram is not of this session. */
gsize vspy_open (const VSpy *spy, gboolean from_caller, const guint8 *data, gsize size,
    guint8 *frames);
/* Writes a datagram with these frames. @pn: above all before it. */
void vspy_seal (const VSpy *spy, gboolean to_caller, guint8 flow, guint64 pn, const guint8 *frames,
    gsize size, FaspWriter *w);

/* Makes an OPEN as a caller without keys would. */
gsize vspy_make_open (Vnet *net, guint32 cid, const guint8 nonce[FASP_NONCE_SIZE],
    const FaspHello *hello, guint8 data[FASP_OPEN_SIZE]);

G_END_DECLS
