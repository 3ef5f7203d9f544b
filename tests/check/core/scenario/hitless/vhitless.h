/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vhitless.h: a reader that gets one stream from several senders at once, in virtual time.
 *
 * All senders are fed the same bytes, with the same offsets and media times, as relays of one
 * origin are.  Sender i is at node A + i, the reader's endpoint for it at node E + i.
 */
#pragma once

#include "faspmerge.h"
#include "vcast.h"

G_BEGIN_DECLS

#define VHITLESS_SENDERS 4
#define VHITLESS_CHUNK 1316
#define VHITLESS_BITRATE 4000000 /* of the stream, bit/s */
#define VHITLESS_CHANNEL 12000000
#define VHITLESS_STEP (2 * FASP_MSEC)

typedef struct
{
  FaspEndpoint *sender, *receiver;
  FaspOtherSources told; /* the receiver, last */
  gboolean is_frozen;    /* the sender does not run */
  gboolean has_ended;    /* it is fed nothing any more */
  FaspTime delay;        /* one way */
  guint64 written;       /* offset of the next byte written to it */
  guint64 started;       /* where it was started */
  /* what it says that is not so: */
  gboolean has_other_origin;
  gint64 ahead;        /* bytes by which its offsets are more than they are */
  guint64 forges_from; /* with `forges': the first byte that is another one */
  gdouble ppm;         /* with own_origins: by which its clock is fast */
} VHitlessSource;

typedef struct
{
  Vnet *net;
  GRand *rand;
  guint n;
  VHitlessSource sources[VHITLESS_SENDERS];
  FaspMerge *merge;
  FaspTime sleeps_until; /* the reader, unless a source has something */
  FaspOrigin origin;
  FaspTime started;
  gdouble ppm; /* by which the first sender's clock is fast */
  guint latency_ms;
  guint64 due;                  /* bytes of the stream by now */
  gboolean has_header;          /* the stream has one, in front of what has key frames */
  guint headers;                /* that were read */
  gboolean finished, is_paused; /* the stream, for good or for a while */
  guint64 wrong;                /* bytes that were not the stream's */
  gboolean own_origins; /* each sender counts the stream from where it was started, by a clock of
                           its own */
  guint64 base;         /* with that: where the sender was started whose stream is read */
  gboolean joins_back;  /* a sender begins with all that it keeps */
  gboolean has_keys;    /* every half a second begins with a key frame */
  guint64 first_key; /* where the last stream began that was read, since its sender was started */
  gboolean forges[VHITLESS_SENDERS]; /* the sender is fed other bytes: allowed with own_origins */
  gboolean forges_partly; /* only what is neither a table nor empty, and not a second out of four,
                             when the picture stands still */
  guint of;               /* with own_origins: the source whose stream is read */
  FaspStreamOffset end;
  gboolean eos;
  guint64 first, read, missing;
  guint discontinuities;
  guint streams;       /* how many were read, with own_origins */
  FaspTime latest;     /* how long after it was written a byte was read, at most */
  FaspTime overdue;    /* how long after the time at which it is played, at most; <= 0: no skip */
  FaspTime last_shift; /* of play time against media time */
  FaspTime max_jump;   /* of that, its largest step */
  guint events[FASP_MERGE_DIFFERS + 1][VHITLESS_SENDERS];
} VHitless;

VHitless *vhitless_new (guint32 seed, FaspRedundancy redundancy, guint n, guint latency_ms);
void vhitless_free (VHitless *h);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VHitless, vhitless_free)
/* The path of source @i, both directions. */
void vhitless_wire (VHitless *h, guint i, FaspTime rtt, gdouble loss);
/* The sender of source @i begins; the stream goes on from now on. */
void vhitless_start (VHitless *h, guint i);
/* The reader begins to call it (anew), as one from which it has had nothing yet. */
void vhitless_call (VHitless *h, guint i);
/* Nothing gets through between both ends of source @i for so long. */
void vhitless_black_out (VHitless *h, guint i, FaspTime span);
/* It is gone, without a word. */
void vhitless_kill (VHitless *h, guint i);
void vhitless_step (VHitless *h);
void vhitless_run (VHitless *h, FaspTime span);
guint vhitless_get_leader (VHitless *h);
gboolean vhitless_is_trusted (VHitless *h, guint i);
/* Bytes that source @i has sent, on the wire. */
guint64 vhitless_get_sent (VHitless *h, guint i);
/* The same for what the reader has sent to it. */
guint64 vhitless_get_returned (VHitless *h, guint i);
/* Lets one source after the other fail, each in a way and for a time of its own, 0.05 to 20 s, with
 * a pause of @pause in between. */
void vhitless_harm (VHitless *h, guint times, FaspTime pause);
/* Not a byte was wrong or missing. */
void vhitless_assert_complete (const VHitless *h);
/* Nor later than its path and the latency allow. */
void vhitless_assert_whole (const VHitless *h);
/* The stream ends, and the reader has seen that. */
void vhitless_end (VHitless *h);
/* The same, and it ended where the stream does. */
void vhitless_end_whole (VHitless *h);
/* When the byte at @offset was written, since the start. */
FaspTime vhitless_time_of (guint64 offset);

G_END_DECLS
