/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tstables.h: the programmes of a transport stream: what its PAT, PMTs and SDT say, and what is
 * wrong with these tables.
 *
 * No more than TS_PROGRAMMES_MAX programmes are looked at, and in TS_TABLES_EACH, no more than
 * TS_SECTIONS_MAX sections are read; of a section of the PAT or a PMT that is too many, it counts
 * that it has come.  A table whose CRC is wrong counts as none.
 */
#pragma once

#include "tspids.h"
#include "tstext.h"

G_BEGIN_DECLS

#define TS_PROGRAMMES_MAX 64
#define TS_NAME_BYTES 252 /* the longest name in a service descriptor */

/* Two of each programme may come together.  To read one takes 10 us at most: 6 % of a core. */
#define TS_SECTIONS_MAX (2 * TS_PROGRAMMES_MAX)
#define TS_TABLES_EACH (20 * TS_MSECOND) /* ns; a fraction of what any table may take */

/* TR 101 290 (V1.4.1), 1.3.a and 1.5.a: a PAT, and a PMT of each programme, at least so often, ns.
 */
#define TS_TABLE_LIMIT (TS_SECOND / 2)
/* 2.6 gives no time in which a CAT has to come; ns. */
#define TS_CAT_LIMIT (5 * TS_SECOND)

typedef struct
{
  guint16 number;
  guint16 pmt_pid;
  guint16 pcr_pid; /* TS_NULL_PID: none, or not known yet */
  guint round;     /* that of the PAT that named it last */
  TsRepeat pmt;
  guint8 name_size;           /* bytes; 0: unknown */
  guint8 name[TS_NAME_BYTES]; /* as the SDT has it */
  gboolean renamed;           /* `text' is not this name yet */
  gchar text[TS_TEXT_MAX];    /* the name of the last second; "": unknown */
} TsProgramme;

typedef struct
{
  guint n;
  TsProgramme list[TS_PROGRAMMES_MAX];
  guint round;      /* one for each PAT from its first section on */
  guint next;       /* number of the PAT's section that comes next */
  guint read;       /* sections since `counted' */
  gint64 counted;   /* ns; TS_NEVER: none was read */
  guint64 refused;  /* sections: too many at a time, or of too many programmes */
  gint64 settled;   /* when the PIDs were last given what tables say; TS_NEVER: never */
  gboolean changed; /* the tables have changed since */
  TsRepeat pat;     /* awaited since the stream began */
  TsRepeat cat;     /* awaited while scrambled packets come within TS_CAT_LIMIT */
  gint64 scrambled; /* when the last scrambled packet came; TS_NEVER: none did */
} TsTables;

void ts_tables_init (TsTables *tables, TsPids *pids);
/* A section of PID @pid is whole. */
void ts_tables_take (TsTables *tables, TsPids *pids, TsErrors *errors, guint16 pid,
    const TsSection *section);
/* A packet is scrambled. */
void ts_tables_take_scrambled (TsTables *tables, TsErrors *errors, guint16 pid);
/* Time has passed. */
void ts_tables_check (TsTables *tables, TsPids *pids, TsErrors *errors);
/* A second has passed: makes the texts of the names that have changed.  For each SDT, this would
 * cost too much. */
void ts_tables_end_second (TsTables *tables);

G_END_DECLS
