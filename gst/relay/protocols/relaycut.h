/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaycut.h: where a recording goes on in its next piece: so that the piece can be played from its
 * first byte.
 *
 * When it is time for the next piece, packets from each PAT on are held back, until the next PAT:
 * if a key frame comes before that, and its PMT, all of them are the first of the next piece.  Else
 * they belong to the old one.  No packet is repeated, left out or moved.
 *
 * A stream may have no key frames, or none behind such tables.  It is cut when it is time if no key
 * frame has come for RELAY_CUT_WAIT, and after RELAY_CUT_WAIT in any case.  After a pause of that
 * length it is cut at once, where it goes on.
 *
 * Time is an argument.
 */
#pragma once

#include <glib.h>
#include "relaykeyframes.h"

G_BEGIN_DECLS

#define RELAY_CUT_WAIT 12 /* s; x264's default of 250 pictures takes 10.4 s at 24 a second */
/* Bytes that are held back at most; the PAT comes each 0.1 s, at least each 0.5 s by ETSI TR 101
 * 290: 64 Mbit/s have 4 MB in that time. */
#define RELAY_CUT_HELD_MAX (4 * 1000 * 1000)

typedef struct _RelayCut RelayCut;

/* Takes packets that are to be written. @seconds: of the piece that they belong to; when it is late
 * by a key frame, the last second of that piece. FALSE: stops. */
typedef gboolean (*RelayCutFunc) (const guint8 *data, gsize size, gint64 seconds, gpointer data_of);

/* @piece: s; 0: it is never cut. */
RelayCut *relay_cut_new (guint piece);
void relay_cut_free (RelayCut *cut);
/* Passes on all packets that need not be held back. @data: whole packets. @seconds: since 1970.
 * FALSE: the function has stopped; packets behind that are lost. */
gboolean relay_cut_push (RelayCut *cut, const guint8 *data, gsize size, gint64 seconds,
    RelayCutFunc func, gpointer data_of);
/* Passes on what is held back. */
gboolean relay_cut_flush (RelayCut *cut, RelayCutFunc func, gpointer data_of);
/* TRUE, once: pieces begin without a key frame, and did not before. */
gboolean relay_cut_lacks_key_frames (RelayCut *cut);

G_END_DECLS
