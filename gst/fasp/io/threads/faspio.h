/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspio.h: an endpoint of the core with sockets, a thread and a clock.
 *
 * One thread receives and runs the wake-up loop; others may receive beside it
 * (faspreceivers.h). One lock guards the endpoint. It is never held over a system call
 * that could block. The thread that writes also sends what may leave at once. For this, a second
 * lock, taken before the first, guards the sending half of the socket. The application's threads
 * write, read and drain. Every wait of theirs ends at fasp_io_set_flushing().
 */
#pragma once

#include "faspendpoint.h"
#include "faspsockets.h"
#include "faspmembership.h"

G_BEGIN_DECLS

typedef struct _FaspIo FaspIo;

/* Called from the I/O thread, with no lock held. Must not free the FaspIo. */
typedef void (*FaspIoEventFunc) (FaspIo *io, const FaspEvent *event, gpointer user_data);
/* The peer's name cannot be resolved. Called once for a series of failures; the look-up is repeated
 * every second. */
typedef void (*FaspIoResolveFunc) (const gchar *host, const GError *error, gpointer user_data);

/* The network refuses our datagrams on a socket, or the kernel refuses to hand over those that
 * arrive. Sending and receiving go on. Each kind of error is reported once for all sockets that go
 * to one address of the peer (`flowlets'). */
typedef void (*FaspIoSendFailedFunc) (guint number, const gchar *why, gpointer user_data);
typedef void (*FaspIoRefusedFunc) (const gchar *why, gpointer user_data);

/* The kernel grants the socket a receive buffer of @granted bytes, which is less than arrives at
 * @rate bit/s in FASP_IO_BUFFER_TIME; @wanted bytes would be enough. Called once. */
typedef void (*FaspIoBufferFunc) (guint64 rate, gsize granted, gsize wanted, gpointer user_data);

/* How long a receiving thread may have to wait for its turn. */
#define FASP_IO_BUFFER_TIME (20 * FASP_MSEC)

/* A name or address, and a port. */
typedef struct
{
  const gchar *host;
  guint16 port;
} FaspIoPeer;

/* There may be blocks to read, or an event. Called from any thread of the FaspIo, with the endpoint
 * locked: must not call the FaspIo, nor wait. */
typedef void (*FaspIoNewsFunc) (gpointer user_data);

/* May this source call this address of its name? FALSE: another source calls it. Called by the
 * thread that resolves names. */
typedef gboolean (*FaspIoClaimFunc) (const FaspAddress *address, gpointer user_data);

typedef struct
{
  FaspEndpointConfig endpoint;
  FaspIo *beside; /* listener with one socket: shares the port of this FaspIo; a caller goes to the
                     one that is free; NULL: none */
  const FaspSocketSettings *sockets; /* one for each flow */
  guint n_sockets;
  guint threads;  /* threads that receive; 0: chosen by the number of processors */
  guint flowlets; /* flows to each address of the peer: to the peer's port and the next ports */
  GSocketAddress *const *others;   /* caller: further addresses of the peer */
  const FaspMembership *multicast; /* for a sender that listens, or a receiver
                                      that calls the announced sender; needs
                                      one socket; NULL: no multicast */
  guint log;                       /* events of the decision log that are kept until they are
                                      fetched; 0: nothing is logged */
  const gchar *peer_host;          /* caller, rendezvous: name or address of the peer */
  guint16 peer_port;
  const FaspIoPeer *fallbacks; /* receiver that calls: other peers that have the stream */
  guint n_fallbacks;
  FaspIoEventFunc event;
  FaspIoResolveFunc resolve_failed;
  FaspIoSendFailedFunc send_failed;
  FaspIoRefusedFunc receive_failed;
  FaspIoBufferFunc buffer_short;
  gpointer user_data;
  FaspIoNewsFunc news; /* for the reader of several sources (faspsources.h); NULL: there is none */
  gpointer news_data;
  FaspIoClaimFunc claim; /* also for several sources; NULL: any address may be called */
  gpointer claim_data;
} FaspIoSettings;

typedef enum
{
  FASP_IO_OK,
  FASP_IO_FLUSHING,
  FASP_IO_ENDED,   /* read: the sender is gone; *event says why */
  FASP_IO_FAILED,  /* no peer will come any more; *event says why */
  FASP_IO_WAITING, /* write, drain: not finished after FASP_IO_TIMEOUT; the next call goes on */
} FaspIoResult;

/* A call returns FASP_IO_WAITING after this time, so that its caller can tell the user why it
 * waits. */
#define FASP_IO_TIMEOUT FASP_SEC

/* Opens the sockets (a busy port is an error at once) and starts the thread. Does not
 * wait for a peer or a name server. */
FaspIo *fasp_io_new (const FaspIoSettings *settings, GError **error);
/* Begins to close the sessions, and does not wait for the peers' answers. */
void fasp_io_begin_close (FaspIo *io);
/* Closes the sessions, unless that has begun. Takes 3 s at most, less when the peer answers.
 * Afterwards, only fasp_io_lock(), fasp_io_unlock() and fasp_io_free() may be called. A second call
 * does nothing. */
void fasp_io_close (FaspIo *io);
/* Closes @io first, if it is open. */
void fasp_io_free (FaspIo *io);

guint16 fasp_io_get_port (FaspIo *io);
gsize fasp_io_get_socket_buffer (FaspIo *io);
/* Was the address or interface of this socket missing when it was opened, and is it still? */
gboolean fasp_io_is_early (FaspIo *io, guint number);

/* Does a unit that can be decoded without the bytes before begin with a piece? */
typedef enum
{
  FASP_IO_NO_KEY = 0, /* not known, or no such unit begins there */
  FASP_IO_KEY_FRAME,  /* yes: a key frame */
  FASP_IO_KEY_EACH,   /* yes, as do all units of the stream */
} FaspIoKey;

/* Bytes to write. Those that fill whole blocks are not copied if they lie in @memory,
 * which must then stay unchanged and may be NULL. */
typedef struct
{
  const guint8 *data;
  gsize size;
  FaspMemory *memory;
  FaspIoKey key;             /* which unit begins with this piece */
  FaspStreamOffset position; /* stream offset of its first byte, if known */
  FaspTime media_time;       /* if position is known: when it was written, at its origin; µs */
  FaspCapture capture;       /* when its bytes were captured, if known */
} FaspIoPiece;

/* Writes pieces of memory as one: nothing is sent before all of them are written or the
 * buffer is full, so that they fill datagrams together. *done counts the bytes taken so
 * far, of all pieces together: after a call that flushing interrupted, or that waited too
 * long, the next one continues from there. @media_time: of pieces without a stream offset. */
FaspIoResult fasp_io_write (FaspIo *io, FaspTime media_time, const FaspIoPiece *pieces, guint n,
    gsize *done, FaspEvent *event);
/* Ends the stream and waits until it is acknowledged. *lost: bytes at its end that a
 * receiver, since gone, never confirmed. */
FaspIoResult fasp_io_drain (FaspIo *io, guint64 *lost, FaspEvent *event);

/* Waits for at least one block, and takes up to @max of those that are ready, in order. The end of
 * a stream is always the last of a batch. `arrival' is on the monotonic clock. */
FaspIoResult fasp_io_read (FaspIo *io, FaspRead *items, guint max, guint *n, FaspEvent *event);

/* The same for one of several sources (faspsources.h), without waiting. FASP_IO_WAITING: there is
 * no block. @others: settings that the endpoint must get first, or NULL. *state: the endpoint's
 * state before blocks are taken. If @max is 0, no block is taken, and no end reported. */
FaspIoResult fasp_io_poll (FaspIo *io, const FaspOtherSources *others, FaspSourceState *state,
    FaspRead *items, guint max, guint *n, FaspEvent *event);

void fasp_io_set_flushing (FaspIo *io, gboolean flushing);

/* Locks the endpoint and returns it, for statistics, settings, and answers to its questions. */
FaspEndpoint *fasp_io_lock (FaspIo *io);
/* @changed: the I/O thread must look at the endpoint again. */
void fasp_io_unlock (FaspIo *io, gboolean changed);

G_END_DECLS
