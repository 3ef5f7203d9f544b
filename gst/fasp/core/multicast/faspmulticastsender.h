/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmulticastsender.h: what a sender sends to many receivers at once, by multicast: new blocks,
 * retransmissions that several members want, and how long members are to wait before they ask.  It
 * is one more flow of the session of each member (docs/protocol.md, section 5.4).
 *
 * One member, the speaker, asks for losses at once.  So what all members have lost is sent again
 * to all after one round trip, before others ask.
 *
 * One pacer (fasppacer.h) bounds all bytes that leave, those of the members' own retransmissions
 * included.  A new block leaves while a member is heard, and all members that are heard have
 * room for it (or, if the sender does not wait for slow members, at least one has).
 */
#pragma once

#include "faspgroupfec.h"
#include "faspgrouplog.h"
#include "faspheap.h"
#include "faspmeter.h"
#include "fasppacer.h"
#include "faspprotection.h"
#include "faspstore.h"
#include "faspnotes.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

#define FASP_ANNOUNCE_INTERVAL (250 * FASP_MSEC)
/* Packets of a key phase, as a power of two: half of what is safe with GCM. */
#define FASP_GROUP_PHASE_BITS 22
/* The most payload bytes of a block for a group. */
#define FASP_GROUP_ROOM (FASP_PMTU_BASE - FASP_DATA_OVERHEAD)

/* What has been sent: datagrams, their bytes from the IP header up, and the part of these
 * bytes that was for originals. */
typedef struct
{
  guint64 datagrams, wire, block_wire;
} FaspGroupSent;

/* A session's part in it. */
typedef struct
{
  gboolean invited;         /* it knows the key, */
  gboolean joined;          /* is a member, */
  gboolean away;            /* was one, and may be one again */
  gconstpointer who;        /* its name in the log; set by the caller */
  FaspHeapItem least, most; /* units that it has room for, while it is heard */
  FaspTime rtt;
  FaspTime speak_time; /* when to tell it that it is the speaker;
                          FASP_NEVER: it is not */
  FaspGroupSent sent;  /* by the group: for this member, in the past; while it is
                          a member, all that was not for it */
} FaspMember;

typedef struct
{
  FaspAddress to;
  guint32 cid;
  FaspCipher cipher;
  guint8 key[FASP_KEY_SIZE]; /* of the phase of the next packet, */
  guint64 phase;
  FaspSealer *sealer;
  FaspGroupLog *log;
  FaspPacer pacer;
  FaspFec fec;           /* the caller initialises it, */
  FaspGroupFec fec_plan; /* and plans, */
  FaspTime fec_time;     /* next at this time */
  GPtrArray *members;    /* FaspMember, not owned */
  guint away;            /* how many are away */
  FaspHeap least, most;  /* of members that are heard: least and most room first */
  FaspTime rtt;          /* the longest of a member, without those much farther
                            away than most */
  gsize store_size;      /* bytes; and the silence after which */
  FaspTime given_up;     /* a member is given up: the caller sets both */
  FaspMember *speaker;   /* asks at once for what all may lack; NULL: none */
  gboolean speaker_new;  /* its session does not know yet that there is something to send */
  gdouble patience;      /* back-off in round trips */
  guint64 events_seen, requests_seen; /* when patience was looked at last */
  guint given; /* turns in a row for members' datagrams and retransmissions, and */
  guint first; /* new blocks that go before these now */
  FaspTime announce_time, tell_time, tail_time, tail_interval;
  FaspNotes notes; /* the endpoint's */
  /* figures */
  FaspGroupSent sent;
  guint64 blocks_sent, blocks_resent, repairs_sent;
  guint64 deaf, returned; /* members that did not hear it, and that did again */
  FaspMeter meter;
} FaspMulticastSender;

/* @to: the multicast address. @rate: of the pacer. */
FaspMulticastSender *fasp_multicast_sender_new (const FaspAddress *to, FaspCipher cipher,
    guint64 rate, FaspRandomFunc random, gpointer user_data);
void fasp_multicast_sender_free (FaspMulticastSender *group);

/* TRUE: the caller of @hello listens to a group, and can open what this one sends. */
gboolean fasp_multicast_sender_can_have (const FaspMulticastSender *group, const FaspHello *hello);
/* Writes into @hello what opens the group's packets from now on. */
void fasp_multicast_sender_describe (const FaspMulticastSender *group, FaspHello *hello);

/* Adds a member, whose stream begins with block @start and which has room up to @limit
 * units.  @rtt: 0: not known yet.  @member stays the caller's, and valid until it leaves. */
void fasp_multicast_sender_join (FaspMulticastSender *group, FaspMember *member, guint64 start,
    guint64 limit, FaspTime rtt);
/* The member is heard; @limit and @rtt as above. */
void fasp_multicast_sender_heard (FaspMulticastSender *group, FaspMember *member, guint64 limit,
    FaspTime rtt);
/* The member that has become the speaker since the last call; NULL: none.  It is to be told
 * soon. */
FaspMember *fasp_multicast_sender_take_speaker (FaspMulticastSender *group);
/* The member was told that it is the speaker. */
void fasp_multicast_sender_told_speaker (FaspMember *member, FaspTime now);
/* The interval at which a member sends feedback when it has nothing to ask for.  The feedback
 * of all members takes a fixed share of what is sent, unless the interval would be too long
 * for the store, or to know who is there. */
FaspTime fasp_multicast_sender_get_clock (const FaspMulticastSender *group);
/* The member is not heard for the time being. */
void fasp_multicast_sender_lost_sight (FaspMulticastSender *group, FaspMember *member);
/* Removes a member; does nothing if it is not one. */
void fasp_multicast_sender_leave (FaspMulticastSender *group, FaspMember *member);
/* Removes a member that does not hear the group, and may come back.  Even without any other
 * member the group then sends GROUP now and then, so that this one can tell when it hears. */
void fasp_multicast_sender_send_away (FaspMulticastSender *group, FaspMember *member);
/* What the group has sent while @member was a member.  @group: NULL if it never was. */
FaspGroupSent fasp_multicast_sender_get_sent (const FaspMulticastSender *group,
    const FaspMember *member);

void fasp_multicast_sender_set_pace (FaspMulticastSender *group, FaspTime now, guint64 rate);
/* When a datagram with a block may leave, from the group or from one of its members... */
FaspTime fasp_multicast_sender_get_ready (const FaspMulticastSender *group, FaspTime now);
/* ... and one of a member, of @wire bytes, has left. */
void fasp_multicast_sender_used (FaspMulticastSender *group, FaspTime now, gsize wire);

/* What the group has to know of its members' sessions. */
typedef struct
{
  FaspStore *store;
  gboolean waits;             /* the sender waits for the slowest one */
  guint64 needed;             /* the first block that somebody still needs */
  gboolean is_unacknowledged; /* somebody lacks something, or has not acknowledged
                                 all yet */
} FaspGroupView;

/* TRUE: poll the group before its members. */
gboolean fasp_multicast_sender_is_first (const FaspMulticastSender *group);
/* A datagram of one of its members left. */
void fasp_multicast_sender_gave_turn (FaspMulticastSender *group);

gboolean fasp_multicast_sender_poll (FaspMulticastSender *group, FaspTime now,
    const FaspGroupView *view, FaspDatagram *datagram);
/* When it will have something to send, or may send it; 0: now. */
FaspTime fasp_multicast_sender_get_timeout (FaspMulticastSender *group, const FaspGroupView *view);

/* The back-off that members are told, µs; 0: they need not wait. */
FaspTime fasp_multicast_sender_get_back_off (const FaspMulticastSender *group);

G_END_DECLS
