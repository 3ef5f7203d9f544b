/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tsmaker.h: makes a transport stream of constant rate, in virtual time, for tests: one programme
 * with video, audio, tables and null packets, without an error.  A test changes packets on their
 * way.
 */
#pragma once

#include "tsmonitor.h"

G_BEGIN_DECLS

#define MAKER_RATE 5000000 /* bit/s */
#define MAKER_PMT 0x20
#define MAKER_VIDEO 0x100
#define MAKER_AUDIO 0x101
#define MAKER_PROGRAMME 7

typedef struct _Maker Maker;

struct _Maker
{
  gint64 begin, now; /* ns; now: of the packet being made */
  guint64 slots;     /* packets so far, those dropped, too */
  guint8 counters[TS_PIDS];
  gint64 due[8]; /* ns from the beginning; when each of its packets is due */
  gint64 shift;  /* of the PCR, 27 MHz */
  gboolean announce;
  guint size;         /* of packets */
  guint piece;        /* pushes no more bytes than this at once; 0: a packet */
  TsMonitor *monitor; /* NULL: it is not pushed */
  GByteArray *bytes;  /* the stream is added to this, too; NULL: it is not */
  /* changes a packet; FALSE: it is not sent */
  gboolean (*change) (Maker *maker, guint8 *packet);
};

static inline guint
maker_get_pid (const guint8 *packet)
{
  return ts_get_16 (packet + 1) & 0x1fff;
}

static inline gboolean
maker_is_pcr (const guint8 *packet)
{
  return (packet[3] & 0x20) != 0;
}

static inline gboolean
maker_has_pes (const guint8 *packet)
{
  return (packet[1] & 0x40) != 0 && !maker_is_pcr (packet);
}

void maker_init (Maker *maker, TsMonitor *monitor);
void maker_run (Maker *maker, gint64 duration);
/* Writes a section into @packet, and its CRC. */
void maker_put_section (guint8 *packet, guint pid, const guint8 *section, guint size);
/* Sends @packet in place of the next one. */
void maker_push (Maker *maker, const guint8 *packet);

G_END_DECLS
