/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayloop.h"

#define PIDS 8192 /* 13 bits */
#define PACKETS 7 /* as many as fit into an Ethernet frame behind IP, UDP and RTP */
#define TOGETHER \
  (5 * GST_MSECOND) /* before its time a packet may leave: seven fit into this at 2.1 \
                       Mbit/s, and slower streams have fewer together */

/* A packet has an adaptation field; that one has a PCR, and its time is a new one. */
#define ADAPTATION 0x20
#define PCR 0x10
#define DISCONTINUITY 0x80

typedef struct
{
  GstBuffer *group; /* packets that wait for those that are due with them; NULL: none do */
  guint packets;    /* in it */
  guint8 *marked;   /* a byte for each PID; NULL: there is nothing to mark */
} Loop;

static void
free_loop (gpointer data)
{
  Loop *loop = data;

  gst_clear_buffer (&loop->group);
  g_free (loop->marked);
  g_free (loop);
}

/* Takes the reference of @packet, and returns one. */
static GstBuffer *
mark (Loop *loop, GstBuffer *packet)
{
  guint8 head[6];
  guint pid;

  if (gst_buffer_extract (packet, 0, head, sizeof head) < sizeof head)
    return packet;
  pid = (head[1] & 0x1f) << 8 | head[2];
  if ((head[3] & ADAPTATION) == 0 || head[4] == 0 || (head[5] & PCR) == 0 || loop->marked[pid])
    return packet;
  loop->marked[pid] = TRUE;
  head[5] |= DISCONTINUITY;
  packet = gst_buffer_make_writable (packet);
  gst_buffer_fill (packet, 5, head + 5, 1);
  return packet;
}

/* Is @packet due when the group is? */
static gboolean
is_due (const Loop *loop, GstBuffer *packet)
{
  GstClockTime begins = GST_BUFFER_PTS (loop->group), at = GST_BUFFER_PTS (packet);

  return loop->packets < PACKETS
      && (!GST_CLOCK_TIME_IS_VALID (begins) || !GST_CLOCK_TIME_IS_VALID (at)
          || (at >= begins && at - begins < TOGETHER));
}

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Loop *loop = data;
  GstBuffer *packet = info->data, *group = NULL;

  if (loop->marked != NULL)
    packet = mark (loop, packet);
  if (loop->group != NULL && is_due (loop, packet)) {
    loop->group = gst_buffer_append (loop->group, packet);
    loop->packets++;
  } else {
    group = loop->group;
    loop->group = packet;
    loop->packets = 1;
  }
  info->data = group;
  return group != NULL ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

/* The last group leaves before the end does. */
static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Loop *loop = data;
  g_autoptr (GstPad) peer = NULL;

  if (GST_EVENT_TYPE (info->data) != GST_EVENT_EOS || loop->group == NULL)
    return GST_PAD_PROBE_OK;
  peer = gst_pad_get_peer (pad);
  gst_pad_chain (peer, g_steal_pointer (&loop->group));
  return GST_PAD_PROBE_OK;
}

void
relay_loop_watch (GstElement *tsparse, gboolean again)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (tsparse, "src");
  Loop *loop = g_new0 (Loop, 1);

  loop->marked = again ? g_malloc0 (PIDS) : NULL;
  g_object_set_data_full (G_OBJECT (tsparse), "relay-loop", loop, free_loop);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet, loop, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, loop, NULL);
}
