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

/* Both are called by the reading thread, with no lock held. */
typedef void (*FaspSourcesChangedFunc) (const FaspMergeEvent *event, gpointer user_data);
/* An event of the stream as it was read: JOINED, or GAP, in which bytes_lost counts the missing
 * bytes. @source: the source of the bytes that follow. JOINED and GAP that the FaspIo of a source
 * raises itself are about that source alone. */
typedef void (*FaspSourcesEventFunc) (guint source, const FaspEvent *event, gpointer user_data);

typedef struct
{
  FaspRedundancy redundancy;
  FaspTime wait_to_restore; /* fasp_merge_restore_after() */
  guint64 recent;           /* this many of the newest bytes are kept, to compare sources with */
  FaspSourcesChangedFunc changed;
  FaspSourcesEventFunc event;
  gpointer user_data;
} FaspSourcesSettings;

/* Counters of the stream as it was read. Changed by the reading thread, under the merge's lock. */
typedef struct
{
  guint64 bytes_read;
  guint64 bytes_missing;       /* between the bytes that were read */
  guint64 join_offset;         /* stream offset of the first byte of the newest stream;
                                  FASP_OFFSET_UNKNOWN: no stream yet, or not known */
  guint64 joins_in_the_middle; /* streams of which the beginning was not read */
} FaspSourcesStats;

/* @ios: settings of each source, @n of them; the members `news' and `claim' are filled in here.
 * Sources with the same name call different addresses of it. */
FaspSources *fasp_sources_new (const FaspSourcesSettings *settings, const FaspIoSettings *ios,
    guint n, GError **error);
/* Closes all sources at once, which takes as long as the slowest: fasp_io_close(). */
void fasp_sources_close (FaspSources *sources);
/* Closes the sources first, if they are open. */
void fasp_sources_free (FaspSources *sources);

guint fasp_sources_count (const FaspSources *sources);
FaspIo *fasp_sources_get (const FaspSources *sources, guint i);

/* As fasp_io_read().  FASP_IO_ENDED: no source is connected any more; the event is that of the last
 * one, and final if none can come again; it is reported once.  FASP_IO_FAILED: none has come, and
 * none will. All blocks have session 0, whatever their source. */
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
/* Does not set is_connected, which the endpoint of the source knows.  The name lives as long as
 * @sources. */
void fasp_sources_get_source_change (FaspSources *sources, FaspTime now, guint i,
    FaspSourceChangeStats *stats);

G_END_DECLS
