/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tsitems.h: the lists of which the sections of tables consist, and the numbers that name tables,
 * PIDs and descriptors (ISO/IEC 13818-1, tables 2-3 and 2-31; ETSI EN 300 468, tables 1, 2 and 12).
 */
#pragma once

#include "tssection.h"

G_BEGIN_DECLS

#define TS_LONG_HEADER 8 /* bytes of a section up to its last_section_number */
#define TS_PMT_HEADER 12 /* up to its program_info_length */
#define TS_SDT_HEADER 11
#define TS_SECTION_CRC 4 /* bytes at the end of a section */
#define TS_CURRENT 0x01  /* in byte 5: current_next_indicator */
#define TS_PID_MASK 0x1fff
#define TS_LENGTH_MASK 0xfff

enum
{
  TS_PID_PAT = 0,
  TS_PID_CAT = 1,
  TS_PID_NIT = 0x10,
  TS_PID_SDT = 0x11,
  TS_PID_EIT = 0x12,
  TS_PID_TOT = 0x14
};

enum
{
  TS_TABLE_PAT = 0,
  TS_TABLE_CAT = 1,
  TS_TABLE_PMT = 2,
  TS_TABLE_SDT = 0x42,
  TS_TABLE_TOT = 0x73
};

/* Descriptors: of a stream's codec, scrambling and language, and of a service's name. */
enum
{
  TS_DESCRIPTOR_REGISTRATION = 0x05,
  TS_DESCRIPTOR_CA = 0x09,
  TS_DESCRIPTOR_LANGUAGE = 0x0a,
  TS_DESCRIPTOR_SERVICE = 0x48
};

/* Headers of the items that lists consist of: the last byte or bytes are the size of the body. */
enum
{
  TS_DESCRIPTOR_HEADER = 2,
  TS_ENTRY_HEADER = 5 /* of a stream in a PMT, of a service in an SDT */
};

/* Bytes that are left. */
typedef struct
{
  const guint8 *data;
  guint size;
} TsItems;

/* Of a PAT. */
typedef struct
{
  guint16 number; /* program_number; 0: the PID is that of the network's table */
  guint16 pmt_pid;
} TsPatEntry;

/* Is it a whole section of a table, with the right CRC, that is in force? */
gboolean ts_section_is_good (const TsSection *section);
/* Is it the stream_type of a codec of pictures? */
gboolean ts_is_video (guint8 type);

/* Takes an item from the front.  NULL: there is no whole one. */
const guint8 *ts_items_take (TsItems *left, guint header, TsItems *body);
/* The same with an entry of a PAT.  FALSE: there is no whole one. */
gboolean ts_items_take_programme (TsItems *left, TsPatEntry *entry);
/* Counts a section of a PAT in *next, which is its caller's.  TRUE: all sections came in order, and
 * this is the last one; only such a PAT tells that something is gone. */
gboolean ts_pat_is_whole (const guint8 *section, guint *next);
/* Of a PMT whose header is whole: the PID of its PCRs, and the byte at which its streams begin. */
guint16 ts_pmt_get_pcr_pid (const guint8 *pmt);
guint ts_pmt_get_streams (const guint8 *pmt);
/* Returns the bytes of a section of @size bytes from byte @from to its CRC. */
TsItems ts_items_of (const guint8 *section, guint size, guint from);

G_END_DECLS
