/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayprotocol.h: the class of a protocol.
 *
 * Each protocol has a file, with its class at the end, and a row in relayprotocol.c.  No other file
 * asks for a scheme.  An end is an element of the stream's pipeline: it gives or takes media of the
 * stream, which are the bytes of an MPEG-TS (RELAY_MEDIA), and has the properties `uri' and `stats'
 * and the signals `check-settings', `caller-connecting', `caller-asked' and `decide-caller'.
 *
 * A protocol makes this element itself, as fasp does.  Or it makes no more than a chain of
 * elements, and has an end with a pipeline of its own, where the chain can fail and be made anew
 * (relayprotocolend.h).  A pad of the chain may get its target later.
 */
#pragma once

#include "relaychain.h"
#include "relayend.h"
#include "relaykey.h"
#include "relayprotocolpipeline.h"
#include "relayprotocoluri.h"
#include "relayselection.h"

G_BEGIN_DECLS

/* Name of the structures of peers. */
#define RELAY_PEER "application/x-relay-peer"

/* Keys that several protocols have. */
#define RELAY_LATENCY_MAX 60000 /* ms: a minute */
#define RELAY_BUFFER_MIN 65536  /* bytes: a large datagram */
#define RELAY_BUFFER_MAX (1024 * 1024 * 1024)
#define RELAY_BUFFER_NORMAL (8 * 1024 * 1024) /* 3 s at 20 Mbit/s */
#define RELAY_KEY_INTERFACE \
  { "interface", RELAY_KEY_BOTH, NULL, 0, 0, "the system's choice", \
    "network interface of a multicast group" }
#define RELAY_KEY_TTL \
  { "ttl", RELAY_KEY_OUTPUT, NULL, 0, 255, "64; 1 for groups", "how many routers may pass it on" }
#define RELAY_KEY_SYNC \
  { "sync", RELAY_KEY_OUTPUT, "true false", 0, 0, "false", \
    "true: datagrams leave when a player would play them" }
#define RELAY_KEY_BUFFER_SIZE \
  { "buffer-size", RELAY_KEY_BOTH, NULL, RELAY_BUFFER_MIN, RELAY_BUFFER_MAX, "8388608", \
    "bytes that may wait" }

/* The class of a protocol. A member may be NULL or 0; its comment says what that means. */
struct _RelayProtocol
{
  const gchar *scheme;
  const RelayKey *keys;     /* of its URIs; if it makes the end's element, besides the properties */
  gboolean is_path;         /* its URIs have a path, not an address */
  gboolean has_connections; /* else none of its ends dials */
  gboolean shares_ports;    /* its ends with a streamid can listen at one port */
  gboolean whole_packets;   /* its inputs give only whole packets of MPEG-TS, so stray bytes are not
                               counted */

  /* Makes the end's element; NULL: the end has a pipeline of its own. */
  GstElement *(*make_end) (const RelayEnd *end, const gchar *name, GError **error);
  /* The following belong to make_end(), and are as in relayend.h. NULL: none, FALSE; for a change:
   * restart.
   */
  gboolean (*holds_up) (const RelayEnd *end);
  gboolean (*get_binding) (const RelayEnd *end, RelayBinding *binding);
  RelayDifference (*compare) (const RelayEnd *a, const RelayEnd *b);
  void (*adjust) (const RelayEnd *old, const RelayEnd *end, GstElement *element);

  /* The rest is for an end with a pipeline of its own. */

  /* Do the parts of a URI fit together? Each key has been checked before. @error: a sentence. */
  gboolean (*check) (const RelayProtocolUri *protocol_uri, GError **error);
  /* Returns the names of the files that an output writes, with the fields of g_date_time_format().
   * The URI's path is a list of these. NULL: that path is the file. */
  gchar *(*get_files) (const RelayProtocolUri *protocol_uri);
  /* How many ports of this machine an end binds, from the URI's on. NULL: none. */
  guint (*count_ports) (const RelayProtocolUri *protocol_uri);
  /* From which port of this machine an end dials; 0: any. NULL: any. */
  guint (*get_local_port) (const RelayProtocolUri *protocol_uri);
  /* Adds the elements, and returns the network element. NULL: an element is missing. The URI's host
   * is an IP address, a name if the URI is only checked, or NULL. */
  GstElement *(*make) (RelayChain *chain, const RelayProtocolUri *protocol_uri);
  /* @element: the one that make() returned, before it starts. *kept: state of the end, which
   * outlives a chain; NULL at first; freed by free_kept(). */
  void (*watch) (GstElement *element, RelayProtocolPipeline *pipeline, gpointer *kept);
  void (*free_kept) (gpointer kept);
  /* If the elements do not talk to the network themselves: open() begins to, before there are any,
   * start() has the element of make() take part, and close() ends it all. An end that dials waits
   * in open() until it is connected, has failed, or is cancelled.  @protocol_uri: with an address
   * as host.  NULL, FALSE: it failed. @error: a sentence.  Calls, and what an output has sent, are
   * noted in the pipeline. */
  gpointer (*open) (RelayProtocolPipeline *pipeline, const RelayProtocolUri *protocol_uri,
      GCancellable *cancellable, GError **error);
  gboolean (*start) (gpointer opened, GstElement *element, GError **error);
  void (*close) (gpointer opened);
  /* Answers relay_protocol_pipeline_asks(); from any thread. @refusal: why the caller is refused;
   * NULL: it may come in.  NULL: it does not ask. */
  void (*decide) (guint64 caller, const gchar *refusal);
  /* Adds figures that only this protocol has to @stats (relayfields.c has a row for each), and to
   * @peers a GstStructure of each peer that is known, with the fields that faspsrc and faspsink
   * have in `callers'.  What cannot be known is left out; `interrupted' is of the end, except of a
   * peer that has it.  @element: the one of make(), which plays; NULL: none does. */
  void (*add_figures) (RelayProtocolPipeline *pipeline, GstElement *element, GstStructure *stats,
      GPtrArray *peers);
  /* What an output does that cannot know its receivers: a verb for users; NULL: it counts them. */
  const gchar *does;
  /* Does the receiver of an output report to it, all the time, unless it sends to a group? */
  gboolean is_reported;
  /* The names of the elements within that of make() that send and receive datagrams; NULL: that
   * element itself. */
  const gchar *sender, *receivers[3];
  /* From the port of a receiver to that of the next one; 0: 1. */
  guint port_step;
};

extern const RelayProtocol relay_protocol_fasp, relay_protocol_srt, relay_protocol_rist,
    relay_protocol_udp, relay_protocol_rtp, relay_protocol_file, relay_protocol_hls;

/* All protocols, ended by NULL. */
extern const RelayProtocol *const relay_protocols[];

/* Returns the protocol of a URI; NULL: its scheme is not known. */
const RelayProtocol *relay_protocol_find (const gchar *uri);
/* @uri: of a protocol with keys.  @passphrase: used instead of the URI's, if the protocol has one;
 * NULL: the URI's.  @error: GST_URI_ERROR, with a sentence that does not quote secrets. */
RelayProtocolUri *relay_protocol_uri_parse (const gchar *uri, gboolean sends,
    const gchar *passphrase, GError **error);

G_END_DECLS
