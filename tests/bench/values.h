/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * values.h: numbers that were measured, and their percentiles.
 */
#pragma once

#include <glib.h>

static inline GArray *
values_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (gdouble));
}

static inline void
values_add (GArray *values, gdouble value)
{
  g_array_append_val (values, value);
}

static inline gint
values_compare (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Sorts them. 0 of none. */
static inline gdouble
values_percentile (GArray *values, gdouble share)
{
  g_array_sort (values, values_compare);
  return values->len == 0 ? 0 :
                            g_array_index (values, gdouble, (guint) ((values->len - 1) * share));
}
