/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhlslist.h: the files of HLS (RFC 8216): a live list, NAME.m3u8, and its segments beside it,
 * NAME.NUMBER.ts.
 *
 * A segment is there before it is listed, and never changes then.  The list is replaced as a whole.
 * A segment that has left the list stays for as long as a list lasts, and one segment more (6.2.2).
 * Numbers only grow: a list that is there is continued, another one begins with the seconds since
 * 1970.  It has no end (EXT-X-ENDLIST), as it may always go on.
 *
 * Time is an argument.
 */
#pragma once

#include <gio/gio.h>
#include "relayhlscut.h"

G_BEGIN_DECLS

#define RELAY_HLS_ENDING ".m3u8"
#define RELAY_HLS_KEEP_MAX 1000 /* segments */

typedef struct _RelayHlsList RelayHlsList;

/* @path: ends in RELAY_HLS_ENDING. @target: of the duration, s. @keep: how many segments are
 * listed. */
RelayHlsList *relay_hls_list_new (const gchar *path, guint target, guint keep);
void relay_hls_list_free (RelayHlsList *list);
/* Writes a segment, lists it, and removes one that is too old. @error: G_FILE_ERROR, with a
 * sentence. */
gboolean relay_hls_list_add (RelayHlsList *list, const RelayHlsSegment *segment, GError **error);
/* Returns the names that segments have, with %s for a number, and %% for a %. */
gchar *relay_hls_list_get_names (const gchar *path);

G_END_DECLS
