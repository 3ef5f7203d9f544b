/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tsselection.h: which packets of a transport stream pass a filter (tsfilter.h), by its tables, and
 * the tables that are written for what is left.
 *
 * A PID passes while tables name it: its users are counted, so that a table that changes takes back
 * what it let pass.
 */
#pragma once

#include "tswriter.h"

G_BEGIN_DECLS

#define TS_SELECTION_FOLLOWED 64 /* programmes whose PMTs are read */
/* Packets of tables that may be written before packets came in for them: two for each PMT. */
#define TS_SELECTION_AHEAD (2 * TS_SELECTION_FOLLOWED)

/* A programme of the PAT that is chosen, or may have a chosen PID. */
typedef struct
{
  guint16 number, pmt_pid;
  gboolean chosen;
  gboolean present; /* the PAT names it */
  gboolean left;    /* it is in the PAT that is written, if it is present */
  guint round;      /* of the PAT that named it last */
  TsSection section;
  guint size;                  /* of its PMT; 0: it has none yet */
  guint8 pmt[TS_SECTION_KEPT]; /* as it came last */
  TsVersion version;
} TsSelected;

typedef struct
{
  guint16 users; /* tables by which it passes */
  guint8 pmts;   /* programmes that have their PMT there */
  guint8 next;   /* continuity_counter of the next packet that is written */
  gboolean chosen;
} TsSelectionPid;

typedef struct
{
  gboolean by_pid; /* PIDs are chosen */
  gboolean known;  /* a whole PAT came */
  guint16 stream_id, nit_pid;
  guint round, next; /* of PATs; of its sections, the one that comes next */
  guint nit_round;   /* of the PAT that named the PID of the NIT last */
  guint allowed;     /* packets of tables that may be written now, up to TS_SELECTION_AHEAD */
  guint changes;     /* differs for what is chosen, and by the changes of what PMTs leave */
  TsSection pat, cat, sdt;
  TsVersion pat_version;
  guint cat_size; /* 0: none came */
  guint8 cat_kept[TS_SECTION_KEPT];
  guint n;
  TsSelected *list[TS_SELECTION_FOLLOWED];
  TsSelectionPid pids[TS_PIDS];
  GByteArray *out; /* where tables are written; the caller's */
} TsSelection;

void ts_selection_init (TsSelection *selection);
void ts_selection_clear (TsSelection *selection);
void ts_selection_choose_programme (TsSelection *selection, guint16 number);
void ts_selection_choose_pid (TsSelection *selection, guint16 pid);
/* Another stream begins: what passes does so until its tables say what is there. */
void ts_selection_begin (TsSelection *selection);
/* Returns where the sections of a PID are put together; NULL: it has none that are read. */
TsSection *ts_selection_find (TsSelection *selection, guint16 pid);
/* A section of PID @pid is whole. */
void ts_selection_take (TsSelection *selection, guint16 pid, const TsSection *section);
/* A packet of the stream came, so that one of a table may be written. */
void ts_selection_allow (TsSelection *selection);
/* Lets a packet pass as it came, if its PID does: not those of tables that are written anew. */
gboolean ts_selection_pass (TsSelection *selection, const TsPacket *packet, const guint8 *data);
/* Writes a packet without payload, which may have a PCR, of a PID whose tables are written. */
void ts_selection_write_clock (TsSelection *selection, guint16 pid, const guint8 *packet);

G_END_DECLS
