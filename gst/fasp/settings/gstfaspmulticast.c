/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "gstfaspmulticast.h"

#define DEFAULT_TTL 1

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define BAD(...) g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

void
gst_fasp_multicast_install (GObjectClass *klass, FaspRole role)
{
  g_object_class_install_property (klass, GST_FASP_PROP_MULTICAST_IFACE,
      g_param_spec_string ("multicast-iface", "Multicast interface",
          "Network interface that leads to the multicast group of the URI, "
          "e.g. eth0 (default: interface, or as routed)",
          NULL, FLAGS));
  if (role == FASP_ROLE_RECEIVER) {
    g_object_class_install_property (klass, GST_FASP_PROP_MULTICAST_SOURCE,
        g_param_spec_string ("multicast-source", "Multicast source",
            "IP address of the only sender whose datagrams to the multicast "
            "group of the URI are accepted (source-specific multicast; default: "
            "any)",
            NULL, FLAGS));
    return;
  }
  g_object_class_install_property (klass, GST_FASP_PROP_MULTICAST_LOOP,
      g_param_spec_boolean ("multicast-loop", "Multicast loopback",
          "Let receivers on this machine hear the multicast group, too", TRUE, FLAGS));
  g_object_class_install_property (klass, GST_FASP_PROP_TTL_MC,
      g_param_spec_int ("ttl-mc", "Multicast time to live",
          "TTL of what is sent to a multicast group (1: not beyond the next router)", 0, 255,
          DEFAULT_TTL, FLAGS));
}

void
gst_fasp_multicast_init (GstFaspMulticast *m)
{
  *m = (GstFaspMulticast) { .loop = TRUE, .ttl = DEFAULT_TTL };
}

/* --- for the I/O layer ------------------------------------------------------------------ */

/* Returns the group's address: the URI's host, ADDRESS or ADDRESS%INTERFACE. */
static GInetAddress *
get_group (const GstFaspSettings *s)
{
  g_auto (GStrv) parts = s->host != NULL ? g_strsplit (s->host, "%", 2) : NULL;

  return parts != NULL && parts[0] != NULL ? g_inet_address_new_from_string (parts[0]) : NULL;
}

/* Returns multicast-iface, or the interface in the group's address, or else `interface'. */
static const gchar *
get_interface (const GstFaspSettings *s)
{
  const gchar *zone = strchr (s->host, '%');

  if (s->multicast.interface != NULL && s->multicast.interface[0] != '\0')
    return s->multicast.interface;
  return zone != NULL ? zone + 1 : s->interface;
}

gboolean
gst_fasp_multicast_is_meant (const GstFaspSettings *s)
{
  g_autoptr (GInetAddress) group = get_group (s);

  return group != NULL && g_inet_address_get_is_multicast (group);
}

gboolean
gst_fasp_multicast_check (const GstFaspSettings *s, GError **error)
{
  gboolean sends = s->role == FASP_ROLE_SENDER;
  GstFaspMode mode = sends ? GST_FASP_MODE_LISTENER : GST_FASP_MODE_CALLER;

  if (s->mode != GST_FASP_MODE_NONE && s->mode != mode)
    BAD ("%s is a multicast group: faspsink listens for its receivers, and "
         "faspsrc calls the sender that is announced there. Leave out mode.",
        s->host);
  else if (s->flowlets > 1 || (s->bonding_addresses != NULL && s->bonding_addresses[0] != '\0'))
    BAD ("%s is a multicast group, which has one flow: leave out flowlets and bonding-addresses.",
        s->host);
  else if (!sends && s->receiving.fallback_addresses != NULL
      && s->receiving.fallback_addresses[0] != '\0')
    BAD ("%s is a multicast group, where senders announce themselves: leave "
         "out fallback-addresses.",
        s->host);
  else if (sends && !s->sending.rtx)
    BAD ("rex=false is not possible with the multicast group %s: leave it out.", s->host);
  else if (sends && s->sending.rate_control != GST_FASP_RATE_CONTROL_FIXED
      && s->sending.rate_control != GST_FASP_RATE_CONTROL_AUTO)
    BAD ("A multicast group has one rate for all of its receivers, which no "
         "rate control can find: leave out rate-control, and set max-bitrate.");
  else if (sends && s->sending.max_bitrate == 0
      && s->sending.rate_control == GST_FASP_RATE_CONTROL_AUTO)
    BAD ("A multicast group has one rate for all of its receivers, which has to "
         "be given: set max-bitrate to 1.3 times the stream's rate or more (or "
         "set rate-control=fixed: then nothing is paced).");
  else
    return TRUE;
  return FALSE;
}

const gchar *
gst_fasp_multicast_get_local (const GstFaspSettings *s)
{
  g_autoptr (GInetAddress) group = get_group (s);

  if (s->localaddress != NULL && s->localaddress[0] != '\0')
    return s->localaddress;
  return g_inet_address_get_family (group) == G_SOCKET_FAMILY_IPV6 ? "::" : "0.0.0.0";
}

gchar *
gst_fasp_multicast_get_group (const GstFaspSettings *s)
{
  g_autoptr (GInetAddress) group = get_group (s);

  return g_inet_address_to_string (group);
}

void
gst_fasp_multicast_to_io (const GstFaspSettings *s, FaspMembership *membership)
{
  *membership = (FaspMembership) {
    .group = s->host,
    .port = s->port,
    .source = s->multicast.source,
    .interface = get_interface (s),
    .ttl = s->multicast.ttl,
    .loop = s->multicast.loop,
  };
}
