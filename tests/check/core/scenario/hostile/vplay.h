/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vplay.h: a listener, a good peer, and strangers whom the listener lets in.
 */
#pragma once

#include "faspendpointbase.h"
#include "vstranger.h"

G_BEGIN_DECLS

typedef struct
{
  Vnet *net;
  FaspEndpoint *sink, *good; /* at A and B */
  FaspEndpointConfig config; /* of the sink */
  GPtrArray *strangers;      /* VStranger, all at C */
  GHashTable *by_id;         /* of them */
  guint64 read, written;     /* bytes of the stream */
} VPlay;

/* @role: of the listener.  Its settings may be changed in `config' until vplay_begin(). */
VPlay *vplay_new (FaspRole role);
void vplay_begin (VPlay *play);
void vplay_free (VPlay *play);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VPlay, vplay_free)
/* The good peer calls. */
void vplay_add_good (VPlay *play, FaspTime rtt, guint latency_ms);
/* The address of a stranger in @network. */
FaspAddress vplay_get_address (guint32 network);
VStranger *vplay_add_stranger (VPlay *play, const FaspAddress *at, FaspRole role);
void vplay_call (VPlay *play, VStranger *stranger);
/* It calls until it is let in, or for two seconds. */
gboolean vplay_let_in (VPlay *play, VStranger *stranger);
/* Says it @from there, wherever it is. */
void vplay_say_from (VPlay *play, VStranger *stranger, const FaspAddress *from,
    const FaspWriter *frames);
void vplay_say (VPlay *play, VStranger *stranger, const FaspWriter *frames);
void vplay_say_ping (VPlay *play, VStranger *stranger, const FaspAddress *from);
/* A FEEDBACK of a receiver that has nothing of the stream from @ack on, and takes a lot. */
FaspFeedback vplay_make_feedback (guint64 serial, guint64 ack);
void vplay_say_feedback (VPlay *play, VStranger *stranger, const FaspFeedback *feedback);
/* Its session at the listener; NULL: it has none. */
FaspSession *vplay_get_session (VPlay *play, const VStranger *stranger);
/* Says that it has everything that has left, whether or not that has come. */
void vplay_say_acknowledged (VPlay *play, VStranger *stranger);
/* Of the first session. */
FaspSessionStats vplay_get_stats (FaspEndpoint *endpoint, FaspTime now);
/* Writes and reads as long as @time, at @bitrate. */
void vplay_stream (VPlay *play, FaspTime time, guint64 bitrate);

G_END_DECLS
