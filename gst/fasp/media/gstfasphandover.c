/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfasphandover.h"

/* A buffer is about to leave the pad.  It is `handover->buffer' or a copy by the base class.  It
 * does not leave if the pad was unlinked or flushed while a probe of the application held it. */
static GstPadProbeReturn
pass (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gboolean leaves;

  GST_OBJECT_LOCK (pad);
  leaves = GST_PAD_PEER (pad) != NULL && !GST_PAD_IS_FLUSHING (pad);
  GST_OBJECT_UNLOCK (pad);
  if (leaves)
    gst_fasp_handover_clear (data);
  return GST_PAD_PROBE_OK;
}

void
gst_fasp_handover_init (GstFaspHandover *handover, GstPad *pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, pass, handover, NULL);
}

void
gst_fasp_handover_clear (GstFaspHandover *handover)
{
  gst_clear_buffer (&handover->buffer);
}

GstBuffer *
gst_fasp_handover_give (GstFaspHandover *handover, GstBuffer *buffer, const FaspRead *item)
{
  handover->buffer = gst_buffer_ref (buffer);
  handover->item = *item;
  return buffer;
}

GstBuffer *
gst_fasp_handover_take_back (GstFaspHandover *handover, FaspRead *item)
{
  GstBuffer *buffer = handover->buffer;

  handover->buffer = NULL;
  *item = handover->item;
  return buffer != NULL ? gst_buffer_make_writable (buffer) : NULL;
}
