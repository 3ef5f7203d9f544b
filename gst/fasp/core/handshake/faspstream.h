/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstream.h: finds the stream of a call before its message is decrypted.
 *
 * Several listeners at one port may each have a key of their own. The streamid is inside the
 * message of an OPEN, so the called listener must be known before the message can be opened. The
 * OPEN therefore carries a hint in clear: some bytes of a hash of role and streamid, salted with
 * the call's nonce. A host that knows a streamid can recognise calls for it. Other hosts cannot
 * tell whether two calls are for one stream.
 */
#pragma once

#include "faspcrypto.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

/* The name of a stream, of fixed size. */
typedef struct
{
  guint8 bytes[FASP_AES_BLOCK];
} FaspStreamName;

/* @caller: the role of the caller. */
void fasp_stream_get_name (FaspRole caller, const gchar *streamid, FaspStreamName *name);

/* The names by which a listener can be called: */
enum
{
  FASP_STREAM_FITS,      /* for callers of the other role, which can be connected */
  FASP_STREAM_SAME_ROLE, /* for callers of the same role, which are refused with that reason */
  FASP_STREAM_NAMES
};
void fasp_stream_get_names (FaspRole listener, const gchar *streamid,
    FaspStreamName names[FASP_STREAM_NAMES]);
/* The hint in the header of an OPEN with this nonce; never 0, which means that the call
 * names no stream. */
guint32 fasp_stream_get_hint (const guint8 nonce[FASP_NONCE_SIZE], const FaspStreamName *name);
/* The index of the name in @names that the call's hint is of; @n: none. */
guint fasp_stream_find (const guint8 nonce[FASP_NONCE_SIZE], guint32 hint,
    const FaspStreamName *names, guint n);

G_END_DECLS
