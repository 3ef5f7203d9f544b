/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmerge.h: one stream from several sources at once (docs/hitless.md).
 *
 * Each source is an endpoint that receives the same stream (FaspEndpointConfig.one_of_several).
 * The caller puts in what each source brings, in order, and takes out each byte once, from the
 * source that had it first.  fasp_merge_get_other_sources() says which bytes a source need not
 * bring, as the reader has them, and whether the source is to send at all; the caller passes that
 * on to the endpoint.
 *
 * Invariants:
 *
 * - What is taken of one stream are its bytes in order, each once.
 * - Once bytes of a source differ from the leader's, no byte of that source is taken any more, and
 *   for a while none of the same peer's next sessions.
 * - As long as a connected trusted source may still bring the next byte, nothing behind it is
 * taken.
 *
 * Words:
 *
 * - leader: the active source, which defines the stream.  Its bytes are believed; the others must
 *   first have brought the same bytes as the reader had by then.
 * - trusted: the leader, and a source that has brought the same (PROVEN bytes of it).
 * - left: a source that brings the stream too late: the merge does not wait for it, and its delay
 *   does not count, until it has been in time for a while.
 *
 * It does no I/O, and knows no endpoint.  Times are µs on the caller's clock.
 */
#pragma once

#include "faspothersources.h"
#include "faspread.h"
#include "fasprecent.h"
#include "faspstats.h"

G_BEGIN_DECLS

#define FASP_SOURCES_MAX 8

typedef enum
{
  FASP_REDUNDANCY_NONE,    /* one source at a time; another is called when it is gone */
  FASP_REDUNDANCY_HOT,     /* each source sends the whole stream */
  FASP_REDUNDANCY_STANDBY, /* one sends; the others are connected, and send when it fails */
} FaspRedundancy;

typedef enum
{
  FASP_MERGE_LEADS,   /* another source leads from now on */
  FASP_MERGE_LEFT,    /* the source brings its blocks too late, or none */
  FASP_MERGE_BACK,    /* the source brings its blocks in time again */
  FASP_MERGE_HELPS,   /* standby: the source was asked to send */
  FASP_MERGE_RESTS,   /* standby: the source was asked to stop sending */
  FASP_MERGE_DIFFERS, /* the source's bytes are not those of the stream, so none are taken any
                         more */
} FaspMergeEventType;

typedef struct
{
  FaspMergeEventType type;
  guint source;
  const gchar *why; /* a reason in words, static */
} FaspMergeEvent;

/* What goes with a block that is taken. */
typedef struct
{
  guint source;    /* the source of the block */
  gboolean begins; /* the block is the first of its stream */
  guint64 missing; /* bytes between the block before and this one, which no source had */
} FaspMergeTaken;

typedef struct _FaspMerge FaspMerge;

/* @recent: how many of the newest bytes are kept, to compare other sources with. */
FaspMerge *fasp_merge_new (FaspRedundancy redundancy, guint sources, guint64 recent);
void fasp_merge_free (FaspMerge *merge);

/* May the next block of source @i be put in? */
gboolean fasp_merge_wants (const FaspMerge *merge, guint i);
/* Source @i has brought @read, in order. Takes over the reference to its block. */
void fasp_merge_put (FaspMerge *merge, FaspTime now, guint i, const FaspRead *read);
/* Source @i is to lead, now and whenever it can.  If it has another stream, that stream is taken
 * from its next key frame on.  FALSE: the source is not connected, or its bytes differ.  Without
 * this call source 0 is preferred. */
gboolean fasp_merge_prefer (FaspMerge *merge, FaspTime now, guint i);
/* The preferred source leads again (reverts) once it has been good for @wait µs; 0, the default:
 * only on fasp_merge_prefer(). */
void fasp_merge_restore_after (FaspMerge *merge, FaspTime wait);
/* The next block of the stream; FALSE: there is none yet.  The caller owns a reference to the
 * block.  Its flags are those of the stream, whatever its source lacked. */
gboolean fasp_merge_take (FaspMerge *merge, FaspTime now, FaspRead *read, FaspMergeTaken *taken);

/* Sets the state of source @i, as its endpoint reports it. */
void fasp_merge_set_state (FaspMerge *merge, FaspTime now, guint i, const FaspSourceState *state);
/* Decides which source leads and which ones send; to be called after a source has received
 * something, and at fasp_merge_get_timeout(), once the state of *all* sources is set and what they
 * have is put in: with an old state a source seems to be silent, and without its bytes it seems to
 * lack them. */
void fasp_merge_decide (FaspMerge *merge, FaspTime now);
FaspTime fasp_merge_get_timeout (const FaspMerge *merge, FaspTime now);
/* The settings that the endpoint of source @i must get now. */
FaspOtherSources fasp_merge_get_other_sources (const FaspMerge *merge, guint i);
/* The endpoint of source @i got @announced last. Does that still say correctly whether the source
 * sends or stands by? The caller asks this before it sleeps, as no event wakes it when that
 * changes. */
gboolean fasp_merge_is_announced (const FaspMerge *merge, guint i,
    const FaspOtherSources *announced);

/* Expected seconds between skips of the stream, with all of its sources; 0: not known. */
guint64 fasp_merge_get_promise (const FaspMerge *merge);

gboolean fasp_merge_poll_event (FaspMerge *merge, FaspMergeEvent *event);
void fasp_merge_get_stats (const FaspMerge *merge, guint i, FaspSourceStats *stats);

G_END_DECLS
