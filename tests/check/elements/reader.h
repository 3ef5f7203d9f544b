/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reader.h: what faspsrc reads, by a script.  Link with --wrap=fasp_io_read and
 * --wrap=fasp_io_set_flushing.
 */
#pragma once

#include "faspio.h"

G_BEGIN_DECLS

/* What one read gives: a block, or that the session has gone. */
typedef struct
{
  const gchar *bytes;
  guint8 origin;       /* of the stream */
  guint8 flags;        /* FASP_BLOCK_... */
  FaspIoResult result; /* FASP_IO_OK: a block */
  guint32 session;     /* 0: the block has no offset */
  FaspReason reason;   /* why the session has gone */
  gboolean final;      /* it has gone for good */
} ReaderStep;

typedef struct
{
  const ReaderStep *steps;
  guint max;               /* blocks that one read gives at most */
  void (*has_read) (void); /* called behind each read, with the lock held; may be NULL */
  GMutex lock;             /* guards what follows */
  GCond changed;
  guint done, let; /* steps that were read, and that may be */
  guint dry;       /* steps after which a read has waited for more */
  gboolean flushing;
} Reader;

/* The one of this program; a test may guard more by its lock. */
extern Reader reader;

/* None of @steps may be read yet. */
void reader_begin (const ReaderStep *steps, guint max);
/* The first @n steps may be. */
void reader_let (guint n);

G_END_DECLS
