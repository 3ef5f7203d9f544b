/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "gstfaspparse.h"
#include "relayallowed.h"
#include "relaygroup.h"
#include "relayprotocol.h"
#include "relayprotocolend.h"

GstElement *
relay_end_make (const RelayEnd *end, const gchar *name, GError **error)
{
  const RelayProtocol *protocol = relay_protocol_find (end->uri);
  GstElement *element;

  if (protocol == NULL) {
    /* does not quote the text: it may be a secret in the wrong place */
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "this is no URI of a relay: write fasp://HOST:PORT to dial, or fasp://:PORT to be "
        "dialled; or srt://, rist://, udp://, rtp://, file:///PATH "
        "or hls:///PATH.m3u8");
    return NULL;
  }
  if (protocol->make_end != NULL)
    return protocol->make_end (end, name, error);
  element = relay_protocol_end_new (end->uri, end->sends, end->passphrase, name, error);
  if (element != NULL)
    relay_protocol_end_set_up (element, end->allowed, end->monitored);
  return element;
}

/* Of an element that keeps its monitor as RELAY_MONITOR. */
static GstFaspMonitor *
copy_kept (GstElement *element)
{
  GstFaspMonitor **monitor = g_object_get_data (G_OBJECT (element), RELAY_MONITOR);
  GstFaspMonitor *copy;

  if (monitor == NULL)
    return NULL;
  GST_OBJECT_LOCK (element);
  copy = gst_fasp_monitor_copy (*monitor, gst_fasp_monitor_get_time ());
  GST_OBJECT_UNLOCK (element);
  return copy;
}

GstFaspMonitor *
relay_end_copy_monitor (GstElement *element)
{
  GstFaspMonitor *copy = copy_kept (element);

  return copy != NULL ? copy : relay_protocol_end_copy_monitor (element);
}

GstStructure *
relay_end_get_stats (GstElement *element)
{
  g_autoptr (GstFaspMonitor) monitor = copy_kept (element);
  g_autofree gchar *lacks = relay_selection_explain (element);
  GstStructure *stats = NULL;

  g_object_get (element, "stats", &stats, NULL);
  if (stats == NULL)
    return NULL;
  gst_fasp_monitor_add_figures (monitor, stats);
  if (lacks != NULL && gst_structure_get_string (stats, "end-error") == NULL)
    gst_structure_set (stats, "end-error", G_TYPE_STRING, lacks, NULL);
  return stats;
}

gboolean
relay_end_check (const RelayEnd *end, GError **error)
{
  g_autoptr (GstElement) element = relay_end_make (end, NULL, error);
  g_autofree gchar *why = NULL;

  if (element == NULL)
    return FALSE;
  gst_object_ref_sink (element);
  g_signal_emit_by_name (element, "check-settings", &why);
  if (why != NULL)
    RELAY_BAD (error, "%s", why);
  return why == NULL;
}

gboolean
relay_end_takes_files (const RelayEnd *end)
{
  return relay_protocol_find (end->uri)->make_end != NULL;
}

gboolean
relay_end_takes_passphrase (const RelayEnd *end)
{
  return relay_end_takes_files (end)
      || relay_key_find (relay_protocol_find (end->uri)->keys, "passphrase", RELAY_KEY_BOTH)
      != NULL;
}

gboolean
relay_end_has_passphrase (const RelayEnd *end)
{
  g_autoptr (GstUri) uri = gst_fasp_parse_uri (end->uri);

  return (end->passphrase != NULL && relay_end_takes_passphrase (end))
      || (uri != NULL && gst_uri_query_has_key (uri, "passphrase"));
}

gboolean
relay_end_is_called (const RelayEnd *end)
{
  const RelayProtocol *protocol = relay_protocol_find (end->uri);
  RelayBinding l = { 0 };
  gboolean called = !protocol->is_path && relay_end_get_binding (end, 0, &l) && l.peer == NULL
      && (!end->sends || protocol->make_end != NULL || protocol->has_connections);

  relay_binding_clear (&l);
  return called;
}

guint
relay_end_count_backups (const RelayEnd *end)
{
  return end->backups != NULL ? end->backups->len : 0;
}

gboolean
relay_end_is_file (const RelayEnd *end)
{
  return relay_protocol_find (end->uri)->is_path;
}

gboolean
relay_end_holds_up (const RelayEnd *end)
{
  const RelayProtocol *protocol = relay_protocol_find (end->uri);

  return protocol->holds_up != NULL && protocol->holds_up (end);
}

gchar *
relay_end_get_recording (const RelayEnd *end, gchar **list)
{
  const RelayProtocol *protocol = relay_protocol_find (end->uri);
  g_autoptr (RelayProtocolUri) protocol_uri = end->sends && protocol->is_path ?
      relay_protocol_uri_parse (end->uri, TRUE, NULL, NULL) :
      NULL;

  *list = NULL;
  if (protocol_uri == NULL)
    return NULL;
  if (protocol->get_files == NULL)
    return g_strdup (protocol_uri->path);
  *list = g_strdup (protocol_uri->path);
  return protocol->get_files (protocol_uri);
}

/* Returns the canonical text of an address, which can be compared; NULL: all addresses of this
 * machine. */
static gchar *
normalize (const gchar *text)
{
  g_autoptr (GInetAddress) address = text != NULL ? g_inet_address_new_from_string (text) : NULL;

  if (address == NULL
      || (g_inet_address_get_is_any (address)
          && g_inet_address_get_family (address) == G_SOCKET_FAMILY_IPV6))
    return NULL;
  return g_inet_address_to_string (address);
}

static gboolean
get_leg_binding (const RelayProtocolUri *protocol_uri, RelayBinding *l)
{
  l->address = g_strdup (relay_protocol_uri_get_address (protocol_uri));
  l->first = protocol_uri->port;
  l->last = protocol_uri->port + MAX (relay_protocol_uri_count_ports (protocol_uri), 1) - 1;
  l->group = relay_group_is_heard (protocol_uri);
  if (protocol_uri->protocol->get_local_port != NULL && relay_protocol_uri_dials (protocol_uri)) {
    l->first = l->last = protocol_uri->protocol->get_local_port (protocol_uri);
    l->peer = l->first != 0 ? g_strdup (protocol_uri->host) : NULL;
    g_clear_pointer (&l->address, g_free);
  }
  if (protocol_uri->protocol->shares_ports) {
    l->streamid = g_strdup (relay_protocol_uri_get (protocol_uri, "streamid"));
    l->interface = g_strdup (relay_protocol_uri_get (protocol_uri, "interface"));
    l->shares = l->streamid != NULL ? protocol_uri->protocol->scheme : NULL;
  }
  return l->group || l->peer != NULL || relay_protocol_uri_listens (protocol_uri);
}

/* As relay_end_get_binding(), with the address as it is written. */
static gboolean
get_binding (const RelayEnd *end, guint leg, RelayBinding *l)
{
  const RelayProtocol *protocol = relay_protocol_find (end->uri);
  g_autoptr (RelayProtocolUri) protocol_uri = NULL;
  const RelayProtocolUri *one;

  if (protocol->get_binding != NULL)
    return leg == 0 && protocol->get_binding (end, l);
  protocol_uri = relay_protocol_uri_parse (end->uri, end->sends, end->passphrase, NULL);
  one = leg == 0 ? protocol_uri : protocol_uri->second;
  return one != NULL && get_leg_binding (one, l);
}

gboolean
relay_end_get_binding (const RelayEnd *end, guint leg, RelayBinding *l)
{
  gboolean listens = get_binding (end, leg, l);
  g_autoptr (GInetAddress) peer = l->peer != NULL ? g_inet_address_new_from_string (l->peer) : NULL;
  gchar *address = l->address;

  if (address == NULL && peer != NULL && g_inet_address_get_family (peer) == G_SOCKET_FAMILY_IPV4)
    address = g_strdup ("0.0.0.0");
  l->address = normalize (address);
  g_free (address);
  return listens;
}

void
relay_binding_clear (RelayBinding *l)
{
  g_free (l->peer);
  g_free (l->address);
  g_free (l->streamid);
  g_free (l->interface);
  g_free (l->bonds);
}

/* The same for inputs with backups, of which only the times and rules can be changed while they
 * play. */
static RelayDifference
compare_backups (const RelayEnd *a, const RelayEnd *b)
{
  RelayEnd one = *a, other = *b;
  gboolean same;

  if (relay_end_count_backups (a) != relay_end_count_backups (b))
    return RELAY_RESTART;
  one.backups = other.backups = NULL;
  same = relay_end_compare (&one, &other) == RELAY_SAME;
  for (guint i = 0; same && i < a->backups->len; i++)
    same = relay_end_compare (g_ptr_array_index (a->backups, i), g_ptr_array_index (b->backups, i))
        == RELAY_SAME;
  if (!same)
    return RELAY_RESTART;
  return a->switch_after == b->switch_after && a->wait_to_restore == b->wait_to_restore
          && memcmp (a->rules, b->rules, sizeof a->rules) == 0 ?
      RELAY_SAME :
      RELAY_ADJUST;
}

RelayDifference
relay_end_compare (const RelayEnd *a, const RelayEnd *b)
{
  const RelayProtocol *protocol = relay_protocol_find (a->uri);

  if (a->backups != NULL || b->backups != NULL)
    return compare_backups (a, b);
  if (!relay_allowed_is_same (a->allowed, b->allowed) || a->monitored != b->monitored)
    return RELAY_RESTART;
  if (protocol == relay_protocol_find (b->uri) && protocol->compare != NULL)
    return protocol->compare (a, b);
  return g_str_equal (a->uri, b->uri) && g_strcmp0 (a->passphrase, b->passphrase) == 0 ?
      RELAY_SAME :
      RELAY_RESTART;
}

void
relay_end_adjust (const RelayEnd *old, const RelayEnd *end, GstElement *element)
{
  relay_protocol_find (end->uri)->adjust (old, end, element);
}
