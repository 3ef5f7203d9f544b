/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capacity.h"
#include <stdlib.h>

typedef struct
{
  gint64 at;    /* µs */
  guint64 rate; /* bit/s from then on */
} Step;

struct _Capacity
{
  GArray *steps; /* of Step; NULL: there are opportunities */
  GArray *times; /* of gint64: µs of each opportunity, less than the period; or NULL */
  gint64 period, skip;
  gsize bytes;
  /* what has left */
  guint64 next;   /* opportunity, over all periods */
  gsize left;     /* bytes that the opportunity before it has left, */
  gint64 last_ns; /* and when the last packet left */
};

Capacity *
capacity_new_rate (guint64 rate)
{
  Capacity *c = g_new0 (Capacity, 1);

  c->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  capacity_add_step (c, 0, rate);
  return c;
}

void
capacity_add_step (Capacity *c, gint64 at, guint64 rate)
{
  Step step = { at, rate };

  g_array_append_val (c->steps, step);
}

/* Opportunities before @time. */
static guint64
count_before (const Capacity *c, gint64 time)
{
  guint64 periods = time / c->period;
  gint64 rest = time % c->period;
  guint from = 0, to = c->times->len;

  while (from < to) {
    guint middle = (from + to) / 2;

    if (g_array_index (c->times, gint64, middle) < rest)
      from = middle + 1;
    else
      to = middle;
  }
  return periods * c->times->len + from;
}

Capacity *
capacity_new_times (GArray *times, gint64 period, gsize bytes)
{
  Capacity *c = g_new0 (Capacity, 1);

  g_assert_cmpuint (times->len, >, 0);
  c->times = times;
  c->period = period;
  c->bytes = bytes;
  return c;
}

/* NULL: a line is not a time, or is before the one above it. */
static GArray *
parse (const gchar *text)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  gint64 last = 0;

  for (guint i = 0; lines[i] != NULL && *g_strchug (lines[i]) != '\0'; i++) {
    gchar *end;
    gint64 time = 1000 * g_ascii_strtoll (lines[i], &end, 10);

    if (end == lines[i] || time < last) {
      g_array_unref (times);
      return NULL;
    }
    last = time;
    g_array_append_val (times, time);
  }
  return times;
}

Capacity *
capacity_new_file (const gchar *file, gint64 skip, GError **error)
{
  g_autofree gchar *text = NULL;
  GArray *times;
  gint64 period;
  Capacity *c;

  if (!g_file_get_contents (file, &text, NULL, error))
    return NULL;
  times = parse (text);
  if (times == NULL || times->len == 0
      || (period = g_array_index (times, gint64, times->len - 1)) == 0) {
    g_clear_pointer (&times, g_array_unref);
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
        "%s: each line must be a time in ms, none before the one above it", file);
    return NULL;
  }
  c = capacity_new_times (times, period, CAPACITY_MAHIMAHI);
  /* those at the period's end are the next one's first */
  for (guint i = 0; i < times->len; i++)
    if (g_array_index (times, gint64, i) == period)
      g_array_index (times, gint64, i) = period - 1;
  c->skip = skip % period;
  c->next = count_before (c, c->skip);
  return c;
}

void
capacity_free (Capacity *c)
{
  g_clear_pointer (&c->steps, g_array_unref);
  g_clear_pointer (&c->times, g_array_unref);
  g_free (c);
}

static gint64
get_time (const Capacity *c, guint64 n)
{
  return n / c->times->len * c->period + g_array_index (c->times, gint64, n % c->times->len)
      - c->skip;
}

static gint64
send_at_rate (Capacity *c, gint64 now, gsize bytes)
{
  gdouble bits = bytes * 8, time = MAX (now * 1000, c->last_ns);

  for (guint i = 0; i < c->steps->len; i++) {
    const Step *step = &g_array_index (c->steps, Step, i);
    gdouble end = i + 1 < c->steps->len ? step[1].at * 1e3 : G_MAXDOUBLE;

    if (end <= time)
      continue;
    if (bits * 1e9 <= (end - time) * step->rate) {
      c->last_ns = time + bits * 1e9 / step->rate;
      break;
    }
    bits -= (end - time) * step->rate / 1e9;
    time = end;
  }
  return (c->last_ns + 500) / 1000;
}

gint64
capacity_send (Capacity *c, gint64 now, gsize bytes)
{
  guint64 first;

  if (c->steps != NULL)
    return send_at_rate (c, now, bytes);
  if (now * 1000 > c->last_ns)
    c->left = 0;
  first = count_before (c, now + c->skip);
  c->next = MAX (c->next, first);
  while (c->left < bytes) {
    c->left += c->bytes;
    c->last_ns = get_time (c, c->next++) * 1000;
  }
  c->left -= bytes;
  return c->last_ns / 1000;
}

gdouble
capacity_get_bytes (const Capacity *c, gint64 from, gint64 to)
{
  gdouble bytes = 0;

  if (c->times != NULL)
    return (gdouble) (count_before (c, to + c->skip) - count_before (c, from + c->skip)) * c->bytes;
  for (guint i = 0; i < c->steps->len; i++) {
    const Step *step = &g_array_index (c->steps, Step, i);
    gint64 end = i + 1 < c->steps->len ? MIN (step[1].at, to) : to;

    bytes += MAX (0, end - MAX (step->at, from)) * (step->rate / 8e6);
  }
  return bytes;
}
