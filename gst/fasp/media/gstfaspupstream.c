/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/base/gstbasesink.h>
#include <gst/video/video.h>
#include "gstfaspencoder.h"
#include "gstfaspheader.h"
#include "gstfaspupstream.h"

#define KEY_FRAME (1 << 0)
#define BITRATE (1 << 1)
#define ALL (KEY_FRAME | BITRATE)
/* A thread is sending the events that were asked for. */
#define ON_ITS_WAY (1 << 2)
/* The stream has begun, so all elements upstream are active. Events that are sent before are lost
 * in the first element that is not. */
#define BEGUN (1 << 3)

static GstStructure *
describe_bitrate (guint64 bitrate)
{
  return gst_structure_new ("fasp-available-bitrate", "bitrate", G_TYPE_UINT64, bitrate, NULL);
}

/* Takes the requests that can be sent now. */
static guint
take (GstFaspUpstream *u)
{
  guint asked;

  do {
    asked = g_atomic_int_get (&u->asked);
    if (!(asked & BEGUN))
      return 0;
  } while (!g_atomic_int_compare_and_exchange (&u->asked, asked, asked & ~ALL));
  return asked & ALL;
}

static gboolean
is_due (GstFaspUpstream *u)
{
  guint asked = g_atomic_int_get (&u->asked);

  return (asked & BEGUN) && (asked & ALL);
}

/* May this thread send the events? TRUE for one thread at a time. */
static gboolean
claim (GstFaspUpstream *u)
{
  return !(g_atomic_int_or (&u->asked, ON_ITS_WAY) & ON_ITS_WAY);
}

static void
push_bitrate (GstFaspUpstream *u, GstElement *sink)
{
  guint64 bitrate = gst_fasp_upstream_get_bitrate (u, sink), max;
  const gchar *advice = NULL;

  if (bitrate == 0) /* the receiver has gone meanwhile */
    return;
  gst_pad_push_event (GST_BASE_SINK_PAD (sink),
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, describe_bitrate (bitrate)));
  g_object_get (sink, "max-encoder-bitrate", &max, NULL);
  if (max > 0)
    advice = gst_fasp_encoder_set_bitrate (sink, bitrate, max);
  if (advice != NULL && advice != g_atomic_pointer_get (&u->advice))
    GST_ELEMENT_WARNING (sink, RESOURCE, SETTINGS, ("%s", advice), (NULL));
  g_atomic_pointer_set (&u->advice, advice);
}

/* Asks for all headers, unless the caps have them: then receivers that join get them from the caps,
 * and some muxers break their stream if they write headers again. */
static void
push_key_frame (GstElement *sink)
{
  GstPad *pad = GST_BASE_SINK_PAD (sink);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  gboolean all_headers = caps == NULL || !gst_fasp_header_is_in (caps);

  gst_pad_push_event (pad,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, all_headers, 0));
}

static void
push (GstElement *sink, gpointer data)
{
  GstFaspUpstream *u = data;

  do {
    guint asked;

    while ((asked = take (u)) != 0) {
      if (asked & BITRATE)
        push_bitrate (u, sink);
      if (asked & KEY_FRAME)
        push_key_frame (sink);
    }
    g_atomic_int_and (&u->asked, ~ON_ITS_WAY);
    /* looks again: another thread may have asked, or begun the stream, and left the events to this
     * thread */
  } while (is_due (u) && claim (u));
}

static void
ask (GstFaspUpstream *u, GstElement *sink, guint what)
{
  g_atomic_int_or (&u->asked, what);
  if (is_due (u) && claim (u))
    gst_element_call_async (sink, push, u, NULL);
}

void
gst_fasp_upstream_begin (GstFaspUpstream *u)
{
  g_atomic_int_and (&u->asked, ~(ALL | BEGUN));
  g_atomic_pointer_set (&u->advice, NULL);
}

void
gst_fasp_upstream_stream_began (GstFaspUpstream *u, GstElement *sink)
{
  ask (u, sink, BEGUN);
}

void
gst_fasp_upstream_ask_for_key_frame (GstFaspUpstream *u, GstElement *sink)
{
  ask (u, sink, KEY_FRAME);
}

void
gst_fasp_upstream_announce_bitrate (GstFaspUpstream *u, GstElement *sink, guint64 bitrate)
{
  gboolean changed;

  GST_OBJECT_LOCK (sink);
  changed = bitrate != u->bitrate;
  u->bitrate = bitrate;
  GST_OBJECT_UNLOCK (sink);
  if (changed)
    g_object_notify (G_OBJECT (sink), "available-bitrate");
  if (bitrate == 0)
    return;
  gst_element_post_message (sink,
      gst_message_new_element (GST_OBJECT (sink), describe_bitrate (bitrate)));
  ask (u, sink, BITRATE);
}

void
gst_fasp_upstream_repeat_bitrate (GstFaspUpstream *u, GstElement *sink)
{
  ask (u, sink, BITRATE);
}

guint64
gst_fasp_upstream_get_bitrate (GstFaspUpstream *u, GstElement *sink)
{
  guint64 bitrate;

  GST_OBJECT_LOCK (sink);
  bitrate = u->bitrate;
  GST_OBJECT_UNLOCK (sink);
  return bitrate;
}
