/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tswriter.h: writes a section of a table anew (ISO/IEC 13818-1, 2.4.4): its version_number, length
 * and CRC, and the packets that carry it.
 *
 * The version_number of a table rises when its content changes, and only then: a decoder reads a
 * table whose version it has had no more.  Which versions the content came with does not matter, so
 * one TsVersion serves a table that is taken from several streams in turn.
 */
#pragma once

#include "tsitems.h"

G_BEGIN_DECLS

#define TS_PAT_ENTRIES 253   /* that a section of TS_SECTION_KEPT bytes has room for */
#define TS_SECTION_PACKETS 6 /* that carry a section of TS_SECTION_KEPT bytes */

/* The version_number that a table was written with last.  A table that was not written before keeps
 * the version that it has.  One that is made here has none: its first version is a hash of its
 * content, so that a writer that begins anew, as after a change of its settings, hardly writes
 * other content with the version that decoders have had. */
typedef struct
{
  gboolean made; /* set by the user */
  gboolean written;
  guint8 version;
  guint32 content; /* CRC of the section without its version */
} TsVersion;

/* Writes a PAT of one section, to be sealed.  Returns its size.  @n: up to TS_PAT_ENTRIES. */
guint ts_pat_write (guint8 section[TS_SECTION_KEPT], guint16 stream_id, const TsPatEntry *entries,
    guint n);
/* Gives a section of @size bytes, the last TS_SECTION_CRC of them for the CRC, its length, version
 * and CRC. */
void ts_section_seal (guint8 *section, guint size, TsVersion *version);
/* Adds to the version of a section, before it is sealed. */
void ts_section_raise (guint8 *section, guint by);
/* Writes the packets of a sealed section.  *counter: continuity_counter of the next packet of the
 * PID.  Returns how many packets there are. */
guint ts_section_write (const guint8 *section, guint size, guint16 pid, guint8 *counter,
    guint8 packets[TS_SECTION_PACKETS][TS_PACKET]);

G_END_DECLS
