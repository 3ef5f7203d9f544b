/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vtraffic.h"

struct _Vtraffic
{
  gint64 now;
  GPtrArray *bottlenecks, *lives;
};

Vtraffic *
vtraffic_new (void)
{
  Vtraffic *t = g_new0 (Vtraffic, 1);

  t->bottlenecks = g_ptr_array_new_with_free_func ((GDestroyNotify) bottleneck_free);
  t->lives = g_ptr_array_new_with_free_func ((GDestroyNotify) vlive_free);
  return t;
}

void
vtraffic_free (Vtraffic *t)
{
  g_ptr_array_unref (t->bottlenecks); /* first: what waits in them is a stream's */
  g_ptr_array_unref (t->lives);
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

static gint64
get_next (Vtraffic *t)
{
  gint64 next = G_MAXINT64;

  for (guint i = 0; i < t->bottlenecks->len; i++)
    next = MIN (next, bottleneck_get_due (g_ptr_array_index (t->bottlenecks, i)));
  for (guint i = 0; i < t->lives->len; i++)
    next = MIN (next, vlive_get_next (g_ptr_array_index (t->lives, i)));
  return MAX (next, t->now);
}

static void
step (Vtraffic *t, gint64 now)
{
  t->now = now;
  for (guint i = 0; i < t->bottlenecks->len; i++)
    bottleneck_run (g_ptr_array_index (t->bottlenecks, i), now);
  for (guint i = 0; i < t->lives->len; i++)
    vlive_run (g_ptr_array_index (t->lives, i), now);
}

void
vtraffic_run (Vtraffic *t, gint64 until)
{
  gint64 next;

  while ((next = get_next (t)) < until)
    step (t, next);
  step (t, until);
}
