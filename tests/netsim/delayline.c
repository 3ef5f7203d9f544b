/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delayline.h"

typedef struct
{
  gint64 when;
  guint64 order;
  gpointer item;
} Entry;

struct _DelayLine
{
  GArray *heap; /* of Entry; the first is the earliest */
  guint64 order;
  GDestroyNotify free_item;
};

#define ENTRY(line, i) (&g_array_index ((line)->heap, Entry, i))

DelayLine *
delay_line_new (GDestroyNotify free_item)
{
  DelayLine *line = g_new0 (DelayLine, 1);

  line->heap = g_array_new (FALSE, FALSE, sizeof (Entry));
  line->free_item = free_item;
  return line;
}

void
delay_line_free (DelayLine *line)
{
  for (guint i = 0; i < line->heap->len; i++)
    line->free_item (ENTRY (line, i)->item);
  g_array_unref (line->heap);
  g_free (line);
}

guint
delay_line_length (const DelayLine *line)
{
  return line->heap->len;
}

static gboolean
is_before (const Entry *a, const Entry *b)
{
  return a->when < b->when || (a->when == b->when && a->order < b->order);
}

static void
swap (Entry *a, Entry *b)
{
  Entry c = *a;

  *a = *b;
  *b = c;
}

void
delay_line_push (DelayLine *line, gint64 when, gpointer item)
{
  Entry entry = { .when = when, .order = line->order++, .item = item };
  guint i = line->heap->len;

  g_array_append_val (line->heap, entry);
  for (; i > 0 && is_before (ENTRY (line, i), ENTRY (line, (i - 1) / 2)); i = (i - 1) / 2)
    swap (ENTRY (line, i), ENTRY (line, (i - 1) / 2));
}

gint64
delay_line_due (const DelayLine *line)
{
  return line->heap->len > 0 ? ENTRY (line, 0)->when : G_MAXINT64;
}

gpointer
delay_line_pop (DelayLine *line, gint64 now)
{
  guint i = 0, n = line->heap->len;
  gpointer item;

  if (n == 0 || ENTRY (line, 0)->when > now)
    return NULL;
  item = ENTRY (line, 0)->item;
  *ENTRY (line, 0) = *ENTRY (line, --n);
  g_array_set_size (line->heap, n);
  for (;;) {
    guint least = i;

    for (guint child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
      if (is_before (ENTRY (line, child), ENTRY (line, least)))
        least = child;
    if (least == i)
      return item;
    swap (ENTRY (line, i), ENTRY (line, least));
    i = least;
  }
}
