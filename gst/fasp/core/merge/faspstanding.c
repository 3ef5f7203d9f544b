/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspstanding.h"

void
fasp_standings_init (FaspStandings *self)
{
  self->leader = FASP_SOURCES_MAX;
  self->lead = (FaspStanding) { .since = FASP_NEVER, .reason = "" };
  for (guint i = 0; i < FASP_SOURCES_MAX; i++)
    self->sources[i] = self->lead;
}

static void
renew (FaspStanding *standing, FaspTime now, const gchar *reason)
{
  standing->since = now;
  standing->reason = reason;
  standing->changes++;
}

void
fasp_standings_note (FaspStandings *self, FaspTime now, const FaspMergeEvent *event)
{
  renew (&self->sources[event->source], now, event->why);
  if (event->type != FASP_MERGE_LEADS)
    return;
  renew (&self->lead, now, event->why);
  if (self->leader != FASP_SOURCES_MAX && self->leader != event->source)
    renew (&self->sources[self->leader], now, event->why);
  self->leader = event->source;
}

static FaspTime
get_age (const FaspStanding *standing, FaspTime now)
{
  return standing->since == FASP_NEVER ? FASP_NEVER : MAX (now - standing->since, 0);
}

void
fasp_standings_get_lead (const FaspStandings *self, FaspTime now, FaspLeadStats *stats)
{
  *stats = (FaspLeadStats) {
    .number = self->leader,
    .leads = get_age (&self->lead, now),
    .reason = self->lead.reason,
    /* the first leader does not count as a change */
    .changes = self->lead.changes - (self->lead.changes > 0),
  };
}

void
fasp_standings_get_source (const FaspStandings *self, FaspTime now, guint i,
    FaspStandingStats *stats)
{
  const FaspStanding *standing = &self->sources[i];

  stats->changes = standing->changes;
  stats->standing = get_age (standing, now);
  stats->reason = standing->reason;
}
