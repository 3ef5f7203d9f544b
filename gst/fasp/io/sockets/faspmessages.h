/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmessages.h: several messages to or from a socket at once, where the system can do that.
 *
 * On Linux, a call takes all of them, and a message may be several datagrams of one size, which the
 * kernel cuts and joins. Elsewhere, each datagram is a message and a call.
 */
#pragma once

#include "faspnet.h"

G_BEGIN_DECLS

/* Linux's struct mmsghdr. */
typedef struct
{
  struct msghdr msg_hdr;
  guint msg_len; /* bytes received */
} FaspMessage;

/* The most datagrams that may be one message. */
extern const guint fasp_messages_joined_max;
/* Levels and types of the control message that says the size of the datagrams of a message that is
 * sent (a guint16) or was received (an int). */
#define FASP_MESSAGES_LEVEL 17   /* UDP's protocol number */
#define FASP_MESSAGES_CUT 103    /* UDP_SEGMENT */
#define FASP_MESSAGES_JOINED 104 /* UDP_GRO */

/* Lets the kernel join what arrives, if it can. */
void fasp_messages_join (gint fd);
/* Both return the number of messages that the system took or gave, or -1, with errno, if there is
 * none. @n: not 0. */
gint fasp_messages_send (gint fd, FaspMessage *messages, guint n);
gint fasp_messages_receive (gint fd, FaspMessage *messages, guint n);

G_END_DECLS
