/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayvisits.h"
#include "faspstreamid.h"
#include "relayend.h"

GstStructure *
relay_visits_hide (const GstStructure *details)
{
  GstStructure *hidden = details != NULL ? gst_structure_copy (details) : NULL;
  const gchar *raw = details != NULL ? gst_structure_get_string (details, "streamid") : NULL;
  g_autofree gchar *shown = raw != NULL ? fasp_streamid_show (raw) : NULL;

  if (raw != NULL)
    gst_structure_set (hidden, "streamid", G_TYPE_STRING, shown, NULL);
  return hidden;
}

/* Returns " (streamid "news", key of van)", or as much of it as is known. */
static gchar *
describe_peer (const GstStructure *s)
{
  g_autoptr (GstStructure) hidden = relay_visits_hide (s);
  const gchar *streamid = gst_structure_get_string (hidden, "streamid");
  const gchar *key = gst_structure_get_string (s, "peer-key");
  const gchar *name = gst_structure_get_string (s, "peer-name");
  GString *text = g_string_new (NULL);

  if (streamid != NULL && streamid[0] != '\0')
    g_string_append_printf (text, "streamid \"%s\"", streamid);
  if (key != NULL)
    g_string_append_printf (text, "%skey %s%s", text->len > 0 ? ", " : "",
        name != NULL && name[0] != '\0' ? "of " : "", name != NULL && name[0] != '\0' ? name : key);
  if (text->len > 0) {
    g_string_prepend (text, " (");
    g_string_append_c (text, ')');
  }
  return g_string_free (text, FALSE);
}

gchar *
relay_visits_describe (GstMessage *message)
{
  const GstStructure *s = gst_message_get_structure (message);
  const gchar *address, *reason;
  g_autofree gchar *peer = NULL, *figures = NULL;
  guint64 bytes, duration;

  if (s == NULL)
    return NULL;
  if (gst_structure_has_name (s, "piece-finished"))
    return g_strdup_printf ("%s is finished.", gst_structure_get_string (s, "path"));
  address = gst_structure_get_string (s, "address-string");
  if (address == NULL)
    address = "a peer";
  peer = describe_peer (s);
  reason = gst_structure_get_string (s, "reason");
  if (gst_structure_has_name (s, "connection-added"))
    return g_strdup_printf ("%s is connected%s.", address, peer);
  if (gst_structure_has_name (s, "connection-used"))
    return g_strdup_printf ("%s has taken over%s: %s.", address, peer, reason);
  if (!gst_structure_has_name (s, "connection-removed"))
    return NULL;
  /* GStreamer's elements know neither */
  figures = gst_structure_get_uint64 (s, "bytes", &bytes)
          && gst_structure_get_uint64 (s, "duration", &duration) ?
      g_strdup_printf (" after %.1f s and %" G_GUINT64_FORMAT " bytes",
          duration / (gdouble) GST_SECOND, bytes) :
      g_strdup ("");
  return g_strdup_printf ("%s has gone%s%s%s%s.", address, figures, peer,
      reason != NULL ? ": " : "", reason != NULL ? reason : "");
}

guint
relay_visits_get_stray_port (GstMessage *message, const GstStructure *details)
{
  GstObject *element = GST_MESSAGE_SRC (message);
  g_autofree gchar *own = NULL;
  const gchar *asked;
  guint port = 0;

  if (details == NULL || !gst_structure_has_name (details, "connection-refused"))
    return 0;
  asked = gst_structure_get_string (details, "streamid");
  if (gst_structure_get_uint (details, RELAY_STRAY_PORT, &port) || asked == NULL || asked[0] == '\0'
      || g_object_class_find_property (G_OBJECT_GET_CLASS (element), "streamid") == NULL)
    return port;
  g_object_get (element, "streamid", &own, "localport", &port, NULL);
  return g_strcmp0 (own, asked) != 0 ? port : 0;
}
