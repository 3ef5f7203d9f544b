/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "members.h"

void
members_assemble (Vgroup *g, FaspTime time, guint64 bitrate)
{
  g->bitrate = 0;
  vgroup_run (g, time);
  g->bitrate = bitrate;
}

Vgroup *
members_new (guint32 seed, guint n, FaspSlowPolicy policy)
{
  Vgroup *g = vgroup_new (seed);

  g->sender_config.settings.slow_policy = policy;
  vgroup_set_sender (g);
  for (guint i = 0; i < n; i++)
    vgroup_add (g, MEMBERS_RTT / 2 + MEMBERS_RTT / 2 * (i + 1) / n);
  members_assemble (g, 3 * FASP_SEC / 2, 4000000);
  return g;
}

guint64
members_count_alone (Vgroup *g)
{
  static FaspSessionStats sessions[VGROUP_MAX];
  guint n = fasp_endpoint_get_sessions (g->sender, g->now, &(guint64) { 0 }, sessions, VGROUP_MAX);
  guint64 alone = 0;

  for (guint i = 0; i < MIN (n, VGROUP_MAX); i++)
    alone += sessions[i].sent.blocks_rtx;
  return alone;
}

void
members_assert_whole (Vgroup *g)
{
  vgroup_end (g, 5 * FASP_SEC);
  for (guint i = 0; i < g->n; i++)
    if (g->receivers[i].endpoint != NULL && !g->receivers[i].gone)
      g_assert_true (vgroup_is_whole (g, i));
}

FaspAddress
members_get_stranger (guint n)
{
  FaspAddress a = { .len = 8, .overhead = 28 };

  a.bytes[0] = n >> 8;
  a.bytes[1] = n;
  return a;
}
