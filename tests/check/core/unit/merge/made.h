/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * made.h: a merge whose sources bring what a test makes up.
 *
 * The stream has a block of MADE_SIZE bytes every MADE_GAP.  Its media time is 0 when now is
 * MADE_START.
 */
#pragma once

#include "faspmerge.h"

G_BEGIN_DECLS

#define MADE_SIZE 1024
#define MADE_GAP (10 * FASP_MSEC)
#define MADE_START (100 * FASP_SEC)
#define MADE_LATENCY (400 * FASP_MSEC)
#define MADE_RTT (50 * FASP_MSEC)

typedef struct
{
  FaspMerge *merge;
  FaspTime now;
  guint n;
  FaspSourceState states[FASP_SOURCES_MAX];
  FaspTime delays[FASP_SOURCES_MAX]; /* µs from the time of writing to that of arrival */
  FaspTime turns[FASP_SOURCES_MAX];  /* added to media times */
  guint8 forges[FASP_SOURCES_MAX];   /* added to each byte */
  guint8 flags[FASP_SOURCES_MAX];    /* of blocks */
  guint8 origins[FASP_SOURCES_MAX];  /* first byte of the origin */
  guint64 begins[FASP_SOURCES_MAX];  /* by that: the byte of the stream at which it counts 0 */
  /* of what was taken */
  guint64 next;                 /* the byte that comes next */
  gboolean wrong, eos;          /* a byte was not the stream's; the end came */
  guint discontinuities, lacks; /* blocks with that flag */
  guint enters;                 /* headers that are needed in the stream */
  guint begun;                  /* blocks that began a stream */
  guint64 missing;              /* bytes */
  guint from[FASP_SOURCES_MAX]; /* blocks that came from each */
  FaspTime media;               /* media time of the last */
  FaspTime delay;               /* from media time to play time, less the latency, of the last */
  guint events[FASP_MERGE_DIFFERS + 1][FASP_SOURCES_MAX];
} Made;

Made *made_new (FaspRedundancy redundancy, guint n);
void made_free (Made *m);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Made, made_free)
/* All sources are there, and were heard just now. */
void made_decide (Made *m);
/* Source @i brings @size bytes at @offset, now; FALSE: it still holds what it brought before. */
gboolean made_bring (Made *m, guint i, guint64 offset, guint32 size);
/* And block @k of the stream. */
gboolean made_bring_block (Made *m, guint i, guint64 k);
/* It brings a block without bytes of the stream: FASP_BLOCK_EOS or _HEADER. */
gboolean made_bring_mark (Made *m, guint i, guint8 flags);
/* Takes what can be taken, and notes it.  Returns the number of blocks. */
guint made_take (Made *m);
/* Time passes until source @i has block @k; it is brought. */
void made_arrive (Made *m, guint i, guint64 k);
/* Sources @first and @second bring blocks [from, to), each at its time; all is taken. */
void made_run (Made *m, guint first, guint second, guint64 from, guint64 to);
gboolean made_is_trusted (const Made *m, guint i);

G_END_DECLS
