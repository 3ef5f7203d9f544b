/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasphandover.h: what faspsrc has given to its base class, until it is past the pad.
 *
 * GstBaseSrc drops what create() has returned, without a word, if meanwhile the state goes to
 * PAUSED (from 1.24 on), if an EOS event comes, if the pad is flushed before it is pushed, or if
 * the pad cannot pass on its events.
 *
 * Invariant: each byte that was read is in exactly one of three: the items that wait, this struct,
 * or what is past the pad.  What is in this struct is given to the base class again before anything
 * else.  So all bytes pass the pad once and in order, whatever the base class drops.
 *
 * Bytes past the pad belong to downstream. If an application flushes there, or drops them in a
 * probe, they are not given again.  Everything here happens in the streaming thread, or while there
 * is none.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

typedef struct
{
  GstBuffer *buffer; /* NULL: everything is past the pad */
  FaspRead item;     /* the one that the buffer begins with; its block may be gone */
} GstFaspHandover;

/* Watches @pad; @handover must live as long. */
void gst_fasp_handover_init (GstFaspHandover *handover, GstPad *pad);
/* Forgets what is here. */
void gst_fasp_handover_clear (GstFaspHandover *handover);
/* Nothing may be here yet.  Returns @buffer, for the base class. */
GstBuffer *gst_fasp_handover_give (GstFaspHandover *handover, GstBuffer *buffer,
    const FaspRead *item);
/* What was given, and has not passed, to be given again; may be written to.  NULL: nothing.  @item
 * is set to the one that it begins with. */
GstBuffer *gst_fasp_handover_take_back (GstFaspHandover *handover, FaspRead *item);

G_END_DECLS
