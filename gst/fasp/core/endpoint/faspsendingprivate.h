/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsendingprivate.h: what a sender keeps for its receivers, and knows of them together, each
 * part with the files that change it; faspwriting.c makes it.  Times are as the endpoint is given
 * them, µs.
 */
#pragma once

#include "faspdemand.h"
#include "faspendpointbase.h"
#include "faspkeyframe.h"
#include "faspstreamheader.h"

G_BEGIN_DECLS

/* Blocks held while no receiver is there. Changed by fasphold.c. */
typedef struct
{
  guint64 first;     /* the first block kept; FASP_NO_BLOCK: none */
  FaspTime deadline; /* FASP_NEVER: until a receiver takes it */
  gboolean is_new;   /* no receiver has acknowledged a block of the stream yet */
} FaspEndpointHeld;
#define FASP_HELD_NOTHING ((FaspEndpointHeld) { FASP_NO_BLOCK, FASP_NEVER })

/* Blocks kept for receivers that join later. Changed by fasphistory.c. */
typedef struct
{
  guint64 past; /* the first block kept as history */
  guint64 key;  /* the block of the newest key frame; FASP_NO_BLOCK: none */
} FaspEndpointHistory;

/* The application's writes. Changed by faspwriting.c. */
typedef struct
{
  FaspTime measured_by; /* writes wait until this time for the path's MTU; FASP_NEVER: they do not
                           wait */
  FaspTime media_time;  /* media time of the last write */
  FaspStreamOffset own; /* where the sender's own stream begins */
  guint own_origins;    /* number of own streams so far */
  guint32 packet_size;  /* bytes of the stream's packets; 0: any */
} FaspEndpointWriting;

/* Capture times in marks. Changed by faspcapturing.c; `due' also by faspwriting.c. */
typedef struct
{
  FaspCapture at; /* as the last mark said */
  FaspTime media; /* media time of that mark, µs */
  FaspTime time;  /* when it was written; 0: none was */
  gboolean due;   /* a receiver may begin here that lacks that mark */
} FaspEndpointCapturing;

/* Small writes that are gathered. Changed by faspgather.c. */
typedef struct
{
  FaspTime due;   /* when the block that is held back may leave; FASP_NEVER: none is */
  FaspTime fill;  /* how long a block takes to fill; 0: too long to wait */
  FaspTime since; /* begin of the measurement; 0: none yet */
  guint64 bytes;  /* bytes written since `since' */
} FaspEndpointGather;

/* Announcements to the encoder. Changed by faspencoder.c. */
typedef struct
{
  guint64 bitrate;       /* announced bit/s; 0: none yet */
  FaspTime bitrate_time; /* when the rate was announced */
  FaspTime time;         /* when to check the sessions again */
  FaspTime looked;       /* when the sessions were last checked; 0: never */
  guint64 written;       /* bytes of the stream written until `looked' */
  FaspDemand demand;
  FaspKeyFrame key_frame; /* requests of all receivers to the application; also faspwriting.c,
                             when a key frame comes */
} FaspEndpointEncoder;

struct _FaspSending
{
  FaspHeap first_needed; /* sessions by the first block that each may need; changed by
                            faspretention.c */
  FaspEndpointHeld held;
  FaspEndpointHistory history;
  FaspEndpointWriting writing;
  FaspEndpointCapturing capturing;
  FaspEndpointGather gather;
  FaspEndpointEncoder encoder;
  FaspStreamHeader header;  /* header of the stream that is written; faspwriting.c,
                               faspheaderwait.c */
  gboolean awaits_header;   /* a session may be waiting for the header; changed by
                               faspheaderwait.c */
  FaspTime left_behind_may; /* faspslowpolicy.c: earliest time of the next event about receivers
                               left behind */
};

G_END_DECLS
