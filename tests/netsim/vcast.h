/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vcast.h: a sender at node A and receivers at the others, whoever dials, and
 * everything that happens to them counted.
 */
#pragma once

#include "vnet.h"

G_BEGIN_DECLS

#define VCAST_RTT (100 * FASP_MSEC)

typedef struct
{
  FaspEndpoint *endpoint;       /* NULL: nobody there */
  guint64 read;                 /* bytes */
  gint64 origin;                /* offset in the stream of the first, -1 */
  gboolean wrong, eos, stopped;
  guint discontinuities;
  FaspTime play;                /* when what was read last is to be played */
  guint events[FASP_EVENT_REMOVED + 1];
  FaspEvent last[FASP_EVENT_REMOVED + 1];
  gsize max_buffer;
} VCastNode;

typedef struct
{
  Vnet *net;
  VCastNode nodes[VNET_NODES];
  guint64 bitrate, written, held;       /* held: bytes not taken */
  gboolean finish;
} VCast;

/* The stream, byte for byte. */
guint8 vcast_byte_at (guint64 offset);

VCast *vcast_new (guint32 seed);
void vcast_free (VCast * n);
/* The side of the stream follows from the node: A sends. */
FaspEndpointConfig vcast_config (VnetSide side, FaspMode mode);
void vcast_join (VCast * n, VnetSide side, const FaspEndpointConfig * c,
    VnetSide dials);
/* A sender that listens and a receiver at B that calls. */
void vcast_join_default (VCast * n);
void vcast_leave (VCast * n, VnetSide side);
void vcast_run (VCast * n, FaspTime time);
/* The stream ends; so long that it is over then. */
void vcast_end (VCast * n);
void vcast_assert_whole (VCast * n, VnetSide side);
FaspEndpointStats vcast_get_stats (VCast * n, VnetSide side);
/* Of its first session. */
FaspSessionStats vcast_get_session (VCast * n, VnetSide side);

G_END_DECLS
