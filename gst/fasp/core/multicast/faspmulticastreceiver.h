/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmulticastreceiver.h: the receiving side of a multicast group (faspmulticastsender.h is the
 * sending side): the packets received from the group, and the keys that open them.
 *
 * The high bits of the packet number are the phase of the key, so the ends need not agree on it.
 * The receiver tries only the keys of the current phase, the one before and the next.  If it has
 * not heard the group for longer than that, the sender sends it the next packet number by unicast.
 */
#pragma once

#include "faspgap.h"
#include "faspprotection.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 cid; /* connection id of the group's packets */
  FaspCipher cipher;
  guint64 phase;             /* current phase of the key */
  guint8 key[FASP_KEY_SIZE]; /* key of that phase */
  FaspTime phase_changes;    /* token bucket of keys that are computed when the sender announces the
                                next packet number: fasptokenbucket.h */
  FaspOpener *before, *now, *next; /* openers of three phases; NULL: not needed yet */
  FaspGap *gap;                    /* owned; the group's packets that arrived */
  FaspTime heard;                  /* when the last packet came, or when the receiver joined */
  FaspTime spoken_up; /* when feedback last reported that the receiver does not hear the group; set
                         by the session */
  gboolean deaf, deaf_notified; /* the receiver does not hear the group; `deaf' in the last event to
                                   the application, set by the endpoint */
  FaspTime alone_since;         /* since then new blocks have come by the group alone; FASP_NEVER:
                                   they do not */
  guint64 settled_reported;     /* last settled packet number (faspgap.h) that was reported */
} FaspMulticastReceiver;

FaspMulticastReceiver *fasp_multicast_receiver_new (const FaspGroupKey *key, FaspTime now);
void fasp_multicast_receiver_free (FaspMulticastReceiver *receiver);

typedef enum
{
  FASP_MULTICAST_RECEIVER_OK,
  FASP_MULTICAST_RECEIVER_REFUSED, /* a replay */
  FASP_MULTICAST_RECEIVER_FORGED,
} FaspMulticastReceiverResult;

/* Opens a datagram of the group.  @r then reads its payload, in @scratch (room for @size
 * bytes) or in @data itself. */
FaspMulticastReceiverResult fasp_multicast_receiver_open (FaspMulticastReceiver *receiver,
    FaspTime now, const FaspSessionHeader *header, const guint8 *data, gsize size, guint8 *scratch,
    FaspReader *r);

/* The sender has announced that the next packet will be @pn. */
void fasp_multicast_receiver_expect (FaspMulticastReceiver *receiver, FaspTime now, guint64 pn);

/* A new block came by unicast: it did not go to the group, or the sender knows that this receiver
 * does not hear the group. */
void fasp_multicast_receiver_is_passed_by (FaspMulticastReceiver *receiver, FaspTime now);
/* A new block came by the group. */
void fasp_multicast_receiver_brings (FaspMulticastReceiver *receiver, FaspTime now);

G_END_DECLS
