/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpoint.h: one end of fasp, and the interface of the core to the I/O
 * layer and the tests.  An endpoint has a store (sender) or a reorder buffer
 * (receiver), the handshake, and one session for each peer.
 *
 * It does no I/O.  The caller passes in datagrams, bytes and the time, and
 * polls for datagrams, blocks, events and the time of the next wake-up.  The
 * only callback is the source of random bytes, so there is no re-entrancy.
 * An endpoint is not thread-safe: the caller holds one lock around all calls.
 *
 * After any call: poll datagrams until FALSE, poll events until FALSE, then
 * sleep until fasp_endpoint_get_timeout() or the next input.
 */
#pragma once

#include "faspblock.h"
#include "faspclockdiscipline.h"
#include "faspconfig.h"
#include "faspdatagram.h"
#include "faspothersources.h"
#include "faspevent.h"
#include "fasphist.h"
#include "fasplog.h"
#include "faspread.h"
#include "faspstats.h"
#include "fasptrace.h"

G_BEGIN_DECLS

typedef struct _FaspEndpoint FaspEndpoint;

/* Copies @config, except what must stay valid (see there).  Calls @random with
 * @user_data as long as the endpoint exists. */
FaspEndpoint *fasp_endpoint_new (const FaspEndpointConfig *config, FaspRandomFunc random,
    gpointer user_data);
void fasp_endpoint_free (FaspEndpoint *endpoint);

/* Caller and rendezvous: sets the peer's address and dials from now on.  Call it
 * again when the address changes (the name was resolved anew). */
void fasp_endpoint_dial (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *peer);

/* Calling receiver with several `peers': returns the index of the peer to dial. *serial changes
 * with each change of the index. */
guint fasp_endpoint_get_wanted_peer (const FaspEndpoint *endpoint, guint *serial);

/* Caller: the peer's address is being resolved from now on, which counts towards the time after
 * which a caller that does not reconnect gives up. Listener: callers can reach it from now on;
 * after a while without any call there is a FASP_EVENT_UNCALLED. */
void fasp_endpoint_expect (FaspEndpoint *endpoint, FaspTime now);

/* --- datagrams ---------------------------------------------------------- */

/* A datagram came.  @memory: the memory that @data lies in; the endpoint may write to
 * it, and blocks stay in it.  NULL: blocks are copied.  @marked: the datagram has ECN's
 * "congestion experienced" (RFC 3168). */
void fasp_endpoint_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const guint8 *data, gsize size, FaspMemory *memory, gboolean marked);
/* Like fasp_endpoint_receive(), at a port with several endpoints.  @route: from
 * fasp_routes_find(). */
void fasp_endpoint_receive_routed (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const guint8 *data, gsize size, FaspMemory *memory, gboolean marked, FaspRoute route);
/* The network reports that no program listens at @to (ICMP port unreachable). */
void fasp_endpoint_unreachable (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *to);
/* Caller: returns the sockets, a bit each, that should change to another local port, if the user
 * has set none: nothing is heard by them, perhaps because of a NAT on the way (faspstale.h). Each
 * is returned once. */
guint64 fasp_endpoint_take_stale_sockets (FaspEndpoint *endpoint);

/* Gets the next datagram to send now, sealed; FALSE: there is none.  Runs timers. */
gboolean fasp_endpoint_poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagram);
/* When to call poll again if no datagram comes before; FASP_NEVER: no need. */
FaspTime fasp_endpoint_get_timeout (FaspEndpoint *endpoint);

/* The most threads that send; and how many sessions a lane takes before the next lane gets any, as
 * fewer are hardly any work for a thread. */
#define FASP_LANES_MAX 16
#define FASP_LANE_FULL 64

/* With several threads that send, each has a lane (config.lanes): a part of the sessions. The
 * datagrams of a lane must leave in their order, and one thread at a time seals them. The first
 * lane also has the datagrams of no session, and is filled before the others. */
guint fasp_endpoint_count_lanes (const FaspEndpoint *endpoint);
/* Like fasp_endpoint_poll() and fasp_endpoint_get_timeout(), but for one lane. Makes up to @max
 * datagrams (at least 1), and returns their number. The caller must seal them: fasp_datagram_seal()
 * needs no endpoint, and so no lock. */
guint fasp_endpoint_poll_lane (FaspEndpoint *endpoint, guint lane, FaspTime now,
    FaspDatagram *datagrams, guint max);
FaspTime fasp_endpoint_get_lane_timeout (FaspEndpoint *endpoint, guint lane);
/* Datagrams polled from @lane since @from did not leave before @until, as the thread or the socket
 * was busy. The pacers count them as sent at @until. */
void fasp_endpoint_left_late (FaspEndpoint *endpoint, guint lane, FaspTime from, FaspTime until);

/* --- the stream, sender -------------------------------------------------- */

/* Takes bytes written at @media_time (µs, sender's media clock; falls only where
 * that was set back).  @memory: the memory that @data lies in, which must not change any
 * more; what fills whole blocks is not copied then.  NULL: all is copied.
 * Returns how many bytes were taken.  That is fewer than @size when the store is full
 * (slow-policy wait), or when no receiver has connected yet and wait_for_connection is set:
 * try again after the next poll round.  Without wait_for_connection, bytes for which there is no
 * receiver are taken, counted and dropped. */
gsize fasp_endpoint_write (FaspEndpoint *endpoint, FaspTime now, FaspTime media_time,
    const guint8 *data, gsize size, FaspMemory *memory);
/* The next byte written, at @media_time, has the stream offset @position, given by the stream's
 * first sender. Relays call this. NULL, the default: the byte is of a stream of our own.  FALSE:
 * there is no room: try again, as with fasp_endpoint_write(). */
gboolean fasp_endpoint_set_stream_offset (FaspEndpoint *endpoint, FaspTime now, FaspTime media_time,
    const FaspStreamOffset *position);
/* The stream that is written from now on cannot be decoded without these bytes,
 * FASP_STREAM_HEADER_MAX at most. Receivers that join in the middle get them, before the next unit
 * that can be decoded alone, unless they are more than a quarter of the buffer.  This call does not
 * write them into the stream.  NULL, or no bytes: no header is needed.  Takes a reference. */
void fasp_endpoint_set_header (FaspEndpoint *endpoint, FaspTime now, GBytes *header);
/* How long the receivers that joined have waited for the header (the longest wait); 0: none
 * waits. */
FaspTime fasp_endpoint_get_header_wait (const FaspEndpoint *endpoint, FaspTime now);
/* The next byte, written at @media_time, begins a unit that can be decoded without the bytes
 * before. @each: all units of the stream can; else it is a key frame. FALSE: there is no room yet
 * for the header that precedes it; write nothing until there is. */
gboolean fasp_endpoint_begin_key_frame (FaspEndpoint *endpoint, FaspTime now, FaspTime media_time,
    gboolean each);
/* What is written at @media_time, next, was captured at the time @capture. Writes a mark where
 * receivers need one to know the capture time of each byte. */
void fasp_endpoint_set_capture (FaspEndpoint *endpoint, FaspTime now, FaspTime media_time,
    const FaspCapture *capture);
/* Takes the blocks in the application's memory that no receiver needs any more; NULL: none. Release
 * them with g_ptr_array_unref() outside of the caller's lock, as that calls functions of the
 * application.  Call this after any other call. */
GPtrArray *fasp_endpoint_take_forgotten (FaspEndpoint *endpoint);
gboolean fasp_endpoint_has_forgotten (const FaspEndpoint *endpoint);
/* TRUE when fasp_endpoint_write() would take at least one byte. */
gboolean fasp_endpoint_can_write (const FaspEndpoint *endpoint);
/* May fasp_endpoint_finish() be called? FALSE, if wait_for_connection is set: nothing was written,
 * and no receiver is connected that could get the end; wait as before a write. */
gboolean fasp_endpoint_can_finish (const FaspEndpoint *endpoint);
/* Ends the stream. Further calls do nothing. */
void fasp_endpoint_finish (FaspEndpoint *endpoint, FaspTime now);
gboolean fasp_endpoint_has_finished (const FaspEndpoint *endpoint);
/* After finish: TRUE when every session has acknowledged everything (or has
 * been removed, see FASP_EVENT_REMOVED, or there was never one). */
gboolean fasp_endpoint_is_drained (const FaspEndpoint *endpoint);

/* --- the stream, receiver ------------------------------------------------ */

/* Reads the next block in order.  FALSE: there is none, and *read is not set.  Each byte of a
 * stream comes once, even if the sender changes.  A block with FASP_BLOCK_EOS has no payload and
 * ends the stream of this sender.  A block with FASP_BLOCK_HEADER is not part of the stream, but
 * the header that receivers which join in the middle need.  With FASP_BLOCK_ENTER this receiver
 * needs it, too; else it is only passed on. */
gboolean fasp_endpoint_read (FaspEndpoint *endpoint, FaspTime now, FaspRead *read);
/* TRUE when fasp_endpoint_read() may return a block. */
gboolean fasp_endpoint_can_read (const FaspEndpoint *endpoint);
/* Receiver, with one_of_several: sets the bytes that the reader has from other sources of the
 * stream, and whether this source must stand by. Missing blocks of which the reader has the bytes
 * are passed over; blocks that come are read nevertheless. Applies to later sessions, too. */
void fasp_endpoint_set_other_sources (FaspEndpoint *endpoint, FaspTime now,
    const FaspOtherSources *others);

/* Fills in the state of this receiver's sender. */
void fasp_endpoint_get_source (const FaspEndpoint *endpoint, FaspTime now, FaspSourceState *state);
/* How well a caller suits one of several receivers with the same name. */
typedef enum
{
  FASP_FIT_OCCUPIED, /* the receiver has another sender */
  FASP_FIT_SILENT,   /* the receiver has a sender, which is not heard */
  FASP_FIT_FREE,     /* the receiver has no sender */
  FASP_FIT_KNOWN,    /* this caller is the receiver's sender */
} FaspFit;

FaspFit fasp_endpoint_fits (const FaspEndpoint *endpoint, const FaspAddress *caller);
/* Fills in what the receiver knows of the clock of the sender of the last block read. */
void fasp_endpoint_get_sender_clock (const FaspEndpoint *endpoint, FaspSenderClock *clock);

/* The reader of the stream needs a key frame.  The request goes to the sender at once; requests
 * within a second after that leave as one at its end. FALSE: there is no sender; one that comes
 * makes a key frame anyway. */
gboolean fasp_endpoint_want_key_frame (FaspEndpoint *endpoint, FaspTime now);

/* --- events --------------------------------------------------------------- */

gboolean fasp_endpoint_poll_event (FaspEndpoint *endpoint, FaspEvent *event);
gboolean fasp_endpoint_has_event (FaspEndpoint *endpoint);
/* Answers @asked, a FASP_EVENT_CONNECTING.  @refusal: FASP_REASON_NONE: the caller may come in;
 * _BUSY: it may call again; _REFUSED: it may not.  @why: the reason of a refusal, for events and
 * the log here; NULL: it is not known.  @for_caller: the reason that the caller gets; NULL: that it
 * was refused, or that nothing is decided yet.  FALSE: it was answered, or its session has gone. */
gboolean fasp_endpoint_decide (FaspEndpoint *endpoint, FaspTime now, const FaspEvent *asked,
    FaspReason refusal, const gchar *why, const gchar *for_caller);

/* The rate that an encoder may use: bit/s of the stream that every receiver has room for now,
 * besides headers, retransmissions and repairs.  0: there is no receiver, or nothing is paced. */
guint64 fasp_endpoint_get_available_bitrate (const FaspEndpoint *endpoint);

/* --- changing while running ------------------------------------------------ */

/* Changes the settings, and applies those that differ at once. */
void fasp_endpoint_configure (FaspEndpoint *endpoint, FaspTime now,
    const FaspEndpointSettings *settings);
/* The settings in force. */
const FaspEndpointSettings *fasp_endpoint_get_settings (const FaspEndpoint *endpoint);
/* The stream consists of packets of @size bytes (MPEG-TS: 188); 0: of any size. Blocks hold whole
 * packets, if one fits, so that a gap begins and ends between packets. */
void fasp_endpoint_set_packet_size (FaspEndpoint *endpoint, guint32 size);

/* --- ending ----------------------------------------------------------------- */

/* Sends CLOSE to every peer, repeated a few times, and accepts no more peers. The reason in CLOSE
 * is FINISHED from a receiver that has the whole stream and from a sender whose stream is
 * acknowledged, else @reason. */
void fasp_endpoint_close (FaspEndpoint *endpoint, FaspTime now, FaspReason reason);
/* Receiver: ends its session, telling the sender by @text that it cannot use the stream. A sender
 * that calls gives up then. The application reads no more. */
void fasp_endpoint_refuse (FaspEndpoint *endpoint, FaspTime now, const gchar *text);
/* Ends the session with the id @session, and tells its peer that it was refused, and why. FALSE:
 * there is no such session. */
gboolean fasp_endpoint_drop (FaspEndpoint *endpoint, FaspTime now, guint32 session,
    const gchar *text);
/* After close: TRUE when nothing is left to send.  The caller waits for that at most
 * FASP_CLOSE_TIMEOUT_MAX, and then calls fasp_endpoint_end(). */
gboolean fasp_endpoint_is_closed (const FaspEndpoint *endpoint);
/* Ends each session without another datagram. Pushes FASP_EVENT_REMOVED for each connected one for
 * which that was not pushed yet. */
void fasp_endpoint_end (FaspEndpoint *endpoint, FaspTime now);

/* --- statistics --------------------------------------------------------------- */

void fasp_endpoint_get_stats (FaspEndpoint *endpoint, FaspEndpointStats *stats);

/* Sender: the statistics of its group; FALSE: it has none. */
gboolean fasp_endpoint_get_group (const FaspEndpoint *endpoint, FaspGroupStats *stats);
/* Fills in at most @max sessions, in the order they came, and returns how many; 0: there
 * are no more.  *@cursor is 0 for the first call, and is moved behind the last session
 * that was filled in: so a caller can release the lock between parts of thousands. */
guint fasp_endpoint_get_sessions (FaspEndpoint *endpoint, FaspTime now, guint64 *cursor,
    FaspSessionStats *sessions, guint max);
/* Fills in at most @max flows of a session that has several, or of the session that
 * ended last.  Returns how many there are. */
guint fasp_endpoint_get_flows (FaspEndpoint *endpoint, guint32 session, FaspFlowStats *flows,
    guint max);
/* Sender: like fasp_endpoint_get_flows(), for paths. */
guint fasp_endpoint_get_paths (FaspEndpoint *endpoint, FaspTime now, guint32 session,
    FaspPathStats *paths, guint max);
/* The statistics of the session that ended last; FALSE: none has. */
gboolean fasp_endpoint_get_last_session (const FaspEndpoint *endpoint, FaspSessionStats *session);
/* Records up to @size datagrams with blocks until they are fetched; 0: stops
 * recording. */
void fasp_endpoint_set_trace (FaspEndpoint *endpoint, guint size);
/* Takes out up to @max records, oldest first. @lost: how many were overwritten so far;
 * may be NULL. */
guint fasp_endpoint_fetch_trace (FaspEndpoint *endpoint, FaspTraceEntry *entries, guint max,
    guint64 *lost);
/* Keeps up to @size events of the decision log from now on, unless a log is kept already; 0: stops
 * the log. Sessions that exist already log nothing. */
void fasp_endpoint_set_log (FaspEndpoint *endpoint, guint size);
/* Takes out up to @max events, see fasp_log_fetch(). */
guint fasp_endpoint_fetch_log (FaspEndpoint *endpoint, FaspLogEntry *entries, guint max,
    guint64 *lost);
/* Sender: how long the data to be sent next to a receiver has waited, µs.  This is the longest
 * wait of all receivers with slow-policy wait, else the shortest.  -1: no receiver is heard. */
FaspTime fasp_endpoint_get_backlog (FaspEndpoint *endpoint, FaspTime now);
/* Sender: the share lost (0 to 1) since the last call, to the receiver that loses the most.  Only
 * receivers with a fixed rate count. */
gdouble fasp_endpoint_look_at_loss (FaspEndpoint *endpoint);
/* Sender: for how long, since the last call, the rate allowed sending but the endpoint was not
 * polled, µs; the longest time of all receivers. */
FaspTime fasp_endpoint_look_at_missed (FaspEndpoint *endpoint);
/* Sender, to be called regularly: finds a receiver that is heard, but has acknowledged none of
 * the blocks in flight over the last @looks calls. FALSE: there is none. */
gboolean fasp_endpoint_look_for_stuck (FaspEndpoint *endpoint, FaspTime now, guint looks,
    FaspAddress *where);
/* Receiver: lateness in µs over the path's best case, of blocks as they
 * arrive or, @in_order, as they become deliverable in order.  Never NULL. */
const FaspHist *fasp_endpoint_get_lateness (FaspEndpoint *endpoint, gboolean in_order);

G_END_DECLS
