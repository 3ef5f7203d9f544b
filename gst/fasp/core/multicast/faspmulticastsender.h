/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmulticastsender.h: the sending side of a multicast group.  It sends to all members at once:
 * new blocks, retransmissions that several members ask for, and how long members wait before they
 * ask.  It is one more flow of the session of each member (docs/protocol.md, section 5.4).
 *
 * One member, the speaker, asks for losses at once.  So what all members have lost is sent again
 * to all after one round trip, before others ask.
 *
 * One pacer (fasppacer.h) bounds all bytes that leave, those of the members' own retransmissions
 * included.  A new block leaves if some member is heard, and all members that are heard have room
 * for it (or, if the sender does not wait for slow members, at least one has).
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

/* What the group keeps of a session.  The session owns it; the group changes it. */
typedef struct
{
  gboolean invited;         /* the receiver has the key */
  gboolean joined;          /* it is a member */
  gboolean away;            /* it was a member that did not hear the group, and may join again */
  gconstpointer who;        /* its name in the log; set by the caller */
  FaspHeapItem least, most; /* units that it has room for, while it is heard */
  FaspTime rtt;             /* µs; 0: not known yet */
  FaspTime speak_time;      /* when to tell it that it is the speaker;
                               FASP_NEVER: it is not */
  FaspGroupSent sent;       /* by the group, while this was a member; but while it is a member: all
                               that was sent while it was not */
} FaspMember;

typedef struct
{
  FaspAddress to;
  guint32 cid;
  FaspCipher cipher;
  guint8 key[FASP_KEY_SIZE]; /* of the phase */
  guint64 phase;             /* of the next packet */
  FaspSealer *sealer;
  FaspGroupLog *log;
  FaspPacer pacer;
  FaspFec fec;           /* the caller initialises it */
  FaspGroupFec fec_plan; /* the caller calls fasp_group_fec_plan() with it */
  FaspTime fec_time;     /* when it calls that next */
  GPtrArray *members;    /* FaspMember, not owned */
  guint away;            /* how many are away */
  FaspHeap least, most;  /* of members that are heard: least and most room first */
  FaspTime rtt;          /* the longest of a member, without those much farther
                            away than most; µs */
  gsize store_size;      /* bytes; set by the caller */
  FaspTime given_up;     /* the silence after which a member is given up; µs; set by the caller */
  FaspMember *speaker;   /* asks at once for what all may lack; NULL: none */
  gboolean speaker_new;  /* its session does not know yet that there is something to send */
  gdouble back_off;      /* back-off in round trips */
  guint64 events_seen, requests_seen; /* of the log, when it was last changed */
  guint given;                        /* datagrams of members, and retransmissions, in a row */
  guint first;                        /* new blocks that go before more of these */
  FaspTime announce_time, state_time, tail_time, tail_interval;
  FaspNotes notes; /* the endpoint's */
  /* statistics */
  FaspGroupSent sent;
  guint64 blocks_sent, blocks_resent, repairs_sent;
  guint64 deaf, returned; /* members that stopped hearing the group, and that heard it again */
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

/* Adds a member, whose stream begins with block @start and which has room up to @limit units.
 * @rtt: µs; 0: not known yet.  @member stays the caller's, and valid until it leaves. */
void fasp_multicast_sender_join (FaspMulticastSender *group, FaspMember *member, guint64 start,
    guint64 limit, FaspTime rtt);
/* The member is heard; @limit and @rtt as above. */
void fasp_multicast_sender_heard (FaspMulticastSender *group, FaspMember *member, guint64 limit,
    FaspTime rtt);
/* The member that has become the speaker since the last call; NULL: none.  Its session is to send
 * it a notice soon. */
FaspMember *fasp_multicast_sender_take_speaker (FaspMulticastSender *group);
/* A notice that it is the speaker was sent to the member. */
void fasp_multicast_sender_speaker_notified (FaspMember *member, FaspTime now);
/* The interval at which a member sends feedback when it has nothing to ask for.  The feedback
 * of all members takes a fixed share of what is sent, unless the interval would be too long
 * for the store, or to know who is there. */
FaspTime fasp_multicast_sender_get_clock (const FaspMulticastSender *group);
/* Nothing is heard of the member for the time being. */
void fasp_multicast_sender_lost_sight (FaspMulticastSender *group, FaspMember *member);
/* Removes a member; does nothing if it is not one. */
void fasp_multicast_sender_leave (FaspMulticastSender *group, FaspMember *member);
/* Removes a member that does not hear the group, and may come back.  Even without any other
 * member the group then sends GROUP now and then, so that
 * this one notices when it hears the group again. */
void fasp_multicast_sender_send_away (FaspMulticastSender *group, FaspMember *member);
/* What the group has sent while @member was a member.  @group: NULL if it never was. */
FaspGroupSent fasp_multicast_sender_get_sent (const FaspMulticastSender *group,
    const FaspMember *member);

void fasp_multicast_sender_set_pace (FaspMulticastSender *group, FaspTime now, guint64 rate);
/* When a datagram with a block may leave, from the group or from one of its members. */
FaspTime fasp_multicast_sender_get_ready (const FaspMulticastSender *group, FaspTime now);
/* A datagram of a member, of @wire bytes with headers, has left. */
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
void fasp_multicast_sender_yielded (FaspMulticastSender *group);

gboolean fasp_multicast_sender_poll (FaspMulticastSender *group, FaspTime now,
    const FaspGroupView *view, FaspDatagram *datagram);
/* When it will have something to send, or may send it; 0: now. */
FaspTime fasp_multicast_sender_get_timeout (FaspMulticastSender *group, const FaspGroupView *view);

/* The back-off that is set for the members, µs; 0: they need not wait. */
FaspTime fasp_multicast_sender_get_back_off (const FaspMulticastSender *group);

G_END_DECLS
