/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayguard.h"
#include <gst/net/gstnetaddressmeta.h>
#include "relayallowed.h"
#include "relayprotocol.h"

typedef struct
{
  RelayGuardTakes takes;
  gpointer data;
  GDestroyNotify free_data;
} Watch;

static void
free_watch (gpointer data)
{
  Watch *watch = data;

  if (watch->free_data != NULL)
    watch->free_data (watch->data);
  g_free (watch);
}

static GstPadProbeReturn
on_datagrams (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  const Watch *watch = data;
  GstBufferList *list, *taken;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return watch->takes (watch->data, GST_PAD_PROBE_INFO_BUFFER (info)) ? GST_PAD_PROBE_OK :
                                                                          GST_PAD_PROBE_DROP;
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  taken = gst_buffer_list_new ();
  for (guint i = 0; i < gst_buffer_list_length (list); i++) {
    GstBuffer *buffer = gst_buffer_list_get (list, i);

    if (watch->takes (watch->data, buffer))
      gst_buffer_list_add (taken, gst_buffer_ref (buffer));
  }
  gst_buffer_list_unref (list);
  info->data = taken;
  return gst_buffer_list_length (taken) > 0 ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

void
relay_guard_watch (GstElement *receiver, RelayGuardTakes takes, gpointer data,
    GDestroyNotify free_data)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (receiver, "src");
  Watch *watch = g_new (Watch, 1);

  *watch = (Watch) { takes, data, free_data };
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_datagrams,
      watch, free_watch);
}

typedef struct
{
  const GPtrArray *allowed;
  RelayGuardFunc refused;
  gpointer data;
} Guard;

static gboolean
takes (gpointer data, GstBuffer *datagram)
{
  const Guard *guard = data;
  const GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (datagram);
  GSocketAddress *from = meta != NULL ? meta->addr : NULL;
  gboolean good = relay_allowed_has_socket (guard->allowed, from);

  if (!good)
    guard->refused (from, guard->data);
  return good;
}

static void
add_to_leg (const RelayProtocolUri *leg, GstElement *end, const Guard *guard)
{
  GstElement *receiver;

  for (guint i = 0; (receiver = relay_chain_get_receiver (leg, end, i)) != NULL; i++) {
    relay_guard_watch (receiver, takes, g_memdup2 (guard, sizeof *guard), g_free);
    gst_object_unref (receiver);
  }
}

void
relay_guard_add (const RelayProtocolUri *protocol_uri, GstElement *end, RelayGuardFunc refused,
    gpointer data)
{
  const Guard guard = { protocol_uri->allowed, refused, data };

  if (protocol_uri->sends || protocol_uri->allowed == NULL)
    return;
  for (const RelayProtocolUri *leg = protocol_uri; leg != NULL; leg = leg->second)
    add_to_leg (leg, end, &guard);
}
