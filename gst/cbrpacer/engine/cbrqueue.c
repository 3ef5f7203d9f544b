/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrqueue.h"

#define ROOM 64

void
cbr_queue_init (CbrQueue *queue)
{
  *queue = (CbrQueue) { gst_queue_array_new (ROOM),
    gst_queue_array_new_for_struct (sizeof (CbrMark), ROOM),
    g_array_new (FALSE, FALSE, sizeof (CbrQueuePiece)), G_QUEUE_INIT };
}

static void
forget (GstMiniObject *object, GQueue *kept)
{
  if (GST_IS_QUERY (object))
    return; /* it belongs to the caller */
  if (kept != NULL && GST_IS_EVENT (object) && GST_EVENT_IS_STICKY (object)
      && GST_EVENT_TYPE (object) != GST_EVENT_SEGMENT && GST_EVENT_TYPE (object) != GST_EVENT_EOS)
    g_queue_push_tail (kept, object);
  else
    gst_mini_object_unref (object);
}

void
cbr_queue_clear (CbrQueue *queue, GQueue *kept)
{
  GstMiniObject *object;

  while ((object = g_queue_pop_head (&queue->overtaken)) != NULL)
    forget (object, kept);
  while ((object = gst_queue_array_pop_head (queue->items)) != NULL)
    forget (object, kept);
  gst_queue_array_clear (queue->marks);
  queue->offset = queue->bytes = queue->buffers = 0;
  queue->dropped = FALSE;
}

void
cbr_queue_finalize (CbrQueue *queue)
{
  cbr_queue_clear (queue, NULL);
  gst_queue_array_free (queue->items);
  gst_queue_array_free (queue->marks);
  g_array_unref (queue->pieces);
}

void
cbr_queue_push (CbrQueue *queue, GstMiniObject *object)
{
  gst_queue_array_push_tail (queue->items, object);
}

void
cbr_queue_push_buffer (CbrQueue *queue, GstBuffer *buffer, CbrMark mark)
{
  queue->bytes += gst_buffer_get_size (buffer);
  queue->buffers++;
  gst_queue_array_push_tail (queue->items, buffer);
  gst_queue_array_push_tail_struct (queue->marks, &mark);
}

CbrMark
cbr_queue_get_mark (CbrQueue *queue)
{
  return *(CbrMark *) gst_queue_array_peek_head_struct (queue->marks);
}

void
cbr_queue_limit_marks (CbrQueue *queue, gint64 lag, gint64 now)
{
  for (guint i = 0; i < gst_queue_array_get_length (queue->marks); i++) {
    CbrMark *mark = gst_queue_array_peek_nth_struct (queue->marks, i);

    *mark = (CbrMark) { MIN (mark->lag, lag), now };
  }
}

/* The whole first buffer has left. */
static void
pop_buffer (CbrQueue *queue)
{
  gst_queue_array_pop_head_struct (queue->marks);
  queue->offset = 0;
  queue->buffers--;
}

/* Would @event replace @object among the sticky events of a pad? */
static gboolean
is_of_kind (GstMiniObject *object, GstEvent *event)
{
  if (!GST_IS_EVENT (object) || GST_EVENT_TYPE (object) != GST_EVENT_TYPE (event))
    return FALSE;
  return !(GST_EVENT_TYPE (event) & GST_EVENT_TYPE_STICKY_MULTI)
      || gst_event_has_name (GST_EVENT_CAST (object),
          gst_structure_get_name (gst_event_get_structure (event)));
}

void
cbr_queue_push_sticky (CbrQueue *queue, GstEvent *event)
{
  guint n = gst_queue_array_get_length (queue->items), at = n;
  gboolean found = FALSE;

  while (!found && at > 0) {
    GstMiniObject *object = gst_queue_array_peek_nth (queue->items, --at);

    if (GST_IS_BUFFER (object)
        || (GST_IS_EVENT (object) && GST_EVENT_TYPE (object) == GST_EVENT_EOS))
      break;
    found = is_of_kind (object, event);
  }
  if (!found) {
    cbr_queue_push (queue, GST_MINI_OBJECT_CAST (event));
    return;
  }
  /* goes once around the queue: all other items keep their places */
  for (guint i = 0; i < n; i++) {
    GstMiniObject *object = gst_queue_array_pop_head (queue->items);

    if (i == at) {
      gst_mini_object_unref (object);
      object = GST_MINI_OBJECT_CAST (event);
    }
    gst_queue_array_push_tail (queue->items, object);
  }
}

gboolean
cbr_queue_has_other (CbrQueue *queue)
{
  GstMiniObject *head;

  if (!g_queue_is_empty (&queue->overtaken))
    return TRUE;
  head = gst_queue_array_peek_head (queue->items);
  return head != NULL && !GST_IS_BUFFER (head);
}

gboolean
cbr_queue_is_empty (CbrQueue *queue)
{
  return g_queue_is_empty (&queue->overtaken) && gst_queue_array_is_empty (queue->items);
}

/* Does another stream or segment begin with this item? */
static gboolean
is_beginning (GstMiniObject *object)
{
  return GST_IS_EVENT (object)
      && (GST_EVENT_TYPE (object) == GST_EVENT_SEGMENT
          || GST_EVENT_TYPE (object) == GST_EVENT_STREAM_START);
}

gboolean
cbr_queue_has_segment (CbrQueue *queue)
{
  for (GList *l = queue->overtaken.head; l != NULL; l = l->next)
    if (is_beginning (l->data))
      return TRUE;
  for (guint i = 0; i < gst_queue_array_get_length (queue->items); i++)
    if (is_beginning (gst_queue_array_peek_nth (queue->items, i)))
      return TRUE;
  return FALSE;
}

GstMiniObject *
cbr_queue_pop_other (CbrQueue *queue)
{
  if (!cbr_queue_has_other (queue))
    return NULL;
  if (!g_queue_is_empty (&queue->overtaken))
    return g_queue_pop_head (&queue->overtaken);
  return gst_queue_array_pop_head (queue->items);
}

void
cbr_queue_remove (CbrQueue *queue, GstQuery *query)
{
  guint i = gst_queue_array_find (queue->items, NULL, query);

  if (i != (guint) -1)
    gst_queue_array_drop_element (queue->items, i);
  g_queue_remove (&queue->overtaken, query);
}

/* May a datagram extend across this item? */
static gboolean
is_soft (GstMiniObject *object)
{
  if (!GST_IS_EVENT (object))
    return FALSE;
  switch (GST_EVENT_TYPE (object)) {
    case GST_EVENT_TAG:
    case GST_EVENT_GAP:
    case GST_EVENT_TOC:
    case GST_EVENT_INSTANT_RATE_CHANGE:
    case GST_EVENT_SINK_MESSAGE:
    case GST_EVENT_CUSTOM_DOWNSTREAM:
    case GST_EVENT_CUSTOM_DOWNSTREAM_STICKY:
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
cbr_queue_is_break (GstMiniObject *object)
{
  return GST_IS_EVENT (object) && !is_soft (object);
}

gsize
cbr_queue_measure (CbrQueue *queue, gsize most, CbrBehind *behind)
{
  guint n = gst_queue_array_get_length (queue->items);
  gsize size = 0;

  *behind = CBR_BEHIND_NOTHING;
  for (guint i = 0; i < n && size < MAX (most, 1); i++) {
    GstMiniObject *object = gst_queue_array_peek_nth (queue->items, i);

    if (!GST_IS_BUFFER (object)) {
      if (is_soft (object))
        continue;
      *behind = GST_IS_QUERY (object) ? CBR_BEHIND_QUERY : CBR_BEHIND_BREAK;
      return size;
    }
    if (size > 0 && GST_BUFFER_IS_DISCONT (GST_BUFFER_CAST (object))) {
      *behind = CBR_BEHIND_BREAK;
      return size;
    }
    size += gst_buffer_get_size (GST_BUFFER_CAST (object));
    if (i == 0)
      size -= queue->offset;
  }
  return most > 0 ? MIN (size, most) : size;
}

gsize
cbr_queue_peek (CbrQueue *queue, guint payload, gboolean *whole)
{
  CbrBehind behind;
  gsize size = cbr_queue_measure (queue, payload, &behind);

  *whole = behind != CBR_BEHIND_NOTHING || (size > 0 && size >= payload);
  return size;
}

gboolean
cbr_queue_begins (CbrQueue *queue)
{
  GstMiniObject *head = gst_queue_array_peek_head (queue->items);

  return head != NULL && GST_IS_BUFFER (head) && queue->offset == 0
      && GST_BUFFER_IS_DISCONT (GST_BUFFER_CAST (head));
}

void
cbr_queue_leave_cursor (CbrCursor *cursor)
{
  if (cursor->memory != NULL)
    gst_memory_unmap (cursor->memory, &cursor->map);
  cursor->memory = NULL;
}

/* Maps the memory of @buffer that byte @at is in. FALSE: it cannot be mapped. */
static gboolean
map_cursor (CbrCursor *cursor, GstBuffer *buffer, gsize at)
{
  guint i, n;
  gsize skip;

  cbr_queue_leave_cursor (cursor);
  if (!gst_buffer_find_memory (buffer, at, 1, &i, &n, &skip))
    return FALSE;
  cursor->memory = gst_buffer_peek_memory (buffer, i);
  cursor->from = at - skip;
  if (gst_memory_map (cursor->memory, &cursor->map, GST_MAP_READ))
    return TRUE;
  cursor->memory = NULL;
  return FALSE;
}

gboolean
cbr_queue_get_byte (CbrQueue *queue, gsize at, CbrCursor *cursor, guint8 *byte)
{
  guint n = gst_queue_array_get_length (queue->items);

  at += queue->offset - cursor->before;
  for (; cursor->item < n; cursor->item++) {
    GstMiniObject *object = gst_queue_array_peek_nth (queue->items, cursor->item);
    gsize size;

    if (!GST_IS_BUFFER (object)) {
      if (is_soft (object))
        continue;
      return FALSE;
    }
    size = gst_buffer_get_size (GST_BUFFER_CAST (object));
    if (at < size) {
      if ((cursor->memory == NULL || at - cursor->from >= cursor->map.size)
          && !map_cursor (cursor, GST_BUFFER_CAST (object), at))
        return FALSE;
      *byte = cursor->map.data[at - cursor->from];
      return TRUE;
    }
    cbr_queue_leave_cursor (cursor);
    at -= size;
    cursor->before += size;
  }
  return FALSE;
}

gboolean
cbr_queue_let_pass (CbrQueue *queue)
{
  gboolean passed = FALSE;
  guint i = 0;

  while (i < gst_queue_array_get_length (queue->items)) {
    GstMiniObject *object = gst_queue_array_peek_nth (queue->items, i);

    if (GST_IS_BUFFER (object)) {
      if (i > 0 && GST_BUFFER_IS_DISCONT (GST_BUFFER_CAST (object)))
        break;
      i++;
    } else if (is_soft (object) || GST_IS_QUERY (object)) {
      g_queue_push_tail (&queue->overtaken, gst_queue_array_drop_element (queue->items, i));
      passed = TRUE;
    } else {
      break;
    }
  }
  return passed;
}

/* Updates the flags of the datagram @out after a piece of @buffer, from @offset on,
 * was added. @first: it is the first piece of the datagram; @last: it is the last
 * piece of the buffer. */
static void
carry_flags (GstBuffer *out, GstBuffer *buffer, gsize offset, gboolean first, gboolean last)
{
  guint flags = GST_BUFFER_FLAGS (buffer);
  gboolean delta = (flags & GST_BUFFER_FLAG_DELTA_UNIT) || offset > 0;

  /* leaves out flags that belong to the object, not to its content */
  flags &= ~(GST_MINI_OBJECT_FLAG_LAST - 1);
  flags &= ~(GST_BUFFER_FLAG_TAG_MEMORY | GST_BUFFER_FLAG_DELTA_UNIT);
  if (!first || offset > 0)
    flags &= ~(GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC);
  if (!last)
    flags &= ~GST_BUFFER_FLAG_MARKER;
  if (!first) {
    GST_BUFFER_FLAG_UNSET (out, CBR_QUEUE_IGNORABLE & ~flags);
    flags &= ~CBR_QUEUE_IGNORABLE;
  }
  GST_BUFFER_FLAG_SET (out, flags);
  if (first && delta)
    GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAG_DELTA_UNIT);
  else if (!delta)
    GST_BUFFER_FLAG_UNSET (out, GST_BUFFER_FLAG_DELTA_UNIT);
}

static void
carry_times (GstBuffer *out, GstBuffer *buffer)
{
  GST_BUFFER_PTS (out) = GST_BUFFER_PTS (buffer);
  GST_BUFFER_DTS (out) = GST_BUFFER_DTS (buffer);
}

GstBuffer *
cbr_queue_cut (CbrQueue *queue, gsize size)
{
  GstBuffer *out = NULL;
  CbrQueuePiece piece = { 0 };

  g_array_set_size (queue->pieces, 0);
  do {
    GstBuffer *buffer = gst_queue_array_peek_head (queue->items);
    gsize there, part;
    gboolean last;

    if (!GST_IS_BUFFER (buffer)) {
      g_queue_push_tail (&queue->overtaken, gst_queue_array_pop_head (queue->items));
      continue;
    }
    there = gst_buffer_get_size (buffer) - queue->offset;
    part = MIN (there, size);
    last = part == there;
    piece = (CbrQueuePiece) { piece.end + part, cbr_queue_get_mark (queue).entered };
    g_array_append_val (queue->pieces, piece);
    if (out == NULL && last && part == size && queue->offset == 0) {
      /* the whole buffer, as it came */
      out = gst_queue_array_pop_head (queue->items);
      pop_buffer (queue);
    } else {
      gboolean first = out == NULL;

      if (first) {
        out = gst_buffer_new ();
        carry_times (out, buffer);
        if (queue->offset == 0)
          GST_BUFFER_OFFSET (out) = GST_BUFFER_OFFSET (buffer);
      }
      gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_MEMORY | GST_BUFFER_COPY_META,
          queue->offset, part);
      carry_flags (out, buffer, queue->offset, first, last);
      queue->offset += part;
      if (last) {
        gst_buffer_unref (gst_queue_array_pop_head (queue->items));
        pop_buffer (queue);
      }
    }
    queue->bytes -= part;
    size -= part;
  } while (size > 0);
  if (queue->dropped) {
    out = gst_buffer_make_writable (out);
    GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAG_DISCONT);
    queue->dropped = FALSE;
  }
  return out;
}

gint64
cbr_queue_get_entry (const CbrQueue *queue, gsize at)
{
  guint i = 0;

  while (at >= g_array_index (queue->pieces, CbrQueuePiece, i).end)
    i++;
  return g_array_index (queue->pieces, CbrQueuePiece, i).entered;
}

gsize
cbr_queue_drop (CbrQueue *queue, guint payload)
{
  gboolean whole;
  gsize size;

  while (gst_queue_array_get_length (queue->items) > 0
      && !GST_IS_BUFFER (gst_queue_array_peek_head (queue->items)))
    g_queue_push_tail (&queue->overtaken, gst_queue_array_pop_head (queue->items));
  size = cbr_queue_peek (queue, payload, &whole);
  if (size > 0) {
    gst_buffer_unref (cbr_queue_cut (queue, size));
    queue->dropped = TRUE;
  }
  return size;
}
