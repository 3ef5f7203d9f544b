/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vtraffic.h"

struct _Vtraffic
{
  gint64 now;
  guint standing; /* steps since time moved */
  GPtrArray *bottlenecks, *lives, *rivals;
};

Vtraffic *
vtraffic_new (void)
{
  Vtraffic *t = g_new0 (Vtraffic, 1);

  t->bottlenecks = g_ptr_array_new_with_free_func ((GDestroyNotify) bottleneck_free);
  t->lives = g_ptr_array_new_with_free_func ((GDestroyNotify) vlive_free);
  t->rivals = g_ptr_array_new_with_free_func ((GDestroyNotify) vrival_free);
  return t;
}

void
vtraffic_free (Vtraffic *t)
{
  g_ptr_array_unref (t->bottlenecks); /* first: what waits in them is the others' */
  g_ptr_array_unref (t->lives);
  g_ptr_array_unref (t->rivals);
  g_free (t);
}

void
vtraffic_add_bottleneck (Vtraffic *t, Bottleneck *bottleneck)
{
  g_ptr_array_add (t->bottlenecks, bottleneck);
}

void
vtraffic_add_live (Vtraffic *t, Vlive *live)
{
  g_ptr_array_add (t->lives, live);
}

void
vtraffic_add_rival (Vtraffic *t, Vrival *rival)
{
  g_ptr_array_add (t->rivals, rival);
}

static gint64
get_next (Vtraffic *t)
{
  gint64 next = G_MAXINT64;

  for (guint i = 0; i < t->bottlenecks->len; i++)
    next = MIN (next, bottleneck_get_due (g_ptr_array_index (t->bottlenecks, i)));
  for (guint i = 0; i < t->lives->len; i++)
    next = MIN (next, vlive_get_next (g_ptr_array_index (t->lives, i)));
  for (guint i = 0; i < t->rivals->len; i++)
    next = MIN (next, vrival_get_next (g_ptr_array_index (t->rivals, i)));
  return MAX (next, t->now);
}

static void
step (Vtraffic *t, gint64 now)
{
  /* as in vnet_run() */
  t->standing = now == t->now ? t->standing + 1 : 0;
  g_assert_cmpuint (t->standing, <, 100000);
  t->now = now;
  for (guint i = 0; i < t->bottlenecks->len; i++)
    bottleneck_run (g_ptr_array_index (t->bottlenecks, i), now);
  for (guint i = 0; i < t->lives->len; i++)
    vlive_run (g_ptr_array_index (t->lives, i), now);
  for (guint i = 0; i < t->rivals->len; i++)
    vrival_run (g_ptr_array_index (t->rivals, i), now);
}

void
vtraffic_run (Vtraffic *t, gint64 until)
{
  gint64 next;

  while ((next = get_next (t)) < until)
    step (t, next);
  step (t, until);
}

const GPtrArray *
vtraffic_get_bottlenecks (const Vtraffic *t)
{
  return t->bottlenecks;
}

const GPtrArray *
vtraffic_get_lives (const Vtraffic *t)
{
  return t->lives;
}

const GPtrArray *
vtraffic_get_rivals (const Vtraffic *t)
{
  return t->rivals;
}
