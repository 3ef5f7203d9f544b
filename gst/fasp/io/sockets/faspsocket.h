/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsocket.h: a UDP socket, and the addresses that it uses.
 *
 * Datagrams are never fragmented: DF is set, whatever the kernel believes about the
 * path, which the core probes itself.
 */
#pragma once

#include <gio/gio.h>
#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct _FaspMembership FaspMembership;
struct sockaddr_storage;

typedef struct
{
  const gchar *local_address; /* NULL: any, both families where possible */
  guint16 local_port;         /* 0: any */
  const gchar *interface;     /* bind to this device; NULL: any */
  gint tos;                   /* IP TOS / IPv6 traffic class; -1: default */
  gint ttl;                   /* 1..255; 0: default */
  gsize buffer;               /* bytes that each socket buffer should have */
  gboolean answers;           /* sends each answer from the local address that the peer sent to: a
                                 machine may have several */
  gboolean may_come;          /* opens although the machine does not have local_address or interface
                                 yet (fasp_socket_is_early()) */
  const FaspMembership *joins; /* group to join, whose address and port are the
                                  local ones (faspmembership.h); NULL: none */
} FaspSocketSettings;

typedef struct _FaspSocket FaspSocket;

/* Are the settings valid, whatever addresses and interfaces this machine has? Opens nothing. */
gboolean fasp_socket_check (const FaspSocketSettings *settings, GError **error);
/* Opens a socket. NULL: *error is a sentence that tells the user what to do. */
FaspSocket *fasp_socket_new (const FaspSocketSettings *settings, GError **error);
void fasp_socket_free (FaspSocket *socket);
/* Was the socket's address or interface missing when it was opened, and at the last
 * fasp_socket_has_come()? */
gboolean fasp_socket_is_early (const FaspSocket *socket);
/* Looks for the missing address or interface again; TRUE: it is there. */
gboolean fasp_socket_has_come (FaspSocket *socket);

/* Is the socket bound to an interface? It may be replaced by another one of the same name, so
 * fasp_socket_follow_interface() must be called regularly. */
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
/* The receive buffer that the kernel granted at first, in bytes. */
gsize fasp_socket_get_buffer (const FaspSocket *socket);

/* Gets the next address at which the network reports no socket. Callers read at most
 * FASP_FEEDBACK_AT_ONCE reports before they receive datagrams again. */
#define FASP_FEEDBACK_AT_ONCE 16
gboolean fasp_socket_get_unreachable (FaspSocket *socket, FaspAddress *to);

/* Converts @address to the form that this socket uses (IPv4 mapped into IPv6 on a dual-stack
 * socket). FALSE: this socket cannot reach it. */
gboolean fasp_socket_convert (const FaspSocket *socket, GSocketAddress *address,
    FaspAddress *result);
void fasp_socket_address_from_native (const struct sockaddr_storage *native, FaspAddress *address);
/* Returns a new reference. Mapped addresses become IPv4 again. */
GSocketAddress *fasp_socket_address_to_gio (const FaspAddress *address);

G_END_DECLS
