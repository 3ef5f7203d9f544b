/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsocket.h: a UDP socket, and its kind of addresses.
 *
 * Datagrams never fragment (DF is set, whatever the kernel thinks of the
 * path: the core probes it).
 */
#pragma once

#include <gio/gio.h>
#include <sys/socket.h>
#include "faspendpoint.h"

G_BEGIN_DECLS

typedef struct _FaspMembership FaspMembership;

typedef struct
{
  const gchar *local_address;   /* NULL: any, both families where possible */
  guint16 local_port;           /* 0: any */
  const gchar *interface;       /* bind to this device; NULL: any */
  gint tos;                     /* IP TOS / IPv6 traffic class; -1: default */
  gint ttl;                     /* 1..255; 0: default */
  gsize buffer;                 /* wanted bytes of each socket buffer */
  gboolean answers;             /* whoever calls, from where it was called: a machine may have
                                   several addresses */
  gboolean may_come;            /* its address or interface, if it is not there yet: others are */
  const FaspMembership *joins;  /* a group, whose address and port are the local
                                   ones (faspmembership.h); NULL: none */
} FaspSocketSettings;

typedef struct _FaspSocket FaspSocket;

/* Could it be made, on some machine? Makes nothing. */
gboolean fasp_socket_check (const FaspSocketSettings * settings,
    GError ** error);
/* NULL and a sentence that tells the user what to do, on failure. */
FaspSocket *fasp_socket_new (const FaspSocketSettings * settings,
    GError ** error);
void fasp_socket_free (FaspSocket * socket);
/* Was its address or interface not there when it was made, and when it was looked for last? */
gboolean fasp_socket_is_early (const FaspSocket * socket);
/* Looks for it. */
gboolean fasp_socket_has_come (FaspSocket * socket);

/* Is it bound to a device? That may go and come back, as another one of its name: to be
 * called now and then. */
gboolean fasp_socket_has_interface (const FaspSocket * socket);
void fasp_socket_follow_interface (FaspSocket * socket);

gint fasp_socket_get_fd (const FaspSocket * socket);
gint fasp_socket_get_family (const FaspSocket * socket);
guint16 fasp_socket_get_port (const FaspSocket * socket);
/* Asks the kernel for buffers of so many bytes; returns what it granted for
 * receiving. */
gsize fasp_socket_set_buffer (FaspSocket * socket, gsize wanted);
/* That it granted at first, bytes. */
gsize fasp_socket_get_buffer (const FaspSocket * socket);

/* The next address that the network reports nobody listens at. So many are looked at before
 * datagrams have their turn. */
#define FASP_REPORTS_AT_ONCE 16
gboolean fasp_socket_get_unreachable (FaspSocket * socket, FaspAddress * to);

/* @address as this socket has it (IPv4 mapped into IPv6 on a dual one).
 * FALSE: this socket cannot reach it. */
gboolean fasp_socket_convert (const FaspSocket * socket,
    GSocketAddress * address, FaspAddress * result);
void fasp_socket_address_from_native (const struct sockaddr_storage *native,
    FaspAddress * address);
/* New reference; mapped addresses become IPv4 again. */
GSocketAddress *fasp_socket_address_to_gio (const FaspAddress * address);

G_END_DECLS
