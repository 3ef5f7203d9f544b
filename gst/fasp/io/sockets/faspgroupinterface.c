/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspgroupinterface.h"
#include "faspnet.h"

#define REJOIN_EVERY (10 * FASP_SEC)

struct _FaspGroupInterface
{
  FaspMembership membership; /* owns its strings */
  const FaspSocket *out, *in;
  guint index;     /* number of the interface of the group; 0: chosen by the routing table */
  FaspTime rejoin; /* the group is not joined again before this time */
};

FaspGroupInterface *
fasp_group_interface_new (const FaspMembership *membership, const FaspSocket *out,
    const FaspSocket *in)
{
  gboolean named = membership->interface != NULL && membership->interface[0] != '\0';
  FaspGroupInterface *joined;

  if (!named && in == NULL)
    return NULL;
  joined = g_new0 (FaspGroupInterface, 1);
  joined->membership = *membership;
  joined->membership.group = g_strdup (membership->group);
  joined->membership.source = g_strdup (membership->source);
  joined->membership.interface = named ? g_strdup (membership->interface) : NULL;
  joined->out = out;
  joined->in = in;
  joined->index = named ? if_nametoindex (membership->interface) : 0;
  return joined;
}

void
fasp_group_interface_free (FaspGroupInterface *joined)
{
  if (joined == NULL)
    return;
  g_free ((gchar *) joined->membership.group);
  g_free ((gchar *) joined->membership.source);
  g_free ((gchar *) joined->membership.interface);
  g_free (joined);
}

static void
move (FaspGroupInterface *joined, guint index)
{
  FaspAddress known;

  /* if this fails, the interface is not ready yet, and is tried again */
  if (fasp_membership_prepare (&joined->membership, joined->out, &known, NULL)
      && (joined->in == NULL
          || fasp_membership_move (&joined->membership, joined->in, joined->index, index)))
    joined->index = index;
}

void
fasp_group_interface_follow (FaspGroupInterface *joined, FaspTime now, gboolean deaf)
{
  const gchar *name = joined->membership.interface;
  guint index = name != NULL ? if_nametoindex (name) : 0;

  if (name != NULL && index == 0)
    return;
  if (index != joined->index) {
    move (joined, index);
  } else if (!deaf) {
    joined->rejoin = now;
  } else if (joined->in != NULL && now >= joined->rejoin) {
    joined->rejoin = now + REJOIN_EVERY;
    fasp_membership_move (&joined->membership, joined->in, index, index);
  }
}
