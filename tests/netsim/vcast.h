/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vcast.h: a sender at node A and receivers at the others, and a count of all that happens to them.
 *
 * The fixture holds the settings of its ends, so a test states only what differs: receivers call
 * the sender, which listens; each path takes VCAST_RTT; the stream has 4 Mbit/s. A change of
 * `sender' or `receiver' holds for the ends that join from then on. A test begins with
 * vcast_new(), vcast_begin() and vcast_run(), and ends with vcast_end_whole(). With g_autoptr
 * (VCast), nothing is freed by hand.
 */
#pragma once

#include "vnet.h"

G_BEGIN_DECLS

#define VCAST_RTT (100 * FASP_MSEC)

typedef struct
{
  FaspEndpoint *endpoint; /* NULL: there is none */
  guint64 read;           /* bytes */
  gint64 origin;          /* offset in the stream of the first byte; -1: not known */
  gboolean wrong, eos, stopped;
  guint discontinuities;
  FaspTime play;  /* when to play what was read last, */
  FaspTime shift; /* less its media time */
  guint events[FASP_EVENT_REMOVED + 1];
  FaspEvent last[FASP_EVENT_REMOVED + 1];
  gsize max_buffer;
} VCastNode;

typedef struct
{
  Vnet *net;
  VCastNode nodes[VNET_NODES];
  FaspEndpointConfig sender, receiver; /* of those that join from now on; owns the credentials */
  guint64 bitrate, written, held;      /* held: bytes that were not taken */
  gboolean finish;
} VCast;

/* The byte of the stream at @offset. */
static inline guint8
vcast_byte_at (guint64 offset)
{
  guint32 word = offset * 2654435761u;

  return (word ^ word >> 15) >> 7;
}

VCast *vcast_new (guint32 seed);
void vcast_free (VCast *n);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VCast, vcast_free)
/* The ends that join from now on: A calls, and receivers listen, or the other way round. */
void vcast_let_call (VCast *n, VnetSide caller);
/* The sender joins if @side is A, else a receiver. If it calls, it calls @peer. */
void vcast_join (VCast *n, VnetSide side, VnetSide peer);
/* The sender and the receivers at B to @last join, those that listen first. */
void vcast_begin (VCast *n, VnetSide last);
/* The end at @side closes. */
void vcast_close (VCast *n, VnetSide side);
/* The end at @side is gone at once, as by kill -9. */
void vcast_leave (VCast *n, VnetSide side);
void vcast_run (VCast *n, FaspTime time);
/* Ends the stream, and runs until it is over. */
void vcast_end (VCast *n);
/* The same: the receivers at B to @last have all of it. */
void vcast_end_whole (VCast *n, VnetSide last);
/* So much is lost between the sender and the first receiver, both ways. */
void vcast_lose (VCast *n, gdouble loss);
/* The stream is over, and the receiver has it from where it joined. */
void vcast_assert_whole (VCast *n, VnetSide side);
/* Of the first gap the application is told, not of each; how much is missing in all is counted.
 * @joined: offset of the node's first byte. */
void vcast_assert_gap_notified (VCast *n, VnetSide side, gint64 joined, gboolean left_behind);
FaspEndpointStats vcast_get_stats (VCast *n, VnetSide side);
/* Figures of its first session. */
FaspSessionStats vcast_get_session (VCast *n, VnetSide side);

G_END_DECLS
