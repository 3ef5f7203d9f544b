/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrqueue.h: the data that waits to leave, in order, and how it is cut into
 * datagrams.
 *
 * Bytes are never copied: a datagram shares the memory of the buffers that it is
 * made of.  (GStreamer itself copies if there are more than
 * gst_buffer_get_max_memory () pieces.)  A datagram carries
 *
 *   - the timestamps of the buffer that its first byte came from,
 *   - DISCONT and RESYNC only if it begins with that buffer's first byte,
 *   - MARKER only if it ends with the last byte of a buffer that had it,
 *   - DELTA_UNIT only if nothing in it is a point to start from,
 *   - the metas of all its buffers.
 *
 * A datagram never extends across a DISCONT, a query, or an event that begins
 * or ends something (STREAM_START, CAPS, SEGMENT, EOS and the like): the datagram
 * before it leaves short.  Other events (TAG, GAP, custom ones) that come in the
 * middle of a datagram leave before or after it.  cbrpackets.h decides where a transport
 * stream is cut.  There are no locks: the caller holds its own.
 */
#pragma once

#include <gst/base/gstqueuearray.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* With these flags, elements may ignore the content of a buffer: a datagram has one only if all
 * buffers that it is made of have it. */
#define CBR_QUEUE_IGNORABLE \
  (GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DROPPABLE | GST_BUFFER_FLAG_DECODE_ONLY)

/* What the caller notes of a buffer that comes: how late the stream leaves, and when that is. */
typedef struct
{
  gint64 lag, entered; /* ns */
} CbrMark;

typedef struct
{
  gsize end;      /* bytes of the data that was cut, up to the end of this piece */
  gint64 entered; /* as the mark of its buffer */
} CbrQueuePiece;

typedef struct
{
  GstQueueArray *items; /* buffers, events and queries */
  GstQueueArray *marks; /* a CbrMark for each of the buffers */
  GArray *pieces;       /* a CbrQueuePiece for each buffer of the data that was cut last */
  GQueue overtaken;     /* events and queries whose turn it is: the data before
                           them has left or was dropped */
  gsize offset;         /* bytes of the first buffer that have left already */
  guint64 bytes;        /* bytes that wait */
  guint64 buffers;      /* buffers that wait */
  gboolean dropped;     /* data was dropped: the next datagram gets DISCONT */
} CbrQueue;

/* Where a byte was looked for last. All 0: nowhere yet. */
typedef struct
{
  guint item;        /* index of the item where the search goes on */
  gsize before;      /* bytes before that item */
  GstMemory *memory; /* where the byte was found, mapped; NULL: it was not */
  gsize from;        /* offset in the buffer of memory's first byte */
  GstMapInfo map;    /* mapping of `memory' */
} CbrCursor;

/* What follows the data that cbr_queue_measure() counts. */
typedef enum
{
  CBR_BEHIND_NOTHING, /* more of it may come */
  CBR_BEHIND_QUERY,   /* a query: more may come, when it is answered */
  CBR_BEHIND_BREAK,   /* a DISCONT, or an event that begins or ends something: the data ends here */
} CbrBehind;

void cbr_queue_init (CbrQueue *queue);
/* Drops everything except for events that outlive a flush. These go to @kept; if
 * that is NULL, they are dropped, too. */
void cbr_queue_clear (CbrQueue *queue, GQueue *kept);
void cbr_queue_finalize (CbrQueue *queue);

/* Takes the reference of @object if it is an event; a query still belongs to the caller. */
void cbr_queue_push (CbrQueue *queue, GstMiniObject *object);
/* Takes the reference of @buffer, and keeps @mark with it. */
void cbr_queue_push_buffer (CbrQueue *queue, GstBuffer *buffer, CbrMark mark);
/* Returns the mark of the oldest buffer that waits; there must be one. */
CbrMark cbr_queue_get_mark (CbrQueue *queue);
/* Lowers the lag in the marks of all waiting buffers to @lag; they count as entered at @now. */
void cbr_queue_limit_marks (CbrQueue *queue, gint64 lag, gint64 now);
/* For an event that comes while nothing leaves: it replaces an event of its kind behind
 * the last buffer, so that events do not pile up. */
void cbr_queue_push_sticky (CbrQueue *queue, GstEvent *event);
/* Takes out the event or query whose turn it is, or NULL. */
GstMiniObject *cbr_queue_pop_other (CbrQueue *queue);
gboolean cbr_queue_has_other (CbrQueue *queue);
gboolean cbr_queue_is_empty (CbrQueue *queue);
/* Does @object end the data before it, or begin other data? */
gboolean cbr_queue_is_break (GstMiniObject *object);
/* Does a stream or segment begin in the queue? */
gboolean cbr_queue_has_segment (CbrQueue *queue);
/* Removes a query whose thread does not wait any longer. */
void cbr_queue_remove (CbrQueue *queue, GstQuery *query);

/* Returns the size of the next datagram of @payload bytes (0: buffers as they come).
 * *whole: it is full, or something behind it keeps it from growing. */
gsize cbr_queue_peek (CbrQueue *queue, guint payload, gboolean *whole);
/* Returns how many bytes may leave together, up to @most (0: the first buffer). *behind: what
 * follows them, if they are fewer. */
gsize cbr_queue_measure (CbrQueue *queue, gsize most, CbrBehind *behind);
/* Does the data at the head begin with a DISCONT? */
gboolean cbr_queue_begins (CbrQueue *queue);
/* Gets byte @at of the data that may leave together. FALSE: it is not there (yet). @cursor: where a
 * further call with the same or a higher @at goes on, while the queue is unchanged. Release it by
 * cbr_queue_leave_cursor(). */
gboolean cbr_queue_get_byte (CbrQueue *queue, gsize at, CbrCursor *cursor, guint8 *byte);
void cbr_queue_leave_cursor (CbrCursor *cursor);
/* The data at the head cannot leave: events and queries that do not end this data overtake it.
 * FALSE: there are none. */
gboolean cbr_queue_let_pass (CbrQueue *queue);
/* Cuts off the first @size bytes: no more than cbr_queue_peek() returned. */
GstBuffer *cbr_queue_cut (CbrQueue *queue, gsize size);
/* When the buffer entered that byte @at of the data that was cut last came from. */
gint64 cbr_queue_get_entry (const CbrQueue *queue, gsize at);
/* Drops the oldest datagram. Returns its bytes; 0: there is none. */
gsize cbr_queue_drop (CbrQueue *queue, guint payload);

G_END_DECLS
