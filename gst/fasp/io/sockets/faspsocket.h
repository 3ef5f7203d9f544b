/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsocket.h: a UDP socket, and the addresses that it uses.
 *
 * Datagrams are never fragmented: DF is set, whatever the kernel believes about the
 * path, which the core probes itself.
 */
#pragma once

#include <gio/gio.h>
#include <sys/socket.h>
#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct _FaspMembership FaspMembership;

typedef struct
{
  const gchar *local_address;  /* NULL: any, both families where possible */
  guint16 local_port;          /* 0: any */
  const gchar *interface;      /* bind to this device; NULL: any */
  gint tos;                    /* IP TOS / IPv6 traffic class; -1: default */
  gint ttl;                    /* 1..255; 0: default */
  gsize buffer;                /* bytes that each socket buffer should have */
  gboolean answers;            /* answers callers from the address that they
                                  called, as a machine may have several */
  gboolean may_come;           /* its address or interface may be missing at
                                  first, as there are other links */
  const FaspMembership *joins; /* group to join, whose address and port are the
                                  local ones (faspmembership.h); NULL: none */
} FaspSocketSettings;

typedef struct _FaspSocket FaspSocket;

/* Would the settings be possible on some machine? Opens nothing. */
gboolean fasp_socket_check (const FaspSocketSettings *settings, GError **error);
/* NULL: *error is a sentence that tells the user what to do. */
FaspSocket *fasp_socket_new (const FaspSocketSettings *settings, GError **error);
void fasp_socket_free (FaspSocket *socket);
/* Was its address or interface missing when it was opened, and when it was last looked
 * for? */
gboolean fasp_socket_is_early (const FaspSocket *socket);
/* Looks for it again; TRUE: it is there. */
gboolean fasp_socket_has_come (FaspSocket *socket);

/* Is it bound to an interface? That may go and come back as another one with the same
 * name: call fasp_socket_follow_interface() now and then. */
gboolean fasp_socket_has_interface (const FaspSocket *socket);
void fasp_socket_follow_interface (FaspSocket *socket);

/* Sends from another port from now on, unless its settings name one. */
void fasp_socket_change_port (FaspSocket *socket);

gint fasp_socket_get_fd (const FaspSocket *socket);
gint fasp_socket_get_family (const FaspSocket *socket);
guint16 fasp_socket_get_port (const FaspSocket *socket);
/* Asks the kernel for buffers of this many bytes; returns what it granted for
 * receiving. */
gsize fasp_socket_set_buffer (FaspSocket *socket, gsize wanted);
/* What it granted at first, in bytes. */
gsize fasp_socket_get_buffer (const FaspSocket *socket);

/* Gets the next address at which, the network reports, no socket is. At most this
 * many are read before datagrams have their turn. */
#define FASP_FEEDBACK_AT_ONCE 16
gboolean fasp_socket_get_unreachable (FaspSocket *socket, FaspAddress *to);

/* Converts @address to the form that this socket uses (IPv4 mapped into IPv6 on a dual
 * one). FALSE: this socket cannot reach it. */
gboolean fasp_socket_convert (const FaspSocket *socket, GSocketAddress *address,
    FaspAddress *result);
void fasp_socket_address_from_native (const struct sockaddr_storage *native, FaspAddress *address);
/* Returns a new reference. Mapped addresses become IPv4 again. */
GSocketAddress *fasp_socket_address_to_gio (const FaspAddress *address);

G_END_DECLS
