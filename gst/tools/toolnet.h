/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * toolnet.h: shared by the measuring tools: UDP sockets, many datagrams at once, and
 * ending by signal.
 */
#pragma once

#include <glib.h>
#include <sys/socket.h>

#define TOOL_SIZE_MAX 9000
#define TOOL_BATCH 64
#define TOOL_CONTROL 128 /* bytes of control messages that the kernel adds to a datagram */
/* Clouds bill outgoing traffic. Up to this rate, in bit/s, --i-pay-for-this is not
 * needed. */
#define TOOL_FREE_RATE 50000000
#define TOOL_SHORT .95 /* share of the wanted rate; less is reported */

/* Prints an error message. Returns FALSE. */
gboolean tool_complain (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
/* Call this first: standard streams, options, signals. FALSE: the command line is wrong, and a
 * message says how. */
gboolean tool_begin (const gchar *usage, const gchar *summary, const GOptionEntry *entries,
    int *argc, char ***argv);

/* Opens a non-blocking socket that is connected to @host, or bound if that is NULL. -1: it failed,
 * and an error message was printed. */
int tool_open_udp (const gchar *host, int port);

typedef struct
{
  struct mmsghdr messages[TOOL_BATCH];
  struct iovec pieces[TOOL_BATCH];
  struct sockaddr_storage from[TOOL_BATCH];
  union
  {
    struct cmsghdr header; /* for alignment */
    guint8 data[TOOL_CONTROL];
  } control[TOOL_BATCH];
  guint8 data[TOOL_BATCH][TOOL_SIZE_MAX];
} ToolInbox;

/* Returns how many datagrams have arrived. Their bytes are in data, their sizes in
 * msg_len. */
gint tool_receive (int fd, ToolInbox *in);

/* How long a datagram of the inbox has been on this host, in ns, as the kernel reports
 * to sockets of tool_open_udp(); 0: it does not report it. */
guint32 tool_get_age (const ToolInbox *in, guint i);

/* How many datagrams that came to the socket this host has dropped, because this program did not
 * take them in time or they were malformed; 0: the kernel does not tell. */
guint32 tool_get_drops (int fd);

/* Prepares the datagram for sendmsg, so that the answer leaves from the address that it
 * came to: a host may have several, and the sender listens to no other. */
void tool_answer (ToolInbox *in, guint i);

/* Sends all messages; waits while the socket's buffer is full. Datagrams that the kernel
 * refuses for other reasons are lost. Returns how often no program listened there. */
guint tool_send (int fd, struct mmsghdr *messages, guint n);

/* SIGINT and SIGTERM stop the program; the second one at once. */
void tool_catch_signals (void);
gboolean tool_is_stopped (void);
