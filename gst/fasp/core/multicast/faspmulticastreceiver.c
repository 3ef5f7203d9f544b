/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptokenbucket.h"
#include "faspmulticastsender.h"
#include "faspmulticastreceiver.h"

/* A new block that comes by unicast shows that the receiver does not hear the group only if nothing
 * has come by the group for this time: blocks from before it joined come by unicast, too. */
#define SILENT FASP_SEC
/* The receiver hears the group again when new blocks have come by the group alone for this time:
 * until the sender knows that, it sends them by unicast, too. */
#define ALONE FASP_SEC
/* The most keys that a receiver computes at once for a sender's announcement, and the least time
 * for each further one.  A phase takes much longer: 2^22 packets. */
#define PHASES_MOST 256
#define PHASE_LEAST (100 * FASP_MSEC)

FaspMulticastReceiver *
fasp_multicast_receiver_new (const FaspGroupKey *key, FaspTime now)
{
  FaspMulticastReceiver *receiver = g_new0 (FaspMulticastReceiver, 1);

  receiver->cid = key->cid;
  receiver->cipher = key->cipher;
  receiver->phase = key->pn >> FASP_GROUP_PHASE_BITS;
  memcpy (receiver->key, key->key, FASP_KEY_SIZE);
  receiver->now = fasp_opener_new (receiver->cipher, receiver->key);
  receiver->gap = fasp_gap_new ();
  fasp_gap_join (receiver->gap);
  fasp_gap_expect (receiver->gap, key->pn);
  receiver->heard = now;
  receiver->alone_since = FASP_NEVER;
  return receiver;
}

void
fasp_multicast_receiver_free (FaspMulticastReceiver *receiver)
{
  if (receiver == NULL)
    return;
  fasp_opener_free (receiver->before);
  fasp_opener_free (receiver->now);
  fasp_opener_free (receiver->next);
  fasp_wipe (receiver->key, sizeof receiver->key);
  fasp_gap_free (receiver->gap);
  g_free (receiver);
}

static FaspOpener *
get_next (FaspMulticastReceiver *receiver)
{
  guint8 key[FASP_KEY_SIZE];

  if (receiver->next != NULL)
    return receiver->next;
  memcpy (key, receiver->key, sizeof key);
  fasp_seal_next_key (key);
  receiver->next = fasp_opener_new (receiver->cipher, key);
  fasp_wipe (key, sizeof key);
  return receiver->next;
}

/* The group has changed to the next phase: changes to it, too. */
static void
change_phase (FaspMulticastReceiver *receiver)
{
  fasp_opener_free (receiver->before);
  receiver->before = receiver->now;
  receiver->now = g_steal_pointer (&receiver->next);
  fasp_seal_next_key (receiver->key);
  receiver->phase++;
}

void
fasp_multicast_receiver_expect (FaspMulticastReceiver *receiver, FaspTime now, guint64 pn)
{
  guint64 phase = pn >> FASP_GROUP_PHASE_BITS;

  fasp_gap_expect (receiver->gap, pn);
  /* stops one phase before the phase of @pn, which packets in flight may still have */
  while (receiver->phase + 1 < phase
      && fasp_token_bucket_take (&receiver->phase_changes, now, PHASE_LEAST, PHASES_MOST)) {
    get_next (receiver);
    change_phase (receiver);
  }
}

FaspMulticastReceiverResult
fasp_multicast_receiver_open (FaspMulticastReceiver *receiver, FaspTime now,
    const FaspSessionHeader *header, const guint8 *data, gsize size, guint8 *scratch, FaspReader *r)
{
  FaspGap *gap = receiver->gap;
  guint64 pn = fasp_widen (header->pn, FASP_PN_BITS, fasp_gap_get_expected (gap));
  guint64 phase = pn >> FASP_GROUP_PHASE_BITS;
  FaspOpener *opener;

  if (fasp_gap_is_refused (gap, pn)) {
    fasp_gap_receive (gap, now, pn); /* counts the replay */
    return FASP_MULTICAST_RECEIVER_REFUSED;
  }
  if (phase == receiver->phase)
    opener = receiver->now;
  else if (phase == receiver->phase + 1)
    opener = get_next (receiver);
  else
    opener = phase + 1 == receiver->phase ? receiver->before : NULL;
  /* the key phase bit K is always 0 here: these openers never change keys themselves */
  r->data = opener == NULL || header->phase ?
      NULL :
      fasp_opener_open (opener, header, pn, data, size, scratch, &r->left);
  if (r->data == NULL)
    return FASP_MULTICAST_RECEIVER_FORGED;
  if (phase > receiver->phase)
    change_phase (receiver);
  fasp_gap_receive (gap, now, pn);
  receiver->heard = now;
  return FASP_MULTICAST_RECEIVER_OK;
}

void
fasp_multicast_receiver_is_passed_by (FaspMulticastReceiver *receiver, FaspTime now)
{
  receiver->alone_since = FASP_NEVER;
  if (now - receiver->heard >= SILENT)
    receiver->deaf = TRUE;
}

void
fasp_multicast_receiver_brings (FaspMulticastReceiver *receiver, FaspTime now)
{
  if (receiver->alone_since == FASP_NEVER)
    receiver->alone_since = now;
  if (now - receiver->alone_since >= ALONE)
    receiver->deaf = FALSE;
}
