/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vchain.h: a source, relays behind each other, and the last receiver, in virtual time.
 *
 * A relay is a receiver at one node and a sender at the next, and what is read of the one
 * is written to the other with its offset and media time, as faspsrc ! faspsink does.
 */
#pragma once

#include "vcast.h"

G_BEGIN_DECLS

#define VCHAIN_CHUNK 1316
#define VCHAIN_BITRATE 4000000 /* of the stream, bit/s */
#define VCHAIN_CHANNEL 8000000
#define VCHAIN_STEP (2 * FASP_MSEC) /* of vchain_step () */

typedef struct
{
  FaspEndpoint *in, *out;
  FaspRead held; /* of its block so many bytes are written; block NULL: nothing is held */
  guint32 done;
  gboolean ended;
} VChainRelay;

typedef struct
{
  Vnet *net;
  GRand *rand;
  FaspEndpointConfig sender, receiver; /* of those that are made from now on */
  FaspEndpoint *source;                /* at A */
  guint64 written;                     /* offset of the next byte */
  guint64 due;                         /* bytes by now */
  FaspTime media_base;
  gboolean finished;
  FaspCapture wall; /* if known: the source says capture times, which are media times and this */
  VChainRelay relays[3];
  FaspEndpoint *last;   /* the receiver */
  FaspStreamOffset end; /* of what it has read */
  guint64 read, missing;
  guint64 last_key; /* where the last key frame began */
  guint discontinuities, moves;
  guint64 moved_missing;
  gboolean eos, first_seen;
  guint64 first;                /* offset that it began at */
  FaspTime shift, max_jump;     /* of play time against media time: the last one,
                                   and its largest change */
  guint captured, not_captured; /* blocks read with and without a capture time */
  FaspTime capture_error;       /* the largest of those */
  guint64 blocked;              /* writes that were not taken */
} VChain;

/* When the byte at @offset was written: the source writes whole chunks. */
FaspTime vchain_media_time_of (const VChain *p, guint64 offset);
VChain *vchain_new (guint32 seed);
void vchain_free (VChain *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VChain, vchain_free)
/* Sets both directions of the path between two nodes. */
void vchain_wire (VChain *p, VnetSide a, VnetSide b, FaspTime rtt, gdouble loss);
void vchain_dial (VChain *p, FaspEndpoint *endpoint, VnetSide peer);
/* Makes the source, at A. */
void vchain_begin (VChain *p);
/* Makes the last receiver, at H, which calls @peer. */
void vchain_join (VChain *p, VnetSide peer);
/* From @upstream's node, in at @side and out at the next. */
void vchain_add_relay (VChain *p, guint n, VnetSide upstream, VnetSide side);
void vchain_step (VChain *p);
void vchain_run (VChain *p, FaspTime span);
/* The source ends: the last receiver has all that was not told to be missing, within 30 s. */
void vchain_run_to_end (VChain *p);

G_END_DECLS
