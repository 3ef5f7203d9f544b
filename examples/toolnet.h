/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * toolnet.h: what the measuring tools have in common: UDP sockets, many datagrams
 * at once, and an end by signal.
 */
#pragma once

#include <glib.h>
#include <sys/socket.h>

#define TOOL_SIZE_MAX 9000
#define TOOL_BATCH 64
#define TOOL_CONTROL 128        /* bytes for what the kernel says beside a datagram */
/* Clouds bill what leaves them: bit/s that need no --i-pay-for-this. */
#define TOOL_FREE_RATE 50000000
#define TOOL_SHORT .95          /* of the rate that was asked for: is told of */

/* Prints what is wrong; FALSE. */
gboolean tool_complain (const gchar * format, ...) G_GNUC_PRINTF (1, 2);

/* Connected to @host, or bound if that is NULL; does not block. -1: it has
 * complained. */
int tool_open_udp (const gchar * host, int port);

typedef struct
{
  struct mmsghdr messages[TOOL_BATCH];
  struct iovec pieces[TOOL_BATCH];
  struct sockaddr_storage from[TOOL_BATCH];
  union
  {
    struct cmsghdr header;      /* for its alignment */
    guint8 data[TOOL_CONTROL];
  } control[TOOL_BATCH];
  guint8 data[TOOL_BATCH][TOOL_SIZE_MAX];
} ToolInbox;

/* How many have come; their bytes are in data, their sizes in msg_len. */
gint tool_receive (int fd, ToolInbox * in);

/* ns that a datagram of the inbox has been on this host, as the kernel says that
 * tool_open_udp has asked; 0 where it does not. */
guint32 tool_get_age (const ToolInbox * in, guint i);

/* How many datagrams this host has thrown away that had come to the socket, as nobody took them
 * in time, and all that was wrong with; 0 where the kernel does not tell. */
guint32 tool_get_drops (int fd);

/* Has it answered by sendmsg from the address that it came to: a host may have several, and who
 * sent it hears no other. */
void tool_answer (ToolInbox * in, guint i);

/* All of them; waits while the socket's buffer is full. What is refused
 * otherwise is lost.  How many times it was as nobody listens there. */
guint tool_send (int fd, struct mmsghdr *messages, guint n);

/* SIGINT and SIGTERM end it, the second one at once. */
void tool_catch_signals (void);
gboolean tool_is_stopped (void);
