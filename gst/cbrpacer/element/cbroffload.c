/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include "cbroffload.h"
#include "gstfaspsystem.h"

/* The most elements between us and the sink. */
#define HOPS_MAX 16

static GstElement *
get_next (GstPad *pad)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);

  /* follows ghost pads in and out of bins */
  while (peer != NULL && GST_IS_GHOST_PAD (peer)) {
    GstPad *target = gst_ghost_pad_get_target (GST_GHOST_PAD (peer));

    gst_object_unref (peer);
    peer = target;
  }
  if (peer != NULL && GST_IS_PROXY_PAD (peer)) {
    GstProxyPad *ghost = gst_proxy_pad_get_internal (GST_PROXY_PAD (peer));
    GstElement *next = get_next (GST_PAD (ghost));

    gst_object_unref (ghost);
    return next;
  }
  return peer != NULL ? gst_pad_get_parent_element (peer) : NULL;
}

/* Does the element pass on datagrams unchanged? */
static gboolean
is_transparent (GstElement *element)
{
  static const gchar *const names[] = { "queue", "queue2", "identity", "capsfilter", "clocksync",
    NULL };
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && g_strv_contains (names, GST_OBJECT_NAME (factory));
}

/* Returns the sink behind @pad, a reference, if no element in between changes datagrams. */
static GstElement *
find_sink (GstPad *pad)
{
  GstElement *element = get_next (pad);

  for (guint i = 0; i < HOPS_MAX && element != NULL && is_transparent (element); i++) {
    g_autoptr (GstPad) out = gst_element_get_static_pad (element, "src");

    gst_object_unref (element);
    element = out != NULL ? get_next (out) : NULL;
  }
  return element;
}

gchar *
cbr_offload_start (CbrOffload *offload, GstPad *pad, guint payload)
{
  static const gchar *const names[] = { "used-socket", "used-socket-v6" };
  g_autoptr (GstElement) sink = find_sink (pad);
  guint n = 0;

  cbr_offload_stop (offload);
  if (payload == 0)
    return g_strdup ("it needs payload-size");
  for (guint i = 0; i < G_N_ELEMENTS (names) && sink != NULL; i++) {
    g_autoptr (GSocket) socket = NULL;

    if (g_object_class_find_property (G_OBJECT_GET_CLASS (sink), names[i]) == NULL)
      continue;
    g_object_get (sink, names[i], &socket, NULL);
    if (socket == NULL)
      continue;
    if (!gst_fasp_system_cut_datagrams (socket, payload)) {
      gchar *why = g_strdup_printf ("the kernel does not support it: %s", g_strerror (errno));

      cbr_offload_stop (offload);
      return why;
    }
    offload->sockets[i] = g_steal_pointer (&socket);
    n++;
  }
  if (n == 0)
    return g_strdup ("there is no udpsink or multiudpsink behind");
  offload->payload = payload;
  return NULL;
}

gboolean
cbr_offload_has_gone (const CbrOffload *offload)
{
  for (guint i = 0; i < G_N_ELEMENTS (offload->sockets); i++)
    if (offload->sockets[i] != NULL && g_socket_is_closed (offload->sockets[i]))
      return TRUE;
  return FALSE;
}

void
cbr_offload_stop (CbrOffload *offload)
{
  for (guint i = 0; i < G_N_ELEMENTS (offload->sockets); i++) {
    if (offload->sockets[i] != NULL && !g_socket_is_closed (offload->sockets[i]))
      gst_fasp_system_cut_datagrams (offload->sockets[i], 0);
    g_clear_object (&offload->sockets[i]);
  }
  offload->payload = 0;
}
