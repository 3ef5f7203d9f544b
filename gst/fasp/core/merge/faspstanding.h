/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstanding.h: which of several sources leads, since when, and why; and what has become of the
 * others.
 *
 * What a merge tells (FaspMergeEvent) is put in here, and kept for the statistics.  It decides
 * nothing.  Times are µs on the caller's clock.
 */
#pragma once

#include "faspmerge.h"

G_BEGIN_DECLS

/* The last event of a source, or of the lead. */
typedef struct
{
  FaspTime since;      /* FASP_NEVER: nothing yet */
  const gchar *reason; /* static */
  guint64 changes;
} FaspStanding;

typedef struct
{
  guint leader; /* FASP_SOURCES_MAX: none yet */
  FaspStanding lead;
  FaspStanding sources[FASP_SOURCES_MAX];
} FaspStandings;

void fasp_standings_init (FaspStandings *standings);
void fasp_standings_note (FaspStandings *standings, FaspTime now, const FaspMergeEvent *event);
void fasp_standings_get_lead (const FaspStandings *standings, FaspTime now, FaspLeadStats *stats);
/* Does not fill in the source's name, nor whether it is connected, which the merge does not
 * know. */
void fasp_standings_get_source (const FaspStandings *standings, FaspTime now, guint i,
    FaspStandingStats *stats);

G_END_DECLS
