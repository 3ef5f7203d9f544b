/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayloop.h: the packets of an MPEG-TS file that is played in a loop.
 *
 * When the file begins anew, its clock (PCR) steps back: the first PCR of each PID gets the
 * discontinuity_indicator (ISO/IEC 13818-1, 2.4.3.5).  No other bit is changed, and nothing is
 * added.
 *
 * Packets leave together that are due together, seven at most.  (tsparse would fill up its last
 * buffer with null packets, and one of a slow stream leaves seconds before its last packet is due.)
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* @tsparse: gives out single packets of 188 bytes, with their times.  @again: the file was played
 * before. */
void relay_loop_watch (GstElement *tsparse, gboolean again);

G_END_DECLS
