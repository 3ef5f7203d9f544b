/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the relay's figures, one a line: name, whose they are, where they are shown, unit, names
 * of metrics, meaning; with tabs between.
 */
#include <stdio.h>
#include "relayfiguretable.h"

static gchar *
make_metric (const RelayFigure *row, RelayFigureOf of)
{
  const gchar *owner = of == RELAY_OF_RELAY ? "" :
      of == RELAY_OF_PICTURE                ? "stream_picture" :
                                              relay_figure_get_owner (of);
  g_autofree gchar *name = row->metric != NULL ?
      g_strdup (row->metric) :
      relay_figures_make_metric (owner, row->name, row->unit);

  return g_strconcat (name, row->kind == FASP_KIND_COUNTER ? "_total" : "", NULL);
}

static void
print_figure (const RelayFigure *row)
{
  static const gchar *const places[] = { "status", "events", "API", "metrics", "history" };
  g_autoptr (GString) of = g_string_new (NULL), in = g_string_new (NULL);
  g_autoptr (GString) metrics = g_string_new (NULL);

  for (guint i = 0; i < RELAY_FIGURE_OWNERS; i++)
    if ((row->of & (1 << i)) != 0) {
      g_autofree gchar *metric = make_metric (row, 1 << i);

      g_string_append_printf (of, "%s%s", of->len > 0 ? ", " : "", relay_figure_get_owner (1 << i));
      if ((row->in & RELAY_IN_METRICS) != 0)
        g_string_append_printf (metrics, "%s%s", metrics->len > 0 ? ", " : "", metric);
    }
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if ((row->in & (1 << i)) != 0 && (1 << i) != RELAY_IN_METRICS)
      g_string_append_printf (in, "%s%s", in->len > 0 ? ", " : "", places[i]);
  printf ("%s\t%s\t%s\t%s\t%s\t%s\n", row->name, of->str, in->str,
      row->form == RELAY_FORM_TIME ? "" : relay_units[row->unit].name, metrics->str, row->meaning);
}

int
main (void)
{
  for (const RelayFigure *row = NULL; (row = relay_figure_next (row, ~0, ~RELAY_IN_STATS)) != NULL;)
    print_figure (row);
  return 0;
}
