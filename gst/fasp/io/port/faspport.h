/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspport.h: a UDP port that several endpoints of this process listen at, each with a
 * stream of its own.
 *
 * All that listen at the same address and port share one socket. The core decides which
 * of them a datagram is for (fasproutes.h). A single endpoint receives in its own
 * thread, as with any other socket. Once there are several, a thread of the port
 * receives, and does nothing else. So an endpoint whose thread is held up, by an
 * application or by what it sends, does not hold up the others. Each endpoint sends by
 * itself.
 *
 * Locks: take that of the port before those of its members. It is held while a batch is
 * dealt out; joining and leaving wait for that.
 */
#pragma once

#include "faspendpoint.h"
#include "fasplimiter.h"
#include "faspsockets.h"
#include "faspreceivebatch.h"
#include "fasproutes.h"

G_BEGIN_DECLS

typedef struct _FaspPort FaspPort;

/* Functions of a member that the port calls. */
typedef struct
{
  /* Datagrams follow for the member. */
  void (*begin) (gpointer member);
  void (*receive) (gpointer member, FaspTime now, const FaspAddress *from, const guint8 *data,
      gsize size, FaspMemory *memory, gboolean marked, FaspRoute route);
  /* No more datagrams follow for now. @beside: called from another thread than the member's. */
  void (*end) (gpointer member, gboolean beside);
  /* An endpoint at this port has sent to @to, where no socket is. */
  void (*unreachable) (gpointer member, FaspTime now, const FaspAddress *to);
  /* The kernel refuses to hand over datagrams, with this errno. */
  void (*deaf) (gpointer member, gint error);
  /* From now on, the port's own thread receives. */
  void (*relieve) (gpointer member);
  /* How well a caller suits the member. Of members that share callers, the best gets the call. */
  FaspFit (*fits) (gpointer member, const FaspAddress *caller);
} FaspPortFunctions;

/* A member's entry at a port. */
typedef struct
{
  FaspPort *port; /* NULL: none */
  guint number;
} FaspPortHandle;

/* Opens a port or joins an open one. @beside: a member that shares callers with this one, or NULL.
 * @streamid: the member's name; NULL or empty: it gets all callers that name no other member.
 * @limit: bytes of memory that blocks may stay in. FALSE: *error is a sentence that tells the user
 * what to do. */
gboolean fasp_port_join (const FaspSocketSettings *settings, const FaspPortHandle *beside,
    FaspRole role, const gchar *streamid, gsize limit, FaspPortHandle *handle, GError **error);
/* From now on, @member gets its datagrams. Until relieve() is called, its own thread must wait for
 * the socket and call fasp_port_receive(). */
void fasp_port_begin (const FaspPortHandle *handle, const FaspPortFunctions *functions,
    gpointer member);
/* Once this returns, the member gets no datagrams. */
void fasp_port_end (const FaspPortHandle *handle);
/* The member uses nothing of the port any more. The last one closes the port, which is free when
 * this returns. */
void fasp_port_leave (FaspPortHandle *handle);

FaspSockets *fasp_port_get_sockets (const FaspPortHandle *handle);
/* The limits on handshakes, shared by all members. */
FaspLimiter *fasp_port_get_limiter (const FaspPortHandle *handle);
/* The first FASP_ROUTES_BITS bits of this member's connection ids. */
guint32 fasp_port_get_prefix (const FaspPortHandle *handle);

/* Binds the socket again if its interface was replaced by another one of the same name
 * (faspsocket.h). */
void fasp_port_follow_interface (const FaspPortHandle *handle);

/* Receives datagrams and gives them to their members. @self: the member whose thread this is. */
void fasp_port_receive (const FaspPortHandle *handle, FaspReceiveBatch *batch, gpointer self);
/* Asks the kernel for @wanted bytes of buffer for this member, besides those of the others. Returns
 * the member's share of the granted buffer. */
gsize fasp_port_set_buffer (const FaspPortHandle *handle, gsize wanted);

G_END_DECLS
