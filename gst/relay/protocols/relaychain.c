/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayprotocol.h"
#include <gst/app/app.h>
#include "relaylegs.h"
#include "relayrtp.h"

static void
set_missing (GError **error, const gchar *factory, const gchar *package)
{
  g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
      "GStreamer has no element %s: install the package %s.", factory, package);
}

GstElement *
relay_chain_make_part (RelayChain *chain, const gchar *factory, const gchar *package)
{
  GstElement *element = chain->error == NULL ? gst_element_factory_make (factory, NULL) : NULL;

  if (element == NULL && chain->error == NULL)
    set_missing (&chain->error, factory, package);
  return element;
}

GstElement *
relay_chain_add_made (RelayChain *chain, GstElement *element)
{
  if (element != NULL)
    chain->elements[chain->n++] = gst_object_ref_sink (element);
  return element;
}

GstElement *
relay_chain_add (RelayChain *chain, const gchar *factory, const gchar *package)
{
  return relay_chain_add_made (chain, relay_chain_make_part (chain, factory, package));
}

void
relay_chain_need (RelayChain *chain, const gchar *factory, const gchar *package)
{
  g_autoptr (GstElementFactory) found = gst_element_factory_find (factory);

  if (found == NULL && chain->error == NULL)
    set_missing (&chain->error, factory, package);
}

GstElement *
relay_chain_add_payloader (RelayChain *chain)
{
  return chain->error == NULL ? relay_chain_add_made (chain, relay_rtp_new ()) : NULL;
}

void
relay_chain_set (GstElement *element, const gchar *property, const RelayProtocolUri *protocol_uri,
    const gchar *key)
{
  const gchar *value = relay_protocol_uri_get (protocol_uri, key);

  if (value != NULL)
    gst_util_set_object_arg (G_OBJECT (element), property, value);
}

void
relay_chain_set_unsynchronized (GstElement *sink)
{
  g_object_set (sink, "sync", FALSE, "async", FALSE, "enable-last-sample", FALSE, NULL);
}

void
relay_chain_set_live (GstElement *source)
{
  g_object_set (source, "is-live", TRUE, "do-timestamp", TRUE, "format", GST_FORMAT_TIME,
      "max-bytes", G_GUINT64_CONSTANT (0), NULL);
}

GstElement *
relay_chain_get_part (GstElement *element, const gchar *name)
{
  return GST_IS_BIN (element) ? gst_bin_get_by_name (GST_BIN (element), name) :
                                gst_object_ref (element);
}

gchar *
relay_chain_name (const RelayProtocolUri *leg, const gchar *part)
{
  return g_strconcat (leg->is_second ? RELAY_LEGS_SECOND : "", part, NULL);
}

GstElement *
relay_chain_get_receiver (const RelayProtocolUri *leg, GstElement *end, guint i)
{
  const RelayProtocol *protocol = leg->protocol;
  g_autofree gchar *name = NULL;

  if (i >= G_N_ELEMENTS (protocol->receivers) || protocol->receivers[i] == NULL
      || (i > 0 && !GST_IS_BIN (end)))
    return NULL;
  name = relay_chain_name (leg, protocol->receivers[i]);
  return relay_chain_get_part (end, name);
}

GstElement *
relay_chain_make_app (const gchar *caps, GError **error)
{
  const gchar *factory = caps != NULL ? "appsrc" : "appsink";
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (element == NULL) {
    set_missing (error, factory, RELAY_PLUGINS_BASE);
  } else if (caps != NULL) {
    gst_util_set_object_arg (G_OBJECT (element), "caps", caps);
    relay_chain_set_live (element);
  } else {
    relay_chain_set_unsynchronized (element);
  }
  return element;
}

GstElement *
relay_chain_add_writer (RelayChain *chain, const gchar *path)
{
  GstElement *sink = relay_chain_add (chain, "appsink", RELAY_PLUGINS_BASE);
  g_autofree gchar *folder = g_path_get_dirname (path);

  if (sink != NULL && !g_file_test (folder, G_FILE_TEST_IS_DIR))
    RELAY_BAD (&chain->error, "there is no folder %s: make it (mkdir), or name another.", folder);
  else if (sink != NULL)
    relay_chain_set_unsynchronized (sink);
  return sink;
}

GstFlowReturn
relay_chain_write (GstElement *sink, RelayWriteFunc func, gpointer writer)
{
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (GST_APP_SINK (sink));
  GstBuffer *buffer = sample != NULL ? gst_sample_get_buffer (sample) : NULL;
  g_autoptr (GError) error = NULL;
  GstMapInfo map;
  gboolean good;

  if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return GST_FLOW_OK;
  good = func (sink, map.data, map.size, writer, &error);
  gst_buffer_unmap (buffer, &map);
  if (good)
    return GST_FLOW_OK;
  GST_ELEMENT_ERROR (sink, RESOURCE, WRITE, ("%s", error->message), (NULL));
  return GST_FLOW_ERROR;
}

static GstElement *
put_together (RelayChain *chain, gboolean sends)
{
  GstElement *bin = gst_bin_new (NULL);
  g_autoptr (GstPad) pad = NULL;

  for (guint i = 0; i < chain->n; i++) {
    gst_bin_add (GST_BIN (bin), chain->elements[i]);
    if (i > 0)
      gst_element_link (chain->elements[i - 1], chain->elements[i]);
  }
  pad = sends ? gst_element_get_static_pad (chain->elements[0], "sink") :
                gst_element_get_static_pad (chain->elements[chain->n - 1], "src");
  gst_element_add_pad (bin, gst_ghost_pad_new (sends ? "sink" : "src", pad));
  return bin;
}

GstElement *
relay_chain_make (const RelayProtocolUri *protocol_uri, GstElement **end, GError **error)
{
  RelayChain chain = { .checks = end == NULL };
  GstElement *found, *bin = NULL;

  if (relay_protocol_uri_is_timed (protocol_uri))
    relay_chain_add (&chain, "clocksync", RELAY_CORE);
  found = protocol_uri->protocol->make (&chain, protocol_uri);
  if (chain.error == NULL)
    bin = put_together (&chain, protocol_uri->sends);
  else
    g_propagate_error (error, chain.error);
  if (end != NULL)
    *end = bin != NULL ? gst_object_ref (found) : NULL;
  for (guint i = 0; i < chain.n; i++)
    gst_object_unref (chain.elements[i]);
  return bin;
}
