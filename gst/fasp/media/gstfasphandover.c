/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfasphandover.h"

/* The buffer leaves the pad, unless the pad was unlinked or its peer flushed while a probe of the
 * application held it.  The base class may have made a copy of it, but there is no other. */
static GstPadProbeReturn
pass (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);
  gboolean leaves = FALSE;

  if (peer != NULL) {
    GST_OBJECT_LOCK (peer);
    leaves = !GST_PAD_IS_FLUSHING (peer);
    GST_OBJECT_UNLOCK (peer);
  }
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
