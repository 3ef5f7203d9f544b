/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspannounce.h: a faspsrc announces downstream which stream its buffers belong to, and the
 * stream's header.
 *
 * A header comes before its data, and is announced with it. A receiver that begins in the middle
 * needs it in the stream, too: the sender has marked it as an entry. The states of the header that
 * came last, which a test walks:
 *
 *                 it came               announced
 *     SETTLED -----------------> CAME ----------------> SETTLED
 *        |                       | ^
 *        |              as entry | | pushed (it is not announced yet, as the pad is flushed)
 *        |  as entry             v |
 *        +---------------------> ENTERS --------------> ANNOUNCED --------> SETTLED
 *                                         announced               pushed
 *
 * The header becomes SETTLED when its session has ended, when data of another sender follows, and
 * when the stream has no header any more.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

typedef enum
{
  GST_FASP_HEADER_SETTLED,   /* the header was announced and, if necessary, pushed; or none came */
  GST_FASP_HEADER_CAME,      /* the header is to be announced */
  GST_FASP_HEADER_ENTERS,    /* the header is to be announced, and then pushed */
  GST_FASP_HEADER_ANNOUNCED, /* the header is to be pushed */
} GstFaspHeaderState;

typedef struct
{
  FaspOrigin origin;   /* origin of the announced stream, if `announced' */
  gboolean announced;  /* a stream was announced */
  gboolean knows_keys; /* the sender marks where key frames begin */
  GstBuffer *header;   /* header of the stream; NULL: none is known */
  guint32 from;        /* the session in which it came */
  GstFaspHeaderState state;
} GstFaspAnnounce;

/* Forgets everything. (All 0: nothing was announced.) */
void gst_fasp_announce_clear (GstFaspAnnounce *announce);

/* Keeps the header in @item, to announce it with the next data, and takes its block.  A block
 * without bytes means that the stream has no header any more. */
void gst_fasp_announce_take_header (GstFaspAnnounce *announce, const FaspRead *item);
/* A session has ended. The next session's header may have come already. */
void gst_fasp_announce_forget_header (GstFaspAnnounce *announce, guint32 session);
/* Data follows: drops the header if it belongs to another sender. */
void gst_fasp_announce_follow (GstFaspAnnounce *announce, const FaspRead *item);

/* Must the stream and its header be announced before data that ends at @position?  Then announce
 * them, and call done() or failed(). */
gboolean gst_fasp_announce_begin (GstFaspAnnounce *announce, const FaspStreamOffset *position);
void gst_fasp_announce_done (GstFaspAnnounce *announce);
void gst_fasp_announce_failed (GstFaspAnnounce *announce);
/* Must the header be pushed next?  Then enter() returns a buffer of it. */
gboolean gst_fasp_announce_is_entry (const GstFaspAnnounce *announce);
GstBuffer *gst_fasp_announce_enter (GstFaspAnnounce *announce);

/* Is @origin that of the stream that was announced last? */
gboolean gst_fasp_announce_is_of (const GstFaspAnnounce *announce, const FaspOrigin *origin);
/* Can the next buffer not be decoded alone?  @key: the sender marked it. */
gboolean gst_fasp_announce_is_delta (GstFaspAnnounce *announce, gboolean key);

G_END_DECLS
