/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <net/if.h>
#include "faspgroupplace.h"

struct _FaspGroupPlace
{
  FaspMembership membership;    /* its strings are ours */
  const FaspSocket *out, *in;
  guint index;                  /* where it was last */
};

FaspGroupPlace *
fasp_group_place_new (const FaspMembership * membership,
    const FaspSocket * out, const FaspSocket * in)
{
  FaspGroupPlace *place;

  if (membership->interface == NULL || membership->interface[0] == '\0')
    return NULL;
  place = g_new0 (FaspGroupPlace, 1);
  place->membership = *membership;
  place->membership.group = g_strdup (membership->group);
  place->membership.source = g_strdup (membership->source);
  place->membership.interface = g_strdup (membership->interface);
  place->out = out;
  place->in = in;
  place->index = if_nametoindex (membership->interface);
  return place;
}

void
fasp_group_place_free (FaspGroupPlace * place)
{
  if (place == NULL)
    return;
  g_free ((gchar *) place->membership.group);
  g_free ((gchar *) place->membership.source);
  g_free ((gchar *) place->membership.interface);
  g_free (place);
}

void
fasp_group_place_follow (FaspGroupPlace * place)
{
  guint index = if_nametoindex (place->membership.interface);
  FaspAddress known;

  if (index == 0 || index == place->index)
    return;
  /* else it is not ready yet, and tried again */
  if (fasp_membership_prepare (&place->membership, place->out, &known, NULL)
      && (place->in == NULL || fasp_membership_move (&place->membership,
              place->in, place->index, index)))
    place->index = index;
}
