/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmulticastsender.h: the sending side of a multicast group.  It sends to all members at once:
 * new blocks, retransmissions that several members ask for, and the time that members wait before
 * they ask.  The group is an additional flow of each member's session (docs/protocol.md, section
 * 5.4).
 *
 * One member, the speaker, asks for losses at once.  So a block that all members have lost is
 * retransmitted to all after one round trip, before others ask.
 *
 * One pacer (fasppacer.h) bounds all bytes sent, including retransmissions to single members.  A
 * new block leaves if there are members that the sender hears, and all of them have room for it (or
 * at least one, if the sender does not wait for slow members).
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
/* Packets of a key phase, as a power of two: half of the safe number with GCM. */
#define FASP_GROUP_PHASE_BITS 22
/* The most payload bytes of a block for a group. */
#define FASP_GROUP_ROOM (FASP_PMTU_BASE - FASP_DATA_OVERHEAD)

/* Totals sent: datagrams, their bytes from the IP header up, and the bytes of those with blocks
 * sent for the first time. */
typedef struct
{
  guint64 datagrams, wire, block_wire;
} FaspGroupSent;

/* The group's state of a session.  The session owns it; the group changes it. */
typedef struct
{
  gboolean invited;         /* the receiver has the key */
  gboolean joined;          /* the receiver is a member */
  gboolean away;            /* the receiver was removed as it heard no group; it may join again */
  gconstpointer who;        /* identifies it in the log; set by the caller */
  FaspHeapItem least, most; /* units for which the receiver has room, while the sender hears it */
  FaspTime rtt;             /* µs; 0: not known yet */
  FaspTime speak_time; /* when to notify the member that it is the speaker; FASP_NEVER: it is not */
  FaspGroupSent sent;  /* sent by the group while the receiver was a member; of a current member:
                          while it was not */
} FaspMember;

typedef struct
{
  FaspAddress to;
  guint32 cid;
  FaspCipher cipher;
  guint8 key[FASP_KEY_SIZE]; /* key of that phase */
  guint64 phase;             /* phase of the next packet */
  FaspSealer *sealer;
  FaspGroupLog *log;
  FaspPacer pacer;
  FaspFec fec;           /* the caller initialises it */
  FaspGroupFec fec_plan; /* the caller calls fasp_group_fec_plan() with it */
  FaspTime fec_time;     /* when the caller next calls fasp_group_fec_plan() */
  GPtrArray *members;    /* FaspMember, not owned */
  guint away;            /* number of former members that are away */
  FaspHeap least, most;  /* members that the sender hears, by least and by most room */
  FaspTime rtt;        /* the longest round trip of a member, without members much farther away than
                          most; µs */
  gsize store_size;    /* bytes; set by the caller */
  FaspTime given_up;   /* the silence after which the caller gives up a member, µs; set by the
                          caller */
  FaspMember *speaker; /* the member that asks for losses at once; NULL: none */
  gboolean speaker_new;               /* the speaker's session has not been notified yet */
  gdouble back_off;                   /* back-off in round trips */
  guint64 events_seen, requests_seen; /* the log's totals when back_off was last changed */
  guint given; /* datagrams to members, and retransmissions, that left in a row */
  guint first; /* new blocks that must leave before more datagrams to members, or retransmissions */
  FaspTime announce_time, state_time, tail_time, tail_interval;
  FaspNotes notes; /* the endpoint's log and trace */
  /* statistics */
  FaspGroupSent sent;
  guint64 blocks_sent, blocks_resent, repairs_sent;
  guint64 deaf, returned; /* how often a member stopped hearing the group, and heard it again */
  FaspMeter meter;
} FaspMulticastSender;

/* @to: the multicast address. @rate: the pacer's, bit/s. */
FaspMulticastSender *fasp_multicast_sender_new (const FaspAddress *to, FaspCipher cipher,
    guint64 rate, FaspRandomFunc random, gpointer user_data);
void fasp_multicast_sender_free (FaspMulticastSender *group);

/* Does the receiver with @hello listen to a group, and can it open this group's packets? */
gboolean fasp_multicast_sender_can_have (const FaspMulticastSender *group, const FaspHello *hello);
/* Writes into @hello the data that a receiver needs to open the group's packets from now on. */
void fasp_multicast_sender_describe (const FaspMulticastSender *group, FaspHello *hello);

/* Adds a member, whose stream begins with block @start and which has room up to @limit units.
 * @rtt: µs; 0: not known yet.  @member stays the caller's, and valid until it leaves. */
void fasp_multicast_sender_join (FaspMulticastSender *group, FaspMember *member, guint64 start,
    guint64 limit, FaspTime rtt);
/* The sender has heard the member; @limit and @rtt: as in fasp_multicast_sender_join(). */
void fasp_multicast_sender_heard (FaspMulticastSender *group, FaspMember *member, guint64 limit,
    FaspTime rtt);
/* The member that has become the speaker since the last call; NULL: none.  Its session is to send
 * it a notice soon. */
FaspMember *fasp_multicast_sender_take_speaker (FaspMulticastSender *group);
/* A notice that it is the speaker was sent to the member. */
void fasp_multicast_sender_speaker_notified (FaspMember *member, FaspTime now);
/* The interval at which a member sends feedback when it asks for nothing.  The feedback of all
 * members takes a fixed share of the bytes sent, unless the interval would be too long for the
 * store, or to detect a silent member. */
FaspTime fasp_multicast_sender_get_clock (const FaspMulticastSender *group);
/* The sender does not hear the member at present. */
void fasp_multicast_sender_lost_sight (FaspMulticastSender *group, FaspMember *member);
/* Removes a member; does nothing if it is not one. */
void fasp_multicast_sender_leave (FaspMulticastSender *group, FaspMember *member);
/* Removes a member that does not hear the group, and may come back.  The group then sends GROUP at
 * intervals even without members, so that this receiver notices when it hears the group again. */
void fasp_multicast_sender_send_away (FaspMulticastSender *group, FaspMember *member);
/* Totals that the group has sent while @member was a member.  @group: NULL if it never was. */
FaspGroupSent fasp_multicast_sender_get_sent (const FaspMulticastSender *group,
    const FaspMember *member);

void fasp_multicast_sender_set_pace (FaspMulticastSender *group, FaspTime now, guint64 rate);
/* When a datagram with a block may leave, from the group or from one of its members. */
FaspTime fasp_multicast_sender_get_ready (const FaspMulticastSender *group, FaspTime now);
/* A datagram of a member, of @wire bytes with headers, has left. */
void fasp_multicast_sender_used (FaspMulticastSender *group, FaspTime now, gsize wire);

/* The state of the members' sessions that the group needs. */
typedef struct
{
  FaspStore *store;
  gboolean waits;             /* the sender waits for the slowest member */
  guint64 needed;             /* the first block that a member still needs */
  gboolean is_unacknowledged; /* a member lacks a block, or has not acknowledged all yet */
} FaspGroupView;

/* Must the group be polled before its members? */
gboolean fasp_multicast_sender_is_first (const FaspMulticastSender *group);
/* A datagram of one of the group's members left. */
void fasp_multicast_sender_yielded (FaspMulticastSender *group);

gboolean fasp_multicast_sender_poll (FaspMulticastSender *group, FaspTime now,
    const FaspGroupView *view, FaspDatagram *datagram);
/* When the group will have a datagram to send, or may send it; 0: now. */
FaspTime fasp_multicast_sender_get_timeout (FaspMulticastSender *group, const FaspGroupView *view);

/* The members' back-off, µs; 0: they need not wait. */
FaspTime fasp_multicast_sender_get_back_off (const FaspMulticastSender *group);

G_END_DECLS
