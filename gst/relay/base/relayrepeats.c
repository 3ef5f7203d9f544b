/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayrepeats.h"

struct _RelayRepeats
{
  GQueue lines; /* Line, first the one that came last */
};

typedef struct
{
  gchar *text;
  gint64 first, written, last; /* µs: when the line first came, was last written, last came */
  guint n;                     /* how often it came since it was last written */
} Line;

static void
line_free (Line *line)
{
  g_free (line->text);
  g_free (line);
}

RelayRepeats *
relay_repeats_new (void)
{
  return g_new0 (RelayRepeats, 1);
}

void
relay_repeats_free (RelayRepeats *repeats)
{
  g_queue_clear_full (&repeats->lines, (GDestroyNotify) line_free);
  g_free (repeats);
}

static gint
compare (gconstpointer line, gconstpointer text)
{
  return g_strcmp0 (((const Line *) line)->text, text);
}

/* Moves the line to the front and returns it. NULL: it is new, and was added. */
static Line *
find_line (RelayRepeats *repeats, gint64 now, const gchar *text)
{
  GList *link = g_queue_find_custom (&repeats->lines, text, compare);
  Line *line = link != NULL ? link->data : NULL;

  if (line != NULL && now - line->last < RELAY_REPEATS_QUIET) {
    g_queue_unlink (&repeats->lines, link);
    g_queue_push_head_link (&repeats->lines, link);
    return line;
  }
  if (link == NULL && repeats->lines.length == RELAY_REPEATS_MAX)
    link = repeats->lines.tail;
  if (link != NULL) {
    line_free (link->data);
    g_queue_delete_link (&repeats->lines, link);
  }
  line = g_new0 (Line, 1);
  line->text = g_strdup (text);
  line->first = line->written = line->last = now;
  g_queue_push_head (&repeats->lines, line);
  return NULL;
}

gchar *
relay_repeats_note (RelayRepeats *repeats, gint64 now, const gchar *text)
{
  Line *line = find_line (repeats, now, text);
  gint64 since;
  gchar *note;

  if (line == NULL)
    return g_strdup ("");
  line->last = now;
  line->n++;
  since = now - line->written;
  if (since < MAX (line->written - line->first, RELAY_REPEATS_FIRST))
    return NULL;
  note = g_strdup_printf (" (%u times in the last %" G_GINT64_FORMAT " s)", line->n,
      since / G_USEC_PER_SEC);
  line->written = now;
  line->n = 0;
  return note;
}
