/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstream.h: which stream a call is for, before anything of it is opened.
 *
 * Of several listeners at one port each may have a key of its own, so the one that
 * is called has to be known before the message of an OPEN can be opened, in which
 * the streamid stands.  The OPEN has a hint in clear: some bytes of a hash of role
 * and streamid, salted with the call's nonce.  Whoever knows a streamid can tell
 * whether a call is for it; to others two calls for one stream look like calls for
 * two.
 */
#pragma once

#include "faspcrypto.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

/* What a stream is called by, of whatever length its streamid is. */
typedef struct
{
  guint8 bytes[FASP_AES_BLOCK];
} FaspStreamName;

/* @caller: the role of who calls. */
void fasp_stream_get_name (FaspRole caller, const gchar * streamid,
    FaspStreamName * name);

/* What a listener is called by: */
enum
{
  FASP_STREAM_FITS,             /* by who can be connected, */
  FASP_STREAM_SAME_ROLE,        /* and by who cannot, to be told so */
  FASP_STREAM_NAMES
};
void fasp_stream_get_names (FaspRole listener, const gchar * streamid,
    FaspStreamName names[FASP_STREAM_NAMES]);
/* What an OPEN with this nonce says in its header of a stream; never 0, which is
 * for calls that say none. */
guint32 fasp_stream_get_hint (const guint8 nonce[FASP_NONCE_SIZE],
    const FaspStreamName * name);
/* Which of @n names a call is for; @n: none of them. */
guint fasp_stream_find (const guint8 nonce[FASP_NONCE_SIZE], guint32 hint,
    const FaspStreamName * names, guint n);

G_END_DECLS
