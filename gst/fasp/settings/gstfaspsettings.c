/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspmode.h"
#include "gstfaspfield.h"
#include "gstfaspmulticast.h"
#include "gstfaspuri.h"

#define DEFAULT_PORT 7001
#define DEFAULT_LATENCY FASP_LATENCY_MS_DEFAULT
#define DEFAULT_GLITCH_INTERVAL (FASP_GLITCH_INTERVAL_DEFAULT * GST_SECOND)
#define DEFAULT_RESUME_TIMEOUT (30 * GST_SECOND)
#define DEFAULT_BUFFER_SIZE (64 * 1024 * 1024)
#define MIN_BUFFER_SIZE (256 * 1024)

/* --- properties ------------------------------------------------------------------ */

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define READY (FLAGS | GST_PARAM_MUTABLE_READY)
#define WRITE_ONLY (G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define LOCAL (READY | GST_FASP_PARAM_LOCAL)
#define PLAYING (FLAGS | GST_PARAM_MUTABLE_PLAYING)

static void
install_common (GObjectClass *klass)
{
  g_object_class_install_property (klass, GST_FASP_PROP_URI,
      g_param_spec_string ("uri", "URI",
          "fasp://HOST:PORT dials, fasp://:PORT listens (NULL: at port 7001); with a multicast "
          "address faspsink sends to the group and faspsrc hears it. Every "
          "property that names no file can be given as ?key=value&key=value; "
          "properties that are not named keep their values",
          NULL, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "Which end dials: caller, listener, rendezvous, or none to let the URI "
          "decide (with a host: caller)",
          GST_TYPE_FASP_MODE, GST_FASP_MODE_NONE, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_LOCALADDRESS,
      g_param_spec_string ("localaddress", "Local address",
          "IP address of this machine to send from and receive at (default: "
          "any, IPv4 and IPv6). The address in the URI of a listener is the "
          "same setting",
          NULL, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_LOCALPORT,
      g_param_spec_uint ("localport", "Local port",
          "UDP port to receive at (0: any free one). The port in the URI of a "
          "listener is the same setting; a caller takes any free port unless "
          "this is set",
          0, G_MAXUINT16, DEFAULT_PORT, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_LATENCY,
      g_param_spec_int ("latency", "Latency",
          "Time between sending and playing in ms, in which losses are "
          "repaired (-1 or, in a URI, auto: faspsink finds the smallest that "
          "keeps its glitch-interval). If both ends set it, the larger is "
          "used; with auto, at least the other end's",
          -1, FASP_LATENCY_MS_MAX, DEFAULT_LATENCY, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_STREAMID,
      g_param_spec_string ("streamid", "Stream ID",
          "Caller: name of the stream that it wants to receive or send. "
          "Listener: name of its own stream, by which callers choose where "
          "several elements listen at one port; a caller that gives another "
          "name is refused. At most 512 bytes of UTF-8",
          NULL, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_PASSPHRASE,
      g_param_spec_string ("passphrase", "Passphrase",
          "Secret of both ends, at least 10 characters: no peer without it can "
          "connect, read or forge anything (default: none, encrypted but open "
          "to everybody)",
          NULL, WRITE_ONLY));
  g_object_class_install_property (klass, GST_FASP_PROP_KEY_FILE,
      g_param_spec_string ("key-file", "Key file",
          "File with the private key of this end; make one with: openssl "
          "genpkey -algorithm X25519 -out FILE",
          NULL, LOCAL));
  g_object_class_install_property (klass, GST_FASP_PROP_PUBLIC_KEY,
      g_param_spec_string ("public-key", "Public key",
          "With key-file: public key of the other end, the only one that is "
          "accepted; in base64, as openssl pkey -in FILE -pubout prints it "
          "between BEGIN and END",
          NULL, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_ALLOWED_KEYS,
      g_param_spec_string ("allowed-keys", "Allowed keys",
          "Listener with key-file: file of the callers that may connect, with "
          "a public key and a name in each line (without it, handlers of "
          "caller-identified decide)",
          NULL, LOCAL));
  g_object_class_install_property (klass, GST_FASP_PROP_ENCRYPTION,
      g_param_spec_enum ("encryption", "Encryption",
          "Cipher. If a cipher is named, the other end must support it; none "
          "has to be set at the other end, too",
          GST_TYPE_FASP_ENCRYPTION, GST_FASP_ENCRYPTION_AUTO, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_AUTHENTICATION,
      g_param_spec_boolean ("authentication", "Authentication",
          "Refuse to start without a passphrase or key-file. A listener also "
          "asks handlers of caller-connecting and caller-identified that are "
          "connected while it runs (those from before are always asked)",
          FALSE, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_AUTO_RECONNECT,
      g_param_spec_boolean ("auto-reconnect", "Auto reconnect",
          "Caller: dial again, for ever, if the listener is gone, was never "
          "there, or is busy; if false, that is an error after "
          "resume-timeout. A listener that refuses the call is not called "
          "again",
          TRUE, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_RESUME_TIMEOUT,
      g_param_spec_uint64 ("resume-timeout", "Resume timeout",
          "How long in ns a silent peer keeps its place, so that it can go "
          "on at the byte where it stood",
          GST_SECOND, 24 * GST_SECOND * 3600, DEFAULT_RESUME_TIMEOUT, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_BUFFER_SIZE,
      g_param_spec_uint64 ("buffer-size", "Buffer size",
          "The most memory for the stream, in bytes. Set at least the bit rate "
          "times (round trip + latency + the longest outage to survive)",
          MIN_BUFFER_SIZE, G_MAXUINT32, DEFAULT_BUFFER_SIZE, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_TOS,
      g_param_spec_int ("tos", "Type of service",
          "IP TOS byte / IPv6 traffic class: DSCP times 4, e.g. 136 for AF41 "
          "(-1: the system's default)",
          -1, 255, -1, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_TTL,
      g_param_spec_int ("ttl", "Time to live", "IP TTL / IPv6 hop limit (0: the system's default)",
          0, 255, 0, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_INTERFACE,
      g_param_spec_string ("interface", "Interface",
          "Network interface to use, e.g. eth0 (default: as routed)", NULL, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_FLOWLETS,
      g_param_spec_uint ("flowlets", "Flowlets",
          "Number of UDP flows to spread the stream over, for networks that "
          "limit each flow or lose one now and then. The flows use consecutive "
          "ports from that of the URI on; the listener's firewall has to let in "
          "all of them. The smaller number of both ends is used",
          1, FASP_FLOWS_MAX, 1, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_THREADS,
      g_param_spec_uint ("threads", "Threads",
          "Number of receiving threads, at most one for each flow (flowlets, "
          "bonding-addresses); in a sink that listens also of sending threads, "
          "each for 64 receivers or more, at most 16 (0: one receiving thread "
          "for two processors, at least one, and one sending thread for each "
          "processor)",
          0, FASP_FLOWS_MAX, 0, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_BONDING_ADDRESSES,
      g_param_spec_string ("bonding-addresses", "Bonding addresses",
          "Further addresses of the peer, used together with that of the URI: "
          "ADDRESS:PORT@LOCAL,... where LOCAL, an address or interface of "
          "this machine, may be left out. For a listener, its own further "
          "addresses: ADDRESS:PORT,... (default: none)",
          NULL, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_FEC,
      g_param_spec_string ("fec", "Forward error correction",
          "Sink: off; auto (if latency is too short for retransmission, as "
          "many repairs as the losses require); or N%, 1 to 100: N repairs "
          "for 100 packets. Source: off, or auto to take what the sink sends. "
          "max-bitrate must have room for the repairs (default: off for the "
          "sink, auto for the source)",
          NULL, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_RECORD,
      g_param_spec_string ("record", "Record",
          "File to record every block in, as it leaves or arrives: SQLite "
          "(.db, .sqlite) or CSV (.csv); rows are added to an existing file "
          "(default: none)",
          NULL, LOCAL));
  g_object_class_install_property (klass, GST_FASP_PROP_LOG,
      g_param_spec_string ("log", "Log",
          "File to log in what is decided, and why, as a JSON text sequence "
          "(qlog): losses, rates, latency, sessions; a log is added to an "
          "existing file (default: none)",
          NULL, LOCAL));
  g_object_class_install_property (klass, GST_FASP_PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Figures of this element and its peers, see its documentation", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, GST_FASP_PROP_STATS_INTERVAL,
      g_param_spec_uint ("stats-interval", "Statistics interval",
          "Interval in ms at which stats is posted as an element message (0: never)", 0, G_MAXINT,
          0, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_JOIN_AT,
      g_param_spec_enum ("join-at", "Join at",
          "Where a receiver begins that has nothing of the stream yet, as far "
          "back as the sink keeps it (history). The source's value is used; if "
          "that is auto, the sink's",
          GST_TYPE_FASP_JOIN_AT, FASP_JOIN_ANY, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_JOIN_BACK,
      g_param_spec_uint64 ("join-back", "Join back",
          "With join-at=back: how long ago to begin, in ns (0: as far back as history goes)", 0,
          G_MAXUINT32 * (guint64) GST_MSECOND, 0, READY));
}

static void
install_sink (GObjectClass *klass)
{
  g_object_class_install_property (klass, GST_FASP_PROP_MAX_BITRATE,
      g_param_spec_uint64 ("max-bitrate", "Maximum bit rate",
          "Channel rate in bit/s to each receiver: what is sent never exceeds "
          "it, counting every byte from the IP header up. At least 5000. Leave "
          "room for repairs: 1.2 times the stream's rate (0: rate-control "
          "finds it; with rate-control=fixed, or auto that started with a "
          "rate, nothing is paced: for local links and tests)",
          0, G_GUINT64_CONSTANT (1000000000000), 0, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_MAX_TOTAL_BITRATE,
      g_param_spec_uint64 ("max-total-bitrate", "Maximum bit rate of all receivers",
          "Rate in bit/s of all that is sent to all receivers together, "
          "counting every byte from the IP header up. At least 5000. Where "
          "it is short, networks have equal parts of it, and the receivers of "
          "a network equal parts of that (0: no limit)",
          0, G_GUINT64_CONSTANT (1000000000000), 0, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_MIN_BITRATE,
      g_param_spec_uint64 ("min-bitrate", "Minimum bit rate",
          "With rate-control other than fixed: the least channel rate in "
          "bit/s, whatever the path does (0: 100 kbit/s)",
          0, G_GUINT64_CONSTANT (1000000000000), 0, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_MAX_ENCODER_BITRATE,
      g_param_spec_uint64 ("max-encoder-bitrate", "Maximum bit rate of the encoder",
          "Sets the bit rate of the video encoder in front of this element, and "
          "its VBV unless that was set, to what available-bitrate leaves for "
          "it: at most this, in bit/s (0: the encoder is left alone)",
          0, G_GUINT64_CONSTANT (1000000000000), 0, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_RATE_CONTROL,
      g_param_spec_enum ("rate-control", "Rate control",
          "What sets the channel rate to each receiver. All but fixed find "
          "it, between min-bitrate and max-bitrate; losses do not lower it",
          GST_TYPE_FASP_RATE_CONTROL, GST_FASP_RATE_CONTROL_AUTO, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_AVAILABLE_BITRATE,
      g_param_spec_uint64 ("available-bitrate", "Available bit rate",
          "The bit rate that an encoder may use, in bit/s of the stream: all "
          "receivers have room for it with retransmissions, repairs and headers "
          "(0: there is no receiver, or nothing is paced)",
          0, G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, GST_FASP_PROP_SLOW_POLICY,
      g_param_spec_enum ("slow-policy", "Slow policy",
          "What to do with a receiver that does not keep up when buffer-size is full",
          GST_TYPE_FASP_SLOW_POLICY, FASP_SLOW_WAIT, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_GLITCH_INTERVAL,
      g_param_spec_uint64 ("glitch-interval", "Glitch interval",
          "At most one skip, a second in which some data came later than "
          "latency, is wanted in this time, in ns: it determines the copies of "
          "retransmissions and, with latency=auto, the latency",
          GST_SECOND, 100 * 365 * GST_SECOND * 24 * 3600, DEFAULT_GLITCH_INTERVAL, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_WAIT_FOR_CONNECTION,
      g_param_spec_boolean ("wait-for-connection", "Wait for a connection",
          "Hold the stream while there is no receiver; if false, it is "
          "discarded meanwhile, unless history or join-at=keyframe keeps it",
          TRUE, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_FLOW_ASSIGNMENT,
      g_param_spec_enum ("flow-assignment", "Flow assignment",
          "Which of several flows (flowlets, bonding-addresses) a packet "
          "takes. All but duplicate give a flow that loses more a smaller "
          "share; with duplicate, max-bitrate has to have room for all of "
          "them",
          GST_TYPE_FASP_FLOW_ASSIGNMENT, FASP_ASSIGNMENT_RANDOM, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_REX,
      g_param_spec_boolean ("rex", "Retransmission",
          "Retransmit lost packets; if false, those that fec does not recover "
          "are given up, and the receiver goes on behind the gap",
          TRUE, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_HISTORY,
      g_param_spec_uint64 ("history", "History",
          "How long to keep data that was sent, in ns, for receivers that join "
          "(join-at) or come from another sink of the same stream; as far as "
          "buffer-size has room",
          0, 24 * GST_SECOND * 3600, 0, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_MAX_RECEIVERS,
      g_param_spec_uint ("max-receivers", "Most receivers",
          "When it listens: the most receivers at a time; others are told to "
          "call again (0: as many as there may be, " G_STRINGIFY (FASP_RECEIVERS_MOST) ")",
          0, FASP_RECEIVERS_MOST, FASP_RECEIVERS_DEFAULT, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_MAX_RECEIVERS_PER_NETWORK,
      g_param_spec_uint ("max-receivers-per-network", "Most receivers of a network",
          "When it listens: the most receivers at a time whose IPv4 address, "
          "or IPv6 /48, is the same; an IPv6 /32 has four times as many (0: no "
          "limit besides max-receivers)",
          0, FASP_RECEIVERS_MOST, FASP_RECEIVERS_NETWORK_DEFAULT, PLAYING));
  /**
   * GstFaspSink:send-reference-timestamps:
   *
   * Send the capture time with the stream: by the pipeline's clock if that is a wall clock (a
   * #GstPtpClock, a #GstNtpClock, or a #GstSystemClock of type realtime or tai), else by the
   * system's.  Receivers have it as #GstReferenceTimestampMeta, and can play in time with each
   * other (#GstFaspSrc:presentation-delay).
   *
   * Since: 1.0
   */
  g_object_class_install_property (klass, GST_FASP_PROP_SEND_REFERENCE_TIMESTAMPS,
      g_param_spec_boolean ("send-reference-timestamps", "Send reference timestamps",
          "Send when the stream was captured, by the wall clock: the pipeline's clock, if that is "
          "one, else the system's. A reference timestamp of a buffer is preferred to the clock",
          FALSE, READY));
}

static void
install_source (GObjectClass *klass)
{
  g_object_class_install_property (klass, GST_FASP_PROP_KEEP_LISTENING,
      g_param_spec_boolean ("keep-listening", "Keep listening",
          "Wait for the next sender when a sender has ended, instead of ending "
          "the stream; a caller needs auto-reconnect for that",
          FALSE, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_TOO_LATE,
      g_param_spec_enum ("too-late", "Too late",
          "What to do if data has not arrived when its latency is over", GST_TYPE_FASP_TOO_LATE,
          GST_FASP_TOO_LATE_WAIT, PLAYING));
  g_object_class_install_property (klass, GST_FASP_PROP_CAPS,
      g_param_spec_boxed ("caps", "Caps",
          "Caps of the stream, if downstream cannot find out (e.g. "
          "application/x-rtp-stream). Buffers are cut in other places than at "
          "the sender: packets and frames need an element that finds their "
          "bounds (rtpstreamdepay, gdpdepay, rawaudioparse, rawvideoparse)",
          GST_TYPE_CAPS, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_PROVIDE_CLOCK,
      g_param_spec_boolean ("provide-clock", "Provide clock",
          "Provide the clock of the pipeline, at the rate of the sender's "
          "clock, so that sinks play as fast as the sender captures; if false, "
          "timestamps follow the sender, whichever clock the pipeline has",
          FALSE, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_FALLBACK_ADDRESSES,
      g_param_spec_string ("fallback-addresses", "Fallback addresses",
          "Caller: other peers that have the stream, HOST:PORT,... If the "
          "peer is gone, refuses or is silent, faspsrc dials the next address, "
          "in turn. The stream goes on at the byte where it stood, as far as "
          "that peer has it (history). Needs auto-reconnect (default: none)",
          NULL, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_REQUIRE_COMPLETE,
      g_param_spec_boolean ("require-complete", "Require complete",
          "Make it an error if what is received is not the whole stream: it "
          "begins in the middle, a part is missing, or the sender stopped "
          "before its end. For files",
          FALSE, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_REDUNDANCY,
      g_param_spec_enum ("redundancy", "Redundancy",
          "Whether the stream comes from several sources at once: the peer of the URI and "
          "those of fallback-addresses, or two senders that call. Each byte is taken from "
          "whichever has it first",
          GST_TYPE_FASP_REDUNDANCY, FASP_REDUNDANCY_NONE, READY));
  g_object_class_install_property (klass, GST_FASP_PROP_WAIT_TO_RESTORE,
      g_param_spec_uint ("wait-to-restore", "Wait to restore",
          "With redundancy: how long the peer of the URI has to be good, ms, until it leads "
          "again after another source has (0: it does so only when it is asked to, by the "
          "signal switch-source)",
          0, G_MAXINT, 0, READY));
  /**
   * GstFaspSrc:monitor-ts:
   *
   * Measure what goes downstream by ETSI TR 101 290: #GstFaspSrc:stats has `transport-stream' then.
   *
   * Since: 1.0
   */
  g_object_class_install_property (klass, GST_FASP_PROP_MONITOR_TS,
      g_param_spec_boolean ("monitor-ts", "Monitor the transport stream",
          "Measure what is received by ETSI TR 101 290, as it goes downstream; stats has the errors "
          "of priority 1 and 2",
          FALSE, READY));
  /**
   * GstFaspSrc:presentation-delay:
   *
   * Play everything so long after its capture, in ms.  All receivers with the same delay, whose
   * wall clocks follow the same time, play it at the same moment.  Needs
   * #GstFaspSink:send-reference-timestamps at the sender.
   *
   * Since: 1.0
   */
  g_object_class_install_property (klass, GST_FASP_PROP_PRESENTATION_DELAY,
      g_param_spec_uint ("presentation-delay", "Presentation delay",
          "Time from capture, as the sender says it, to presentation, ms: the same at all receivers "
          "that are to show the same picture at the same moment. Longer than latency and the longest "
          "path (0: play as soon as latency allows)",
          0, FASP_LATENCY_MS_MAX, 0, READY));
}

void
gst_fasp_settings_install (GObjectClass *klass, FaspRole role)
{
  install_common (klass);
  if (role == FASP_ROLE_SENDER)
    install_sink (klass);
  else
    install_source (klass);
  gst_fasp_multicast_install (klass, role);
}

void
gst_fasp_settings_init (GstFaspSettings *settings, FaspRole role)
{
  *settings = (GstFaspSettings) {
    .localport = DEFAULT_PORT,
    .latency = DEFAULT_LATENCY,
    .auto_reconnect = TRUE,
    .resume_timeout = DEFAULT_RESUME_TIMEOUT,
    .buffer_size = DEFAULT_BUFFER_SIZE,
    .tos = -1,
    .flowlets = 1,
    .sending.rtx = TRUE,
    .sending.max_receivers = FASP_RECEIVERS_DEFAULT,
    .sending.max_receivers_per_network = FASP_RECEIVERS_NETWORK_DEFAULT,
    .sending.glitch_interval = DEFAULT_GLITCH_INTERVAL,
    .sending.wait_for_connection = TRUE,
    .role = role,
  };
  gst_fasp_multicast_init (&settings->multicast);
}

/* --- values ------------------------------------------------------------------------ */

#define IN(member, kind) GST_FASP_FIELD (GstFaspSettings, member, kind)

/* The member of each property, except for properties that are computed when they are read. */
static const GstFaspField fields[] = {
  [GST_FASP_PROP_MODE] = IN (mode, G_TYPE_ENUM),
  [GST_FASP_PROP_LOCALADDRESS] = IN (localaddress, G_TYPE_STRING),
  [GST_FASP_PROP_LOCALPORT] = IN (localport, G_TYPE_UINT),
  [GST_FASP_PROP_LATENCY] = IN (latency, G_TYPE_INT),
  [GST_FASP_PROP_STREAMID] = IN (streamid, G_TYPE_STRING),
  [GST_FASP_PROP_PASSPHRASE] = IN (keys.passphrase, G_TYPE_STRING),
  [GST_FASP_PROP_KEY_FILE] = IN (keys.key_file, G_TYPE_STRING),
  [GST_FASP_PROP_PUBLIC_KEY] = IN (keys.public_key, G_TYPE_STRING),
  [GST_FASP_PROP_ALLOWED_KEYS] = IN (keys.allowed_keys, G_TYPE_STRING),
  [GST_FASP_PROP_ENCRYPTION] = IN (keys.encryption, G_TYPE_ENUM),
  [GST_FASP_PROP_AUTHENTICATION] = IN (keys.authentication, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_AUTO_RECONNECT] = IN (auto_reconnect, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_RESUME_TIMEOUT] = IN (resume_timeout, G_TYPE_UINT64),
  [GST_FASP_PROP_BUFFER_SIZE] = IN (buffer_size, G_TYPE_UINT64),
  [GST_FASP_PROP_TOS] = IN (tos, G_TYPE_INT),
  [GST_FASP_PROP_TTL] = IN (ttl, G_TYPE_INT),
  [GST_FASP_PROP_INTERFACE] = IN (interface, G_TYPE_STRING),
  [GST_FASP_PROP_FLOWLETS] = IN (flowlets, G_TYPE_UINT),
  [GST_FASP_PROP_THREADS] = IN (threads, G_TYPE_UINT),
  [GST_FASP_PROP_BONDING_ADDRESSES] = IN (bonding_addresses, G_TYPE_STRING),
  [GST_FASP_PROP_FEC] = IN (fec, G_TYPE_STRING),
  [GST_FASP_PROP_RECORD] = IN (record, G_TYPE_STRING),
  [GST_FASP_PROP_LOG] = IN (log, G_TYPE_STRING),
  [GST_FASP_PROP_STATS_INTERVAL] = IN (stats_interval, G_TYPE_UINT),
  [GST_FASP_PROP_JOIN_AT] = IN (join_at, G_TYPE_ENUM),
  [GST_FASP_PROP_JOIN_BACK] = IN (join_back, G_TYPE_UINT64),
  [GST_FASP_PROP_MAX_BITRATE] = IN (sending.max_bitrate, G_TYPE_UINT64),
  [GST_FASP_PROP_MAX_TOTAL_BITRATE] = IN (sending.max_total_bitrate, G_TYPE_UINT64),
  [GST_FASP_PROP_MIN_BITRATE] = IN (sending.min_bitrate, G_TYPE_UINT64),
  [GST_FASP_PROP_MAX_ENCODER_BITRATE] = IN (sending.max_encoder_bitrate, G_TYPE_UINT64),
  [GST_FASP_PROP_RATE_CONTROL] = IN (sending.rate_control, G_TYPE_ENUM),
  [GST_FASP_PROP_SLOW_POLICY] = IN (sending.slow_policy, G_TYPE_ENUM),
  [GST_FASP_PROP_GLITCH_INTERVAL] = IN (sending.glitch_interval, G_TYPE_UINT64),
  [GST_FASP_PROP_WAIT_FOR_CONNECTION] = IN (sending.wait_for_connection, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_FLOW_ASSIGNMENT] = IN (sending.flow_assignment, G_TYPE_ENUM),
  [GST_FASP_PROP_REX] = IN (sending.rtx, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_HISTORY] = IN (sending.history, G_TYPE_UINT64),
  [GST_FASP_PROP_MAX_RECEIVERS] = IN (sending.max_receivers, G_TYPE_UINT),
  [GST_FASP_PROP_MAX_RECEIVERS_PER_NETWORK] = IN (sending.max_receivers_per_network, G_TYPE_UINT),
  [GST_FASP_PROP_SEND_REFERENCE_TIMESTAMPS] =
      IN (sending.send_reference_timestamps, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_KEEP_LISTENING] = IN (receiving.keep_listening, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_TOO_LATE] = IN (receiving.too_late, G_TYPE_ENUM),
  [GST_FASP_PROP_CAPS] = IN (receiving.caps, G_TYPE_BOXED),
  [GST_FASP_PROP_PROVIDE_CLOCK] = IN (receiving.provide_clock, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_REQUIRE_COMPLETE] = IN (receiving.require_complete, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_REDUNDANCY] = IN (receiving.redundancy, G_TYPE_ENUM),
  [GST_FASP_PROP_WAIT_TO_RESTORE] = IN (receiving.wait_to_restore, G_TYPE_UINT),
  [GST_FASP_PROP_MONITOR_TS] = IN (receiving.monitor_ts, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_PRESENTATION_DELAY] = IN (receiving.presentation_delay, G_TYPE_UINT),
  [GST_FASP_PROP_FALLBACK_ADDRESSES] = IN (receiving.fallback_addresses, G_TYPE_STRING),
  [GST_FASP_PROP_MULTICAST_IFACE] = IN (multicast.interface, G_TYPE_STRING),
  [GST_FASP_PROP_MULTICAST_SOURCE] = IN (multicast.source, G_TYPE_STRING),
  [GST_FASP_PROP_MULTICAST_LOOP] = IN (multicast.loop, G_TYPE_BOOLEAN),
  [GST_FASP_PROP_TTL_MC] = IN (multicast.ttl, G_TYPE_INT),
};

void
gst_fasp_settings_clear (GstFaspSettings *s)
{
  gst_fasp_keys_clear (&s->keys); /* wipes the secrets */
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (fields[i].kind == G_TYPE_STRING)
      g_clear_pointer ((gchar **) G_STRUCT_MEMBER_P (s, fields[i].offset), g_free);
  gst_clear_caps (&s->receiving.caps);
  g_clear_pointer (&s->host, g_free);
  g_clear_error (&s->bad_uri);
}

void
gst_fasp_settings_set (GstFaspSettings *s, GstFaspProp prop, const GValue *value)
{
  if (prop == GST_FASP_PROP_PASSPHRASE)
    gst_fasp_keys_wipe (s->keys.passphrase);
  gst_fasp_field_set (&fields[prop], s, value);
  s->localport_set |= prop == GST_FASP_PROP_LOCALPORT;
  s->latency_set |= prop == GST_FASP_PROP_LATENCY;
}

void
gst_fasp_settings_set_bad_uri (GstFaspSettings *s, GError *error)
{
  g_clear_error (&s->bad_uri);
  s->bad_uri = error;
}

void
gst_fasp_settings_get (const GstFaspSettings *s, GstFaspProp prop, GValue *value)
{
  g_assert (prop != GST_FASP_PROP_PASSPHRASE);
  if (prop == GST_FASP_PROP_URI)
    g_value_take_string (value, gst_fasp_uri_get (s));
  else if (prop == GST_FASP_PROP_LOCALADDRESS)
    g_value_set_string (value, gst_fasp_mode_get_localaddress (s));
  else if (prop == GST_FASP_PROP_LOCALPORT)
    g_value_set_uint (value, gst_fasp_mode_get_localport (s));
  else
    gst_fasp_field_get (&fields[prop], s, value);
}
