/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsourcechanges.h"

void
fasp_source_changes_init (FaspSourceChanges *self)
{
  self->leader = FASP_SOURCES_MAX;
  self->lead = (FaspSourceChange) { .since = FASP_NEVER, .reason = "" };
  for (guint i = 0; i < FASP_SOURCES_MAX; i++)
    self->sources[i] = self->lead;
}

static void
renew (FaspSourceChange *change, FaspTime now, const gchar *reason)
{
  change->since = now;
  change->reason = reason;
  change->changes++;
}

void
fasp_source_changes_note (FaspSourceChanges *self, FaspTime now, const FaspMergeEvent *event)
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
get_age (const FaspSourceChange *change, FaspTime now)
{
  return change->since == FASP_NEVER ? FASP_NEVER : MAX (now - change->since, 0);
}

void
fasp_source_changes_get_lead (const FaspSourceChanges *self, FaspTime now, FaspLeadStats *stats)
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
fasp_source_changes_get_source (const FaspSourceChanges *self, FaspTime now, guint i,
    FaspSourceChangeStats *stats)
{
  const FaspSourceChange *change = &self->sources[i];

  stats->changes = change->changes;
  stats->age = get_age (change, now);
  stats->reason = change->reason;
}
