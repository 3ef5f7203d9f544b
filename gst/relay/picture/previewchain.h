/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * previewchain.h: GStreamer's elements that make a fragmented MP4 of a stream, without decoding it.
 *
 *     appsrc ! tsdemux ! PARSER ! queue | ! mp4mux ! appsink
 *                      ! PARSER ! queue | !
 *
 * The first video and the first sound are taken that browsers play.  The bar holds them until the
 * demuxer has found all there is, as the muxer takes no more tracks once it has begun.  The video
 * begins with a key frame, and the sound then.
 *
 * Nothing is changed while it runs: it ends when the stream's tracks, codecs or times do.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PreviewChain PreviewChain;

/* Loads all elements that can be needed, as the sandbox allows no loading. */
void preview_chain_load (void);

/* It stays until the program ends. */
PreviewChain *preview_chain_new (void);

/* FALSE: too many bytes wait. */
gboolean preview_chain_push (PreviewChain *chain, const guint8 *data, gsize size);
/* Writes what there is (pictureframes.h). FALSE: it has ended. */
gboolean preview_chain_run (PreviewChain *chain);
/* Has the head of the MP4 been written? */
gboolean preview_chain_has_begun (const PreviewChain *chain);
/* Why it has not begun, a sentence; NULL: the stream has changed meanwhile. */
gchar *preview_chain_get_problem (const PreviewChain *chain);

G_END_DECLS
