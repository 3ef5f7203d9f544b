/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "fasplog.h"

typedef struct
{
  FaspLogEntry *entries; /* NULL: stopped */
  guint size;
  guint64 first, next;     /* entries [first, next) are here */
  guint64 lost, lost_told; /* entries overwritten; those of them that the log has mentioned */
} Ring;

struct _FaspLog
{
  Ring *ring;      /* the endpoint's */
  guint32 session; /* 0: this log is the endpoint's, and owns the ring */
  guint states;    /* FaspLogState, a bit each */
};

FaspLog *
fasp_log_new (guint size)
{
  FaspLog *log = g_new0 (FaspLog, 1);

  log->ring = g_new0 (Ring, 1);
  log->ring->size = size;
  log->ring->entries = g_new (FaspLogEntry, size);
  return log;
}

FaspLog *
fasp_log_new_session (FaspLog *log, guint32 session)
{
  FaspLog *part;

  if (log == NULL)
    return NULL;
  part = g_new0 (FaspLog, 1);
  part->ring = log->ring;
  part->session = session;
  return part;
}

void
fasp_log_free (FaspLog *log)
{
  if (log == NULL)
    return;
  if (log->session == 0) {
    g_free (log->ring->entries);
    g_free (log->ring);
  }
  g_free (log);
}

void
fasp_log_stop (FaspLog *log)
{
  g_clear_pointer (&log->ring->entries, g_free);
  log->ring->first = log->ring->next = 0;
}

static void
set_value (FaspLogEntry *entry, guint i, FaspLogType type, gint64 value)
{
  entry->values[i] = value;
  if (type == FASP_LOG_ADDRESS && value != 0)
    entry->address = *(const FaspAddress *) (gintptr) value;
  else if (type == FASP_LOG_TEXT && value != 0)
    g_strlcpy (entry->text, (const gchar *) (gintptr) value, sizeof entry->text);
}

void
fasp_log_add (FaspLog *log, FaspTime now, FaspLogEvent event, const gint64 *values, guint n)
{
  const FaspLogKind *kind = fasp_log_get_kind (event);
  Ring *ring = log->ring;
  FaspLogEntry *entry;

  if (ring->entries == NULL)
    return;
  if (ring->next - ring->first == ring->size) {
    ring->first++;
    ring->lost++;
  }
  entry = &ring->entries[ring->next++ % ring->size];
  entry->time = now;
  entry->session = log->session;
  entry->event = event;
  entry->address.len = 0;
  entry->text[0] = '\0';
  for (guint i = 0; i < n; i++) {
    /* as many values as the event has fields */
    g_assert (kind->fields[i].type != FASP_LOG_END);
    set_value (entry, i, kind->fields[i].type, values[i]);
  }
  g_assert (kind->fields[n].type == FASP_LOG_END);
}

gboolean
fasp_log_turns (FaspLog *log, FaspLogState state, gboolean on)
{
  if (log == NULL || ((log->states & state) != 0) == on)
    return FALSE;
  log->states ^= state;
  return TRUE;
}

/* Makes the event for entries that were overwritten since the last one.  Returns 1 if there are
 * any, else 0. */
static guint
tell_lost (Ring *ring, FaspLogEntry *entry)
{
  if (ring->lost == ring->lost_told || ring->first == ring->next)
    return 0;
  memset (entry, 0, sizeof *entry);
  entry->time = ring->entries[ring->first % ring->size].time;
  entry->event = FASP_LOG_LOG_EVENTS_LOST;
  entry->values[0] = ring->lost - ring->lost_told;
  ring->lost_told = ring->lost;
  return 1;
}

guint
fasp_log_fetch (FaspLog *log, FaspLogEntry *entries, guint max, guint64 *lost)
{
  Ring *ring = log->ring;
  guint n = 0;

  if (max > 0)
    n = tell_lost (ring, entries);
  while (n < max && ring->first < ring->next)
    entries[n++] = ring->entries[ring->first++ % ring->size];
  if (lost != NULL)
    *lost = ring->lost;
  return n;
}
