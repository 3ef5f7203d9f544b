/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vgroup.h: one sender and many receivers on a network with multicast, in virtual time.
 *
 *   sender ==trunk==> fork ==branch i==> receiver i      what is sent to the group
 *   sender --trunk--> fork --branch i--> receiver i      what is sent to one
 *   receiver i --back i--> sender
 *
 * A loss on the trunk hits all receivers, a loss on a branch only one. All receivers
 * get the same stream, which is checked byte for byte.
 */
#pragma once

#include "vlog.h"
#include "vnet.h"

G_BEGIN_DECLS

#define VGROUP_MAX 1024

typedef struct _Vgroup Vgroup;

typedef struct
{
  FaspEndpoint *endpoint; /* NULL: there is none */
  Impair branch, back;
  gboolean no_multicast; /* its branch carries no multicast */
  gboolean gone;         /* nothing goes in or out any more */
  gboolean stopped;      /* reads nothing */
  FaspTime timeout;
  guint64 read;
  gint64 origin; /* offset in the stream of the first byte; -1: not known */
  gboolean wrong, eos;
  guint discontinuities;
  guint events[FASP_EVENT_REMOVED + 1];
  guint64 sent, sent_wire; /* by this receiver */
  Vlog *log;               /* of the first ones; NULL: nothing is logged */
} VgroupReceiver;

/* Called for each datagram to the group, before the trunk. May change it. */
typedef void (*VgroupTap) (gpointer user_data, FaspTime now, guint8 *data, gsize size);

struct _Vgroup
{
  GRand *rand;
  FaspTime now;
  Impair trunk;
  FaspEndpointConfig sender_config, receiver_config; /* of those that are made from now on */
  FaspEndpoint *sender;
  guint n;
  VgroupReceiver receivers[VGROUP_MAX];
  guint64 bitrate, chunk; /* of the stream, bit/s; bytes per write */
  guint64 written, held;
  GByteArray *stream; /* what was written */
  gboolean finish;
  guint events[FASP_EVENT_REMOVED + 1]; /* of the sender */
  VgroupTap tap;
  gpointer tap_data;
  guint64 sent, sent_wire;        /* datagrams and bytes of the sender, in all */
  guint64 group_sent, group_wire; /* of these, to the group */
  gpointer line;                  /* DelayLine */
  Vlog *log;                      /* the sender's; NULL: nothing is logged */
};

Vgroup *vgroup_new (guint32 seed);
void vgroup_free (Vgroup *g);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Vgroup, vgroup_free)
/* For fasp_endpoint_new (). */
void vgroup_random (gpointer group, guint8 *data, gsize size);
FaspAddress vgroup_get_address (void);
/* Makes a sender that has a group. Does not free the one before. */
void vgroup_set_sender (Vgroup *g);
/* Adds a receiver that listens to the group; returns its number. */
guint vgroup_add (Vgroup *g, FaspTime rtt);
void vgroup_remove (Vgroup *g, guint receiver);
void vgroup_run (Vgroup *g, FaspTime time);
/* Ends the stream, and runs until all receivers know; at most for @limit. */
void vgroup_end (Vgroup *g, FaspTime limit);
/* Does the receiver have the stream from where it joined to the end? */
gboolean vgroup_is_whole (const Vgroup *g, guint receiver);
/* Figures of the group; there must be one. */
FaspGroupStats vgroup_get_stats (Vgroup *g);
/* Delivers a datagram from anywhere to a receiver. */
void vgroup_inject (Vgroup *g, guint receiver, const FaspAddress *from, const guint8 *data,
    gsize size);
/* Tells a receiver by ICMP that nobody is at the sender's port. */
void vgroup_refuse (Vgroup *g, guint receiver);

G_END_DECLS
