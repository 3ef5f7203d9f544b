/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspending.h"
#include "gstfaspevents.h"

/* A sender has gone: is that the end of the stream? */
static GstFlowReturn
end_of_sender (const GstFaspEnding *ending, GstFaspConnection *connection, const FaspEvent *event)
{
  g_autofree gchar *why = event != NULL ? gst_fasp_events_explain (event) : NULL;
  g_autofree gchar *peer = event != NULL ? gst_fasp_events_peer (event) : NULL;
  GstElement *element = connection->element;
  gboolean dials = connection->is_caller, keeps, calls;
  const gchar *instead;

  GST_OBJECT_LOCK (element);
  keeps = connection->settings.receiving.keep_listening;
  calls = connection->settings.auto_reconnect;
  GST_OBJECT_UNLOCK (element);
  if (event == NULL) /* the sender's regular end */
    return keeps && (!dials || calls) ? GST_FLOW_OK : GST_FLOW_EOS;
  /* the stream goes on with the new sender, which another message says */
  if (event->reason == FASP_REASON_REPLACED && dials)
    return GST_FLOW_OK;
  /* a new sender is there already, is called again, or may call */
  if (!event->final || (keeps && !dials)) {
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
        ("%s. %s.", why,
            event->reason == FASP_REASON_REPLACED ? "The stream of the new sender follows" :
                                                    "Waiting for the next sender"),
        (NULL), GST_FASP_PEER_GONE (event, peer));
    return GST_FLOW_OK;
  }
  if (dials && fasp_reason_is_lasting (event->reason))
    return gst_fasp_connection_fail (connection, event);
  instead = dials ? "With auto-reconnect=true, faspsrc would call again" :
                    "With keep-listening=true, faspsrc would wait for the next sender";
  if (event->reason == FASP_REASON_SILENT) {
    GST_ELEMENT_ERROR_WITH_DETAILS (element, RESOURCE, READ,
        ("%s. Check that it runs, and the network in between. %s.", why, instead), (NULL),
        GST_FASP_REASON (event));
    return GST_FASP_FLOW_POSTED;
  }
  if (ending->required) {
    GST_ELEMENT_ERROR_WITH_DETAILS (element, RESOURCE, READ,
        ("%s, and require-complete is set. Send the stream again from its beginning.", why), (NULL),
        GST_FASP_REASON (event));
    return GST_FASP_FLOW_POSTED;
  }
  /* EOS rather than an error, so that downstream can finish what came properly */
  GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ, ("%s. %s.", why, instead), (NULL),
      GST_FASP_PEER_GONE (event, peer));
  return GST_FLOW_EOS;
}

/* The stream cannot be used from here on: posts an error that says why, and leaves the sender. */
static GstFlowReturn
fail_incomplete (GstFaspConnection *connection, guint64 offset, gboolean known)
{
  GstElement *element = connection->element;

  gst_fasp_connection_refuse (connection,
      "it has not got all of it (require-complete=true there): send it again "
      "from its beginning");
  if (known)
    GST_ELEMENT_ERROR (element, RESOURCE, READ,
        ("A part of the stream is missing before byte %" G_GUINT64_FORMAT
         ", and require-complete is set. Send it again from its beginning.",
            offset),
        (NULL));
  else if (offset > 0)
    GST_ELEMENT_ERROR (element, RESOURCE, READ,
        ("The stream begins in the middle here, at byte %" G_GUINT64_FORMAT
         ", and require-complete is set. Send it again from its beginning.",
            offset),
        (NULL));
  else
    GST_ELEMENT_ERROR (element, RESOURCE, READ,
        ("Another stream follows one that has not reached its end, and "
         "require-complete is set. Send the first one again from its "
         "beginning."),
        (NULL));
  return GST_FASP_FLOW_POSTED;
}

GstFlowReturn
gst_fasp_ending_set (GstFaspEnding *ending, GstFlowReturn ret)
{
  ending->end = ret != GST_FLOW_OK ? GST_FASP_OVER : GST_FASP_GOES_ON;
  return ending->over = ret;
}

GstFlowReturn
gst_fasp_ending_note_gone (GstFaspEnding *ending, GstFaspConnection *connection,
    const FaspEvent *event)
{
  return gst_fasp_ending_set (ending, end_of_sender (ending, connection, event));
}

gboolean
gst_fasp_ending_refuse (GstFaspEnding *ending, GstFaspConnection *connection, guint64 offset,
    gboolean known)
{
  if (ending->required && ending->end != GST_FASP_OVER)
    gst_fasp_ending_set (ending, fail_incomplete (connection, offset, known));
  return ending->required;
}

void
gst_fasp_ending_note_end (GstFaspEnding *ending)
{
  ending->end = GST_FASP_AT_END;
}

GstFlowReturn
gst_fasp_ending_look (GstFaspEnding *ending, GstFaspConnection *connection)
{
  GstFlowReturn ret =
      ending->end == GST_FASP_AT_END ? end_of_sender (ending, connection, NULL) : ending->over;

  if (ending->end == GST_FASP_AT_END && ret == GST_FLOW_OK)
    ending->end = GST_FASP_GOES_ON;
  return ret;
}
