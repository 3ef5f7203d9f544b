/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "reader.h"

Reader reader;

void
reader_begin (const ReaderStep *steps, guint max)
{
  g_mutex_lock (&reader.lock);
  reader.steps = steps;
  reader.max = max;
  reader.done = reader.let = reader.dry = 0;
  reader.flushing = FALSE;
  g_mutex_unlock (&reader.lock);
}

void
reader_let (guint n)
{
  g_mutex_lock (&reader.lock);
  reader.let = n;
  g_cond_broadcast (&reader.changed);
  g_mutex_unlock (&reader.lock);
}

static FaspBlock *
make_block (const ReaderStep *step)
{
  FaspBlock *block = fasp_block_new (strlen (step->bytes));

  block->flags = step->flags;
  block->size = strlen (step->bytes);
  memcpy (block->data, step->bytes, block->size);
  block->offset = step->session == 0 || step->flags & FASP_BLOCK_HEADER ? FASP_OFFSET_UNKNOWN :
                                                                          1000 * step->session;
  block->media_time = 1000 * reader.done;
  return block;
}

static void
make_item (const ReaderStep *step, FaspRead *item)
{
  memset (item, 0, sizeof *item);
  item->block = make_block (step);
  item->session = step->session;
  item->behind.known = TRUE;
  item->behind.origin.bytes[0] = step->origin;
  item->behind.offset = item->block->offset;
  if (item->block->offset != FASP_OFFSET_UNKNOWN)
    item->behind.offset += item->block->size;
}

FaspIoResult __wrap_fasp_io_read (FaspIo *io, FaspRead *items, guint max, guint *n,
    FaspEvent *event);
void __wrap_fasp_io_set_flushing (FaspIo *io, gboolean on);

FaspIoResult
__wrap_fasp_io_read (FaspIo *io, FaspRead *items, guint max, guint *n, FaspEvent *event)
{
  FaspIoResult result = FASP_IO_OK;

  *n = 0;
  g_mutex_lock (&reader.lock);
  while (reader.done == reader.let && !reader.flushing) {
    reader.dry = reader.done;
    g_cond_broadcast (&reader.changed);
    g_cond_wait (&reader.changed, &reader.lock);
  }
  if (reader.flushing)
    result = FASP_IO_FLUSHING;
  while (result == FASP_IO_OK && reader.done < reader.let && *n < MIN (max, reader.max)) {
    const ReaderStep *step = &reader.steps[reader.done];

    result = *n > 0 ? FASP_IO_OK : step->result;
    if (step->result != FASP_IO_OK) {
      *event = (FaspEvent) {
        .type = FASP_EVENT_REMOVED,
        .session = step->session,
        .reason = step->reason,
        .final = step->final,
      };
      reader.done += result != FASP_IO_OK;
      break;
    }
    make_item (step, &items[(*n)++]);
    reader.done++;
  }
  g_cond_broadcast (&reader.changed);
  if (reader.has_read != NULL)
    reader.has_read ();
  g_mutex_unlock (&reader.lock);
  return result;
}

void
__wrap_fasp_io_set_flushing (FaspIo *io, gboolean on)
{
  g_mutex_lock (&reader.lock);
  reader.flushing = on;
  g_cond_broadcast (&reader.changed);
  g_mutex_unlock (&reader.lock);
}
