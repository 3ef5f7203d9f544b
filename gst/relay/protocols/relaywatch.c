/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <net/if.h>
#include "relaygroup.h"
#include "relaylegs.h"
#include "relayprotocol.h"
#include "relaywatch.h"

/* After so many looks without a datagram, the group is joined again, as switches forget members if
 * there is no querier (IGMP, MLD), and routes change: 10 s, as in faspsrc. */
#define JOIN_AGAIN 10

/* So many looks, as one can come when a datagram has gone to the first leg alone. */
#define STILL 2

/* So many looks in which data were sent, 3 s: receivers of RIST report each 0.1 s. */
#define UNREPORTED 3

struct _RelayWatch
{
  const RelayProtocolUri *protocol_uri;
  GstElement *end;
  gboolean is_reported; /* its one receiver has to report */
  guint interface; /* number of the named interface when the end was started; 0: none is named */
  gint received;   /* atomic: data were received since the last look */
  guint silent;    /* looks in a row without received data, or reports; with two legs, all looks */
  guint64 sent[2]; /* bytes of each leg at the last look */
  guint still;     /* looks in which one leg has sent nothing, but the other one has */
  gchar *why;      /* why datagrams could not be sent since then; NULL: none failed */
  gchar *fault;    /* of relay_watch_get_fault() */
};

static guint
get_interface (const RelayProtocolUri *protocol_uri)
{
  const gchar *name = relay_protocol_uri_get (protocol_uri, "interface");

  return name != NULL ? if_nametoindex (name) : 0;
}

RelayWatch *
relay_watch_new (const RelayProtocolUri *protocol_uri, const gchar *address, GstElement *end)
{
  RelayWatch *watch = g_new0 (RelayWatch, 1);

  watch->protocol_uri = protocol_uri;
  watch->end = gst_object_ref (end);
  watch->is_reported = protocol_uri->protocol->is_reported && !relay_host_is_group (address);
  watch->interface = get_interface (protocol_uri);
  return watch;
}

void
relay_watch_free (RelayWatch *watch)
{
  gst_object_unref (watch->end);
  g_free (watch->why);
  g_free (watch->fault);
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
      || (protocol_uri->sends && protocol_uri->protocol->has_connections);
}

/* Returns the element that sends the datagrams of this leg; NULL: the end has none. */
static GstElement *
get_sender (const RelayProtocolUri *leg, GstElement *end)
{
  g_autofree gchar *name = NULL;

  if (!relay_watch_sends_datagrams (leg))
    return NULL;
  name = relay_chain_name (leg, leg->protocol->sender);
  return relay_chain_get_part (end, name);
}

static guint64
count_leg (const RelayProtocolUri *leg, GstElement *end, const gchar *property)
{
  g_autoptr (GstElement) sender = get_sender (leg, end);
  guint64 its = 0;

  if (sender != NULL)
    g_object_get (sender, property, &its, NULL);
  return its;
}

/* Adds up a counter of all legs' senders. */
static guint64
count (const RelayProtocolUri *protocol_uri, GstElement *end, const gchar *property)
{
  guint64 all = 0;

  for (const RelayProtocolUri *leg = protocol_uri; leg != NULL; leg = leg->second)
    all += count_leg (leg, end, property);
  return all;
}

guint64
relay_watch_get_sent (const RelayProtocolUri *protocol_uri, GstElement *end)
{
  return count (protocol_uri, end, "bytes-served");
}

guint64
relay_watch_get_failed (const RelayWatch *watch)
{
  guint64 all = count (watch->protocol_uri, watch->end, "bytes-to-serve");
  guint64 sent = count (watch->protocol_uri, watch->end, "bytes-served");

  return all > sent ? all - sent : 0;
}

gboolean
relay_watch_may_have_failed (const RelayWatch *watch)
{
  return watch->why != NULL;
}

/* Does it come from what sends a leg's datagrams, or its repairs? */
static gboolean
is_of_sender (const RelayWatch *watch, GstMessage *warning)
{
  const gchar *source = GST_MESSAGE_SRC_NAME (warning);
  gboolean is = FALSE;

  for (const RelayProtocolUri *leg = watch->protocol_uri; leg != NULL; leg = leg->second) {
    g_autoptr (GstElement) sender = get_sender (leg, watch->end);
    g_autofree gchar *columns = relay_chain_name (leg, RELAY_LEGS_COLUMNS);
    g_autofree gchar *rows = relay_chain_name (leg, RELAY_LEGS_ROWS);

    is |= sender != NULL
        && (GST_MESSAGE_SRC (warning) == GST_OBJECT (sender) || g_strcmp0 (source, columns) == 0
            || g_strcmp0 (source, rows) == 0);
  }
  return is;
}

gboolean
relay_watch_takes (RelayWatch *watch, GstMessage *warning, const gchar *text)
{
  g_autoptr (GError) error = NULL;

  gst_message_parse_warning (warning, &error, NULL);
  if (!is_of_sender (watch, warning)
      || !g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE))
    return FALSE;
  g_free (watch->why);
  watch->why = g_strdup (text);
  /* the look does not report one leg that fails */
  return watch->protocol_uri->second == NULL;
}

/* Notes whether one of two legs sends nothing.  If neither does, it stays as it was.  @sends: each
 * leg has sent since the last look.  @why: NULL: not known. */
static void
compare_legs (RelayWatch *watch, const gboolean *sends, const gchar *why)
{
  const RelayProtocolUri *first = watch->protocol_uri;
  const RelayProtocolUri *leg = sends[0] ? first->second : first;
  g_autofree gchar *place = relay_host_with_port (leg->host, leg->port);

  if (!sends[0] && !sends[1])
    return;
  g_clear_pointer (&watch->fault, g_free);
  watch->still = sends[0] && sends[1] ? 0 : watch->still + 1;
  if (watch->still >= STILL)
    watch->fault = g_strdup_printf ("nothing could be sent by the leg to %s, but by the other one, "
                                    "check the address and the route to it: %s",
        place, why != NULL ? why : "the system does not say why");
}

/* Notes whether the receiver reports.  If nothing is sent, it need not.  @sends: data were sent
 * since the last look. */
static void
look_for_report (RelayWatch *watch, gboolean sends)
{
  const RelayProtocolUri *uri = watch->protocol_uri;
  g_autofree gchar *place = relay_host_with_port (uri->host, uri->port);

  if (g_atomic_int_compare_and_exchange (&watch->received, TRUE, FALSE))
    watch->silent = 0;
  else if (sends)
    watch->silent++;
  g_clear_pointer (&watch->fault, g_free);
  if (watch->silent >= UNREPORTED)
    watch->fault = g_strdup_printf ("no receiver at %s reports what it receives: check that one of "
                                    "this protocol and profile runs there, and the firewalls "
                                    "between.",
        place);
}

const gchar *
relay_watch_get_fault (const RelayWatch *watch)
{
  return watch->fault;
}

static gchar *
look_at_sender (RelayWatch *watch, gboolean *works)
{
  g_autofree gchar *why = g_steal_pointer (&watch->why);
  gboolean sends[] = { FALSE, FALSE };

  for (const RelayProtocolUri *leg = watch->protocol_uri; leg != NULL; leg = leg->second) {
    guint64 now = count_leg (leg, watch->end, "bytes-served");

    sends[leg->is_second] = now > watch->sent[leg->is_second];
    watch->sent[leg->is_second] = now;
  }
  *works = sends[0] || sends[1];
  if (watch->protocol_uri->second != NULL)
    compare_legs (watch, sends, why);
  if (watch->is_reported)
    look_for_report (watch, *works);
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

/* A leg that is silent joins its group again, while the other one goes on. */
static gchar *
look_at_legs (RelayWatch *watch)
{
  watch->silent++;
  for (const RelayProtocolUri *leg = watch->protocol_uri; leg != NULL; leg = leg->second)
    if (watch->silent % JOIN_AGAIN == 0 && relay_group_is_heard (leg)
        && !relay_legs_hears (watch->end, leg->is_second))
      relay_group_join_again (leg, watch->end);
  return NULL;
}

gchar *
relay_watch_look (RelayWatch *watch, gboolean *works)
{
  *works = TRUE;
  if (relay_watch_sends_datagrams (watch->protocol_uri))
    return look_at_sender (watch, works);
  if (watch->protocol_uri->second != NULL)
    return look_at_legs (watch);
  return !watch->protocol_uri->sends && relay_group_is_heard (watch->protocol_uri) ?
      look_at_group (watch) :
      NULL;
}
