/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsources.h: a receiver with several sources of one stream (docs/hitless.md).
 *
 * Each source is a FaspIo with one peer.  The thread that reads takes what all of them have, puts
 * it into a merge (faspmerge.h), and takes the stream from there.  It waits at one point for any
 * of them.
 *
 * Locks: the merge's may be held when that of a FaspIo is taken; never those of two FaspIo.
 */
#pragma once

#include "faspio.h"
#include "faspmerge.h"

G_BEGIN_DECLS

typedef struct _FaspSources FaspSources;

/* Both are called by the thread that reads, with no lock held. */
typedef void (*FaspSourcesChangedFunc) (const FaspMergeEvent *event, gpointer user_data);
/* An event of the whole stream: JOINED, or GAP, in which bytes_lost counts what is missing.
 * @source: from where it goes on.  The events of each source have these for that source alone. */
typedef void (*FaspSourcesEventFunc) (guint source, const FaspEvent *event, gpointer user_data);

typedef struct
{
  FaspRedundancy redundancy;
  FaspTime wait_to_restore; /* fasp_merge_restore_after() */
  guint64 recent;           /* bytes that were read, and are kept to compare with */
  FaspSourcesChangedFunc changed;
  FaspSourcesEventFunc event;
  gpointer user_data;
} FaspSourcesSettings;

/* Of the stream, as it was read.  Counted by the thread that reads; under the merge's lock. */
typedef struct
{
  guint64 bytes_read;
  guint64 bytes_missing;       /* between those */
  guint64 join_offset;         /* of the first byte of the stream that came last;
                                  FASP_OFFSET_UNKNOWN: none yet, or not known */
  guint64 joins_in_the_middle; /* streams of which the beginning was not read */
} FaspSourcesStats;

/* @ios: settings of each source, @n of them; the members `news' and `claim' are filled in here.
 * Sources with the same name call different addresses of it. */
FaspSources *fasp_sources_new (const FaspSourcesSettings *settings, const FaspIoSettings *ios,
    guint n, GError **error);
/* Says goodbye to all at once, which takes as long as the slowest: fasp_io_close(). */
void fasp_sources_close (FaspSources *sources);
/* Closes first, if that was not done. */
void fasp_sources_free (FaspSources *sources);

guint fasp_sources_count (const FaspSources *sources);
FaspIo *fasp_sources_get (const FaspSources *sources, guint i);

/* As fasp_io_read().  FASP_IO_ENDED: no source is connected any more; the event is that of the
 * last one, and final if none can come again; it is reported once.  FASP_IO_FAILED: none has come,
 * and none will. All that is read has session 0, whichever source it is from. */
FaspIoResult fasp_sources_read (FaspSources *sources, FaspRead *items, guint max, guint *n,
    FaspEvent *event);
/* fasp_merge_prefer(), from any thread. */
gboolean fasp_sources_prefer (FaspSources *sources, guint i);
void fasp_sources_set_flushing (FaspSources *sources, gboolean flushing);

/* The clock of the sender that leads. */
void fasp_sources_get_sender_clock (FaspSources *sources, FaspSenderClock *clock);
void fasp_sources_get_stats (FaspSources *sources, FaspSourcesStats *stats);
void fasp_sources_get_source_stats (FaspSources *sources, guint i, FaspSourceStats *stats);
void fasp_sources_get_lead_stats (FaspSources *sources, FaspTime now, FaspLeadStats *stats);
/* Leaves is_connected alone: the endpoint of the source says that.  The name lives as long as
 * @sources. */
void fasp_sources_get_standing (FaspSources *sources, FaspTime now, guint i,
    FaspStandingStats *stats);

G_END_DECLS
