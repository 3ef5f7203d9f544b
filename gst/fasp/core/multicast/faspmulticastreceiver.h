/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmulticastreceiver.h: the receiving side of a multicast group (faspmulticastsender.h is the
 * sending side): which of the group's packets came, and the keys that open them.
 *
 * The high bits of the packet number are the phase of the key, so the ends need not agree on one.
 * The receiver tries only the keys of the current phase, the one before and the next.  If it has
 * not heard the group for so long that the phase is another one, the sender says by unicast which
 * packet is next.
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
  guint64 phase;             /* of the key, the current one */
  guint8 key[FASP_KEY_SIZE]; /* of the phase */
  FaspTime phase_changes;    /* token bucket of keys that are computed because the sender said which
                         packet is next: fasptokenbucket.h */
  FaspOpener *before, *now, *next; /* of three phases; NULL: not needed yet */
  FaspGap *gap;                    /* owned; which of the group's packets came */
  FaspTime heard;                  /* when the last packet came, or when the receiver joined */
  FaspTime spoken_up; /* when feedback last said that the group is not heard; set by the session */
  gboolean deaf, deaf_notified; /* the group is not heard; value of deaf in the last event to the
                               application, set by the endpoint */
  FaspTime alone_since;         /* since when new blocks come by the group alone;
                                   FASP_NEVER: they do not */
  guint64 settled_reported;     /* settled packet number that was last reported, as in faspflow.h */
} FaspMulticastReceiver;

FaspMulticastReceiver *fasp_multicast_receiver_new (const FaspGroupKey *key, FaspTime now);
void fasp_multicast_receiver_free (FaspMulticastReceiver *receiver);

typedef enum
{
  FASP_MULTICAST_RECEIVER_OK,
  FASP_MULTICAST_RECEIVER_REFUSED, /* replayed */
  FASP_MULTICAST_RECEIVER_FORGED,
} FaspMulticastReceiverResult;

/* Opens a datagram of the group.  @r then reads its payload, in @scratch (room for @size
 * bytes) or in @data itself. */
FaspMulticastReceiverResult fasp_multicast_receiver_open (FaspMulticastReceiver *receiver,
    FaspTime now, const FaspSessionHeader *header, const guint8 *data, gsize size, guint8 *scratch,
    FaspReader *r);

/* The sender says that the next packet will be @pn. */
void fasp_multicast_receiver_expect (FaspMulticastReceiver *receiver, FaspTime now, guint64 pn);

/* A new block came by unicast: it did not go to the group, or the sender knows that this receiver
 * does not hear the group. */
void fasp_multicast_receiver_is_passed_by (FaspMulticastReceiver *receiver, FaspTime now);
/* A new block came by the group. */
void fasp_multicast_receiver_brings (FaspMulticastReceiver *receiver, FaspTime now);

G_END_DECLS
