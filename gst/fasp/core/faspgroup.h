/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgroup.h: what a sender sends to many receivers at once, by multicast: new blocks, rexes that
 * several want, and how long they are to wait before they ask.  One flow more of
 * each of their sessions (docs/protocol.md, section 5.4).
 *
 * One member, the speaker, asks for losses at once: what all have lost goes again to all
 * after one round trip, before others ask.
 *
 * Bytes that leave, those of the members' own rexes with them, keep to one pace
 * (fasppacer.h).  A new block leaves while a member is heard and all that are heard, or, if
 * nobody is waited for, at least one, have room for it.
 */
#pragma once

#include "faspgroupfec.h"
#include "faspgrouplog.h"
#include "faspheap.h"
#include "faspmeter.h"
#include "fasppacer.h"
#include "faspseal.h"
#include "faspstore.h"
#include "fasptrace.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

#define FASP_ANNOUNCE_INTERVAL (250 * FASP_MSEC)
/* Packets of a key phase, as a power of two: half of what GCM stands. */
#define FASP_GROUP_PHASE_BITS 22
/* Payload bytes of a block that a group takes. */
#define FASP_GROUP_ROOM (FASP_PMTU_BASE - FASP_DATA_OVERHEAD)

/* What has been sent: datagrams, their bytes from the IP header up, and of these those of
 * originals. */
typedef struct
{
  guint64 datagrams, wire, block_wire;
} FaspGroupSent;

/* A session's part in it. */
typedef struct
{
  gboolean invited;             /* knows the key, */
  gboolean joined;              /* and is one; */
  gboolean away;                /* was one, and may be one again; */
  gconstpointer who;            /* as the log is told; the caller's */
  FaspHeapItem least, most;     /* units that it has room for, while it is heard */
  FaspTime rtt;
  FaspTime speak_time;          /* when it is to be told that it is the speaker;
                                   FASP_NEVER: it is not */
  FaspGroupSent sent;           /* by the group: for this one, before; or, while it is a
                                   member, for others */
} FaspMember;

typedef struct
{
  FaspAddress to;
  guint32 cid;
  FaspCipher cipher;
  guint8 key[FASP_KEY_SIZE];    /* of the phase, */
  guint64 phase;
  FaspSealer *sealer;
  FaspGroupLog *log;
  FaspPacer pacer;
  FaspFec fec;                  /* the caller's to initialise, */
  FaspGroupFec fec_plan;        /* and to plan */
  FaspTime fec_time;            /* next */
  GPtrArray *members;           /* FaspMember */
  guint away;                   /* so many were, and may be again */
  FaspHeap least, most;
  FaspTime rtt;                 /* the longest of a member, but for those that are much
                                   farther away than most */
  gsize store_size;             /* bytes, and when a silent member is given up: the
                                   caller's to set */
  FaspTime given_up;
  FaspMember *speaker;          /* asks at once for what all may lack; NULL: none */
  gdouble patience;             /* back-off in round trips */
  guint64 events_seen, requests_seen;   /* when it was changed, or might have been */
  guint given;                  /* turns to members' datagrams and rexes in a row, */
  guint first;                  /* so that so many new blocks go before these */
  FaspTime announce_time, tell_time, tail_time, tail_interval;
  FaspTrace *trace;             /* the endpoint's */
  /* figures */
  FaspGroupSent sent;
  guint64 blocks_sent, blocks_resent, repairs_sent;
  guint64 deaf, returned;       /* members that did not hear it; and did again */
  FaspMeter meter;
} FaspGroup;

/* @to: the multicast address. @rate: of the pacer. */
FaspGroup *fasp_group_new (const FaspAddress * to, FaspCipher cipher,
    guint64 rate, FaspRandomFunc random, gpointer user_data);
void fasp_group_free (FaspGroup * group);

/* Does the caller who says @hello listen to a group, and can it open what this one sends? */
gboolean fasp_group_can_have (const FaspGroup * group, const FaspHello * hello);
/* What opens it from now on. */
void fasp_group_describe (const FaspGroup * group, FaspHello * hello);

/* One more, whose stream begins at @start and has room up to @limit units. @rtt: 0: not
 * known yet. */
void fasp_group_join (FaspGroup * group, FaspMember * member, guint64 start,
    guint64 limit, FaspTime rtt);
/* It is heard. */
void fasp_group_heard (FaspGroup * group, FaspMember * member, guint64 limit,
    FaspTime rtt);
/* It was told that it is the speaker. */
void fasp_group_told_speaker (FaspMember * member, FaspTime now);
/* How often members speak when they have nothing to ask for: together they take a share
 * of what is sent, as far as the store and the wish to know who is there let them wait. */
FaspTime fasp_group_get_clock (const FaspGroup * group);
/* It is not heard any more, for the time being. */
void fasp_group_lost_sight (FaspGroup * group, FaspMember * member);
/* It is none any more; nothing happens if it is not. */
void fasp_group_leave (FaspGroup * group, FaspMember * member);
/* One that does not hear the group: as long as there is no other it says GROUP now and then,
 * so that this one can tell when it does. */
void fasp_group_send_away (FaspGroup * group, FaspMember * member);
/* What the group has sent for it, as long as it was a member. @group: NULL: it never was. */
FaspGroupSent fasp_group_get_sent (const FaspGroup * group,
    const FaspMember * member);

void fasp_group_set_pace (FaspGroup * group, FaspTime now, guint64 rate);
/* When a datagram with a block may leave, from the group or from one of its members, for
 * which... */
FaspTime fasp_group_get_ready (const FaspGroup * group, FaspTime now);
/* ... it says how large it was. */
void fasp_group_used (FaspGroup * group, FaspTime now, gsize wire);

/* What there is to know of the others. */
typedef struct
{
  FaspStore *store;
  gboolean waits;               /* for the slowest one */
  guint64 needed;               /* the first block that somebody still needs */
  gboolean is_unacknowledged;   /* somebody lacks something, or has not said that it
                                   does not */
} FaspGroupView;

/* Is it the group's turn, before that of its members? */
gboolean fasp_group_is_first (const FaspGroup * group);
/* A datagram of one of its members left. */
void fasp_group_gave_turn (FaspGroup * group);

gboolean fasp_group_poll (FaspGroup * group, FaspTime now,
    const FaspGroupView * view, FaspDatagram * datagram);
/* When it has something to send; 0: it waits for nothing. */
FaspTime fasp_group_get_timeout (FaspGroup * group, const FaspGroupView * view);

/* What the members are told. */
FaspTime fasp_group_get_back_off (const FaspGroup * group);

G_END_DECLS
