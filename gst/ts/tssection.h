/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tssection.h: puts the sections of tables together (ISO/IEC 13818-1, 2.4.4) from the packets of a
 * PID, and computes their CRC.
 *
 * A section is known from its first byte only where a packet says that one begins.  The memory is
 * the same for any input; of a section that is longer than TS_SECTION_KEPT, the beginning is kept.
 */
#pragma once

#include "tspacket.h"

G_BEGIN_DECLS

#define TS_SECTION_MAX 4096  /* bytes of the longest section, which is an EIT's or private */
#define TS_SECTION_KEPT 1024 /* bytes of the longest section of a PAT, CAT, PMT or SDT */

typedef struct
{
  gboolean open; /* the next byte belongs to a section, or begins one */
  guint have;    /* bytes of the section so far */
  guint size;    /* of the whole section, once its header has come; else 0 */
  guint32 crc;   /* of the bytes so far; 0 at the end of a good section */
  guint8 data[TS_SECTION_KEPT];
} TsSection;

/* Takes the payload of a packet, from byte *done of it on; 0 at first.  TRUE: a section is whole;
 * call it again for more. */
gboolean ts_section_take (TsSection *section, const TsPacket *packet, const guint8 *data,
    gsize *done);
/* A packet is missing: what follows begins with the next section. */
void ts_section_drop (TsSection *section);

/* The CRC-32 of sections (ISO/IEC 13818-1, annex A); 0xffffffff before the first byte. */
guint32 ts_section_add_crc (guint32 crc, const guint8 *data, gsize size);

/* Two bytes in network order. */
static inline guint
ts_get_16 (const guint8 *data)
{
  return data[0] << 8 | data[1];
}

G_END_DECLS
