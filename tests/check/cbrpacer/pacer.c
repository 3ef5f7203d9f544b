/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "pacer.h"

static GstPadProbeReturn
on_push (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Pacer *f = data;
  guint n = 1;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    n = gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  g_mutex_lock (&f->lock);
  g_array_append_val (f->lists, n);
  g_mutex_unlock (&f->lock);
  return GST_PAD_PROBE_OK;
}

Pacer *
pacer_new (const gchar *properties, const gchar *caps)
{
  g_auto (GStrv) words = g_strsplit (properties, " ", -1);
  Pacer *f = g_new0 (Pacer, 1);

  g_mutex_init (&f->lock);
  f->lists = g_array_new (FALSE, FALSE, sizeof (guint));
  f->h = gst_harness_new ("cbrpacer");
  f->bus = gst_bus_new ();
  gst_element_set_bus (f->h->element, f->bus);
  g_object_set (f->h->element, "header-size", 0, NULL);
  for (guint i = 0; words[i] != NULL && *words[i]; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);

    gst_util_set_object_arg (G_OBJECT (f->h->element), pair[0], pair[1]);
  }
  f->src = gst_element_get_static_pad (f->h->element, "src");
  gst_pad_add_probe (f->src, DATA, on_push, f, NULL);
  gst_harness_use_testclock (f->h);
  f->clock = gst_harness_get_testclock (f->h);
  if (caps != NULL)
    gst_harness_set_src_caps_str (f->h, caps);
  else { /* as filesrc: none */
    gst_harness_play (f->h);
    gst_harness_push_event (f->h, gst_event_new_stream_start ("1"));
    pacer_push_segment (f, GST_FORMAT_BYTES);
  }
  return f;
}

Pacer *
pacer_new_file (const gchar *properties, const gchar *caps)
{
  Pacer *f = pacer_new (properties, caps);

  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
  return f;
}

void
pacer_free (Pacer *f)
{
  gst_element_set_bus (f->h->element, NULL);
  gst_object_unref (f->bus);
  gst_object_unref (f->clock);
  gst_object_unref (f->src);
  gst_harness_teardown (f->h);
  g_array_unref (f->lists);
  g_mutex_clear (&f->lock);
  g_free (f);
}

GstBuffer *
pacer_make (gsize size, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0xda, size);
  GST_BUFFER_PTS (buffer) = pts;
  return buffer;
}

void
pacer_push (Pacer *f, gsize size)
{
  g_assert_cmpint (gst_harness_push (f->h, pacer_make (size, GST_CLOCK_TIME_NONE)), ==,
      GST_FLOW_OK);
}

void
pacer_push_many (Pacer *f, guint n, gsize size)
{
  while (n-- > 0)
    pacer_push (f, size);
}

void
pacer_push_list (Pacer *f, guint n, gsize size)
{
  GstBufferList *list = gst_buffer_list_new ();

  while (n-- > 0)
    gst_buffer_list_add (list, pacer_make (size, GST_CLOCK_TIME_NONE));
  g_assert_cmpint (gst_pad_push_list (f->h->srcpad, list), ==, GST_FLOW_OK);
}

GstBuffer *
pacer_make_ts (guint n)
{
  GstBuffer *buffer = pacer_make (n * 188, GST_CLOCK_TIME_NONE);

  for (guint i = 0; i < n; i++)
    gst_buffer_memset (buffer, i * 188, 0x47, 1);
  return buffer;
}

gint64
pacer_wait_for_sleep (Pacer *f)
{
  GstClockID id;
  gint64 time;

  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  time = (gint64) gst_clock_id_get_time (id);
  gst_clock_id_unref (id);
  return time;
}

void
pacer_advance_to (Pacer *f, GstClockTime time)
{
  g_assert_cmpint (pacer_wait_for_sleep (f), ==, time);
  g_assert_true (gst_test_clock_crank (f->clock));
}

/* What comes out of a harness has passed on_push(): a lock that
 * ThreadSanitizer can see. */
GstBuffer *
pacer_pull (Pacer *f)
{
  GstBuffer *buffer = gst_harness_pull (f->h);

  g_mutex_lock (&f->lock);
  g_mutex_unlock (&f->lock);
  return buffer;
}

GstBuffer *
pacer_try_pull (Pacer *f)
{
  GstBuffer *buffer = gst_harness_try_pull (f->h);

  g_mutex_lock (&f->lock);
  g_mutex_unlock (&f->lock);
  return buffer;
}

void
pacer_assert_pull (Pacer *f, gsize size)
{
  GstBuffer *buffer = pacer_pull (f);

  g_assert_nonnull (buffer);
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, size);
  gst_buffer_unref (buffer);
}

void
pacer_assert_pull_at (Pacer *f, GstClockTime time, gsize size)
{
  pacer_advance_to (f, time);
  pacer_assert_pull (f, size);
}

void
pacer_assert_nulls (Pacer *f, guint n)
{
  g_autoptr (GstBuffer) buffer = pacer_pull (f);

  g_assert_cmpuint (pacer_count_nulls (buffer), ==, n);
}

void
pacer_assert_nothing (Pacer *f)
{
  g_assert_null (pacer_try_pull (f));
}

guint64
pacer_get_stat (Pacer *f, const gchar *name)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (f->h->element, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

void
pacer_wait_for_stat (Pacer *f, const gchar *name, guint64 value)
{
  gint64 until = g_get_monotonic_time () + LIMIT;

  while (pacer_get_stat (f, name) != value) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (1000);
  }
}

GstBuffer *
pacer_pull_when_due (Pacer *f)
{
  gint64 until = g_get_monotonic_time () + LIMIT;
  GstBuffer *buffer;

  while ((buffer = pacer_try_pull (f)) == NULL) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    if (gst_test_clock_peek_id_count (f->clock) > 0)
      gst_test_clock_crank (f->clock);
  }
  return buffer;
}

void
pacer_pull_in_time (Pacer *f, guint n)
{
  while (n-- > 0)
    gst_buffer_unref (pacer_pull_when_due (f));
}

gchar *
pacer_wait_text (Pacer *f, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (f->bus, LIMIT * 1000, type);
  GError *error = NULL;
  gchar *text;

  g_assert_nonnull (message);
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

void
pacer_assert_text (const gchar *text, const gchar *part)
{
  if (strstr (text, part) == NULL)
    g_error ("\"%s\" does not speak of %s", text, part);
}

void
pacer_assert_message (Pacer *f, GstMessageType type, const gchar *part)
{
  g_autofree gchar *text = pacer_wait_text (f, type);

  pacer_assert_text (text, part);
}

GstEventType
pacer_pull_event_type (Pacer *f)
{
  GstEvent *event = gst_harness_pull_event (f->h);
  GstEventType type = GST_EVENT_TYPE (event);

  gst_event_unref (event);
  return type;
}

void
pacer_forget_events (Pacer *f)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (f->h)) != NULL)
    gst_event_unref (event);
}

struct _PacerGate
{
  GstPad *pad;
  gulong probe;
  GMutex lock;
  GCond cond;
  gboolean inside, open;
};

static GstPadProbeReturn
stand_at_gate (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  PacerGate *gate = data;

  g_mutex_lock (&gate->lock);
  gate->inside = TRUE;
  g_cond_signal (&gate->cond);
  while (!gate->open)
    g_cond_wait (&gate->cond, &gate->lock);
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

/* The probe is gone, and no thread is in it. */
static void
free_gate (gpointer data)
{
  PacerGate *gate = data;

  gst_object_unref (gate->pad);
  g_cond_clear (&gate->cond);
  g_mutex_clear (&gate->lock);
  g_free (gate);
}

PacerGate *
pacer_gate_close (GstPad *pad, GstPadProbeType what)
{
  PacerGate *gate = g_new0 (PacerGate, 1);

  gate->pad = gst_object_ref (pad);
  g_mutex_init (&gate->lock);
  g_cond_init (&gate->cond);
  gate->probe = gst_pad_add_probe (pad, what, stand_at_gate, gate, free_gate);
  return gate;
}

void
pacer_gate_wait (PacerGate *gate)
{
  g_mutex_lock (&gate->lock);
  while (!gate->inside)
    g_cond_wait (&gate->cond, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

static gboolean
is_reached (PacerGate *gate)
{
  gboolean inside;

  g_mutex_lock (&gate->lock);
  inside = gate->inside;
  g_mutex_unlock (&gate->lock);
  return inside;
}

void
pacer_gate_reach (PacerGate *gate, GstTestClock *clock)
{
  gint64 until = g_get_monotonic_time () + LIMIT;

  while (!is_reached (gate)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    if (gst_test_clock_peek_id_count (clock) > 0)
      gst_test_clock_crank (clock);
  }
}

void
pacer_gate_open (PacerGate *gate)
{
  g_mutex_lock (&gate->lock);
  gate->open = TRUE;
  g_cond_signal (&gate->cond);
  g_mutex_unlock (&gate->lock);
  gst_pad_remove_probe (gate->pad, gate->probe);
}

guint
pacer_count_nulls (GstBuffer *buffer)
{
  GstMapInfo map;
  guint n = 0;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (gsize i = 0; i < map.size; i += 188) {
    g_assert_cmpuint (map.data[i], ==, 0x47);
    n += map.data[i + 1] == 0x1f && map.data[i + 2] == 0xff;
  }
  gst_buffer_unmap (buffer, &map);
  return n;
}

void
pacer_push_caps (Pacer *f, const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  gst_harness_push_event (f->h, gst_event_new_caps (caps));
}

void
pacer_push_segment (Pacer *f, GstFormat format)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  gst_harness_push_event (f->h, gst_event_new_segment (&segment));
}

void
pacer_begin_stream (Pacer *f, GstFormat format)
{
  gst_harness_push_event (f->h, gst_event_new_stream_start ("2"));
  pacer_push_segment (f, format);
}

void
pacer_set_clock (Pacer *f, GstClockTime time)
{
  GstClock *other = gst_test_clock_new_with_start_time (time);

  gst_element_set_clock (f->h->element, other);
  gst_object_unref (f->clock);
  f->clock = GST_TEST_CLOCK (other);
}

GstBuffer *
pacer_make_part (guint size, guint from, guint to)
{
  GstBuffer *buffer = pacer_make (to - from, GST_CLOCK_TIME_NONE);

  for (guint at = size == 192 ? 4 : 0; at < to; at += size)
    if (at >= from)
      gst_buffer_memset (buffer, at - from, 0x47, 1);
  return buffer;
}

gboolean
pacer_answer_not_live (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

GstBuffer *
pacer_make_ts_at (guint i)
{
  guint64 base = i * 2 * 90;
  guint8 pcr[12] = { 0x47, 0x01, 0x00, 0x30, 7, 0x10, base >> 25, base >> 17, base >> 9, base >> 1,
    (base & 1) << 7 | 0x7e, 0 };
  GstBuffer *buffer = pacer_make_ts (7);

  gst_buffer_fill (buffer, 0, pcr, sizeof pcr);
  return buffer;
}
