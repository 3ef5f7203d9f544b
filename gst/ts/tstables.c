/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tsitems.h"
#include "tstables.h"

static const guint16 fixed[] = { TS_PID_PAT, TS_PID_CAT, TS_PID_NIT, TS_PID_SDT, TS_PID_EIT,
  TS_PID_TOT };

void
ts_tables_init (TsTables *tables, TsPids *pids)
{
  memset (tables, 0, sizeof *tables);
  ts_repeat_forget (&tables->pat);
  ts_repeat_forget (&tables->cat);
  tables->scrambled = tables->settled = tables->counted = TS_NEVER;
  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    ts_pid_set_tables (ts_pids_need (pids, fixed[i], TRUE), TRUE);
}

/* Is it a table whose CRC TR 101 290 (2.2) looks at? */
static gboolean
has_crc (guint8 table)
{
  return table <= TS_TABLE_PMT || table == 0x40 || table == 0x41 || table == TS_TABLE_SDT
      || table == 0x46 || table == 0x4a || (table >= 0x4e && table <= 0x6f)
      || table == TS_TABLE_TOT;
}

static TsProgramme *
find_programme (TsTables *tables, guint16 number)
{
  for (guint i = 0; i < tables->n; i++)
    if (tables->list[i].number == number)
      return &tables->list[i];
  return NULL;
}

/* May one more section be read now? */
static gboolean
admit (TsTables *tables, gint64 now)
{
  if (tables->counted == TS_NEVER || now - tables->counted >= TS_TABLES_EACH) {
    tables->counted = now;
    tables->read = 0;
  }
  if (tables->read == TS_SECTIONS_MAX) {
    tables->refused++;
    return FALSE;
  }
  tables->read++;
  return TRUE;
}

static gboolean
is_pmt_pid (const TsTables *tables, guint16 pid)
{
  for (guint i = 0; i < tables->n; i++)
    if (tables->list[i].pmt_pid == pid)
      return TRUE;
  return FALSE;
}

/* --- PAT ------------------------------------------------------------ */

/* Makes the PIDs of PMTs and PCRs those that the programmes name, if these have changed.  All PIDs
 * are looked at: a storm of tables must not make that often. */
static void
settle (TsTables *tables, TsPids *pids, gint64 now)
{
  gboolean is_table[TS_PIDS_MAX] = { 0 }, is_clock[TS_PIDS_MAX] = { 0 };
  TsPid *entry;

  if (!tables->changed || (tables->settled != TS_NEVER && now - tables->settled < TS_TABLES_EACH))
    return;
  tables->changed = FALSE;
  tables->settled = now;
  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    is_table[ts_pids_find (pids, fixed[i]) - pids->list] = TRUE;
  for (guint i = 0; i < tables->n; i++) {
    if ((entry = ts_pids_need (pids, tables->list[i].pmt_pid, TRUE)) != NULL) {
      is_table[entry - pids->list] = TRUE;
      ts_repeat_await (&tables->list[i].pmt, now);
    } else {
      ts_repeat_forget (&tables->list[i].pmt); /* it could not be seen */
    }
    if (tables->list[i].pcr_pid != TS_NULL_PID
        && (entry = ts_pids_need (pids, tables->list[i].pcr_pid, TRUE)) != NULL)
      is_clock[entry - pids->list] = TRUE;
  }
  for (guint i = 0; i < pids->n; i++) {
    ts_pid_set_tables (&pids->list[i], is_table[i]);
    ts_pid_set_clock (&pids->list[i], is_clock[i], now);
  }
}

/* FALSE: there is no room for it. */
static gboolean
take_programme (TsTables *tables, guint16 number, guint16 pmt_pid, gint64 now)
{
  TsProgramme *programme = find_programme (tables, number);

  if (programme == NULL && tables->n == TS_PROGRAMMES_MAX)
    return FALSE;
  if (programme == NULL) {
    programme = &tables->list[tables->n++];
    *programme = (TsProgramme) { .number = number, .pcr_pid = TS_NULL_PID, .pmt.since = now };
    tables->changed = TRUE;
  }
  tables->changed |= programme->pmt_pid != pmt_pid;
  programme->pmt_pid = pmt_pid;
  programme->round = tables->round;
  return TRUE;
}

/* Takes the roles of a programme's PIDs away. */
static void
unname (TsPids *pids, guint16 number, const gboolean keep[TS_PIDS_MAX], gint64 now)
{
  for (guint i = 0; i < pids->n; i++)
    if (pids->list[i].role != TS_ROLE_UNNAMED && pids->list[i].programme == number
        && (keep == NULL || !keep[i]))
      ts_pid_set_role (&pids->list[i], TS_ROLE_UNNAMED, now);
}

static void
remove_others (TsTables *tables, TsPids *pids, gint64 now)
{
  for (guint i = tables->n; i-- > 0;)
    if (tables->list[i].round != tables->round) {
      unname (pids, tables->list[i].number, NULL, now);
      tables->changed = TRUE;
      tables->list[i] = tables->list[--tables->n];
    }
}

static void
take_pat (TsTables *tables, TsPids *pids, TsErrors *errors, const TsSection *section)
{
  TsItems left = ts_items_of (section->data, section->size, TS_LONG_HEADER);
  gboolean room = TRUE;
  TsPatEntry entry;

  ts_repeat_arrive (&tables->pat, errors, TS_ERROR_PAT, TS_TABLE_LIMIT);
  if (!admit (tables, errors->now))
    return;
  tables->round += section->data[6] == 0;
  while (ts_items_take_programme (&left, &entry))
    if (entry.number != 0)
      room &= take_programme (tables, entry.number, entry.pmt_pid, errors->now);
  tables->refused += !room;
  if (ts_pat_is_whole (section->data, &tables->next))
    remove_others (tables, pids, errors->now);
  settle (tables, pids, errors->now);
}

/* --- PMT ------------------------------------------------------------ */

static gboolean
is_audio (guint8 type)
{
  static const guint8 types[] = { 0x03, 0x04, 0x0f, 0x11, 0x1c, 0x2d, 0x2e, 0x81, 0x87 };

  return memchr (types, type, sizeof types) != NULL;
}

/* Is it the format_identifier of sound, of those that SMPTE has registered? */
static gboolean
is_registered_audio (TsItems body)
{
  static const gchar ids[][5] = { "BSSD", "Opus", "AC-3", "EAC3", "DTS1", "DTS2", "DTS3" };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    if (body.size >= 4 && memcmp (body.data, ids[i], 4) == 0)
      return TRUE;
  return FALSE;
}

/* A stream of private type is audio if it has a descriptor of AC-3, E-AC-3, DTS or AAC, or is
 * registered as such; audio of another kind than the main one may pause (TR 101 290, 1.6). */
static TsRole
get_role (guint8 type, TsItems descriptors)
{
  static const guint8 codecs[] = { 0x6a, 0x7a, 0x7b, 0x7c };
  gboolean audio = is_audio (type);
  const guint8 *item;
  TsItems body;

  while ((item = ts_items_take (&descriptors, TS_DESCRIPTOR_HEADER, &body)) != NULL) {
    if (type == 0x06 && memchr (codecs, item[0], sizeof codecs) != NULL)
      audio = TRUE;
    if (type == 0x06 && item[0] == TS_DESCRIPTOR_REGISTRATION && is_registered_audio (body))
      audio = TRUE;
    if (item[0] == TS_DESCRIPTOR_LANGUAGE && body.size >= 4 && body.data[3] > 0)
      return TS_ROLE_OTHER;
  }
  return ts_is_video (type) ? TS_ROLE_VIDEO : audio ? TS_ROLE_AUDIO : TS_ROLE_OTHER;
}

static void
take_pmt (TsTables *tables, TsPids *pids, TsErrors *errors, guint16 pid, const TsSection *section)
{
  const guint8 *data = section->data, *item;
  TsProgramme *programme = find_programme (tables, ts_get_16 (data + 3));
  TsItems left, body;
  gboolean keep[TS_PIDS_MAX] = { 0 };
  guint16 pcr_pid;

  if (programme == NULL || programme->pmt_pid != pid
      || section->size < TS_PMT_HEADER + TS_SECTION_CRC)
    return;
  ts_repeat_arrive (&programme->pmt, errors, TS_ERROR_PMT, TS_TABLE_LIMIT);
  if (!admit (tables, errors->now))
    return;
  pcr_pid = ts_pmt_get_pcr_pid (data);
  if (programme->pcr_pid != pcr_pid) {
    programme->pcr_pid = pcr_pid;
    tables->changed = TRUE;
    settle (tables, pids, errors->now);
  }
  left = ts_items_of (data, section->size, ts_pmt_get_streams (data));
  while ((item = ts_items_take (&left, TS_ENTRY_HEADER, &body)) != NULL) {
    TsPid *entry = ts_pids_need (pids, ts_get_16 (item + 1) & TS_PID_MASK, TRUE);

    if (entry == NULL)
      continue;
    entry->programme = programme->number;
    entry->type = item[0];
    ts_pid_set_role (entry, get_role (item[0], body), errors->now);
    keep[entry - pids->list] = TRUE;
  }
  unname (pids, programme->number, keep, errors->now);
}

/* --- SDT ------------------------------------------------------------ */

static void
take_name (TsProgramme *programme, TsItems service)
{
  /* type, length and text of the provider, then of the service */
  guint at = service.size >= 2 ? 2 + service.data[1] : 0, size;

  if (at == 0 || at >= service.size)
    return;
  size = service.data[at++];
  if (size > service.size - at
      || (size == programme->name_size && memcmp (programme->name, service.data + at, size) == 0))
    return;
  programme->name_size = size;
  memcpy (programme->name, service.data + at, size);
  programme->renamed = TRUE;
}

void
ts_tables_end_second (TsTables *tables)
{
  for (guint i = 0; i < tables->n; i++) {
    TsProgramme *programme = &tables->list[i];

    if (programme->renamed)
      ts_text_read (programme->text, programme->name, programme->name_size);
    programme->renamed = FALSE;
  }
}

static void
take_sdt (TsTables *tables, const TsSection *section)
{
  TsItems left = ts_items_of (section->data, section->size, TS_SDT_HEADER), descriptors, body;
  const guint8 *item;

  while ((item = ts_items_take (&left, TS_ENTRY_HEADER, &descriptors)) != NULL) {
    TsProgramme *programme = find_programme (tables, ts_get_16 (item));

    while (programme != NULL
        && (item = ts_items_take (&descriptors, TS_DESCRIPTOR_HEADER, &body)) != NULL)
      if (item[0] == TS_DESCRIPTOR_SERVICE)
        take_name (programme, body);
  }
}

/* --- all ------------------------------------------------------------ */

void
ts_tables_take (TsTables *tables, TsPids *pids, TsErrors *errors, guint16 pid,
    const TsSection *section)
{
  guint8 table = section->data[0];
  gboolean good = section->crc == 0;

  if (has_crc (table))
    ts_errors_judge (errors, TS_ERROR_CRC, good);
  if (pid == TS_PID_PAT && table != TS_TABLE_PAT)
    ts_errors_judge (errors, TS_ERROR_PAT, FALSE);
  if (pid == TS_PID_CAT && table != TS_TABLE_CAT)
    ts_errors_judge (errors, TS_ERROR_CAT, FALSE);
  if (!ts_section_is_good (section))
    return;
  if (pid == TS_PID_PAT && table == TS_TABLE_PAT)
    take_pat (tables, pids, errors, section);
  else if (pid == TS_PID_CAT && table == TS_TABLE_CAT)
    ts_repeat_arrive (&tables->cat, errors, TS_ERROR_CAT, TS_CAT_LIMIT);
  else if (pid == TS_PID_SDT && table == TS_TABLE_SDT && admit (tables, errors->now))
    take_sdt (tables, section);
  else if (table == TS_TABLE_PMT)
    take_pmt (tables, pids, errors, pid, section);
}

/* Forgets the CAT once packets are not scrambled any more. */
static void
end_scrambled (TsTables *tables, gint64 now)
{
  if (tables->scrambled == TS_NEVER || now - tables->scrambled > TS_CAT_LIMIT)
    ts_repeat_forget (&tables->cat);
}

void
ts_tables_take_scrambled (TsTables *tables, TsErrors *errors, guint16 pid)
{
  end_scrambled (tables, errors->now);
  tables->scrambled = errors->now;
  ts_repeat_await (&tables->cat, errors->now);
  if (pid == TS_PID_PAT)
    ts_errors_judge (errors, TS_ERROR_PAT, FALSE);
  else if (is_pmt_pid (tables, pid))
    ts_errors_judge (errors, TS_ERROR_PMT, FALSE);
}

void
ts_tables_check (TsTables *tables, TsPids *pids, TsErrors *errors)
{
  settle (tables, pids, errors->now);
  ts_repeat_await (&tables->pat, errors->now);
  ts_repeat_check (&tables->pat, errors, TS_ERROR_PAT, TS_TABLE_LIMIT);
  for (guint i = 0; i < tables->n; i++)
    ts_repeat_check (&tables->list[i].pmt, errors, TS_ERROR_PMT, TS_TABLE_LIMIT);
  end_scrambled (tables, errors->now);
  /* a CAT is missing where packets are scrambled, not in the time after them */
  if (errors->now - tables->scrambled <= TS_ERROR_HOLD)
    ts_repeat_check (&tables->cat, errors, TS_ERROR_CAT, TS_CAT_LIMIT);
  if (tables->cat.since == TS_NEVER)
    ts_errors_judge (errors, TS_ERROR_CAT, TRUE);
}
