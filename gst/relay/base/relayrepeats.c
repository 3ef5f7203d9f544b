/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayrepeats.h"
#include "relaylog.h"

struct _RelayRepeats
{
  GMutex lock;  /* guards the rest */
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
  RelayRepeats *repeats = g_new0 (RelayRepeats, 1);

  g_mutex_init (&repeats->lock);
  return repeats;
}

void
relay_repeats_free (RelayRepeats *repeats)
{
  g_queue_clear_full (&repeats->lines, (GDestroyNotify) line_free);
  g_mutex_clear (&repeats->lock);
  g_free (repeats);
}

static gint
compare (gconstpointer line, gconstpointer text)
{
  return g_strcmp0 (((const Line *) line)->text, text);
}

/* Drops the lines that would count as new, and one if there is no room. */
static void
forget (RelayRepeats *repeats, gint64 now)
{
  Line *oldest;

  while ((oldest = g_queue_peek_tail (&repeats->lines)) != NULL
      && (now - oldest->last >= RELAY_REPEATS_QUIET || repeats->lines.length >= RELAY_REPEATS_MAX))
    line_free (g_queue_pop_tail (&repeats->lines));
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
  forget (repeats, now);
  line = g_new0 (Line, 1);
  line->text = g_strdup (text);
  line->first = line->written = line->last = now;
  g_queue_push_head (&repeats->lines, line);
  return NULL;
}

/* Under the lock. */
static gchar *
note (RelayRepeats *repeats, gint64 now, const gchar *what, const gchar *text)
{
  Line *line = find_line (repeats, now, what);
  gint64 since;
  gchar *whole;

  if (line == NULL)
    return g_strdup (text);
  line->last = now;
  line->n++;
  since = now - line->written;
  if (since < MAX (line->written - line->first, RELAY_REPEATS_FIRST))
    return NULL;
  whole = g_strdup_printf ("%s (%u times in the last %" G_GINT64_FORMAT " s)", text, line->n,
      since / G_USEC_PER_SEC);
  line->written = now;
  line->n = 0;
  return whole;
}

gchar *
relay_repeats_note (RelayRepeats *repeats, gint64 now, const gchar *what, const gchar *line)
{
  gchar *whole;

  g_mutex_lock (&repeats->lock);
  whole = note (repeats, now, what, line);
  g_mutex_unlock (&repeats->lock);
  return whole;
}

void
relay_repeats_warn (RelayRepeats *repeats, const gchar *stream, const gchar *event,
    const gchar *what, const gchar *then)
{
  g_autoptr (GstStructure) details = event != NULL ? gst_structure_new_empty (event) : NULL;
  g_autofree gchar *text = g_strconcat (what, then, NULL);
  g_autofree gchar *line = relay_repeats_note (repeats, g_get_monotonic_time (), what, text);

  if (line != NULL)
    relay_log_end (stream, NULL, G_LOG_LEVEL_WARNING, details, line);
}
