/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysrtthread.h: the thread of all SRT ends, and the lock under which they use libsrt.
 *
 * The locks, in the order in which a thread may take them:
 *
 *   1. the work (relay_srt_begin_work).  Calls, ports and ends are made, changed and freed under
 *      it: by SRT's thread for each batch of events, by the thread of an end that opens or closes.
 *      Nothing under it waits for a peer;
 *   2. the lock of relaysrtport.c, then that of relaysrtcall.c, then that of an end.  They guard
 *      what libsrt's own threads look at, too, when a caller has proved its address
 *      (srt_listen_callback).  No function of libsrt that may wait for these threads is called
 *      with one of them.
 *
 * A listener is closed without any of these, by relay_srt_close_listener().  libsrt 1.5.4 closes it
 * with its own lock held, and waits for the thread that receives; this one takes the same lock when
 * it handles a handshake (Haivision/srt, pull request 3189).  If they meet, both wait for ever.
 */
#pragma once

#include <glib.h>
#include <srt/srt.h>

G_BEGIN_DECLS

/* SRT's thread takes the work again at once while media come.  So a thread that waits for it has
 * the next turn. */
void relay_srt_begin_work (void);
void relay_srt_end_work (void);

/* Under the work: starts libsrt and the thread, once.  @take_event: handles an event of a socket.
 * @look: is called ten times a second.  Both have the work.  @error: a sentence. */
gboolean relay_srt_start_thread (void (*take_event) (SRTSOCKET socket, int events),
    void (*look) (void), GError **error);
/* Has the thread take these events (SRT_EPOLL_IN...) of a socket, and errors; or none. */
void relay_srt_watch (SRTSOCKET socket, int events);
void relay_srt_unwatch (SRTSOCKET socket);
/* In any thread: the time by which the silence of a peer is measured: µs.  It is the time in which
 * the thread has looked for data: a stall of the thread, or of the process, counts as a tenth of a
 * second at most, however long it lasts, as data may wait unread meanwhile. */
gint64 relay_srt_get_time (void);

/* Under the work: from here on, the listener's UDP port is being closed. */
void relay_srt_begin_close (SRTSOCKET listener, guint port);
/* Closes it, in half a second at most; without the work.  @fd: its UDP socket; -1: an end that
 * dials has it, too.  libsrt calls no function of the listener any more. */
void relay_srt_close_listener (SRTSOCKET listener, gint fd, guint port);
/* While a port is being closed, libsrt and the kernel still have its number.  Under the work: waits
 * until no port of this number is being closed; 0: of any.  FALSE: one still is, a second later.
 * @error: a sentence. */
gboolean relay_srt_wait_for_closed (guint port, GError **error);

G_END_DECLS
