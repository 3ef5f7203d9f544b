/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tssync.h: where the packets of an MPEG transport stream begin, and how long they are.
 *
 * There are packets of four sizes, each with a sync byte in front of the 187 bytes behind it:
 *
 *   - 188 bytes (ISO/IEC 13818-1),
 *   - 192 bytes: a time code of 4 bytes precedes the sync byte (M2TS, of Blu-ray discs
 *     and camcorders),
 *   - 204 and 208 bytes: 16 or 20 bytes for error correction follow (DVB, ATSC).
 *
 * The size is found when some sync bytes in a row were seen at its distance. The work for each byte
 * and the memory are bounded for any input.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define TS_SYNC 0x47
#define TS_PACKET 188 /* bytes from a sync byte on that belong to the packet, whatever its size */

#define TS_SYNC_SIZES 4
#define TS_SYNC_SIZE_MAX 208

typedef struct
{
  guint given;  /* the size, as the caps say; 0: they do not */
  guint wanted; /* sync bytes in a row that are taken for packets */
  guint size;   /* the size that was found; 0: none (yet) */
  /* while none is found: */
  guint32 scanned; /* bytes looked at; wraps */
  /* for each size and remainder of `scanned': */
  guint32 last[TS_SYNC_SIZES][TS_SYNC_SIZE_MAX]; /* where the last sync byte was */
  guint8 run[TS_SYNC_SIZES][TS_SYNC_SIZE_MAX];   /* number of sync bytes in a row */
} TsSync;

/* The packet whose bytes come. */
typedef struct
{
  guint phase; /* bytes of it so far */
  guint8 packet[TS_PACKET];
} TsPart;

/* @given: the size of packets, if it is known, or 0; @wanted: sync bytes in a row that are taken
 * for packets. */
void ts_sync_init (TsSync *sync, guint given, guint wanted);
/* Looks for packets in @data from *done on. TRUE: a packet's sync byte is at *done, and sync->size
 * is the packets' size. FALSE: there is none up to @size. */
gboolean ts_sync_find (TsSync *sync, const guint8 *data, gsize size, gsize *done);
/* Takes bytes of a packet of sync->size, which begin it if part->phase is 0.  Returns how many, one
 * at least.  *packet: its TS_PACKET bytes, valid as long as @data is, when the last of these came;
 * else NULL. */
gsize ts_sync_take (const TsSync *sync, TsPart *part, const guint8 *data, gsize size,
    const guint8 **packet);
/* There was no sync byte where one should have been. */
void ts_sync_lose (TsSync *sync);

/* Is @size one of the four sizes of packets? */
gboolean ts_sync_is_size (guint size);
/* Returns the number of bytes in front of the sync byte of a packet of @size bytes. */
guint ts_sync_get_front (guint size);
/* Returns the size of packets if @data may begin with packets: the places of their sync bytes hold
 * sync bytes, *n of them, and no other byte. 0: it does not. */
guint ts_sync_fit (const guint8 *data, gsize size, guint *n);

G_END_DECLS
