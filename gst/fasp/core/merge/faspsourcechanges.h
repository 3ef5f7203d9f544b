/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsourcechanges.h: which of several sources leads, and the last change of each: since when,
 * and why.
 *
 * Takes in the events of a merge (FaspMergeEvent), and keeps them for the statistics. Decides
 * nothing. Times are µs on the caller's clock.
 */
#pragma once

#include "faspmerge.h"

G_BEGIN_DECLS

/* The last event of a source, or of the lead. */
typedef struct
{
  FaspTime since;      /* when it came; FASP_NEVER: no event yet */
  const gchar *reason; /* static */
  guint64 changes;     /* number of events so far */
} FaspSourceChange;

typedef struct
{
  guint leader; /* FASP_SOURCES_MAX: none yet */
  FaspSourceChange lead;
  FaspSourceChange sources[FASP_SOURCES_MAX];
} FaspSourceChanges;

void fasp_source_changes_init (FaspSourceChanges *changes);
void fasp_source_changes_note (FaspSourceChanges *changes, FaspTime now,
    const FaspMergeEvent *event);
void fasp_source_changes_get_lead (const FaspSourceChanges *changes, FaspTime now,
    FaspLeadStats *stats);
/* Does not fill in the source's name, nor whether it is connected, which the merge does not
 * know. */
void fasp_source_changes_get_source (const FaspSourceChanges *changes, FaspTime now, guint i,
    FaspSourceChangeStats *stats);

G_END_DECLS
