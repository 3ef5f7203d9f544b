/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Translates the settings into those of the I/O layer and the core.
 */
#include <string.h>
#include "gstfaspmode.h"
#include "gstfaspmulticast.h"
#include "gstfaspredundancy.h"
#include "fasprlc.h"

#define BAD(...) g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

/* The latency that this end names to the other: ms, FASP_LATENCY_AUTO or _ANY. */
static guint
get_latency (const GstFaspSettings *s)
{
  if (s->latency < 0)
    return FASP_LATENCY_AUTO;
  /* if latency is not set, the other end's wish takes precedence over the default */
  return s->latency_set ? (guint) s->latency : FASP_LATENCY_ANY;
}

/* Parses fec: off, auto, or N%. */
static gboolean
parse_fec (const GstFaspSettings *s, FaspEndpointConfig *config, GError **error)
{
  const gchar *text = s->fec;
  g_autofree gchar *number = NULL;
  gsize size = text != NULL ? strlen (text) : 0;
  guint64 percent;

  config->fec = s->role == FASP_ROLE_SENDER ? FASP_FEC_OFF : FASP_FEC_AUTO;
  if (size == 0)
    return TRUE;
  if (g_str_equal (text, "off")) {
    config->fec = FASP_FEC_OFF;
    return TRUE;
  }
  if (!fasp_rlc_is_built ()) {
    BAD ("fec=%s needs FEC, which this build does not have: set fec=off, or build it with ISA-L "
         "(-Dfec=enabled).",
        text);
    return FALSE;
  }
  if (g_str_equal (text, "auto")) {
    config->fec = FASP_FEC_AUTO;
    return TRUE;
  }
  number = g_strndup (text, size - 1);
  if (text[size - 1] != '%'
      || !g_ascii_string_to_unsigned (number, 10, 1, 100 * FASP_FEC_SHARE_MAX, &percent, NULL)) {
    BAD ("fec=%s is not understood: it takes off, auto, or 1%% to 100%% (in a "
         "URI the %% is written %%25).",
        text);
    return FALSE;
  }
  config->fec = FASP_FEC_FIXED;
  config->fec_share = percent / 100.;
  return TRUE;
}

/* bit/s.  At less, a datagram of 1228 bytes, which each path has to carry, takes more than 2 s to
 * leave, and the other end takes the connection for interrupted. */
#define MAX_BITRATE_LEAST 5000

static gboolean
check_rates (const GstFaspSettings *s, GError **error)
{
  if (s->sending.max_bitrate > 0 && s->sending.max_bitrate < MAX_BITRATE_LEAST) {
    BAD ("max-bitrate is in bit/s, and %" G_GUINT64_FORMAT " bit/s carries no "
         "stream: set it to %d or more (8 Mbit/s is max-bitrate=8000000; x264enc "
         "counts in kbit/s), or to 0 to have the rate found.",
        s->sending.max_bitrate, MAX_BITRATE_LEAST);
    return FALSE;
  }
  if (s->sending.max_total_bitrate > 0 && s->sending.max_total_bitrate < MAX_BITRATE_LEAST) {
    BAD ("max-total-bitrate is in bit/s, and %" G_GUINT64_FORMAT " bit/s carries no stream: set it "
         "to %d or more (100 Mbit/s is max-total-bitrate=100000000), or to 0 for no limit.",
        s->sending.max_total_bitrate, MAX_BITRATE_LEAST);
    return FALSE;
  }
  if (s->sending.max_bitrate > 0 && s->sending.min_bitrate > s->sending.max_bitrate
      && s->sending.rate_control != GST_FASP_RATE_CONTROL_AUTO
      && s->sending.rate_control != GST_FASP_RATE_CONTROL_FIXED) {
    BAD ("min-bitrate, %" G_GUINT64_FORMAT " bit/s, is more than max-bitrate, %" G_GUINT64_FORMAT
         " bit/s: lower it, or raise that.",
        s->sending.min_bitrate, s->sending.max_bitrate);
    return FALSE;
  }
  return TRUE;
}

/* A time in ns that is less than a millisecond was meant in another unit, except for 0. */
static gboolean
check_time (const gchar *name, guint64 time, GError **error)
{
  if (time == 0 || time >= GST_MSECOND)
    return TRUE;
  BAD ("%s is in ns, and %" G_GUINT64_FORMAT " ns is less than 1 ms: 10 s is %s=10000000000, or "
       "%s=10s in a URI.",
      name, time, name, name);
  return FALSE;
}

/* Parses an address without its %INTERFACE: some versions of GLib do not parse that, and the others
 * do not compare it. */
static GInetAddress *
parse_plain (const gchar *text)
{
  g_autofree gchar *plain = g_strndup (text, strcspn (text, "%"));

  return g_inet_address_new_from_string (plain);
}

/* Are both the same address, however it is written? */
static gboolean
is_same_address (const gchar *a, const gchar *b)
{
  g_autoptr (GInetAddress) one = parse_plain (a), other = parse_plain (b);

  if (one == NULL || other == NULL)
    return g_str_equal (a, b);
  return g_inet_address_equal (one, other) && g_strcmp0 (strchr (a, '%'), strchr (b, '%')) == 0;
}

/* URI and properties may both name the address and port to listen at, if they agree. */
static gboolean
check_own (const GstFaspSettings *s, GError **error)
{
  if (!gst_fasp_mode_is_own (s))
    return TRUE;
  if (s->port != 0 && s->localport_set && s->localport != s->port) {
    BAD ("The URI says to listen at port %u, and localport=%u says otherwise: "
         "leave localport out, or write that port in the URI.",
        s->port, s->localport);
    return FALSE;
  }
  if (s->host != NULL && s->localaddress != NULL && s->localaddress[0] != '\0'
      && !is_same_address (s->host, s->localaddress)) {
    BAD ("The URI says to listen at %s, and localaddress=%s says otherwise: "
         "leave localaddress out, or write that address in the URI.",
        s->host, s->localaddress);
    return FALSE;
  }
  return TRUE;
}

/* Checks for values that are not valid, or not possible together. */
static gboolean
check (const GstFaspSettings *s, GError **error)
{
  gboolean dials = gst_fasp_mode_get (s) != GST_FASP_MODE_LISTENER;
  gboolean multicast = gst_fasp_multicast_is_meant (s);

  if (s->streamid != NULL
      && (strlen (s->streamid) > FASP_STREAMID_MAX
          || !fasp_text_is_plain (s->streamid, strlen (s->streamid)))) {
    BAD ("The streamid must be at most %d bytes of UTF-8, without control "
         "characters, which no end takes.",
        FASP_STREAMID_MAX);
    return FALSE;
  }
  if (multicast && !gst_fasp_multicast_check (s, error))
    return FALSE;
  if (!multicast && s->multicast.source != NULL && s->multicast.source[0] != '\0') {
    BAD ("multicast-source=%s is for a multicast group: set the group's "
         "address, uri=fasp://232.x.y.z:PORT, or leave it out.",
        s->multicast.source);
    return FALSE;
  }
  if (s->role == FASP_ROLE_SENDER && !check_rates (s, error))
    return FALSE;
  if (!check_own (s, error) || !check_time ("history", s->sending.history, error)
      || !check_time ("join-back", s->join_back, error))
    return FALSE;
  if (dials && (s->host == NULL || gst_fasp_mode_is_unspecified (s->host))) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE,
        "There is no address to dial: set uri=fasp://HOST:PORT, or mode=listener to be dialled.");
    return FALSE;
  }
  return TRUE;
}

static void
fill_sockets (const GstFaspSettings *s, const GstFaspSockets *sockets, FaspIoSettings *io)
{
  gboolean multicast = gst_fasp_multicast_is_meant (s);

  if (gst_fasp_mode_get (s) != GST_FASP_MODE_LISTENER && !multicast) {
    io->peer_host = s->host;
    io->peer_port = s->port;
  }
  io->multicast = multicast ? &sockets->multicast : NULL;
  io->sockets = sockets->list;
  io->n_sockets = sockets->n;
  io->flowlets = sockets->flowlets;
  io->threads = s->threads;
  io->fallbacks = sockets->fallbacks;
  io->n_fallbacks = sockets->n_fallbacks;
  if (sockets->others->len > 0)
    io->others = (GSocketAddress *const *) sockets->others->pdata;
}

/* auto: with a max-bitrate, that is the rate (fixed); without one, adaptive finds it. */
static FaspRateControl
get_rate_control (const GstFaspSettings *s)
{
  /* no default, so that the compiler warns about a missing case */
  switch (s->sending.rate_control) {
    case GST_FASP_RATE_CONTROL_FIXED:
      return FASP_RATE_CONTROL_FIXED;
    case GST_FASP_RATE_CONTROL_PERT:
      return FASP_RATE_CONTROL_PERT;
    case GST_FASP_RATE_CONTROL_ADAPTIVE:
      return FASP_RATE_CONTROL_ADAPTIVE;
    case GST_FASP_RATE_CONTROL_AUTO:
      break;
  }
  return s->sending.max_bitrate > 0 ? FASP_RATE_CONTROL_FIXED : FASP_RATE_CONTROL_ADAPTIVE;
}

void
gst_fasp_settings_to_endpoint (const GstFaspSettings *s, FaspEndpointSettings *settings)
{
  *settings = (FaspEndpointSettings) {
    .latency_ms = get_latency (s),
    .glitch_interval = s->sending.glitch_interval / GST_SECOND,
    .max_bitrate = s->sending.max_bitrate,
    .max_total_bitrate = s->sending.max_total_bitrate,
    .min_bitrate = s->sending.min_bitrate,
    .max_receivers = s->sending.max_receivers,
    .max_receivers_per_network = s->sending.max_receivers_per_network,
    .slow_policy = s->sending.slow_policy,
    .wait_for_connection = s->sending.wait_for_connection,
    .reconnect = s->auto_reconnect,
    /* of several sources that listen, each takes another sender when its own has ended */
    .keep_listening = s->receiving.keep_listening
        || (s->receiving.redundancy != FASP_REDUNDANCY_NONE
            && gst_fasp_mode_get (s) == GST_FASP_MODE_LISTENER),
    .too_late_skip = s->receiving.too_late == GST_FASP_TOO_LATE_SKIP,
  };
}

static gboolean
fill_config (const GstFaspSettings *s, FaspEndpointConfig *config, GError **error)
{
  static const FaspMode modes[] = {
    [GST_FASP_MODE_CALLER] = FASP_MODE_CALLER,
    [GST_FASP_MODE_LISTENER] = FASP_MODE_LISTENER,
    [GST_FASP_MODE_RENDEZVOUS] = FASP_MODE_RENDEZVOUS,
  };

  fasp_endpoint_config_init (config, s->role, modes[gst_fasp_mode_get (s)]);
  if (!parse_fec (s, config, error))
    return FALSE;
  gst_fasp_settings_to_endpoint (s, &config->settings);
  config->streamid = s->streamid;
  config->assignment = s->sending.flow_assignment;
  config->no_rtx = !s->sending.rtx;
  config->rate_control = get_rate_control (s);
  config->buffer_size = s->buffer_size;
  config->ask = s->keys.authentication;
  config->resume_timeout = s->resume_timeout / GST_USECOND;
  config->history = s->sending.history / GST_USECOND;
  config->join = s->join_at;
  config->join_back_ms = s->join_back / GST_MSECOND;
  return TRUE;
}

gboolean
gst_fasp_settings_to_io (const GstFaspSettings *s, FaspIoSettings *io, GstFaspSockets **sockets,
    GError **error)
{
  if (!check (s, error))
    return FALSE;
  *sockets = gst_fasp_sockets_new (s, error);
  if (*sockets == NULL || !gst_fasp_redundancy_check (s, *sockets, error))
    return FALSE;
  fill_sockets (s, *sockets, io);
  return fill_config (s, &io->endpoint, error);
}
