/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaydial.h: whether an SRT listener answers, before an end dials it.
 *
 * While SRT dials, the thread that receives polls its socket as often as the system's timer allows
 * (SO_RCVTIMEO of 100 µs), and a pipeline has to be built for it: two hundred ends whose peers are
 * dead would need a sixth of a processor.  So the first packet of SRT's handshake is sent by a
 * plain socket.  A listener answers this request with a cookie, and keeps nothing of the caller.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Waits until something answers at the address: for 3 s at most. FALSE: nothing does. @host: an IP
 * address. @error: a sentence. */
gboolean relay_dial_srt_answers (const gchar *host, guint port, GCancellable *cancellable,
    GError **error);
/* Returns the sentence that nothing answers at @place. */
gchar *relay_dial_describe_silence (const gchar *place);

G_END_DECLS
