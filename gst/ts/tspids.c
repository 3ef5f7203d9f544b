/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tspids.h"

static void
release (TsPid *entry)
{
  g_clear_pointer (&entry->section, g_free);
  g_clear_pointer (&entry->pcr, g_free);
}

void
ts_pids_clear (TsPids *pids)
{
  for (guint i = 0; i < pids->n; i++)
    release (&pids->list[i]);
  memset (pids, 0, sizeof *pids);
}

TsPid *
ts_pids_find (TsPids *pids, guint16 pid)
{
  guint slot = pids->slots[pid];

  return slot > 0 ? &pids->list[slot - 1] : NULL;
}

TsPid *
ts_pids_need (TsPids *pids, guint16 pid, gboolean named)
{
  TsPid *entry = ts_pids_find (pids, pid);

  if (entry != NULL || pids->n >= (named ? TS_PIDS_MAX : TS_PIDS_SEEN))
    return entry;
  entry = &pids->list[pids->n++];
  *entry = (TsPid) { .pid = pid, .seen = TS_NEVER, .filled = TS_NEVER };
  ts_repeat_forget (&entry->presence);
  ts_repeat_forget (&entry->pts);
  pids->slots[pid] = pids->n;
  return entry;
}

/* The last entry takes its place. */
static void
remove_entry (TsPids *pids, TsPid *entry)
{
  release (entry);
  pids->slots[entry->pid] = 0;
  pids->n--;
  if (entry == &pids->list[pids->n])
    return;
  *entry = pids->list[pids->n];
  pids->slots[entry->pid] = entry - pids->list + 1;
}

void
ts_pid_set_role (TsPid *entry, TsRole role, gint64 now)
{
  entry->role = role;
  if (role == TS_ROLE_VIDEO || role == TS_ROLE_AUDIO) {
    ts_repeat_await (&entry->presence, now);
  } else {
    ts_repeat_forget (&entry->presence);
    ts_repeat_forget (&entry->pts);
  }
}

void
ts_pid_set_tables (TsPid *entry, gboolean tables)
{
  if (!tables)
    g_clear_pointer (&entry->section, g_free);
  else if (entry->section == NULL)
    entry->section = g_new0 (TsSection, 1);
}

void
ts_pid_set_clock (TsPid *entry, gboolean clock, gint64 now)
{
  if (!clock)
    g_clear_pointer (&entry->pcr, g_free);
  else if (entry->pcr == NULL)
    entry->pcr = ts_pcr_new (now);
}

void
ts_pids_end_second (TsPids *pids, gint64 now, gint64 elapsed)
{
  /* backwards, as the last entry takes the place of one that goes */
  for (guint i = pids->n; i-- > 0;) {
    TsPid *entry = &pids->list[i];

    entry->bit_rate = entry->packets * TS_PACKET * 8 * TS_SECOND / elapsed;
    entry->packets = 0;
    if (entry->pcr != NULL)
      ts_pcr_end_second (entry->pcr);
    if (entry->role == TS_ROLE_UNNAMED && entry->section == NULL && entry->pcr == NULL
        && now - entry->seen > TS_PID_KEPT)
      remove_entry (pids, entry);
  }
}
