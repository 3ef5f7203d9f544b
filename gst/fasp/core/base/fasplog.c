/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "fasplog.h"
#include "fasplossyring.h"

typedef struct
{
  FaspLogEntry *entries; /* NULL: the log was stopped */
  FaspLossyRing ring;
  guint64 lost_logged; /* of the ring's lost entries, those that LOG_EVENTS_LOST has reported */
} Events;

struct _FaspLog
{
  Events *events;  /* the endpoint's */
  guint32 session; /* 0: this log is the endpoint's, and owns `events' */
  guint states;    /* FaspLogState, a bit each */
  gint64 kept[FASP_LOG_KEEPS];
};

FaspLog *
fasp_log_new (guint size)
{
  FaspLog *log = g_new0 (FaspLog, 1);

  log->events = g_new0 (Events, 1);
  log->events->ring.size = size;
  log->events->entries = g_new (FaspLogEntry, size);
  return log;
}

FaspLog *
fasp_log_new_session (FaspLog *log, guint32 session)
{
  FaspLog *part;

  if (log == NULL)
    return NULL;
  part = g_new0 (FaspLog, 1);
  part->events = log->events;
  part->session = session;
  return part;
}

void
fasp_log_free (FaspLog *log)
{
  if (log == NULL)
    return;
  if (log->session == 0) {
    g_free (log->events->entries);
    g_free (log->events);
  }
  g_free (log);
}

void
fasp_log_stop (FaspLog *log)
{
  g_clear_pointer (&log->events->entries, g_free);
  log->events->ring.first = log->events->ring.next = 0;
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
  Events *events = log->events;
  FaspLogEntry *entry;

  if (events->entries == NULL)
    return;
  entry = &events->entries[fasp_lossy_ring_push (&events->ring)];
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
fasp_log_changes (FaspLog *log, FaspLogState state, gboolean on)
{
  if (log == NULL || ((log->states & state) != 0) == on)
    return FALSE;
  log->states ^= state;
  return TRUE;
}

gint64 *
fasp_log_get_kept (FaspLog *log, FaspLogKept what)
{
  return &log->kept[what];
}

/* Makes LOG_EVENTS_LOST for the entries that were overwritten since the last such event.  Returns 1
 * if there are any, else 0. */
static guint
log_lost (Events *events, FaspLogEntry *entry)
{
  const FaspLossyRing *ring = &events->ring;

  if (ring->lost == events->lost_logged || fasp_lossy_ring_is_empty (ring))
    return 0;
  memset (entry, 0, sizeof *entry);
  entry->time = events->entries[fasp_lossy_ring_peek (ring)].time;
  entry->event = FASP_LOG_LOG_EVENTS_LOST;
  entry->values[0] = ring->lost - events->lost_logged;
  events->lost_logged = ring->lost;
  return 1;
}

guint
fasp_log_fetch (FaspLog *log, FaspLogEntry *entries, guint max, guint64 *lost)
{
  Events *events = log->events;
  guint n = 0;

  if (max > 0)
    n = log_lost (events, entries);
  while (n < max && !fasp_lossy_ring_is_empty (&events->ring))
    entries[n++] = events->entries[fasp_lossy_ring_pop (&events->ring)];
  if (lost != NULL)
    *lost = events->ring.lost;
  return n;
}
