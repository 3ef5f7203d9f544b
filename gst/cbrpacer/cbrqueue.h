/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrqueue.h: what waits to leave, in order, and how it is cut into datagrams.
 *
 * Bytes are never copied: a datagram shares the memory of the buffers it is
 * made of (GStreamer copies by itself above gst_buffer_get_max_memory ()
 * pieces).  It carries the timestamps of the buffer that its first byte came
 * from, DISCONT and RESYNC only if it begins with that buffer's first byte,
 * MARKER only if it ends with the last byte of one that had it, DELTA_UNIT
 * only if nothing in it is a point to start from, and the metas of all.
 *
 * A datagram never reaches across a DISCONT, a query, or an event that begins
 * or ends something (STREAM_START, CAPS, SEGMENT, EOS and their like): what
 * stands before one leaves short.  Other events (TAG, GAP, custom ones) leave
 * before or behind the datagram that they stand in the midst of.  No locks: the
 * caller's.
 */
#pragma once

#include <gst/base/gstqueuearray.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstQueueArray *items;         /* buffers, events and queries */
  GstQueueArray *marks;         /* of the buffers among them: gint64 each */
  GQueue overtaken;             /* events whose data were dropped */
  gsize offset;                 /* of the first buffer: has left already */
  guint64 bytes;                /* that wait */
  guint64 buffers;              /* that wait */
  gboolean dropped;             /* before what comes next: DISCONT */
} CbrQueue;

void cbr_queue_init (CbrQueue * queue);
/* Drops everything, but for events that outlive a flush, which go to @kept
 * (NULL: these, too). */
void cbr_queue_clear (CbrQueue * queue, GQueue * kept);
void cbr_queue_finalize (CbrQueue * queue);

/* Takes the reference of @object: an event; a query stays the caller's. */
void cbr_queue_push (CbrQueue * queue, GstMiniObject * object);
/* The same of a buffer, with a @mark of the caller's. */
void cbr_queue_push_buffer (CbrQueue * queue, GstBuffer * buffer, gint64 mark);
/* The mark of the oldest buffer that waits; there must be one. */
gint64 cbr_queue_get_mark (CbrQueue * queue);
/* An event while nothing leaves: it takes the place of one of its kind behind the
 * last buffer, so that they do not pile up. */
void cbr_queue_push_sticky (CbrQueue * queue, GstEvent * event);
/* The event or query whose turn it is, or NULL. */
GstMiniObject *cbr_queue_pop_other (CbrQueue * queue);
gboolean cbr_queue_has_other (CbrQueue * queue);
gboolean cbr_queue_is_empty (CbrQueue * queue);
/* Does another stream or segment begin in it? */
gboolean cbr_queue_has_segment (CbrQueue * queue);
/* A query that is not waited for any longer. */
void cbr_queue_remove (CbrQueue * queue, GstQuery * query);

/* Size of the next datagram of @payload bytes (0: buffers as they come);
 * @whole: it would be full, or something behind keeps it from growing. */
gsize cbr_queue_peek (CbrQueue * queue, guint payload, gboolean * whole);
/* The byte @at of what may leave together. FALSE: it is not there (yet). */
gboolean cbr_queue_get_byte (CbrQueue * queue, gsize at, guint8 * byte);
/* Cuts it off: the first @size bytes, no more than there were in peek. */
GstBuffer *cbr_queue_cut (CbrQueue * queue, gsize size);
/* Throws the oldest datagram away. Returns its bytes; 0: there is none. */
gsize cbr_queue_drop (CbrQueue * queue, guint payload);

G_END_DECLS
