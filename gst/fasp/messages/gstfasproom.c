/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfasproom.h"
#include "gstfaspevents.h"

/* The warning asks for this many times the bytes that are needed: faspsrc rounds buffer-size down
 * to a power of two blocks, so it may hold half of what was set. */
#define SPARE 2

static void
warn (GstElement *source, guint64 limit, guint64 wanted, FaspTime hold)
{
  gst_element_post_message (source,
      gst_message_new_element (GST_OBJECT (source),
          gst_structure_new ("fasp-buffer-full", "buffer-size", G_TYPE_UINT64, limit, "wanted",
              G_TYPE_UINT64, wanted, NULL)));
  GST_ELEMENT_WARNING (source, RESOURCE, SETTINGS,
      ("buffer-size=%" G_GUINT64_FORMAT
       " is full, and stops the sender: what comes waits here for up to %.1f s until it is played "
       "(presentation-delay). Set buffer-size=%" G_GUINT64_FORMAT " or more, or put a "
       "queue behind this element.",
          limit, hold / 1e6, wanted),
      (NULL));
}

guint64
gst_fasp_room_look (GstFaspRoom *room, GstElement *source, const FaspEndpointStats *stats,
    FaspTime hold, gint64 now)
{
  guint64 need, wanted;

  room->looked = now;
  if (!stats->buffer_is_full || stats->buffer_bytes == 0) {
    room->full = 0;
    return 0;
  }
  if (room->full++ == 0) {
    room->since = now;
    room->read = stats->bytes_read;
  }
  if (room->full <= GST_FASP_ROOM_LOOKS)
    return 0;
  need = gst_util_uint64_scale (stats->bytes_read - room->read, MAX (hold, 0), now - room->since);
  if (need <= stats->buffer_bytes)
    return 0;
  wanted = SPARE * gst_util_uint64_scale (need, stats->buffer_limit, stats->buffer_bytes);
  if (gst_fasp_events_is_due (&room->warned))
    warn (source, stats->buffer_limit, wanted, hold);
  return wanted;
}
