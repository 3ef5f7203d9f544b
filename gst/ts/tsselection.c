/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tsselection.h"

#define FIRST_PID 0x10 /* a PMT can name PIDs from here on */

static gboolean
can_be_named (guint16 pid)
{
  return pid >= FIRST_PID && pid != TS_NULL_PID;
}

/* Adds @change to the users of a PID that a table names. */
static void
use (TsSelection *self, guint16 pid, gint change)
{
  if (can_be_named (pid))
    self->pids[pid].users += change;
}

/* The same of the PIDs of ECMs and EMMs. */
static void
use_scrambling (TsSelection *self, TsItems descriptors, gint change)
{
  const guint8 *item;
  TsItems body;

  while (!self->by_pid
      && (item = ts_items_take (&descriptors, TS_DESCRIPTOR_HEADER, &body)) != NULL)
    if (item[0] == TS_DESCRIPTOR_CA && body.size >= 4)
      use (self, ts_get_16 (body.data + 2) & TS_PID_MASK, change);
}

static gboolean
is_wanted (const TsSelection *self, guint16 pid)
{
  return self->pids[pid].chosen || (!self->by_pid && can_be_named (pid));
}

static void
write_section (TsSelection *self, guint8 *section, guint size, guint16 pid, TsVersion *version)
{
  guint8 packets[TS_SECTION_PACKETS][TS_PACKET];
  guint n;

  if (self->allowed < TS_SECTION_PACKETS)
    return;
  ts_section_seal (section, size, version);
  n = ts_section_write (section, size, pid, &self->pids[pid].next, packets);
  self->allowed -= n;
  g_byte_array_append (self->out, packets[0], n * TS_PACKET);
}

/* --- PMT ------------------------------------------------------------ */

/* Is it a whole PMT, all lists of which end where they say?  *has_chosen: its own PID, or one of
 * its streams, is chosen. */
static gboolean
fits_together (const TsSelection *self, guint16 pid, const TsSection *section, gboolean *has_chosen)
{
  const guint8 *pmt = section->data, *item;
  TsItems streams, body;

  *has_chosen = self->pids[pid].chosen;
  if (pmt[0] != TS_TABLE_PMT || pmt[7] != 0 || section->size < TS_PMT_HEADER + TS_SECTION_CRC
      || ts_pmt_get_streams (pmt) > section->size - TS_SECTION_CRC)
    return FALSE;
  streams = ts_items_of (pmt, section->size, ts_pmt_get_streams (pmt));
  while ((item = ts_items_take (&streams, TS_ENTRY_HEADER, &body)) != NULL)
    *has_chosen |= self->pids[ts_get_16 (item + 1) & TS_PID_MASK].chosen;
  return streams.size == 0;
}

/* Lets what the programme's PMT names pass, or, with a @change of -1, not any more. */
static void
use_programme (TsSelection *self, const TsSelected *programme, gint change)
{
  const guint8 *pmt = programme->pmt, *item;
  TsItems streams, body;

  if (programme->size == 0 || !programme->left)
    return;
  streams = ts_items_of (pmt, programme->size, ts_pmt_get_streams (pmt));
  use (self, ts_pmt_get_pcr_pid (pmt), change);
  use_scrambling (self, (TsItems) { pmt + TS_PMT_HEADER, ts_pmt_get_streams (pmt) - TS_PMT_HEADER },
      change);
  while ((item = ts_items_take (&streams, TS_ENTRY_HEADER, &body)) != NULL) {
    if (is_wanted (self, ts_get_16 (item + 1) & TS_PID_MASK))
      use (self, ts_get_16 (item + 1) & TS_PID_MASK, change);
    use_scrambling (self, body, change);
  }
}

static void
write_pmt (TsSelection *self, TsSelected *programme)
{
  guint size = ts_pmt_get_streams (programme->pmt);
  TsItems streams = ts_items_of (programme->pmt, programme->size, size), body;
  guint8 section[TS_SECTION_KEPT];
  const guint8 *item;

  memcpy (section, programme->pmt, size);
  while ((item = ts_items_take (&streams, TS_ENTRY_HEADER, &body)) != NULL)
    if (is_wanted (self, ts_get_16 (item + 1) & TS_PID_MASK)) {
      memcpy (section + size, item, TS_ENTRY_HEADER + body.size);
      size += TS_ENTRY_HEADER + body.size;
    }
  write_section (self, section, size + TS_SECTION_CRC, programme->pmt_pid, &programme->version);
}

static TsSelected *
find_programme (TsSelection *self, guint16 number)
{
  for (guint i = 0; i < self->n; i++)
    if (self->list[i]->number == number)
      return self->list[i];
  return NULL;
}

static void
set_left (TsSelection *self, TsSelected *programme, gboolean left)
{
  self->changes += programme->left != left;
  programme->left = left;
}

static void
take_pmt (TsSelection *self, guint16 pid, const TsSection *section)
{
  TsSelected *programme = find_programme (self, ts_get_16 (section->data + 3));
  gboolean has_chosen;

  if (programme == NULL || !programme->present || programme->pmt_pid != pid
      || !fits_together (self, pid, section, &has_chosen))
    return;
  if (programme->size != section->size
      || memcmp (programme->pmt, section->data, section->size) != 0) {
    use_programme (self, programme, -1);
    memcpy (programme->pmt, section->data, section->size);
    programme->size = section->size;
    set_left (self, programme, programme->chosen || has_chosen);
    use_programme (self, programme, 1);
  }
  if (programme->left)
    write_pmt (self, programme);
}

/* --- PAT ------------------------------------------------------------ */

static void
remove_programme (TsSelection *self, TsSelected *programme)
{
  use_programme (self, programme, -1);
  self->pids[programme->pmt_pid].pmts--;
  programme->present = FALSE;
  programme->size = 0;
}

/* Returns a programme that is not in the list yet; NULL: there is no room. */
static TsSelected *
add_programme (TsSelection *self, guint16 number)
{
  TsSelected *programme = NULL;

  for (guint i = 0; i < self->n && self->n == TS_SELECTION_FOLLOWED; i++)
    if (!self->list[i]->present)
      programme = self->list[i];
  if (programme == NULL && self->n < TS_SELECTION_FOLLOWED)
    programme = self->list[self->n++] = g_new0 (TsSelected, 1);
  if (programme == NULL)
    return NULL;
  set_left (self, programme, FALSE);
  *programme = (TsSelected) { .number = number, .version.made = TRUE };
  return programme;
}

static gboolean
chooses_programmes (const TsSelection *self)
{
  return self->n > 0 && self->list[0]->chosen;
}

static void
take_programme (TsSelection *self, guint16 number, guint16 pmt_pid)
{
  TsSelected *programme = find_programme (self, number);

  if (!can_be_named (pmt_pid))
    return;
  if (programme == NULL && !chooses_programmes (self))
    programme = add_programme (self, number);
  if (programme == NULL)
    return;
  programme->round = self->round;
  if (programme->present && programme->pmt_pid == pmt_pid)
    return;
  if (programme->present)
    self->pids[programme->pmt_pid].pmts--;
  self->pids[pmt_pid].pmts++;
  programme->present = TRUE;
  programme->pmt_pid = pmt_pid;
  ts_section_drop (&programme->section);
}

static void
take_network (TsSelection *self, guint16 pid)
{
  if (!self->by_pid) {
    use (self, self->nit_pid, -1);
    use (self, pid, 1);
  }
  self->nit_pid = pid;
  self->nit_round = self->round;
}

/* Until the PMTs of all programmes came, it is not known which of them have a chosen PID. */
static gboolean
awaits_pmts (const TsSelection *self)
{
  for (guint i = 0; i < self->n; i++)
    if (!self->list[i]->chosen && self->list[i]->present && self->list[i]->size == 0)
      return TRUE;
  return !self->known;
}

static void
write_pat (TsSelection *self)
{
  TsPatEntry entries[TS_SELECTION_FOLLOWED + 1];
  guint8 section[TS_SECTION_KEPT];
  guint n = 0, programmes = 0;

  if (can_be_named (self->nit_pid) && is_wanted (self, self->nit_pid))
    entries[n++] = (TsPatEntry) { 0, self->nit_pid };
  for (guint i = 0; i < self->n; i++)
    if (self->list[i]->present && self->list[i]->left) {
      entries[n++] = (TsPatEntry) { self->list[i]->number, self->list[i]->pmt_pid };
      programmes++;
    }
  if (programmes == 0 && awaits_pmts (self))
    return;
  write_section (self, section, ts_pat_write (section, self->stream_id, entries, n), TS_PID_PAT,
      &self->pat_version);
}

/* The PAT is whole. */
static void
end_round (TsSelection *self)
{
  self->known = TRUE;
  if (self->nit_round != self->round)
    take_network (self, TS_NULL_PID);
  for (guint i = 0; i < self->n; i++)
    if (self->list[i]->present && self->list[i]->round != self->round)
      remove_programme (self, self->list[i]);
}

static void
take_pat (TsSelection *self, const TsSection *section)
{
  TsItems left = ts_items_of (section->data, section->size, TS_LONG_HEADER);
  guint number = section->data[6], last = section->data[7];
  TsPatEntry entry;

  if (section->data[0] != TS_TABLE_PAT || number > last)
    return;
  if (number == 0) {
    self->round++;
    self->stream_id = ts_get_16 (section->data + 3);
  }
  while (ts_items_take_programme (&left, &entry))
    if (entry.number == 0)
      take_network (self, entry.pmt_pid);
    else
      take_programme (self, entry.number, entry.pmt_pid);
  if (ts_pat_is_whole (section->data, &self->next))
    end_round (self);
  if (number == last)
    write_pat (self);
}

/* --- CAT, SDT -------------------------------------------------------- */

static void
take_cat (TsSelection *self, const TsSection *section)
{
  if (section->data[0] != TS_TABLE_CAT || section->data[6] != 0)
    return;
  if (self->cat_size > 0)
    use_scrambling (self, ts_items_of (self->cat_kept, self->cat_size, TS_LONG_HEADER), -1);
  self->cat_size = section->size;
  memcpy (self->cat_kept, section->data, section->size);
  use_scrambling (self, ts_items_of (self->cat_kept, self->cat_size, TS_LONG_HEADER), 1);
}

/* Writes the section with the services that are left.  Its number fits, and its version rises with
 * that of the stream, and when other services are left. */
static void
take_sdt (TsSelection *self, const TsSection *section)
{
  TsItems services = ts_items_of (section->data, section->size, TS_SDT_HEADER), body;
  guint8 kept[TS_SECTION_KEPT];
  TsVersion as_it_came = { FALSE };
  guint size = TS_SDT_HEADER;
  const guint8 *item;

  if (section->data[0] != TS_TABLE_SDT || section->size < TS_SDT_HEADER + TS_SECTION_CRC)
    return;
  memcpy (kept, section->data, size);
  ts_section_raise (kept, self->changes);
  while ((item = ts_items_take (&services, TS_ENTRY_HEADER, &body)) != NULL) {
    const TsSelected *programme = find_programme (self, ts_get_16 (item));

    if (programme == NULL || !programme->left)
      continue;
    memcpy (kept + size, item, TS_ENTRY_HEADER + body.size);
    size += TS_ENTRY_HEADER + body.size;
  }
  write_section (self, kept, size + TS_SECTION_CRC, TS_PID_SDT, &as_it_came);
}

void
ts_selection_allow (TsSelection *self)
{
  self->allowed = MIN (self->allowed + 1, TS_SELECTION_AHEAD);
}

TsSection *
ts_selection_find (TsSelection *self, guint16 pid)
{
  if (pid == TS_PID_PAT)
    return &self->pat;
  if (pid == TS_PID_CAT)
    return &self->cat;
  if (pid == TS_PID_SDT)
    return is_wanted (self, pid) ? &self->sdt : NULL;
  /* programmes that share a PID share the section of the first one */
  for (guint i = 0; i < self->n && self->pids[pid].pmts > 0; i++)
    if (self->list[i]->present && self->list[i]->pmt_pid == pid)
      return &self->list[i]->section;
  return NULL;
}

void
ts_selection_take (TsSelection *self, guint16 pid, const TsSection *section)
{
  if (!ts_section_is_good (section))
    return;
  if (pid == TS_PID_PAT)
    take_pat (self, section);
  else if (pid == TS_PID_CAT)
    take_cat (self, section);
  else if (pid == TS_PID_SDT)
    take_sdt (self, section);
  else
    take_pmt (self, pid, section);
}

gboolean
ts_selection_pass (TsSelection *self, const TsPacket *packet, const guint8 *data)
{
  TsSelectionPid *one = &self->pids[packet->pid];

  if (packet->pid == TS_PID_PAT || packet->pid == TS_PID_SDT || one->pmts > 0
      || (!one->chosen && one->users == 0))
    return FALSE;
  one->next = packet->counter + 1; /* a PMT may be written there from now on */
  g_byte_array_append (self->out, data, TS_PACKET);
  return TRUE;
}

void
ts_selection_write_clock (TsSelection *self, guint16 pid, const guint8 *packet)
{
  guint8 copy[TS_PACKET];

  if (self->pids[pid].users == 0)
    return;
  memcpy (copy, packet, TS_PACKET);
  copy[3] = (copy[3] & 0xf0) | ((self->pids[pid].next - 1) & 0x0f);
  g_byte_array_append (self->out, copy, TS_PACKET);
}

void
ts_selection_init (TsSelection *self)
{
  static const guint16 tables[] = { TS_PID_CAT, TS_PID_NIT, TS_PID_EIT, TS_PID_TOT };

  memset (self, 0, sizeof *self);
  self->nit_pid = TS_NULL_PID;
  self->allowed = TS_SELECTION_AHEAD;
  self->pat_version.made = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    self->pids[tables[i]].users = 1;
}

void
ts_selection_clear (TsSelection *self)
{
  for (guint i = 0; i < self->n; i++)
    g_free (self->list[i]);
}

void
ts_selection_begin (TsSelection *self)
{
  self->known = FALSE;
  ts_section_drop (&self->pat);
  ts_section_drop (&self->cat);
  ts_section_drop (&self->sdt);
  for (guint i = 0; i < self->n; i++)
    ts_section_drop (&self->list[i]->section);
}

void
ts_selection_choose_programme (TsSelection *self, guint16 number)
{
  TsSelected *programme = find_programme (self, number);

  if (programme == NULL && (programme = add_programme (self, number)) != NULL)
    programme->chosen = programme->left = TRUE;
  self->changes = self->changes * 31 + number;
}

void
ts_selection_choose_pid (TsSelection *self, guint16 pid)
{
  /* tables pass only if they are chosen, too */
  for (guint i = 0; i < TS_PIDS && !self->by_pid; i++)
    self->pids[i].users = 0;
  self->by_pid = TRUE;
  self->pids[pid].chosen = TRUE;
  self->changes = self->changes * 31 + pid;
}
