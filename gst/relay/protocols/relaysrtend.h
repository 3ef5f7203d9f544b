/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysrtend.h: an SRT end and the peers that are connected to it.
 *
 * An end's media are in an appsrc or appsink of its pipeline.  Nothing waits for a peer: what
 * SRT's sending buffer has no room for is dropped, and counted.
 *
 * An input uses one sender.  With second-caller=standby, another one may be connected: its media
 * are dropped, until one of its packets comes when the first has gone, or has been silent for half
 * a second (relay_srt_get_time).  That packet is used, and the first then stands by.
 */
#pragma once

#include <gst/gst.h>
#include <srt/srt.h>
#include "relayprotocolpipeline.h"

G_BEGIN_DECLS

typedef struct
{
  SRTSOCKET socket;
  GSocketAddress *address;
  gchar *streamid;    /* that a caller gives, without a password */
  gint64 heard;       /* when it was connected, or has sent: relay_srt_get_time, µs */
  gboolean stands_by; /* it is a sender, and not the one that is used: its media are dropped */
  struct
  {
    gint64 at;             /* relay_srt_get_time, µs */
    guint64 sent, repairs; /* of sent */
  } before, last;          /* datagrams to a receiver until then, to estimate their loss of late */
} RelaySrtPeer;

/* Changed by relaysrtend.c. */
typedef struct
{
  RelayProtocolPipeline *pipeline; /* not used any more when the end is closed */
  const RelayProtocolUri *uri;     /* the pipeline's, with the host's name */
  GstElement *element;             /* NULL: it has not started */
  GMutex lock;                     /* guards the rest */
  GCond changed;
  GPtrArray *peers; /* RelaySrtPeer, of an input the one that is used first; they are added and
                       removed under the work */
  gchar *failure;   /* why the peer that was dialled is not connected: a sentence; NULL: it is, or
                       may be */
  gboolean closed;
} RelaySrtEnd;

RelaySrtEnd *relay_srt_end_new (RelayProtocolPipeline *pipeline);
RelaySrtEnd *relay_srt_end_ref (RelaySrtEnd *end);
void relay_srt_end_unref (RelaySrtEnd *end);

/* Under the work: gives the end its appsrc or appsink, which has to live until the end is closed.
 * FALSE: the peer that was dialled has gone meanwhile. */
gboolean relay_srt_end_start (RelaySrtEnd *end, GstElement *element, GError **error);
/* Sends what SRT still has to send, for a moment at most. */
void relay_srt_end_flush (RelaySrtEnd *end);
/* The pipeline is not used any more. */
void relay_srt_end_close (RelaySrtEnd *end);

/* In any thread: has the end room for one more peer?  Returns the code by which a caller is
 * refused; 0: it has.  *reason: why, and what to do. */
gint relay_srt_end_look_for_room (RelaySrtEnd *end, const gchar **reason);
/* Under the work: the sender whose place the next one takes; NULL: there is room for one more. */
RelaySrtPeer *relay_srt_end_find_replaced (RelaySrtEnd *end);
/* Under the work: a peer is connected, or is not any more. */
void relay_srt_end_add (RelaySrtEnd *end, RelaySrtPeer *peer);
void relay_srt_end_remove (RelaySrtEnd *end, RelaySrtPeer *peer);
/* Under the work: a peer has sent media.  @begins: they are its first ones.  TRUE: it stood by, and
 * takes over with these. */
gboolean relay_srt_end_take (RelaySrtEnd *end, RelaySrtPeer *peer, gconstpointer data, gsize size,
    gboolean begins);
/* Under the work: the peer that was dialled has gone, or was never there.  @why: a sentence. */
void relay_srt_end_fail (RelaySrtEnd *end, const gchar *why);
/* Waits until the peer that is dialled is connected.  FALSE: it has failed, or is cancelled. */
gboolean relay_srt_end_wait (RelaySrtEnd *end, GCancellable *cancellable, GError **error);

/* Sends a buffer to all peers; from the thread of the appsink. */
void relay_srt_end_send (RelaySrtEnd *end, GstBuffer *buffer);
/* Adds a GstStructure of each peer, as add_figures() of relayprotocol.h. */
void relay_srt_end_add_peers (RelaySrtEnd *end, GPtrArray *peers);
/* May a second sender stand by?  *@n: how many do, also when the first has gone and they have sent
 * nothing since. */
gboolean relay_srt_end_has_standby (RelaySrtEnd *end, guint *n);

G_END_DECLS
