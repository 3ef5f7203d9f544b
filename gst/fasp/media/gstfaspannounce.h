/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspannounce.h: what a faspsrc announces downstream: which stream its buffers are of, and the
 * header of that.
 *
 * A header comes before the data that it is for, and is announced with that. A receiver that
 * begins in the middle needs it in the stream, too: the sender has marked it as an entry. The
 * states of the header that came last, which a test walks:
 *
 *                 it came               announced
 *     SETTLED -----------------> CAME ----------------> SETTLED
 *        |                       | ^
 *        |              as entry | | pushed (it is not announced yet, as the pad is flushed)
 *        |  as entry             v |
 *        +---------------------> ENTERS --------------> ANNOUNCED --------> SETTLED
 *                                         announced               pushed
 *
 * Nothing follows a header whose session has ended: it becomes SETTLED. So it does if what follows
 * is of another sender, and if the stream has no header any more.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

typedef enum
{
  GST_FASP_HEADER_SETTLED,   /* nothing is to be done with it; or none came */
  GST_FASP_HEADER_CAME,      /* is to be announced */
  GST_FASP_HEADER_ENTERS,    /* is to be announced, and then pushed */
  GST_FASP_HEADER_ANNOUNCED, /* is to be pushed */
} GstFaspHeaderState;

typedef struct
{
  FaspOrigin origin;   /* the one that was announced; see `announced' */
  gboolean announced;  /* one was announced */
  gboolean knows_keys; /* the sender marks where key frames begin */
  GstBuffer *header;   /* of the stream; NULL: none is known */
  guint32 from;        /* the session in which it came */
  GstFaspHeaderState state;
} GstFaspAnnounce;

/* All 0 is nothing announced. */
void gst_fasp_announce_clear (GstFaspAnnounce *announce);

/* Keeps a header, to announce it with what follows; takes its block.  A block without bytes means
 * that the stream has no header any more. */
void gst_fasp_announce_take_header (GstFaspAnnounce *announce, const FaspRead *item);
/* A session has ended. The next session's header may have come already. */
void gst_fasp_announce_forget_header (GstFaspAnnounce *announce, guint32 session);
/* Data follows: drops the header if it was that of another sender. */
void gst_fasp_announce_follow (GstFaspAnnounce *announce, const FaspRead *item);

/* Are the stream and its header to be announced before data that ends at @position?  Then call one
 * of the two behind it. */
gboolean gst_fasp_announce_begin (GstFaspAnnounce *announce, const FaspStreamOffset *position);
void gst_fasp_announce_done (GstFaspAnnounce *announce);
void gst_fasp_announce_failed (GstFaspAnnounce *announce);
/* Is the header to be pushed next?  Then enter() returns a buffer of it. */
gboolean gst_fasp_announce_is_entry (const GstFaspAnnounce *announce);
GstBuffer *gst_fasp_announce_enter (GstFaspAnnounce *announce);

/* Was this stream announced last? */
gboolean gst_fasp_announce_is_of (const GstFaspAnnounce *announce, const FaspOrigin *origin);
/* Can the next buffer not be decoded alone?  @key: the sender marked it. */
gboolean gst_fasp_announce_is_delta (GstFaspAnnounce *announce, gboolean key);

G_END_DECLS
