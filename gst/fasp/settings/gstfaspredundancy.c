/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspmode.h"
#include "gstfaspmulticast.h"
#include "gstfaspredundancy.h"

#define BAD(...) g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

/* The number of sources if a faspsrc listens (two senders, as in SMPTE ST 2022-7), and if it calls
 * a name with several addresses. */
#define PAIR 2

static const gchar *
get_name (const GstFaspSettings *s)
{
  return s->receiving.redundancy == FASP_REDUNDANCY_HOT ? "hot" : "standby";
}

/* Checks redundancy for a faspsrc that listens: its senders call at one port. */
static gboolean
check_listener (const GstFaspSettings *s, const GstFaspSockets *sockets, GError **error)
{
  if (s->receiving.wait_to_restore > 0)
    BAD ("wait-to-restore is for the peer of the URI, and with redundancy=%s a faspsrc that "
         "listens has none: leave it out, and ask with the signal switch-source.",
        get_name (s));
  else if (sockets->n > 1)
    BAD ("redundancy=%s of a faspsrc that listens takes several senders at one port: leave out "
         "flowlets and bonding-addresses.",
        get_name (s));
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_caller (const GstFaspSettings *s, const GstFaspSockets *sockets, GError **error)
{
  if (sockets->others->len > 0)
    BAD ("redundancy=%s and bonding-addresses cannot be used together, as all bonding-addresses "
         "lead to one peer. Set one of them.",
        get_name (s));
  else if (sockets->n_fallbacks == 0 && g_hostname_is_ip_address (s->host))
    BAD ("redundancy=%s needs several sources, and there is one: set fallback-addresses to the "
         "others, HOST:PORT,..., or name a host that has several addresses.",
        get_name (s));
  else if (sockets->n_fallbacks >= FASP_SOURCES_MAX)
    BAD ("redundancy=%s takes at most %d sources, the peer of the URI and %d fallback-addresses: "
         "name fewer.",
        get_name (s), FASP_SOURCES_MAX, FASP_SOURCES_MAX - 1);
  else if (sockets->list[0].local_port > 0)
    BAD ("redundancy=%s calls each source from a port of its own, and localport is one: leave it "
         "out.",
        get_name (s));
  else
    return TRUE;
  return FALSE;
}

gboolean
gst_fasp_redundancy_check (const GstFaspSettings *s, const GstFaspSockets *sockets, GError **error)
{
  if (s->receiving.redundancy == FASP_REDUNDANCY_NONE) {
    if (s->receiving.wait_to_restore > 0)
      BAD ("wait-to-restore is for several sources at once, and redundancy is none: set "
           "redundancy=hot or redundancy=standby, or leave out wait-to-restore.");
    return s->receiving.wait_to_restore == 0;
  }
  if (!gst_fasp_multicast_is_meant (s) && gst_fasp_mode_get (s) == GST_FASP_MODE_LISTENER)
    return check_listener (s, sockets, error);
  if (!gst_fasp_multicast_is_meant (s) && gst_fasp_mode_get (s) == GST_FASP_MODE_CALLER)
    return check_caller (s, sockets, error);
  BAD ("redundancy=%s is for several sources, and %s is one: leave it out, or set "
       "uri=fasp://HOST:PORT and fallback-addresses.",
      get_name (s),
      gst_fasp_multicast_is_meant (s) ? "a multicast group" : "the other end of a rendezvous");
  return FALSE;
}

guint
gst_fasp_redundancy_split (const FaspIoSettings *io, FaspRedundancy redundancy,
    FaspIoSettings *sources)
{
  sources[0] = sources[1] = *io;
  if (redundancy == FASP_REDUNDANCY_NONE)
    return 1;
  if (io->endpoint.mode == FASP_MODE_LISTENER || io->n_fallbacks == 0)
    return PAIR;
  for (guint i = 0; i <= io->n_fallbacks; i++) {
    sources[i] = *io;
    sources[i].fallbacks = NULL;
    sources[i].n_fallbacks = 0;
    if (i == 0)
      continue;
    sources[i].peer_host = io->fallbacks[i - 1].host;
    sources[i].peer_port = io->fallbacks[i - 1].port;
  }
  return 1 + io->n_fallbacks;
}
