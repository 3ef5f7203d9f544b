/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspio.h: an endpoint of the core with sockets, a thread and a clock.
 *
 * One thread receives and runs the wake-up loop; others may receive beside it
 * (faspreceivers.h).  One lock guards the
 * endpoint; it is never held over a system call that could block.  What may
 * leave at once the writer sends by itself: a second lock, taken before the
 * other, guards the sending half of the socket.  The application's threads
 * write, read and drain; every wait of theirs ends at fasp_io_set_flushing().
 */
#pragma once

#include "fasplinks.h"
#include "faspmembership.h"

G_BEGIN_DECLS

typedef struct _FaspIo FaspIo;

/* From the I/O thread, no lock held. Must not free the FaspIo. */
typedef void (*FaspIoEventFunc) (FaspIo * io, const FaspEvent * event,
    gpointer user_data);
/* The peer's name cannot be resolved; it is tried again every second. Once
 * for each time it begins to fail. */
typedef void (*FaspIoResolveFunc) (const gchar * host, const GError * error,
    gpointer user_data);

/* The network refuses our datagrams, or the kernel to give us those that come; it is tried
 * again. */
typedef void (*FaspIoRefusedFunc) (const gchar * why, gpointer user_data);

/* The kernel gives the socket a receive buffer of @granted bytes, which is less
 * than comes in @rate bit/s in FASP_IO_BUFFER_TIME; @wanted would do. Once. */
typedef void (*FaspIoBufferFunc) (guint64 rate, gsize granted, gsize wanted,
    gpointer user_data);

/* A thread that is to receive may have to wait that long for its turn. */
#define FASP_IO_BUFFER_TIME (20 * FASP_MSEC)

/* A name or address, and a port. */
typedef struct
{
  const gchar *host;
  guint16 port;
} FaspIoPeer;

typedef struct
{
  FaspEndpointConfig endpoint;
  const FaspSocketSettings *links;      /* one for each flow, */
  guint n_links;
  guint threads;                /* that receive; 0: as fits the machine */
  guint flowlets;               /* so many of which go to the peer's port and
                                   those above it, and so many each to */
  GSocketAddress *const *others;        /* one of these, if they dial */
  const FaspMembership *multicast;      /* a sender that listens, or a receiver that
                                   calls who is announced; one link; or NULL */
  const gchar *peer_host;       /* caller, rendezvous: name or address */
  guint16 peer_port;
  const FaspIoPeer *fallbacks;  /* calling receiver: others that have the stream, */
  guint n_fallbacks;            /* so many */
  FaspIoEventFunc event;
  FaspIoResolveFunc resolve_failed;
  FaspIoRefusedFunc send_failed, receive_failed;
  FaspIoBufferFunc buffer_short;
  gpointer user_data;
} FaspIoSettings;

typedef enum
{
  FASP_IO_OK,
  FASP_IO_FLUSHING,
  FASP_IO_ENDED,                /* read: the sender is gone; *event says why */
  FASP_IO_FAILED,               /* nobody will come any more; *event says why */
} FaspIoResult;

/* Opens the sockets (a busy port is an error at once) and starts the thread;
 * does not wait for a peer or a name server. */
FaspIo *fasp_io_new (const FaspIoSettings * settings, GError ** error);
/* Says goodbye and closes; at most one second, less when the peer answers. */
void fasp_io_free (FaspIo * io);

guint16 fasp_io_get_port (FaspIo * io);
gsize fasp_io_get_socket_buffer (FaspIo * io);
/* Was the address or interface of this link not there when it was opened? */
gboolean fasp_io_is_early (FaspIo * io, guint link);

/* Can it be decoded without what was before? */
typedef enum
{
  FASP_IO_NO_KEY = 0,           /* not known, or nothing begins there */
  FASP_IO_KEY_FRAME,            /* as few others */
  FASP_IO_KEY_EACH,             /* as all others of its stream */
} FaspIoKey;

/* Bytes to be written; not copied as far as they fill blocks if they lie in a
 * @memory that stays as it is, which may be NULL. */
typedef struct
{
  const guint8 *data;
  gsize size;
  FaspMemory *memory;
  FaspIoKey key;                /* what begins with it */
  FaspPlace place;              /* of its first byte where that is known, and */
  FaspTime media_time;          /* when it was written, there */
} FaspIoPiece;

/* Writes pieces of memory as one: nothing is sent before all of them are
 * written or the buffer is full, so that they fill datagrams together.
 * *done counts the bytes taken so far, all pieces together; a call that was
 * interrupted by flushing goes on from there.  @media_time: of those without a place. */
FaspIoResult fasp_io_write (FaspIo * io, FaspTime media_time,
    const FaspIoPiece * pieces, guint n, gsize * done, FaspEvent * event);
/* Ends the stream and waits until it is acknowledged; *lost is how many
 * bytes of its end a receiver that went away never confirmed. */
FaspIoResult fasp_io_drain (FaspIo * io, guint64 * lost, FaspEvent * event);

typedef struct
{
  FaspBlock *block;
  FaspTime arrival;             /* its media time on the monotonic clock */
  FaspPlace place;              /* of its first byte */
} FaspIoItem;

/* Waits for at least one block and takes up to @max that are there, in
 * order; an end of stream is the last of a batch. */
FaspIoResult fasp_io_read (FaspIo * io, FaspIoItem * items, guint max,
    guint * n, FaspEvent * event);

void fasp_io_set_flushing (FaspIo * io, gboolean flushing);

/* The endpoint under its lock, for figures, decisions and settings. */
FaspEndpoint *fasp_io_lock (FaspIo * io);
/* @changed: the I/O thread is to look at the endpoint again. */
void fasp_io_unlock (FaspIo * io, gboolean changed);

G_END_DECLS
