/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tspids.h: what is known of each PID of a transport stream.
 *
 * There are TS_PIDS_MAX entries, for the PIDs that tables name.  Another PID gets one only while
 * fewer than TS_PIDS_SEEN are taken, and loses it TS_PID_KEPT after its last packet: so half of
 * the entries are left for the PIDs of tables.
 */
#pragma once

#include "tspcr.h"
#include "tssection.h"

G_BEGIN_DECLS

#define TS_PIDS_MAX 255
#define TS_PIDS_SEEN 128
#define TS_PID_KEPT (10 * TS_SECOND) /* ns that an unnamed PID may stay away */

/* What the PMT says that a PID carries. */
typedef enum
{
  TS_ROLE_UNNAMED, /* no PMT names it */
  TS_ROLE_OTHER,   /* data, subtitles: it may pause for long */
  TS_ROLE_VIDEO,
  TS_ROLE_AUDIO,
} TsRole;

typedef struct
{
  guint16 pid;
  guint16 programme; /* whose PMT named it last; if it has a role */
  guint8 type;       /* the stream_type; if it has a role */
  TsRole role;
  guint64 packets;  /* in this second so far */
  guint64 bit_rate; /* in the last second, bit/s of packets of 188 bytes */
  gint64 seen;      /* when its last packet came; TS_NEVER: none did */
  gint64 filled;    /* the same of those with bytes of payload */
  TsRepeat presence, pts;
  TsSection *section; /* if it carries tables */
  TsPcr *pcr;         /* if a PMT names it as a programme's PCR_PID */
} TsPid;

typedef struct
{
  guint n;
  TsPid list[TS_PIDS_MAX];
  guint8 slots[TS_PIDS];    /* the entry of each PID, counted from 1; 0: it has none */
  guint8 counters[TS_PIDS]; /* of ts_packet_check_counter */
} TsPids;

/* Forgets all. */
void ts_pids_clear (TsPids *pids);
/* Returns the entry, or NULL. */
TsPid *ts_pids_find (TsPids *pids, guint16 pid);
/* Returns the entry of a PID, and makes one if there is room.  @named: a table names it. */
TsPid *ts_pids_need (TsPids *pids, guint16 pid, gboolean named);
/* A table of this programme gives the PID a role, or takes it away (TS_ROLE_UNNAMED). */
void ts_pid_set_role (TsPid *entry, TsRole role, gint64 now);
/* Does it carry tables, and the clock of a programme? */
void ts_pid_set_tables (TsPid *entry, gboolean tables);
void ts_pid_set_clock (TsPid *entry, gboolean clock, gint64 now);
/* A second has passed, of @elapsed ns. */
void ts_pids_end_second (TsPids *pids, gint64 now, gint64 elapsed);

G_END_DECLS
