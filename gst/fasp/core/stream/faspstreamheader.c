/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspbytes.h"
#include "faspstreamheader.h"
#include "faspposition.h"

/* Least time between headers for receivers that joined: it limits the cost of one that joins again
 * and again. */
#define WANTED_APART FASP_SEC
/* Least time between headers while no receiver is known to lack one: a header may be lost where
 * lost blocks are not retransmitted, and relays need it. */
#define AGAIN (10 * FASP_SEC)
/* Headers that no receiver is known to lack take at most 1 / SHARE of the stream. */
#define SHARE 100
/* Bytes of a mark on the wire beside the header's. */
#define OVERHEAD 64

/* A header takes at most 1 / BUFFER_SHARE of the memory for the stream. */
#define BUFFER_SHARE 4

gsize
fasp_stream_header_get_most (guint64 buffer_size)
{
  return MIN (FASP_STREAM_HEADER_MAX, buffer_size / BUFFER_SHARE);
}

/* --- at the sender ------------------------------------------------------------ */

void
fasp_stream_header_set (FaspStreamHeader *header, FaspTime now, GBytes *bytes)
{
  if (bytes != NULL)
    g_bytes_ref (bytes);
  fasp_stream_header_clear (header);
  header->bytes = bytes;
  fasp_stream_header_renew (header, now);
}

void
fasp_stream_header_renew (FaspStreamHeader *header, FaspTime now)
{
  header->wanted = header->bytes != NULL;
  header->may = header->key_due = now;
}

void
fasp_stream_header_clear (FaspStreamHeader *header)
{
  g_clear_pointer (&header->bytes, g_bytes_unref);
}

void
fasp_stream_header_want (FaspStreamHeader *header)
{
  header->wanted = header->bytes != NULL;
}

gboolean
fasp_stream_header_is_due (const FaspStreamHeader *header, FaspTime now, gboolean kept)
{
  if (header->bytes == NULL)
    return FALSE;
  if (header->wanted)
    return now >= header->may;
  return header->passed >= SHARE * (g_bytes_get_size (header->bytes) + OVERHEAD)
      && (kept || now >= header->due);
}

void
fasp_stream_header_was_written (FaspStreamHeader *header, FaspTime now, guint64 end)
{
  header->wanted = FALSE;
  header->passed = 0;
  header->end = end;
  header->may = now + WANTED_APART;
  header->due = now + AGAIN;
}

/* --- in marks ---------------------------------------------------------------- */

guint
fasp_stream_header_count_parts (gsize size, guint32 room)
{
  guint32 part = room - FASP_STREAM_HEADER_PART;

  return MAX (1, (size + part - 1) / part);
}

guint32
fasp_stream_header_write_part (guint8 *mark, guint32 room, const guint8 *bytes, gsize size,
    guint index)
{
  gsize from = (gsize) index * (room - FASP_STREAM_HEADER_PART);
  FaspWriter w = { mark, room };

  fasp_write_uint (&w, FASP_MARK_HEADER, 1);
  fasp_write_uint (&w, index, 2);
  fasp_write_uint (&w, fasp_stream_header_count_parts (size, room), 2);
  if (size > from)
    fasp_write_bytes (&w, bytes + from, MIN (size - from, room - FASP_STREAM_HEADER_PART));
  return w.used;
}

/* --- at the receiver ---------------------------------------------------------- */

void
fasp_stream_header_parts_clear (FaspStreamHeaderParts *parts)
{
  g_clear_pointer (&parts->bytes, g_byte_array_unref);
}

static FaspBlock *
make_block (const FaspStreamHeaderParts *parts, const FaspBlock *last)
{
  FaspBlock *block = fasp_block_new (parts->bytes->len);

  block->flags = FASP_BLOCK_HEADER;
  block->number = last->number;
  block->offset = FASP_OFFSET_UNKNOWN;
  block->media_time = last->media_time;
  block->arrival = last->arrival;
  block->size = parts->bytes->len;
  if (block->size > 0)
    memcpy (block->data, parts->bytes->data, block->size);
  return block;
}

FaspBlock *
fasp_stream_header_parts_take (FaspStreamHeaderParts *parts, const FaspBlock *mark)
{
  FaspReader r = { mark->data, mark->size };
  guint kind = fasp_read_uint (&r, 1);
  guint index = fasp_read_uint (&r, 2), count = fasp_read_uint (&r, 2);
  FaspBlock *block = NULL;

  /* if a part is missing, drops the rest */
  if (r.failed || kind != FASP_MARK_HEADER
      || (index > 0
          && (parts->bytes == NULL || index != parts->next || count != parts->count
              || (mark->flags & FASP_BLOCK_DISCONT)))
      || (index > 0 ? parts->bytes->len : 0) + r.left > FASP_STREAM_HEADER_MAX || index >= count) {
    fasp_stream_header_parts_clear (parts);
    return NULL;
  }
  if (index == 0) {
    fasp_stream_header_parts_clear (parts);
    parts->bytes = g_byte_array_new ();
    parts->count = count;
  }
  g_byte_array_append (parts->bytes, r.data, r.left);
  parts->next = index + 1;
  if (parts->next == count) {
    block = make_block (parts, mark);
    fasp_stream_header_parts_clear (parts);
  }
  return block;
}
