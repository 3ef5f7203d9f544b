/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reader.h: what faspsrc reads, by a script.  Link with --wrap=fasp_io_read and
 * --wrap=fasp_io_set_flushing.
 */
#pragma once

#include "faspio.h"

G_BEGIN_DECLS

/* A block that is read, or what a read ends with. */
typedef struct
{
  const gchar *bytes;
  guint8 origin;                /* of the stream */
  guint8 flags;                 /* FASP_BLOCK_... */
  FaspIoResult result;          /* FASP_IO_OK: a block */
  guint32 session;              /* 0: of one whose offsets nobody knows */
  FaspReason reason;            /* that the session has gone for; without a block */
  gboolean final;               /* and does it not come again? */
} ReaderStep;

typedef struct
{
  const ReaderStep *steps;
  guint max;                    /* blocks in a read */
  void (*has_read) (void);      /* called with the lock held; may be NULL */
  GMutex lock;                  /* guards what follows */
  GCond changed;
  guint done, let;              /* steps that were read, and that may be */
  guint dry;                    /* steps after which a read has waited for more */
  gboolean flushing;
} Reader;

/* The one of this program; a test may guard more by its lock. */
extern Reader reader;

/* None of @steps may be read yet. */
void reader_begin (const ReaderStep * steps, guint max);
/* The first @n steps may be. */
void reader_let (guint n);

G_END_DECLS
