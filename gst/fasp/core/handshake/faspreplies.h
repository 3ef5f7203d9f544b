/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreplies.h: a queue of short answers to handshakes.
 *
 * A bounded ring: when it is full, the oldest answer is dropped.  The caller repeats its call and
 * gets another answer.
 */
#pragma once

#include "faspdatagram.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

#define FASP_REPLIES_MAX 64
#define FASP_REPLY_SIZE 300 /* RETRY, REJECT, VERSIONS */

typedef struct
{
  guint first, used; /* index of the oldest answer, and how many wait */
  struct
  {
    FaspAddress to;
    guint16 size;
    guint8 data[FASP_REPLY_SIZE];
  } ring[FASP_REPLIES_MAX];
} FaspReplies;

void fasp_replies_push (FaspReplies *replies, const FaspAddress *to,
    const FaspHandshake *handshake);
gboolean fasp_replies_pop (FaspReplies *replies, FaspDatagram *datagram);
gboolean fasp_replies_is_empty (const FaspReplies *replies);

G_END_DECLS
