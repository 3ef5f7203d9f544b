/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystreamtap.h: copies what flows through a pad into a pipe, as long as that takes it.
 *
 * It never waits.  When the pipe is full, or nobody reads it, nothing more is written until it is
 * opened again: what is in the pipe has no gap.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _RelayStreamTap RelayStreamTap;

RelayStreamTap *relay_stream_tap_new (void);
void relay_stream_tap_free (RelayStreamTap *tap);

/* Of which pad; NULL: none. */
void relay_stream_tap_set_pad (RelayStreamTap *tap, GstPad *pad);
/* Takes the file descriptor, which must not block; -1: none.  It is shut still. */
void relay_stream_tap_set_pipe (RelayStreamTap *tap, gint fd);
/* Whether what flows is written. */
void relay_stream_tap_set_open (RelayStreamTap *tap, gboolean open);

/* Has something flowed since the last call? */
gboolean relay_stream_tap_flows (RelayStreamTap *tap);
/* When the first byte was written since it was opened: g_get_monotonic_time, µs; 0: none was. */
gint64 relay_stream_tap_get_begun (RelayStreamTap *tap);
/* Has it stopped to write, as the pipe was full? */
gboolean relay_stream_tap_is_full (RelayStreamTap *tap);

G_END_DECLS
