/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcaller.h: the calling side of the handshake.
 *
 * Repeats OPEN, 250 ms, 500 ms, then every second, until an ACCEPT or a
 * REJECT of this very call (our id, our nonce) comes.  A RETRY gives the
 * cookie to put in.  Also used to ask a silent listener whether it still
 * knows the session: then OPEN carries the proof that we were in it.
 */
#pragma once

#include "faspwire.h"

G_BEGIN_DECLS

#define FASP_CALLER_FIRST (250 * FASP_MSEC)
#define FASP_CALLER_MAX FASP_SEC

typedef struct
{
  gboolean active;
  FaspAddress peer;
  FaspHandshake open;           /* what is sent */
  FaspTime next_time, interval, sent;
  guint tries;
} FaspCaller;

/* Starts calling; @id and @nonce name the call. The other fields of
 * caller->open are filled in by who calls this, before the next poll. */
void fasp_caller_start (FaspCaller * caller, FaspTime now,
    const FaspAddress * peer, guint32 id,
    const guint8 nonce[FASP_NONCE_SIZE]);
void fasp_caller_stop (FaspCaller * caller);

typedef enum
{
  FASP_CALLER_IGNORED,          /* not an answer to this call */
  FASP_CALLER_FORGED,           /* its tag is wrong */
  FASP_CALLER_AGAIN,            /* call again (a cookie came) */
  FASP_CALLER_ACCEPTED,
  FASP_CALLER_REJECTED,         /* answer->reason, answer->text */
} FaspCallerResult;

/* @resume_key: the key of the session that is to be resumed, or NULL. */
FaspCallerResult fasp_caller_receive (FaspCaller * caller, FaspTime now,
    const guint8 * data, gsize size, FaspHandshake * answer,
    const guint8 * resume_key);
gboolean fasp_caller_poll (FaspCaller * caller, FaspTime now,
    FaspDatagram * datagram);
FaspTime fasp_caller_get_timeout (const FaspCaller * caller);

G_END_DECLS
