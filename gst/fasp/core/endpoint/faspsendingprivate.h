/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsendingprivate.h: what a sender keeps for its receivers, and knows of them together, each
 * part with the files that change it.  Times are as the endpoint is given them, µs.
 */
#pragma once

#include "faspdemand.h"
#include "faspendpointbase.h"
#include "faspkeyframe.h"
#include "faspstreamheader.h"

G_BEGIN_DECLS

/* fasphold.c: what is kept though no receiver is there. */
typedef struct
{
  guint64 first;     /* the first block kept; FASP_NO_BLOCK: none */
  FaspTime deadline; /* FASP_NEVER: until a receiver takes it */
  gboolean is_new;   /* no receiver has acknowledged any of it, or of what was before */
} FaspEndpointHeld;

/* fasphistory.c: what is kept for receivers that join later. */
typedef struct
{
  guint64 past; /* the first block kept as history */
  guint64 key;  /* the block of the newest key frame; FASP_NO_BLOCK: none */
} FaspEndpointHistory;

/* faspwriting.c: what the application writes. */
typedef struct
{
  FaspTime measured_by; /* nothing is written before; FASP_NEVER: no wait */
  FaspTime media_time;  /* of the last write */
  FaspStreamOffset own; /* where the stream that we write ourselves began */
  guint own_origins;    /* how many such streams there have been */
  guint32 packet_size;  /* of what is written, bytes; 0: any */
} FaspEndpointWriting;

/* faspgather.c: small writes that are gathered. */
typedef struct
{
  FaspTime due;   /* when what is held back may leave; FASP_NEVER: nothing is */
  FaspTime fill;  /* how long a block takes to fill; 0: too long to wait for it */
  FaspTime since; /* begin of the measurement; 0: none yet, */
  guint64 bytes;  /* and what was written since */
} FaspEndpointGather;

/* faspencoder.c: what was announced to the encoder. */
typedef struct
{
  guint64 bitrate;       /* bit/s; 0: nothing yet, */
  FaspTime bitrate_time; /* and when */
  FaspTime time;         /* when to look again, */
  FaspTime looked;       /* and when we looked last; 0: never */
  guint64 written;       /* bytes of the stream by then */
  FaspDemand demand;
  FaspKeyFrame key_frame; /* requests of all receivers to the application */
} FaspEndpointEncoder;

struct _FaspSending
{
  FaspHeap first_needed; /* faspretention.c: the first block that each session may need */
  FaspEndpointHeld held;
  FaspEndpointHistory history;
  FaspEndpointWriting writing;
  FaspEndpointGather gather;
  FaspEndpointEncoder encoder;
  FaspStreamHeader header;  /* of the stream that is written */
  gboolean awaits_header;   /* faspheaderwait.c: a session may be waiting for it */
  FaspTime left_behind_may; /* faspslowpolicy.c: earliest time of the next event about receivers
                               left behind */
};

G_END_DECLS
