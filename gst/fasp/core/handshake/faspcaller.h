/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcaller.h: the calling side of the handshake.
 *
 * Repeats OPEN after 250 ms, then every 500 ms, until an ACCEPT or a REJECT of this very call (our
 * id, our nonce) comes.  A REJECT is not authenticated, as there is no key yet.  So the caller
 * believes it only when another OPEN gets the same answer a second later and no ACCEPT has come:
 * neither a damaged datagram nor an attacker that can only inject datagrams ends a call.  A RETRY
 * brings the cookie that the next OPEN carries.  A call also asks a silent listener whether it
 * still knows the session: then OPEN carries a proof that the caller was in it.
 */
#pragma once

#include "faspcredentials.h"

G_BEGIN_DECLS

#define FASP_CALLER_FIRST (250 * FASP_MSEC)
#define FASP_CALLER_MAX (500 * FASP_MSEC)
/* Another REJECT for the same reason is believed this long after the first. */
#define FASP_CALLER_DOUBT FASP_SEC

typedef struct
{
  gboolean active;
  FaspHandshake open;                 /* the OPEN that is sent */
  FaspHello hello;                    /* the hello in the OPEN */
  guint8 message[FASP_MESSAGE_MAX];   /* the sealed hello; `open' points to it */
  FaspNoise noise;                    /* the handshake's state before the answer */
  FaspTime next_time, interval, sent; /* time of the next OPEN; µs between it and the one after;
                                         time of the last OPEN */
  guint tries;                        /* OPENs sent */
  FaspTime doubted;                   /* first REJECT that is not believed yet; 0: none */
  guint doubted_tries;                /* `tries' when that REJECT came */
  FaspReason doubted_reason;          /* reason of that REJECT */
} FaspCaller;

/* Starts calling.  @id and @nonce name the call; @hello is the caller's, without id and ciphers;
 * @ephemeral: fresh random bytes. */
void fasp_caller_start (FaspCaller *caller, FaspTime now, guint32 id,
    const guint8 nonce[FASP_NONCE_SIZE], const FaspHello *hello, const FaspCredentials *credentials,
    const guint8 ephemeral[FASP_KEY_SIZE]);
/* Stops calling, and wipes the secrets of the call. */
void fasp_caller_stop (FaspCaller *caller);

typedef enum
{
  FASP_CALLER_IGNORED, /* not an answer to this call */
  FASP_CALLER_FORGED,  /* the answer does not open with the call's keys */
  FASP_CALLER_AGAIN,   /* call again: a cookie came, or a REJECT that is
                          not believed yet */
  FASP_CALLER_ACCEPTED,
  FASP_CALLER_REJECTED, /* answer->reason, answer->text */
} FaspCallerResult;

/* The result of the handshake: filled in when ACCEPTED. */
typedef struct
{
  FaspHello hello; /* the listener's */
  FaspKeys keys;
} FaspAgreement;

FaspCallerResult fasp_caller_receive (FaspCaller *caller, FaspTime now, FaspHandshake *answer,
    FaspAgreement *agreement);
/* The next OPEN, if it is due.  The caller of this function sets the datagram's address. */
gboolean fasp_caller_poll (FaspCaller *caller, FaspTime now, FaspDatagram *datagram);
FaspTime fasp_caller_get_timeout (const FaspCaller *caller);

G_END_DECLS
