/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspport.h: a UDP port that endpoints of this process listen at, each with a stream of
 * its own.
 *
 * All that listen at the same address and port share one socket.  Which of them a
 * datagram is for is the core's affair (fasproutes.h).  As long as there is one, its
 * own thread receives, as with any other socket; once there are several, a thread of
 * the port does, which does nothing else: so one whose thread is held up, by an
 * application or by what it sends, holds up no other.  Sending is each one's own
 * affair.
 *
 * Locks: that of the port goes before those of its members.  It is held while a batch
 * is dealt out; who comes and goes waits for that.
 */
#pragma once

#include "faspgate.h"
#include "fasplinks.h"
#include "faspreceivebatch.h"
#include "fasproutes.h"

G_BEGIN_DECLS

typedef struct _FaspPort FaspPort;

/* What a port asks of its members. */
typedef struct
{
  /* What comes is for this one, ... */
  void (*begin) (gpointer member);
  void (*receive) (gpointer member, FaspTime now, const FaspAddress * from,
      const guint8 * data, gsize size, FaspMemory * memory, gboolean marked,
      FaspRoute route);
  /* ... and was; @beside: not in its own thread. */
  void (*end) (gpointer member, gboolean beside);
  /* Nobody listens at an address that somebody at this port sends to. */
  void (*unreachable) (gpointer member, FaspTime now, const FaspAddress * to);
  /* The kernel gives nothing of what comes, for this reason (errno). */
  void (*deaf) (gpointer member, gint error);
  /* The port's own thread receives from now on. */
  void (*relieve) (gpointer member);
} FaspPortFunctions;

/* One's place at a port. */
typedef struct
{
  FaspPort *port;               /* NULL: none */
  guint number;
} FaspPortPlace;

/* Opens a port or joins one. @streamid: NULL or empty: whoever names no other's is the
 * member's. @limit: bytes of memory that blocks may stay in. FALSE and a sentence
 * that tells the user what to do, on failure. */
gboolean fasp_port_join (const FaspSocketSettings * settings, FaspRole role,
    const gchar * streamid, gsize limit, FaspPortPlace * place,
    GError ** error);
/* From now on @member is given what comes; until it is relieved its own thread has to
 * wait for the link and call fasp_port_receive(). */
void fasp_port_begin (const FaspPortPlace * place,
    const FaspPortFunctions * functions, gpointer member);
/* It is given no more, once this returns. */
void fasp_port_end (const FaspPortPlace * place);
/* What was got from the port is not used any more.  The last one closes it, and it is
 * free when this returns. */
void fasp_port_leave (FaspPortPlace * place);

/* The one link that all share, */
FaspLinks *fasp_port_get_links (const FaspPortPlace * place);
/* what callers may cause, */
FaspGate *fasp_port_get_gate (const FaspPortPlace * place);
/* and how the connection ids of this one begin (FASP_ROUTES_BITS). */
guint32 fasp_port_get_prefix (const FaspPortPlace * place);

/* The interface that it is bound to may be another one by now (faspsocket.h). */
void fasp_port_follow_interface (const FaspPortPlace * place);

/* Takes what has come in and deals it out. @self: the member whose thread this is. */
void fasp_port_receive (const FaspPortPlace * place, FaspReceiveBatch * batch,
    gpointer self);
/* Asks the kernel to keep so many bytes for this one, beside what others asked for;
 * returns its share of what was granted. */
gsize fasp_port_set_buffer (const FaspPortPlace * place, gsize wanted);

G_END_DECLS
