/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspannounce.h"
#include "gstfaspjoiner.h"
#include "gstfaspoffset.h"

void
gst_fasp_announce_clear (GstFaspAnnounce *a)
{
  gst_clear_buffer (&a->header);
  *a = (GstFaspAnnounce) { .header = NULL };
}

static gboolean
is_new (const GstFaspAnnounce *a)
{
  return a->state == GST_FASP_HEADER_CAME || a->state == GST_FASP_HEADER_ENTERS;
}

static gboolean
is_same (GstBuffer *buffer, const FaspBlock *block)
{
  if (buffer == NULL || block->size == 0)
    return buffer == NULL && block->size == 0;
  return gst_buffer_get_size (buffer) == block->size
      && gst_buffer_memcmp (buffer, 0, block->data, block->size) == 0;
}

void
gst_fasp_announce_take_header (GstFaspAnnounce *a, const FaspRead *item)
{
  FaspBlock *block = item->block;
  gboolean same = is_same (a->header, block);

  a->from = item->session;
  a->knows_keys = block->size > 0;
  if (block->size > 0 && (gst_fasp_announce_is_entry (a) || (block->flags & FASP_BLOCK_ENTER)))
    a->state = GST_FASP_HEADER_ENTERS;
  else
    a->state = is_new (a) || !same ? GST_FASP_HEADER_CAME : GST_FASP_HEADER_SETTLED;
  if (!same)
    gst_clear_buffer (&a->header);
  if (a->header == NULL && block->size > 0)
    a->header = gst_fasp_joiner_wrap (block);
  else
    fasp_block_unref (block);
}

void
gst_fasp_announce_forget_header (GstFaspAnnounce *a, guint32 session)
{
  if (a->from == session)
    a->state = GST_FASP_HEADER_SETTLED;
}

/* Data of another session shows that the header's sender has gone, perhaps before the event does.
 * Then the header is dropped, unless both sessions carry the announced stream and the receiver does
 * not need the header as an entry. */
void
gst_fasp_announce_follow (GstFaspAnnounce *a, const FaspRead *item)
{
  if (item->session != a->from
      && (gst_fasp_announce_is_entry (a) || !gst_fasp_announce_is_of (a, &item->behind.origin)))
    a->state = GST_FASP_HEADER_SETTLED;
}

gboolean
gst_fasp_announce_begin (GstFaspAnnounce *a, const FaspStreamOffset *position)
{
  gboolean another = position->known && !gst_fasp_announce_is_of (a, &position->origin);

  if (another && !is_new (a)) {
    gst_clear_buffer (&a->header);
    a->knows_keys = FALSE;
  }
  if (another || (is_new (a) && position->known)) {
    a->origin = position->origin;
    a->announced = TRUE;
    return TRUE;
  }
  gst_fasp_announce_done (a);
  return FALSE;
}

void
gst_fasp_announce_done (GstFaspAnnounce *a)
{
  if (is_new (a))
    a->state = gst_fasp_announce_is_entry (a) ? GST_FASP_HEADER_ANNOUNCED : GST_FASP_HEADER_SETTLED;
}

void
gst_fasp_announce_failed (GstFaspAnnounce *a)
{
  a->announced = FALSE;
}

gboolean
gst_fasp_announce_is_entry (const GstFaspAnnounce *a)
{
  return a->state == GST_FASP_HEADER_ENTERS || a->state == GST_FASP_HEADER_ANNOUNCED;
}

GstBuffer *
gst_fasp_announce_enter (GstFaspAnnounce *a)
{
  GstBuffer *buffer = gst_buffer_copy (a->header);

  a->state = is_new (a) ? GST_FASP_HEADER_CAME : GST_FASP_HEADER_SETTLED;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_HEADER);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_fasp_offset_attach_header (buffer);
  return buffer;
}

gboolean
gst_fasp_announce_is_of (const GstFaspAnnounce *a, const FaspOrigin *origin)
{
  return a->announced && fasp_origin_equal (&a->origin, origin);
}

gboolean
gst_fasp_announce_is_delta (GstFaspAnnounce *a, gboolean key)
{
  a->knows_keys |= key;
  return a->knows_keys && !key;
}
