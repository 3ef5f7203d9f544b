/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaystreamtap.h: copies the data that flow through a pad into a ring (picturering.h), as long as
 * that has room.
 *
 * It never waits.  When the ring is full, nothing more is written until the tap is opened again: so
 * the data in the ring have no gap.
 */
#pragma once

#include <gst/gst.h>
#include "picturering.h"

G_BEGIN_DECLS

typedef struct _RelayStreamTap RelayStreamTap;

RelayStreamTap *relay_stream_tap_new (void);
void relay_stream_tap_free (RelayStreamTap *tap);

/* The pad whose data are copied; NULL: none. */
void relay_stream_tap_set_pad (RelayStreamTap *tap, GstPad *pad);
/* @fd: a socket that must not block, by which the reader of the ring is woken. Both must stay until
 * the next call; NULL: none.  The tap stays shut. */
void relay_stream_tap_set_ring (RelayStreamTap *tap, PictureRing *ring, gint fd);
/* @open: data are written into the ring. */
void relay_stream_tap_set_open (RelayStreamTap *tap, gboolean open);

/* Have data flowed since the last call? */
gboolean relay_stream_tap_flows (RelayStreamTap *tap);
/* When the first byte was written since the tap was opened: g_get_monotonic_time, µs; 0: none
 * was. */
gint64 relay_stream_tap_get_begun (RelayStreamTap *tap);
/* Has the tap stopped writing because the ring was full? */
gboolean relay_stream_tap_is_full (RelayStreamTap *tap);

G_END_DECLS
