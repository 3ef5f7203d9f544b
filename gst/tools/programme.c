/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "programme.h"

typedef struct
{
  const gchar *kind;
  GstPad *to;
  gboolean served; /* a pad of the programme that is being added was linked */
  gboolean ended;  /* the whole stream has ended, not only a programme */
} Follower;

static gboolean
is_of_kind (GstPad *pad, const gchar *kind)
{
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);

  return !gst_caps_is_any (caps) && !gst_caps_is_empty (caps)
      && g_str_has_prefix (gst_structure_get_name (gst_caps_get_structure (caps, 0)), kind);
}

static void
on_pad_added (GstElement *demux, GstPad *pad, gpointer data)
{
  Follower *f = data;
  g_autoptr (GstPad) before = NULL;

  if (GST_PAD_DIRECTION (pad) != GST_PAD_SRC || f->served || !is_of_kind (pad, f->kind))
    return;
  f->served = TRUE;
  if (gst_pad_is_linked (pad)) /* by gst_parse_launch */
    return;
  before = gst_pad_get_peer (f->to);
  if (before != NULL)
    gst_pad_unlink (before, f->to);
  if (gst_pad_link (pad, f->to) != GST_PAD_LINK_OK)
    GST_ELEMENT_WARNING (demux, STREAM, FORMAT,
        ("A stream of the new programme is of another format than before: "
         "start again to play it."),
        (NULL));
}

static void
on_no_more_pads (GstElement *demux, gpointer data)
{
  ((Follower *) data)->served = FALSE;
}

static gboolean
is_end (GstPadProbeInfo *info)
{
  return GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS;
}

static GstPadProbeReturn
on_stream_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (is_end (info))
    ((Follower *) data)->ended = TRUE;
  return GST_PAD_PROBE_OK;
}

/* Drops the EOS of a programme: the next one may have streams of this kind again. */
static GstPadProbeReturn
on_programme_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return is_end (info) && !((Follower *) data)->ended ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
follower_free (gpointer data, GClosure *unused)
{
  Follower *f = data;

  gst_object_unref (f->to);
  g_free (f);
}

void
programme_follow (GstElement *pipeline, const gchar *demux, const gchar *kind, const gchar *to)
{
  g_autoptr (GstElement) from = gst_bin_get_by_name (GST_BIN (pipeline), demux);
  g_autoptr (GstElement) next = gst_bin_get_by_name (GST_BIN (pipeline), to);
  g_autoptr (GstPad) stream = gst_element_get_static_pad (from, "sink");
  Follower *f = g_new0 (Follower, 1);

  f->kind = kind;
  f->to = gst_element_get_static_pad (next, "sink");
  gst_pad_add_probe (stream, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_stream_event, f, NULL);
  gst_pad_add_probe (f->to, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_programme_event, f, NULL);
  g_signal_connect (from, "no-more-pads", G_CALLBACK (on_no_more_pads), f);
  g_signal_connect_data (from, "pad-added", G_CALLBACK (on_pad_added), f, follower_free, 0);
}
