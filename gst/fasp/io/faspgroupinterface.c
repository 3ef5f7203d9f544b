/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <net/if.h>
#include "faspgroupinterface.h"

#define REJOIN_EVERY (10 * FASP_SEC)

struct _FaspGroupPlace
{
  FaspMembership membership; /* owns its strings */
  const FaspSocket *out, *in;
  guint index;     /* number of the last interface; 0: as the routes say */
  FaspTime rejoin; /* not before this time */
};

FaspGroupPlace *
fasp_group_place_new (const FaspMembership *membership, const FaspSocket *out, const FaspSocket *in)
{
  gboolean named = membership->interface != NULL && membership->interface[0] != '\0';
  FaspGroupPlace *place;

  if (!named && in == NULL)
    return NULL;
  place = g_new0 (FaspGroupPlace, 1);
  place->membership = *membership;
  place->membership.group = g_strdup (membership->group);
  place->membership.source = g_strdup (membership->source);
  place->membership.interface = named ? g_strdup (membership->interface) : NULL;
  place->out = out;
  place->in = in;
  place->index = named ? if_nametoindex (membership->interface) : 0;
  return place;
}

void
fasp_group_place_free (FaspGroupPlace *place)
{
  if (place == NULL)
    return;
  g_free ((gchar *) place->membership.group);
  g_free ((gchar *) place->membership.source);
  g_free ((gchar *) place->membership.interface);
  g_free (place);
}

static void
move (FaspGroupPlace *place, guint index)
{
  FaspAddress known;

  /* otherwise the interface is not ready yet, and is tried again */
  if (fasp_membership_prepare (&place->membership, place->out, &known, NULL)
      && (place->in == NULL
          || fasp_membership_move (&place->membership, place->in, place->index, index)))
    place->index = index;
}

void
fasp_group_place_follow (FaspGroupPlace *place, FaspTime now, gboolean deaf)
{
  const gchar *name = place->membership.interface;
  guint index = name != NULL ? if_nametoindex (name) : 0;

  if (name != NULL && index == 0)
    return;
  if (index != place->index) {
    move (place, index);
  } else if (!deaf) {
    place->rejoin = now;
  } else if (place->in != NULL && now >= place->rejoin) {
    place->rejoin = now + REJOIN_EVERY;
    fasp_membership_move (&place->membership, place->in, index, index);
  }
}
