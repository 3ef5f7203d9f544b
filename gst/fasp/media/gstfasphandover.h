/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasphandover.h: keeps the buffer that faspsrc has given to its base class until it is past the
 * pad.
 *
 * GstBaseSrc silently drops the buffer that create() has returned if meanwhile the state goes to
 * PAUSED (from 1.24 on), if an EOS event comes, if the pad is flushed before the push, or if the
 * pad cannot pass on its events.
 *
 * Invariant: each byte that was read is in exactly one place: in the items that wait, in this
 * struct, or past the pad.  The buffer in this struct is given to the base class again before
 * anything else. So all bytes pass the pad once and in order, even if the base class drops a
 * buffer.
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
  GstBuffer *buffer; /* given, and not past the pad; NULL: there is none */
  FaspRead item;     /* the item that the buffer begins with; its block may be gone */
} GstFaspHandover;

/* Watches @pad; @handover must live as long. */
void gst_fasp_handover_init (GstFaspHandover *handover, GstPad *pad);
void gst_fasp_handover_clear (GstFaspHandover *handover);
/* Keeps @buffer; there must be none yet.  Returns it, for the base class. */
GstBuffer *gst_fasp_handover_give (GstFaspHandover *handover, GstBuffer *buffer,
    const FaspRead *item);
/* Takes out the buffer if it has not passed the pad, to be given again; it may be written to. NULL:
 * there is none.  *item: the item that it begins with. */
GstBuffer *gst_fasp_handover_take_back (GstFaspHandover *handover, FaspRead *item);

G_END_DECLS
