/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspmode.h"
#include "gstfaspmulticast.h"

gboolean
gst_fasp_mode_is_unspecified (const gchar *host)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (host);

  return address != NULL && g_inet_address_get_is_any (address);
}

GstFaspMode
gst_fasp_mode_get (const GstFaspSettings *s)
{
  if (gst_fasp_multicast_is_meant (s))
    return s->role == FASP_ROLE_SENDER ? GST_FASP_MODE_LISTENER : GST_FASP_MODE_CALLER;
  if (s->mode != GST_FASP_MODE_NONE)
    return s->mode;
  return s->host != NULL && !gst_fasp_mode_is_unspecified (s->host) ? GST_FASP_MODE_CALLER :
                                                                      GST_FASP_MODE_LISTENER;
}

gboolean
gst_fasp_mode_is_own (const GstFaspSettings *s)
{
  return gst_fasp_mode_get (s) == GST_FASP_MODE_LISTENER && !gst_fasp_multicast_is_meant (s);
}

const gchar *
gst_fasp_mode_get_localaddress (const GstFaspSettings *s)
{
  gboolean is_set = s->localaddress != NULL && s->localaddress[0] != '\0';

  return !is_set && s->host != NULL && gst_fasp_mode_is_own (s) ? s->host : s->localaddress;
}

guint
gst_fasp_mode_get_localport (const GstFaspSettings *s)
{
  if (s->localport_set || s->port == 0)
    return s->localport;
  /* in a rendezvous the peer expects us at a port it knows: the same as its own */
  return gst_fasp_mode_is_own (s) || gst_fasp_mode_get (s) == GST_FASP_MODE_RENDEZVOUS ?
      s->port :
      s->localport;
}
