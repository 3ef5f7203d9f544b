/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspstreamid.h"
#include "gstfaspaddress.h"
#include "gstfaspcallers.h"
#include "gstfaspdebug.h"
#include "gstfaspenums.h"
#include "gstfaspevents.h"
#include "gstfaspkeys.h"
#include "gstfaspoffset.h"
#include "gstfaspstats.h"

/* A warning, or the refusal of a caller for a reason, is not repeated within this time. */
#define WARN_AGAIN_AFTER (60 * G_TIME_SPAN_SECOND)

void
gst_fasp_events_install (GObjectClass *klass)
{
  GType type = G_OBJECT_CLASS_TYPE (klass);

  g_signal_new ("caller-added", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
      G_TYPE_INT, G_TYPE_SOCKET_ADDRESS);
  g_signal_new ("caller-removed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
      G_TYPE_INT, G_TYPE_SOCKET_ADDRESS);
  g_signal_new ("caller-rejected", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
      G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING);
  gst_fasp_callers_install (type);
}

gchar *
gst_fasp_events_peer (const FaspEvent *event)
{
  gchar *peer = gst_fasp_address_to_string (&event->address);

  return peer != NULL ? peer : g_strdup ("the peer");
}

/* Explains that the listener refused our call, or the stream that we send. */
static gchar *
explain_refusal (const FaspEvent *event, const gchar *peer)
{
  /* a call is refused for its streamid, or by a decision of the application */
  const gchar *advice = strstr (event->text, "streamid") != NULL ?
      "set streamid to that of a stream there" :
      "the operator of that end has to let this one in, which may depend on its "
      "address, streamid and key";

  if (event->type == FASP_EVENT_REMOVED)
    return g_strdup_printf ("%s refused the stream: %s", peer, event->text);
  return g_strdup_printf ("%s refused the call (%s): %s", peer, event->text, advice);
}

/* This end has disconnected the peer, or was stopped itself.  The text of a refusal is worded for
 * the peer. */
static gchar *
explain_own_end (const FaspEvent *event, const gchar *peer)
{
  const gchar *why = event->text;

  if (event->reason == FASP_REASON_ENDED_HERE && why[0] == '\0')
    return g_strdup_printf ("this end was stopped, and its connection to %s with it", peer);
  if (event->reason == FASP_REASON_REFUSED)
    why = strstr (why, "require-complete") != NULL ? "require-complete" : "drop-caller";
  return g_strdup_printf ("%s was disconnected by this end (%s)", peer, why);
}

gchar *
gst_fasp_events_explain (const FaspEvent *event)
{
  g_autofree gchar *peer = gst_fasp_events_peer (event), *shown = NULL;
  const gchar *text = event->text;

  switch (event->reason) {
    case FASP_REASON_NONE:
    case FASP_REASON_FINISHED:
      if (event->type != FASP_EVENT_REJECTED)
        return g_strdup_printf ("%s has finished", peer);
      return g_strdup_printf (event->refusal.calling ?
              "%s takes no more calls, as its stream has ended: start that end again" :
              "%s called after the end of the stream: start this end again for another",
          peer);
    case FASP_REASON_STOPPED:
      return g_strdup_printf ("%s stopped before the end of the stream", peer);
    case FASP_REASON_ENDED_HERE:
      return explain_own_end (event, peer);
    case FASP_REASON_TOO_SLOW:
      return g_strdup_printf (event->end.is_ours ?
              "%s was too slow for the stream and was disconnected (slow-policy=drop-receiver)" :
              "%s has disconnected this end, which was too slow for the stream "
              "(slow-policy=drop-receiver there)",
          peer);
    case FASP_REASON_REFUSED:
      if (event->type == FASP_EVENT_REMOVED && event->end.is_ours)
        return explain_own_end (event, peer);
      if (event->refusal.calling || event->type == FASP_EVENT_REMOVED)
        return explain_refusal (event, peer);
      shown = fasp_streamid_show (event->streamid);
      return shown[0] != '\0' ?
          g_strdup_printf ("%s was refused; its streamid is \"%s\" (%s)%s", peer, shown, text,
              strstr (text, "streamid") != NULL ? ": set the same streamid on both ends" : "") :
          g_strdup_printf ("%s was refused: %s", peer, text);
    case FASP_REASON_BUSY:
      /* the text is meant for the caller */
      if (!event->refusal.calling && event->type == FASP_EVENT_REJECTED)
        return g_strdup_printf ("%s was turned away: %s", peer, text);
      return g_strdup_printf (event->final ? "%s is busy: %s" : "%s is busy: %s; dialling goes on",
          peer, text);
    case FASP_REASON_SAME_ROLE:
      return g_strdup_printf ("%s cannot be connected: %s", peer, text);
    case FASP_REASON_UNSUPPORTED:
      return g_strdup_printf (
          "%s does not support what was asked for (%s): install the same version on both ends",
          peer, text);
    case FASP_REASON_KEY:
    case FASP_REASON_ENCRYPTION:
      return g_strdup_printf ("%s cannot be connected: %s", peer, text);
    case FASP_REASON_VERSION:
      return g_strdup_printf (
          "%s speaks another version of the protocol: install the same version on both ends", peer);
    case FASP_REASON_SILENT:
      if (event->type != FASP_EVENT_REJECTED)
        return g_strdup_printf ("%s was not heard for longer than resume-timeout", peer);
      if (event->address.len == 0)
        return g_strdup ("no address was found within resume-timeout: check the name in the "
                         "URI, or whether the multicast group has a sender");
      return text[0] != '\0' ?
          g_strdup_printf ("%s: %s", peer, text) :
          g_strdup_printf ("%s does not answer: check that it is running, and "
                           "that its UDP port is open in the firewalls in between",
              peer);
    case FASP_REASON_REPLACED:
      return g_strdup_printf ("%s was started anew, or had given up this "
                              "connection (resume-timeout), or another program has taken its place",
          peer);
  }
  return g_strdup_printf ("%s closed the connection for reason %d: %s", peer, event->reason, text);
}

/* Seconds, in words for people. */
static gchar *
describe_time (guint64 seconds)
{
  if (seconds <= 1)
    return g_strdup ("second or so");
  if (seconds < 120)
    return g_strdup_printf ("%u s", (guint) seconds);
  if (seconds < 7200)
    return g_strdup_printf ("%u minutes", (guint) (seconds / 60));
  if (seconds < 172800)
    return g_strdup_printf ("%u hours", (guint) (seconds / 3600));
  return g_strdup_printf ("%" G_GUINT64_FORMAT " days", seconds / 86400);
}

/* Posts the expected and the observed interval between skips. */
static void
post_promise (GstElement *element, const FaspEvent *event)
{
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("promise-changed", "latency-ms", G_TYPE_UINT,
              event->promise.latency_ms, "promised-interval", G_TYPE_UINT64,
              gst_fasp_interval (event->promise.promised_interval), "observed-interval",
              G_TYPE_UINT64,
              event->promise.observed > 0 ? gst_fasp_interval (event->promise.observed) :
                                            GST_CLOCK_TIME_NONE,
              NULL)));
}

/* Posts how often skips are expected; warns if that is more often than glitch-interval allows. */
static void
report_promise (GstElement *element, const FaspEvent *event, const gchar *peer,
    GstFaspPosted *posted)
{
  g_autofree gchar *interval = describe_time (event->promise.promised_interval);
  g_autofree gchar *more = NULL;

  post_promise (element, event);
  if (event->promise.falls_short
      && gst_fasp_quiet_may_post (&posted->quiet[GST_FASP_QUIET_SHORT], &more))
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, SETTINGS,
        ("The network to %s loses too much for a latency of %u ms: expect a "
         "skip every %s, more often than glitch-interval allows. Raise "
         "latency (or set latency=-1), or max-bitrate if it is set.%s",
            peer, event->promise.latency_ms, interval, more),
        (NULL), GST_FASP_PEER ("promise-changed", peer));
}

/* Posts @s as an element message, with fields about the peer added. */
static void
post (GstElement *element, GstStructure *s, const FaspEvent *event)
{
  gst_structure_set (s, "streamid", G_TYPE_STRING, event->streamid, NULL);
  gst_fasp_address_describe (s, "address", &event->address);
  gst_fasp_describe_identity (s, &event->peer);
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), s));
}

/* Warns about features that are set at this end, and that the other end lacks. */
static void
warn_of_less (GstElement *element, const FaspEvent *event, const gchar *peer, GstFaspPosted *posted)
{
  g_autofree gchar *flows = NULL, *fec = NULL;

  if (event->terms.flows < event->terms.flows_here
      && gst_fasp_quiet_may_post (&posted->quiet[GST_FASP_QUIET_FLOWS], &flows))
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, SETTINGS,
        ("%s has fewer flows: %u of %u are used. Set the same flowlets, and the "
         "same number of bonding-addresses, on both ends.%s",
            peer, event->terms.flows, event->terms.flows_here, flows),
        (NULL), GST_FASP_PEER ("connection-terms", peer));
  if (event->terms.fec_refused
      && gst_fasp_quiet_may_post (&posted->quiet[GST_FASP_QUIET_FEC], &fec))
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, SETTINGS,
        ("%s takes no repairs (fec=off): losses are only retransmitted. Set "
         "fec=auto there to use FEC.%s",
            peer, fec),
        (NULL), GST_FASP_PEER ("connection-terms", peer));
}

static void
report_connected (GstElement *element, const FaspEvent *event, GSocketAddress *address,
    const gchar *peer, GstFaspPosted *posted)
{
  GST_INFO_OBJECT (element, "connected to %s, latency %u ms", peer, event->terms.latency_ms);
  warn_of_less (element, event, peer, posted);
  g_signal_emit_by_name (element, "caller-added", 0, address);
  post (element, gst_structure_new_empty ("connection-added"), event);
}

/* The stream goes on in another session: posts from which peer, and how many bytes are missing. */
static void
report_moved (GstElement *element, const FaspEvent *event, const gchar *peer)
{
  FaspEvent was = { .address = event->before };
  g_autofree gchar *from = gst_fasp_events_peer (&was);
  GstStructure *s =
      gst_structure_new ("stream-moved", "bytes-missing", G_TYPE_UINT64, event->bytes_lost, NULL);

  gst_fasp_address_describe (s, "from", &event->before);
  gst_fasp_address_describe (s, "to", &event->address);
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), s));
  if (event->bytes_lost > 0 && fasp_address_equal (&event->before, &event->address))
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
        ("The stream goes on from %s, which no longer has what came before: %" G_GUINT64_FORMAT
         " bytes are missing. Raise history (and "
         "buffer-size) of the faspsink there, or resume-timeout of both "
         "ends.",
            peer, event->bytes_lost),
        (NULL), GST_FASP_PEER ("stream-moved", peer));
  else if (event->bytes_lost > 0)
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
        ("The stream came from %s and goes on from %s, which does not have it "
         "from that far back: %" G_GUINT64_FORMAT
         " bytes are missing. Raise history (and buffer-size) of the faspsink there.",
            from, peer, event->bytes_lost),
        (NULL), GST_FASP_PEER ("stream-moved", peer));
  else
    GST_ELEMENT_INFO_WITH_DETAILS (element, RESOURCE, READ,
        ("The stream came from %s and goes on from %s; nothing is missing.", from, peer),
        ("the stream goes on from %s; nothing is missing", peer),
        GST_FASP_PEER ("stream-moved", peer));
}

/* The first bytes of a stream have come. */
static void
report_joined (GstElement *element, const FaspEvent *event, const gchar *peer,
    GstFaspPosted *posted)
{
  g_autofree gchar *origin = event->start.position.known ?
      gst_fasp_origin_to_string (&event->start.position.origin) :
      NULL;
  g_autofree gchar *more = NULL;

  post (element,
      gst_structure_new ("stream-joined", "origin", G_TYPE_STRING, origin, "offset", G_TYPE_UINT64,
          event->start.position.offset, "in-the-middle", G_TYPE_BOOLEAN, event->start.in_the_middle,
          NULL),
      event);
  if (!event->start.in_the_middle
      || !gst_fasp_quiet_may_post (&posted->quiet[GST_FASP_QUIET_JOINED], &more))
    return;
  GST_ELEMENT_INFO_WITH_DETAILS (element, RESOURCE, READ,
      ("The stream of %s begins in the middle here: what was before is "
       "elsewhere, or was not kept.%s",
          peer, more),
      /* gst-launch-1.0 prints only this part of an INFO */
      ("the stream of %s begins in the middle here, at byte %" G_GUINT64_FORMAT
       ": what was before is elsewhere, or was not kept. "
       "If it is a file, send it again (require-complete=true makes this "
       "an error)%s%s",
          peer, event->start.position.offset, more[0] != '\0' ? "." : "", more),
      GST_FASP_PEER ("stream-joined", peer));
}

static void
report_behind (GstElement *element, const FaspEvent *event, const gchar *peer)
{
  GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, WRITE,
      ("%s goes on behind a gap: up to %" G_GUINT64_FORMAT " bytes of the "
       "stream, from where it stood, are no longer kept here. To bridge "
       "longer outages, raise history (or resume-timeout) and buffer-size. "
       "The field bytes-missing-total of stats tells how many were missing "
       "so far.",
          peer, event->bytes_lost),
      (NULL), GST_FASP_PEER ("stream-behind", peer));
}

/* Warns that a part of the stream is missing. The stream goes on. */
static void
report_gap (GstElement *element, const FaspEvent *event, const gchar *peer)
{
  if (event->left_behind)
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
        ("A part of the stream is missing: %s did not wait for this receiver "
         "(slow-policy), does not retransmit (rex=false), or did not have it. "
         "Check that the line has room for the stream; raise buffer-size of "
         "that faspsink if this end only stands still for a while now and "
         "then. The field bytes-missing-total of stats tells how much is "
         "missing.",
            peer),
        (NULL), GST_FASP_PEER ("stream-gap", peer));
  else
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
        ("A part of the stream is missing: it was too late and was given up. "
         "Raise latency (or set latency=-1), or set too-late=wait to get all "
         "of the stream, but later. The field bytes-missing-total of stats "
         "tells how much is missing."),
        (NULL), GST_FASP_PEER ("stream-gap", peer));
}

/* Posts a warning, or an information, about a peer. Takes @text, @debug and @details. */
static void
post_about_peer (GstElement *element, GstMessageType type, GstResourceError code, gchar *text,
    gchar *debug, GstStructure *details)
{
  gst_element_message_full_with_details (element, type, GST_RESOURCE_ERROR, code, text, debug,
      __FILE__, GST_FUNCTION, __LINE__, details);
}

static void
report_interrupted (GstElement *element, const FaspEvent *event, const gchar *peer,
    GstFaspPosted *posted)
{
  g_autofree gchar *more = NULL;
  guint64 timeout;

  if (!gst_fasp_quiet_may_post (&posted->quiet[GST_FASP_QUIET_INTERRUPTED], &more))
    return;
  g_object_get (element, "resume-timeout", &timeout, NULL);
  post_about_peer (element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_READ,
      g_strdup_printf ("Connection to %s interrupted: %s. If it is heard again within %g s "
                       "(resume-timeout), the stream goes on where it stood. A program that "
                       "is started in its place does not have what came before.%s",
          peer, event->text, timeout / (gdouble) GST_SECOND, more),
      NULL,
      gst_structure_new ("connection-interrupted", "address-string", G_TYPE_STRING, peer, "reason",
          G_TYPE_STRING, event->text, NULL));
}

static void
report_resumed (GstElement *element, const gchar *peer, GstFaspPosted *posted)
{
  g_autofree gchar *more = NULL;

  if (!gst_fasp_quiet_may_post (&posted->quiet[GST_FASP_QUIET_RESUMED], &more))
    return;
  post_about_peer (element, GST_MESSAGE_INFO, GST_RESOURCE_ERROR_READ,
      g_strdup_printf ("Connection to %s is back; the stream goes on where it stood.%s", peer,
          more),
      /* gst-launch-1.0 prints only this part of an INFO */
      g_strdup_printf ("connection to %s is back; the stream goes on where it stood%s%s", peer,
          more[0] != '\0' ? "." : "", more),
      gst_structure_new ("connection-resumed", "address-string", G_TYPE_STRING, peer, NULL));
}

static void
report_deaf (GstElement *element, const gchar *peer)
{
  GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
      ("Nothing comes from the multicast group any more: the stream comes by "
       "unicast from %s, which costs the sender more. Check that the switch "
       "has an IGMP (IPv6: MLD) querier, and that the firewall lets in UDP "
       "to the group's port.",
          peer),
      (NULL), GST_FASP_PEER ("group-lost", peer));
}

static void
report_hearing (GstElement *element, const gchar *peer)
{
  GST_ELEMENT_INFO_WITH_DETAILS (element, RESOURCE, READ,
      ("The multicast group is heard again: the stream of %s comes by multicast.", peer),
      /* gst-launch-1.0 prints only this part of an INFO */
      ("the multicast group is heard again: the stream of %s comes by multicast", peer),
      GST_FASP_PEER ("group-back", peer));
}

gboolean
gst_fasp_events_is_due (gint64 *last)
{
  gint64 now = g_get_monotonic_time ();

  if (*last > 0 && now - *last < WARN_AGAIN_AFTER)
    return FALSE;
  *last = now;
  return TRUE;
}

static gboolean
was_posted (GstFaspPosted *posted, const FaspEvent *event)
{
  for (guint i = 0; i < G_N_ELEMENTS (posted->last); i++)
    if (posted->last[i].time > 0 && event->reason == posted->last[i].reason
        && fasp_address_equal (&posted->last[i].caller, &event->address))
      return !gst_fasp_events_is_due (&posted->last[i].time);
  posted->last[posted->next].caller = event->address;
  posted->last[posted->next].reason = event->reason;
  posted->last[posted->next].time = g_get_monotonic_time ();
  posted->next = (posted->next + 1) % G_N_ELEMENTS (posted->last);
  return FALSE;
}

static void
report_rejected (GstElement *element, const FaspEvent *event, GSocketAddress *address,
    GstFaspPosted *posted)
{
  g_autofree gchar *why = gst_fasp_events_explain (event), *more = NULL, *peer = NULL;

  /* the event has no address if the peer's name was not found */
  if (address != NULL)
    g_signal_emit_by_name (element, "caller-rejected", address, event->streamid);
  posted->quiet[GST_FASP_QUIET_REFUSED].unposted += event->refusal.more;
  if (!event->final && !was_posted (posted, event)
      && gst_fasp_quiet_may_post (&posted->quiet[GST_FASP_QUIET_REFUSED], &more)) {
    peer = gst_fasp_address_to_string (&event->address);
    post_about_peer (element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_BUSY,
        g_strdup_printf ("Not connected: %s.%s", why, more), NULL,
        gst_structure_new ("connection-refused", "reason-code", G_TYPE_UINT, (guint) event->reason,
            "address-string", G_TYPE_STRING, peer, "streamid", G_TYPE_STRING, event->streamid,
            "reason", G_TYPE_STRING, why, NULL));
  }
}

static gboolean
meets_halfway (GstElement *element)
{
  GstFaspMode mode;

  g_object_get (element, "mode", &mode, NULL);
  return mode == GST_FASP_MODE_RENDEZVOUS;
}

/* Does this element hold the stream until a receiver connects?  Then elements upstream wait, too.
 */
static gboolean
is_held (GstElement *element)
{
  gboolean held = FALSE;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "wait-for-connection") != NULL)
    g_object_get (element, "wait-for-connection", &held, NULL);
  return held;
}

/* No peer has been heard yet: warns, and says what to check. */
static void
report_unanswered (GstElement *element, const FaspEvent *event, const gchar *peer)
{
  const gchar *held = is_held (element) ? ", and the stream is held until then "
                                          "(with wait-for-connection=false it would be discarded)" :
                                          "";

  if (event->address.len == 0)
    GST_ELEMENT_WARNING (element, RESOURCE, NOT_FOUND,
        ("Nothing comes from the multicast group yet. Is faspsink running, "
         "with a ttl-mc that reaches here? Does multicast-iface name the "
         "interface that it is behind? Does the firewall let in UDP to the "
         "group's port, and does the switch have an IGMP (IPv6: MLD) "
         "querier? faspsrc keeps listening."),
        (NULL));
  else if (event->text[0] != '\0')
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, NOT_AUTHORIZED,
        ("No connection to %s yet: %s. Set the same on both ends. Dialling goes on.", peer,
            event->text),
        (NULL), GST_FASP_PEER ("connection-unanswered", peer));
  else if (meets_halfway (element))
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, NOT_FOUND,
        ("Nothing is heard from %s yet. Is the other end running, with "
         "mode=rendezvous, the address of this one and its port? If it is, a "
         "NAT on the way does not keep the port: then let one end listen, at "
         "a port that is forwarded to it. Dialling goes on%s.",
            peer, held),
        (NULL), GST_FASP_PEER ("connection-unanswered", peer));
  else
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, NOT_FOUND,
        ("%s does not answer yet. Is the other end running, is it fasp (SRT "
         "does not answer), does it listen (a URI without a host), and is its "
         "UDP port open in the firewalls in between? Dialling goes on%s.",
            peer, held),
        (NULL), GST_FASP_PEER ("connection-unanswered", peer));
}

/* Warns that @peer sends another protocol to this port. */
static void
report_stranger (GstElement *element, FaspIo *io, const FaspEvent *event, const gchar *peer)
{
  static const struct
  {
    const gchar *name, *element, *scheme;
  } protocols[] = {
    [FASP_PROTOCOL_SRT] = { "SRT", "srtsrc or srtsink", "srt" },
    [FASP_PROTOCOL_RTP] = { "RTP (or RIST)", "udpsrc (ristsrc)", "rtp" },
    [FASP_PROTOCOL_MPEG_TS] = { "MPEG-TS over UDP", "udpsrc", "udp" },
  };
  guint port = fasp_io_get_port (io);

  g_return_if_fail (event->protocol < G_N_ELEMENTS (protocols)
      && protocols[event->protocol].name != NULL);
  GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, SETTINGS,
      ("%s sends %s to UDP port %u, where only fasp is understood: it is not answered. Let faspsink or "
       "faspsrc connect to this port, or use %s here (in fasp-relay %s://:%u).",
          peer, protocols[event->protocol].name, port, protocols[event->protocol].element,
          protocols[event->protocol].scheme, port),
      (NULL), GST_FASP_PEER ("other-protocol", peer));
}

static void
report_uncalled (GstElement *element, FaspIo *io)
{
  g_autofree gchar *local = NULL;
  guint port = fasp_io_get_port (io);

  g_object_get (element, "localaddress", &local, NULL);
  GST_ELEMENT_INFO (element, RESOURCE, NOT_FOUND,
      ("UDP port %u of %s waits for a caller, and none has come yet. The other end has to dial: its URI "
       "needs the address of this machine, fasp://HOST:%u. If it has no host, both ends listen. Else "
       "look whether the firewalls in between let in UDP to this port.",
          port, local != NULL && local[0] != '\0' ? local : "all addresses", port),
      (NULL));
}

static void
report_removed (GstElement *element, const FaspEvent *event, GSocketAddress *address,
    GstFaspPosted *posted)
{
  g_autofree gchar *why = gst_fasp_events_explain (event), *more = NULL;
  g_autofree gchar *peer = gst_fasp_events_peer (event);
  gboolean replaced = event->reason == FASP_REASON_REPLACED
      && GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK);

  g_signal_emit_by_name (element, "caller-removed", 0, address);
  post (element,
      gst_structure_new ("connection-removed", "reason", G_TYPE_STRING, why, "reason-code",
          G_TYPE_UINT, (guint) event->reason, "bytes", G_TYPE_UINT64, event->end.bytes, "duration",
          G_TYPE_UINT64, event->end.lasted * GST_USECOND, NULL),
      event);
  if (!event->end.is_held && !replaced) {
    GST_INFO_OBJECT (element, "%s", why);
    return;
  }
  if (!gst_fasp_quiet_may_post (&posted->quiet[GST_FASP_QUIET_LEFT], &more))
    return;
  if (event->end.is_held)
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, WRITE,
        ("%s, and there is no other receiver. The stream is held until one "
         "connects (with wait-for-connection=false it would be "
         "discarded).%s",
            why, more),
        (NULL), GST_FASP_PEER_GONE (event, peer));
  else
    GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, WRITE,
        ("%s. The stream goes on from where it stood. A program that was "
         "started since lacks all that came before: if the stream is a file, "
         "send it again.%s",
            why, more),
        (NULL), GST_FASP_PEER_GONE (event, peer));
}

void
gst_fasp_events_handle (GstElement *element, FaspIo *io, const FaspEvent *event,
    GstFaspPosted *posted)
{
  g_autoptr (GSocketAddress) address =
      event->address.len > 0 ? fasp_socket_address_to_gio (&event->address) : NULL;
  g_autofree gchar *peer = gst_fasp_events_peer (event);

  switch (event->type) {
    case FASP_EVENT_CONNECTING:
      break; /* gstfaspcallers handles this */
    case FASP_EVENT_UNANSWERED:
      report_unanswered (element, event, peer);
      break;
    case FASP_EVENT_UNCALLED:
      report_uncalled (element, io);
      break;
    case FASP_EVENT_STRANGER:
      report_stranger (element, io, event, peer);
      break;
    case FASP_EVENT_CONNECTED:
      report_connected (element, event, address, peer, posted);
      break;
    case FASP_EVENT_REJECTED:
      report_rejected (element, event, address, posted);
      break;
    case FASP_EVENT_PROMISE:
      report_promise (element, event, peer, posted);
      break;
    case FASP_EVENT_MOVED:
      report_moved (element, event, peer);
      break;
    case FASP_EVENT_DEAF:
      report_deaf (element, peer);
      break;
    case FASP_EVENT_HEARING:
      report_hearing (element, peer);
      break;
    case FASP_EVENT_BITRATE:
    case FASP_EVENT_KEY_FRAME:
    case FASP_EVENT_SKIPPED:
      break; /* faspsink handles these */
    case FASP_EVENT_FLOW_OUT:
    case FASP_EVENT_FLOW_BACK:
      break; /* gstfasplines handles these */
    case FASP_EVENT_JOINED:
      report_joined (element, event, peer, posted);
      break;
    case FASP_EVENT_BEHIND:
      report_behind (element, event, peer);
      break;
    case FASP_EVENT_GAP:
      report_gap (element, event, peer);
      break;
    case FASP_EVENT_INTERRUPTED:
      report_interrupted (element, event, peer, posted);
      break;
    case FASP_EVENT_RESUMED:
      report_resumed (element, peer, posted);
      break;
    case FASP_EVENT_REMOVED:
      report_removed (element, event, address, posted);
      break;
  }
}

void
gst_fasp_events_resolve_failed (GstElement *element, const gchar *host, const GError *error)
{
  GST_ELEMENT_WARNING (element, RESOURCE, NOT_FOUND,
      ("Cannot find the address of \"%s\": %s. Check the name. The look-up is tried again.", host,
          error->message),
      (NULL));
}

void
gst_fasp_events_buffer_short (GstElement *element, guint64 rate, gsize granted, gsize wanted)
{
  GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
      ("The kernel buffers only %" G_GSIZE_FORMAT
       " KiB for this socket, %.1f ms of the %" G_GUINT64_FORMAT
       " Mbit/s that arrive: datagrams will "
       "be lost when this machine is busy. Allow more: sysctl -w "
       "net.core.rmem_max=%" G_GSIZE_FORMAT,
          granted / 1024, granted * 8e3 / rate, rate / 1000000, wanted),
      (NULL));
}

void
gst_fasp_events_send_failed (GstElement *element, const gchar *line, const gchar *why)
{
  GST_ELEMENT_WARNING (element, RESOURCE, WRITE,
      ("The network takes no datagrams%s%s: %s. Check the address, the routes (for "
       "a multicast group, multicast-iface), the MTU (at least 1228 bytes, "
       "1280 for IPv6) and the firewall of this machine. Sending is tried "
       "again.",
          line != NULL ? " for " : "", line != NULL ? line : "", why),
      (NULL));
}

void
gst_fasp_events_receive_failed (GstElement *element, const gchar *why)
{
  GST_ELEMENT_WARNING (element, RESOURCE, READ,
      ("The kernel of this machine hands over no datagrams, whether any come or "
       "not: %s. If this program is confined (seccomp), let it call "
       "recvmmsg(), and check that the machine has memory. Receiving is "
       "tried again.",
          why),
      (NULL));
}
