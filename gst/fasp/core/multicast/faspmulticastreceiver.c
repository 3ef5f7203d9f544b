/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptokenbucket.h"
#include "faspmulticastsender.h"
#include "faspmulticastreceiver.h"

/* How long nothing must be heard before a new block by unicast shows that the receiver is
 * deaf: blocks from before it joined the group come by unicast, too. */
#define SILENT FASP_SEC
/* How long new blocks must come by the group alone before the receiver hears it again: until
 * the sender knows, it sends them both ways. */
#define ALONE FASP_SEC
/* The most keys to compute at once, and then one in this time, whatever a sender says; the rest comes
 * another time. A phase takes much longer: 2^22 packets. */
#define PHASES_MOST 256
#define PHASE_LEAST (100 * FASP_MSEC)

FaspHearing *
fasp_hearing_new (const FaspGroupKey * key, FaspTime now)
{
  FaspHearing *hearing = g_new0 (FaspHearing, 1);

  hearing->cid = key->cid;
  hearing->cipher = key->cipher;
  hearing->phase = key->pn >> FASP_GROUP_PHASE_BITS;
  memcpy (hearing->key, key->key, FASP_KEY_SIZE);
  hearing->now = fasp_opener_new (hearing->cipher, hearing->key);
  hearing->gap = fasp_gap_new ();
  fasp_gap_join (hearing->gap);
  fasp_gap_expect (hearing->gap, key->pn);
  hearing->heard = now;
  hearing->alone_since = FASP_NEVER;
  return hearing;
}

void
fasp_hearing_free (FaspHearing * hearing)
{
  if (hearing == NULL)
    return;
  fasp_opener_free (hearing->before);
  fasp_opener_free (hearing->now);
  fasp_opener_free (hearing->next);
  fasp_wipe (hearing->key, sizeof hearing->key);
  fasp_gap_free (hearing->gap);
  g_free (hearing);
}

static FaspOpener *
get_next (FaspHearing * hearing)
{
  guint8 key[FASP_KEY_SIZE];

  if (hearing->next != NULL)
    return hearing->next;
  memcpy (key, hearing->key, sizeof key);
  fasp_seal_next_key (key);
  hearing->next = fasp_opener_new (hearing->cipher, key);
  fasp_wipe (key, sizeof key);
  return hearing->next;
}

/* The group has gone on to the next phase. */
static void
turn (FaspHearing * hearing)
{
  fasp_opener_free (hearing->before);
  hearing->before = hearing->now;
  hearing->now = g_steal_pointer (&hearing->next);
  fasp_seal_next_key (hearing->key);
  hearing->phase++;
}

void
fasp_hearing_expect (FaspHearing * hearing, FaspTime now, guint64 pn)
{
  guint64 phase = pn >> FASP_GROUP_PHASE_BITS;

  fasp_gap_expect (hearing->gap, pn);
  /* stops one phase short: packets that are on their way may be of the phase before */
  while (hearing->phase + 1 < phase
      && fasp_allowance_take (&hearing->turned, now, PHASE_LEAST,
          PHASES_MOST)) {
    get_next (hearing);
    turn (hearing);
  }
}

FaspHearingResult
fasp_hearing_open (FaspHearing * hearing, FaspTime now,
    const FaspSessionHeader * header, const guint8 * data, gsize size,
    guint8 * scratch, FaspReader * r)
{
  FaspGap *gap = hearing->gap;
  guint64 pn = fasp_widen (header->pn, FASP_PN_BITS,
      fasp_gap_get_expected (gap));
  guint64 phase = pn >> FASP_GROUP_PHASE_BITS;
  FaspOpener *opener;

  if (fasp_gap_is_refused (gap, pn)) {
    fasp_gap_receive (gap, now, pn);    /* counts it */
    return FASP_HEARING_REFUSED;
  }
  if (phase == hearing->phase)
    opener = hearing->now;
  else if (phase == hearing->phase + 1)
    opener = get_next (hearing);
  else
    opener = phase + 1 == hearing->phase ? hearing->before : NULL;
  /* the key phase bit K is always 0 here: these openers never change keys themselves */
  r->data = opener == NULL || header->phase ? NULL : fasp_opener_open (opener,
      header, pn, data, size, scratch, &r->left);
  if (r->data == NULL)
    return FASP_HEARING_FORGED;
  if (phase > hearing->phase)
    turn (hearing);
  fasp_gap_receive (gap, now, pn);
  hearing->heard = now;
  return FASP_HEARING_OK;
}

void
fasp_hearing_is_passed_by (FaspHearing * hearing, FaspTime now)
{
  hearing->alone_since = FASP_NEVER;
  if (now - hearing->heard >= SILENT)
    hearing->deaf = TRUE;
}

void
fasp_hearing_brings (FaspHearing * hearing, FaspTime now)
{
  if (hearing->alone_since == FASP_NEVER)
    hearing->alone_since = now;
  if (now - hearing->alone_since >= ALONE)
    hearing->deaf = FALSE;
}
