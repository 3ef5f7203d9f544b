/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspaddress.h"
#include "gstfaspdebug.h"
#include "gstfaspevents.h"
#include "gstfaspsources.h"

/* For GST_ELEMENT_*_WITH_DETAILS(): GST_FASP_PEER() of a source, and what has become of it. */
#define GST_FASP_SOURCE(peer, what) \
  ("event", G_TYPE_STRING, "stream-source", "address-string", G_TYPE_STRING, peer, "change", \
      G_TYPE_STRING, what, NULL)

/* By FaspMergeEventType: the field `change' of the message, and the end of a sentence that begins
 * with the source's address. */
static const struct
{
  const gchar *change, *sentence;
} words[] = {
  [FASP_MERGE_LEADS] = { "leads", "is the source of the stream from now on" },
  [FASP_MERGE_LEFT] = { "left", "is not waited for any more" },
  [FASP_MERGE_BACK] = { "back", "is waited for again" },
  [FASP_MERGE_HELPS] = { "helps", "was asked to send" },
  [FASP_MERGE_RESTS] = { "rests", "stands by" },
  [FASP_MERGE_DIFFERS] = { "differs", "is not used any more" },
};

static void
post (GstElement *element, const FaspMergeEvent *event, const FaspAddress *peer)
{
  GstStructure *s = gst_structure_new ("stream-source", "source", G_TYPE_UINT, event->source,
      "change", G_TYPE_STRING, words[event->type].change, "why", G_TYPE_STRING, event->why, NULL);

  gst_fasp_address_describe (s, "address", peer);
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), s));
}

void
gst_fasp_sources_post (GstElement *element, const FaspMergeEvent *event, const FaspAddress *peer,
    GstFaspQuiet *quiet)
{
  FaspEvent of = { .address = *peer };
  g_autofree gchar *name = gst_fasp_events_peer (&of), *more = NULL;
  const gchar *what = words[event->type].sentence;

  post (element, event, peer);
  if (event->type == FASP_MERGE_DIFFERS)
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
        ("The stream of %s is not the same as that of the other sources (%s): it %s. If it "
         "should be the same, check what feeds that source, and start it again; of two encoders, "
         "one is used at a time.",
            name, event->why, what),
        (NULL), GST_FASP_SOURCE (name, words[event->type].change));
  else if (!gst_fasp_quiet_may_post (quiet, &more))
    GST_INFO_OBJECT (element, "%s %s: %s", name, what, event->why);
  else if (event->type == FASP_MERGE_LEFT)
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
        ("%s %s: %s. The other sources are used. Check the network to it, and what runs "
         "there; it is used again once it has been in time for a while.%s",
            name, what, event->why, more),
        (NULL), GST_FASP_SOURCE (name, words[event->type].change));
  else
    GST_ELEMENT_INFO_WITH_DETAILS (element, RESOURCE, READ,
        ("%s %s: %s.%s", name, what, event->why, more),
        /* gst-launch-1.0 prints only this part of an INFO */
        ("%s %s: %s%s%s", name, what, event->why, more[0] != '\0' ? "." : "", more),
        GST_FASP_SOURCE (name, words[event->type].change));
}

void
gst_fasp_sources_warn_failed (GstElement *element, const FaspEvent *event)
{
  g_autofree gchar *why = gst_fasp_events_explain (event);
  g_autofree gchar *peer = gst_fasp_events_peer (event);

  GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
      ("%s. It is not called again; the other sources are used. Put that right, and start this "
       "element again.",
          why),
      (NULL), GST_FASP_PEER_GONE (event, peer));
}
