/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysrtname.h: the streamid by which a caller of SRT names a stream (SRT Access Control
 * Guidelines).
 *
 * It begins with `#!::', behind which are pairs KEY=VALUE, separated by commas: r, the name of the
 * stream; m, request (the default) or publish; t, stream (the default), file or auth; u and s, user
 * and password; h, the host.  Or it has MediaMTX's form, ACTION:NAME[:QUERY] or
 * ACTION:NAME:USER:PASSWORD[:QUERY], in which ACTION is read or publish.  Any other text is a plain
 * name.  The bytes are a stranger's, and perhaps no UTF-8.
 */
#pragma once

#include "relayprotocoluri.h"

G_BEGIN_DECLS

#define RELAY_SRT_STREAMID_MAX 512 /* bytes: SRTO_STREAMID */

/* What a streamid says. NULL: it does not say it. */
typedef struct
{
  gchar *path; /* the name of the stream */
  gboolean publishes;
  gchar *user, *password, *query;
} RelaySrtName;

/* Returns 0, or the code of SRT by which a caller with this streamid is refused where no end has
 * it.  Clear @name in any case. */
gint relay_srt_name_read (const gchar *streamid, RelaySrtName *name);
void relay_srt_name_clear (RelaySrtName *name);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RelaySrtName, relay_srt_name_clear);

/* Returns the end that a caller with this streamid calls; NULL: there is none.  @ends:
 * RelayProtocolUri of those at the port.  An end without a streamid takes every
 * caller.  One whose streamid is the same is called, an output before an input; else the one of the
 * name and the mode that the keys give.  *code: that of SRT by which the call is refused; 0: it is
 * not.  *reason: why, and what to do. */
const RelayProtocolUri *relay_srt_name_choose (const GPtrArray *ends, const gchar *streamid,
    gint *code, const gchar **reason);

G_END_DECLS
