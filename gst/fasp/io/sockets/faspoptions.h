/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoptions.h: options of a socket that each system has its own way for, or does not have.
 *
 * What a system lacks fails with errno ENOTSUP, or changes nothing.
 */
#pragma once

#include "faspnet.h"

G_BEGIN_DECLS

/* Sets DF on all datagrams. @six: the socket is an IPv6 one, which may reach IPv4, too. */
void fasp_options_keep_whole (gint fd, gboolean six);
/* Lets the network's reports about single datagrams be read. */
void fasp_options_want_reports (gint fd, gboolean six);
/* Reads the next report that an address has no such socket; FALSE: there is none. */
gboolean fasp_options_read_report (gint fd, struct sockaddr_storage *to);
/* Lets the socket be bound to an address that the machine does not have yet. */
gboolean fasp_options_bind_early (gint fd);
/* Sets the size of a buffer (SO_RCVBUF or SO_SNDBUF), in bytes, beyond the system's limit if this
 * process may. */
void fasp_options_set_buffer (gint fd, gint name, gint size);
/* The bytes that the socket's receive buffer takes; 0: not known. */
gsize fasp_options_get_buffer (gint fd);
/* Does not receive groups that only other sockets of this machine have joined. */
void fasp_options_hear_own_groups (gint fd);

G_END_DECLS
