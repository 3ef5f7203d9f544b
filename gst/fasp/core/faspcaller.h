/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcaller.h: the calling side of the handshake.
 *
 * Repeats OPEN after 250 ms, then every 500 ms, until an ACCEPT or a
 * REJECT of this very call (our id, our nonce) comes.  A REJECT has no key to
 * be sealed with: it counts when another OPEN has got the same a second later
 * and no ACCEPT has come; so that damage, or somebody who can only add
 * datagrams, ends no call.  A RETRY gives the cookie to put in.  Also used to
 * ask a silent listener whether it still knows the session: then OPEN carries
 * the proof that we were in it.
 */
#pragma once

#include "faspcredentials.h"

G_BEGIN_DECLS

#define FASP_CALLER_FIRST (250 * FASP_MSEC)
#define FASP_CALLER_MAX (500 * FASP_MSEC)
/* So long after a REJECT, another one for the same reason is believed. */
#define FASP_CALLER_DOUBT FASP_SEC

typedef struct
{
  gboolean active;
  FaspHandshake open;           /* what is sent */
  FaspHello hello;              /* and what it holds, sealed in: */
  guint8 message[FASP_MESSAGE_MAX];
  FaspNoise noise;              /* as it is before the answer */
  FaspTime next_time, interval, sent;
  guint tries;
  FaspTime doubted;             /* rejected, for the first time; 0: not */
  guint doubted_tries;
  FaspReason doubted_reason;
} FaspCaller;

/* Starts calling; @id and @nonce name the call, @hello is what we say of
 * ourselves but for id and ciphers, @ephemeral fresh and unpredictable. */
void fasp_caller_start (FaspCaller * caller, FaspTime now, guint32 id,
    const guint8 nonce[FASP_NONCE_SIZE],
    const FaspHello * hello, const FaspCredentials * credentials,
    const guint8 ephemeral[FASP_KEY_SIZE]);
/* Forgets the secrets of the call, too. */
void fasp_caller_stop (FaspCaller * caller);

typedef enum
{
  FASP_CALLER_IGNORED,          /* not an answer to this call */
  FASP_CALLER_FORGED,           /* it does not open with our keys */
  FASP_CALLER_AGAIN,            /* call again: a cookie came, or a first REJECT */
  FASP_CALLER_ACCEPTED,
  FASP_CALLER_REJECTED,         /* answer->reason, answer->text */
} FaspCallerResult;

/* What was agreed upon: filled in when ACCEPTED. */
typedef struct
{
  FaspHello hello;              /* the listener's */
  FaspKeys keys;
} FaspAgreement;

FaspCallerResult fasp_caller_receive (FaspCaller * caller, FaspTime now,
    FaspHandshake * answer, FaspAgreement * agreement);
/* Where it goes is for who polls to know. */
gboolean fasp_caller_poll (FaspCaller * caller, FaspTime now,
    FaspDatagram * datagram);
FaspTime fasp_caller_get_timeout (const FaspCaller * caller);

G_END_DECLS
