/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vcast.h: a sender at node A and receivers at the others, whoever calls. Counts
 * everything that happens to them.
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
  guint64 bitrate, written, held; /* held: bytes that were not taken */
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
/* The role follows from the node: A sends. */
FaspEndpointConfig vcast_config (VnetSide side, FaspMode mode);
void vcast_join (VCast *n, VnetSide side, const FaspEndpointConfig *c, VnetSide dials);
/* Adds a sender that listens and a receiver at B that calls. */
void vcast_join_default (VCast *n);
void vcast_leave (VCast *n, VnetSide side);
void vcast_run (VCast *n, FaspTime time);
/* Ends the stream, and runs until it is over. */
void vcast_end (VCast *n);
/* So much is lost between the sender and the first receiver, both ways. */
void vcast_lose (VCast *n, gdouble loss);
void vcast_assert_whole (VCast *n, VnetSide side);
/* Of the first gap the application is told, not of each; how much is missing in all is counted.
 * @joined: offset of the node's first byte. */
void vcast_assert_gap_notified (VCast *n, VnetSide side, gint64 joined, gboolean left_behind);
FaspEndpointStats vcast_get_stats (VCast *n, VnetSide side);
/* Figures of its first session. */
FaspSessionStats vcast_get_session (VCast *n, VnetSide side);

G_END_DECLS
