/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <net/if.h>
#include "relaygroup.h"
#include "relayprotocol.h"
#include "relaywatch.h"

/* After so many looks without a datagram, the group is joined again, as switches forget members if
 * there is no querier (IGMP, MLD), and routes change: 10 s, as in faspsrc. */
#define JOIN_AGAIN 10
/* After so many looks without a connection, an end that dials is started anew: SRT has given up the
 * call by then (SRTO_CONNTIMEO: 3 s), and srtsink notices that only when it has media to send. */
#define DIALS 4

struct _RelayWatch
{
  const RelayProtocolUri *protocol_uri;
  GstElement *end;
  guint interface; /* number of the named interface when the end was started; 0: none is named */
  gint received;   /* atomic: data were received since the last look */
  guint silent;    /* looks in a row without received data, or without a connection */
  guint64 sent;    /* bytes at the last look */
  gchar *why;      /* why datagrams could not be sent since then; NULL: none failed */
  guint64 given;   /* of an output that dials: bytes that its element has taken, sent or dropped;
                      this and the next are guarded by the element's object lock */
  guint64 giving;  /* bytes of the buffer that the element handles now */
};

static guint
get_interface (const RelayProtocolUri *protocol_uri)
{
  const gchar *name = relay_protocol_uri_get (protocol_uri, "interface");

  return name != NULL ? if_nametoindex (name) : 0;
}

/* Must the bytes that the element takes be counted? An element that dials drops buffers meanwhile,
 * and counts only sent bytes. */
static gboolean
has_to_count_given (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->sends && relay_protocol_uri_dials (protocol_uri);
}

static GstPadProbeReturn
on_given (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  RelayWatch *watch = data;

  GST_OBJECT_LOCK (watch->end);
  watch->given += watch->giving;
  watch->giving = gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_OBJECT_UNLOCK (watch->end);
  return GST_PAD_PROBE_OK;
}

RelayWatch *
relay_watch_new (const RelayProtocolUri *protocol_uri, GstElement *end)
{
  RelayWatch *watch = g_new0 (RelayWatch, 1);

  watch->protocol_uri = protocol_uri;
  watch->end = gst_object_ref (end);
  watch->interface = get_interface (protocol_uri);
  if (has_to_count_given (protocol_uri)) {
    g_autoptr (GstPad) pad = gst_element_get_static_pad (end, "sink");

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_given, watch, NULL);
  }
  return watch;
}

void
relay_watch_free (RelayWatch *watch)
{
  gst_object_unref (watch->end);
  g_free (watch->why);
  g_free (watch);
}

void
relay_watch_note_received (RelayWatch *watch)
{
  g_atomic_int_set (&watch->received, TRUE);
}

gboolean
relay_watch_sends_datagrams (const RelayProtocolUri *protocol_uri)
{
  return protocol_uri->sends && protocol_uri->protocol->sender != NULL;
}

gboolean
relay_watch_counts (const RelayProtocolUri *protocol_uri)
{
  return relay_watch_sends_datagrams (protocol_uri)
      || (protocol_uri->sends && protocol_uri->protocol->get_sent != NULL);
}

/* Returns the element that sends datagrams of UDP; NULL: the end has none. */
static GstElement *
get_sender (const RelayProtocolUri *protocol_uri, GstElement *end)
{
  return relay_watch_sends_datagrams (protocol_uri) ?
      relay_chain_get_part (end, protocol_uri->protocol->sender) :
      NULL;
}

guint64
relay_watch_get_sent (const RelayProtocolUri *protocol_uri, GstElement *end)
{
  g_autoptr (GstElement) sender = get_sender (protocol_uri, end);
  guint64 sent = 0;

  if (sender != NULL)
    g_object_get (sender, "bytes-served", &sent, NULL);
  else if (relay_watch_counts (protocol_uri))
    sent = protocol_uri->protocol->get_sent (end);
  return sent;
}

guint64
relay_watch_get_failed (const RelayWatch *watch, gboolean over)
{
  g_autoptr (GstElement) sender = get_sender (watch->protocol_uri, watch->end);
  guint64 all, sent;

  if (sender != NULL) {
    g_object_get (sender, "bytes-to-serve", &all, "bytes-served", &sent, NULL);
  } else if (has_to_count_given (watch->protocol_uri)) {
    GST_OBJECT_LOCK (watch->end);
    all = watch->given + (over ? watch->giving : 0);
    GST_OBJECT_UNLOCK (watch->end);
    sent = relay_watch_get_sent (watch->protocol_uri, watch->end);
  } else {
    return 0;
  }
  return all > sent ? all - sent : 0;
}

gboolean
relay_watch_may_have_failed (const RelayWatch *watch)
{
  return watch->why != NULL || has_to_count_given (watch->protocol_uri);
}

gboolean
relay_watch_takes (RelayWatch *watch, GstMessage *warning, const gchar *text)
{
  g_autoptr (GstElement) sender = get_sender (watch->protocol_uri, watch->end);
  g_autoptr (GError) error = NULL;

  gst_message_parse_warning (warning, &error, NULL);
  if (sender == NULL || GST_MESSAGE_SRC (warning) != GST_OBJECT (sender)
      || !g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE))
    return FALSE;
  g_free (watch->why);
  watch->why = g_strdup (text);
  return TRUE;
}

static gchar *
look_at_sender (RelayWatch *watch, gboolean *works)
{
  g_autofree gchar *why = g_steal_pointer (&watch->why);
  guint64 before = watch->sent;

  watch->sent = relay_watch_get_sent (watch->protocol_uri, watch->end);
  *works = watch->sent > before;
  if (*works || why == NULL)
    return NULL;
  return g_strdup_printf ("nothing could be sent for a second, check the address and the route to "
                          "it: %s",
      why);
}

/* Returns why the group must be joined anew: its interface was removed and has come back. NULL: it
 * need not be. */
static gchar *
look_at_group (RelayWatch *watch)
{
  guint now = get_interface (watch->protocol_uri);

  if (g_atomic_int_compare_and_exchange (&watch->received, TRUE, FALSE))
    watch->silent = 0;
  else
    watch->silent++;
  if (watch->silent > 0 && now != 0 && now != watch->interface)
    return g_strdup_printf ("the network interface %s was removed and is back: the group has to be "
                            "joined there.",
        relay_protocol_uri_get (watch->protocol_uri, "interface"));
  if (now == watch->interface && watch->silent > 0 && watch->silent % JOIN_AGAIN == 0)
    relay_group_join_again (watch->protocol_uri, watch->end);
  return NULL;
}

/* Returns why an end that dials must be started anew; NULL: it need not be. */
static gchar *
look_at_call (RelayWatch *watch, gboolean *works)
{
  *works = watch->protocol_uri->protocol->is_connected (watch->end);
  watch->silent = *works ? 0 : watch->silent + 1;
  return watch->silent < DIALS ? NULL : g_strdup ("it is not connected.");
}

gchar *
relay_watch_look (RelayWatch *watch, gboolean *works)
{
  g_autoptr (GstElement) sender = get_sender (watch->protocol_uri, watch->end);

  *works = TRUE;
  if (sender != NULL)
    return look_at_sender (watch, works);
  if (relay_protocol_uri_dials (watch->protocol_uri))
    return look_at_call (watch, works);
  return !watch->protocol_uri->sends && relay_group_is_heard (watch->protocol_uri) ?
      look_at_group (watch) :
      NULL;
}
