/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What faspsrc has read reaches the sink, all of it and once, whatever happens to it on the way:
 * for each place where a buffer may be, each thing that an application may do.
 */
#include <string.h>
#include "gstfaspelements.h"
#include "gstfaspoffset.h"
#include "pair.h"
#include "reader.h"

/* Where the streaming thread is held while that happens. */
typedef enum
{
  NOWHERE,   /* it waits for something to read */
  IN_READ,   /* it has read, */
  IN_CREATE, /* announces that downstream, in create(), */
  IN_LOOP,   /* has returned it to the base class, */
  AT_PAD,    /* pushes it, and the pad is blocked, */
  IN_PROBE,  /* or runs the probe that blocks it */
  PLACES
} Place;

static const gchar *const places[] = { "nowhere", "in-read", "in-create", "in-loop", "at-pad",
  "in-probe" };

/* Under the reader's lock. */
static Place place;          /* NOWHERE: nothing is to be held */
static guint held, released; /* the streaming thread; TRUE or FALSE */
static gboolean acted;       /* what was to happen has */

typedef struct
{
  GstElement *pipeline, *source, *sink;
  GstPad *pad; /* the source's */
  gulong probe;
  GString *got; /* under the lock: what came, behind the number of its stream */
  gchar *origin;
} Line;

static void
wait_for (const guint *what, guint value)
{
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  g_mutex_lock (&reader.lock);
  while (*what < value)
    g_assert_true (g_cond_wait_until (&reader.changed, &reader.lock, until));
  g_mutex_unlock (&reader.lock);
}

/* Lock held. */
static void
hold (Place here)
{
  if (place != here || released)
    return;
  held = TRUE;
  g_cond_broadcast (&reader.changed);
  while (!released)
    g_cond_wait (&reader.changed, &reader.lock);
}

/* --- what is read ---------------------------------------------------------------------- */

static void
hold_read (void)
{
  if (reader.done > 1)
    hold (IN_READ);
}

/* --- what comes ------------------------------------------------------------------------ */

static void
on_handoff (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  Line *line = data;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  g_mutex_lock (&reader.lock);
  g_string_append_printf (line->got, "%s%.2s:%.*s", line->got->len > 0 ? " " : "", line->origin,
      (gint) map.size, (const gchar *) map.data);
  g_cond_broadcast (&reader.changed);
  g_mutex_unlock (&reader.lock);
  gst_buffer_unmap (buffer, &map);
}

static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Line *line = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (gst_event_has_name (event, GST_FASP_OFFSET_EVENT)) {
    g_free (line->origin);
    line->origin = g_strdup (gst_structure_get_string (gst_event_get_structure (event), "origin"));
  }
  return GST_PAD_PROBE_OK;
}

/* Only what was announced while nothing was let through is held. */
static GstPadProbeReturn
hold_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  g_mutex_lock (&reader.lock);
  if (gst_event_has_name (event, GST_FASP_OFFSET_EVENT))
    hold (IN_CREATE);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_TAG)
    hold (IN_LOOP);
  g_mutex_unlock (&reader.lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
block (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_mutex_lock (&reader.lock);
  if (place == AT_PAD) {
    held = TRUE;
    g_cond_broadcast (&reader.changed);
  }
  hold (IN_PROBE);
  g_mutex_unlock (&reader.lock);
  return GST_PAD_PROBE_OK;
}

static void
wait_for_bytes (Line *line, const gchar *bytes)
{
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;
  gboolean waits = TRUE;

  g_mutex_lock (&reader.lock);
  while (waits && line->got->len < strlen (bytes))
    waits = g_cond_wait_until (&reader.changed, &reader.lock, until);
  g_assert_cmpstr (line->got->str, ==, bytes);
  g_mutex_unlock (&reader.lock);
}

static Line *
line_new (const ReaderStep *steps, const gchar *settings)
{
  Line *line = g_new0 (Line, 1);
  g_autoptr (GstPad) pad = NULL;

  reader_begin (steps, G_MAXUINT);
  reader.has_read = hold_read;
  held = released = acted = FALSE;
  place = NOWHERE;
  line->got = g_string_new (NULL);
  line->pipeline =
      pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u?mode=listener " SECRET
                   " %s ! fakesink name=sink sync=false async=false signal-handoffs=true",
          pair_get_port (), settings);
  line->source = gst_bin_get_by_name (GST_BIN (line->pipeline), "source");
  line->sink = gst_bin_get_by_name (GST_BIN (line->pipeline), "sink");
  line->pad = gst_element_get_static_pad (line->source, "src");
  pad = gst_element_get_static_pad (line->sink, "sink");
  g_signal_connect (line->sink, "handoff", G_CALLBACK (on_handoff), line);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, line, NULL);
  gst_pad_add_probe (line->pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, hold_event, line, NULL);
  gst_element_set_state (line->pipeline, GST_STATE_PLAYING);
  return line;
}

static void
line_free (Line *line)
{
  pair_stop (line->pipeline);
  gst_object_unref (line->pad);
  gst_object_unref (line->source);
  gst_object_unref (line->sink);
  gst_object_unref (line->pipeline);
  g_string_free (line->got, TRUE);
  g_free (line->origin);
  g_free (line);
}

/* --- what happens ----------------------------------------------------------------------- */

static void
set_paused (Line *line)
{
  gst_element_set_state (line->pipeline, GST_STATE_PAUSED);
}

static void
set_playing (Line *line)
{
  gst_element_set_state (line->pipeline, GST_STATE_PLAYING);
}

static void
flush (Line *line)
{
  gst_element_send_event (line->source, gst_event_new_flush_start ());
  gst_element_send_event (line->source, gst_event_new_flush_stop (TRUE));
}

static void
flush_same_time (Line *line)
{
  gst_element_send_event (line->source, gst_event_new_flush_start ());
  gst_element_send_event (line->source, gst_event_new_flush_stop (FALSE));
}

static void
flush_stop (Line *line)
{
  gst_element_send_event (line->source, gst_event_new_flush_stop (TRUE));
}

static void
pause_and_flush (Line *line)
{
  set_paused (line);
  flush (line);
}

static void
pause_between (Line *line)
{
  gst_element_send_event (line->source, gst_event_new_flush_start ());
  set_paused (line);
  gst_element_send_event (line->source, gst_event_new_flush_stop (TRUE));
}

/* A live stream has nowhere to seek to. */
static void
seek (Line *line)
{
  g_assert_false (gst_element_send_event (line->source,
      gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_NONE, -1)));
  g_assert_false (gst_element_send_event (line->source,
      gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_NONE, -1)));
}

static void
end (Line *line)
{
  gst_element_send_event (line->source, gst_event_new_eos ());
  gst_message_unref (pair_wait (line->pipeline, GST_MESSAGE_EOS));
}

/* The pad alone: the base class knows nothing of that. */
static void
flush_pad (Line *line)
{
  gst_pad_push_event (line->pad, gst_event_new_flush_start ());
}

static void
unlink_pad (Line *line)
{
  gst_element_unlink (line->source, line->sink);
}

static void
relink (Line *line)
{
  gst_message_unref (pair_wait (line->pipeline, GST_MESSAGE_ERROR));
  g_assert_true (gst_element_link (line->source, line->sink));
  flush (line);
}

static void
reconfigure (Line *line)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (line->pad);

  gst_pad_push_event (peer, gst_event_new_reconfigure ());
}

/* The same sink is linked anew while nothing flows. */
static void
link_anew (Line *line)
{
  unlink_pad (line);
  g_assert_true (gst_element_link (line->source, line->sink));
}

typedef struct
{
  const gchar *name;
  void (*first) (Line *line);
  void (*then) (Line *line); /* when the streaming thread goes on; may be NULL */
  guint places;              /* where it makes sense */
} Act;

#define AT(place) (1u << (place))
#define ANYWHERE (AT (PLACES) - 1)

static const Act acts[] = {
  { "pause", set_paused, set_playing, ANYWHERE },
  { "flush", flush, NULL, ANYWHERE },
  { "flush-same-time", flush_same_time, NULL, ANYWHERE },
  /* past the pad, it waits in the sink for PLAYING, and is the sink's */
  { "flush-in-pause", pause_and_flush, set_playing, ANYWHERE & ~AT (IN_LOOP) },
  { "pause-in-flush", pause_between, set_playing, ANYWHERE },
  { "seek", seek, NULL, ANYWHERE },
  { "end", end, flush, ANYWHERE },
  { "flush-pad", flush_pad, flush_stop, ANYWHERE & ~AT (NOWHERE) },
  { "unlink", unlink_pad, relink, ANYWHERE },
  { "reconfigure", reconfigure, NULL, ANYWHERE },
  { "link-anew", link_anew, NULL, ANYWHERE },
};

typedef struct
{
  const Act *act;
  Place place;
  Line *line;
} Case;

static gpointer
act (gpointer data)
{
  const Case *c = data;

  c->act->first (c->line);
  g_mutex_lock (&reader.lock);
  acted = TRUE;
  g_cond_broadcast (&reader.changed);
  g_mutex_unlock (&reader.lock);
  return NULL;
}

/* What waits for the streaming thread has ended its waits first.  In GStreamer 1.22, a pause waits
 * for what is IN_LOOP. */
static gboolean
is_under_way (const Case *c)
{
  return acted || reader.flushing
      || (c->place == IN_LOOP && GST_STATE_TARGET (c->line->source) != GST_STATE_PLAYING);
}

static void
begin_holding (Case *c)
{
  g_mutex_lock (&reader.lock);
  place = c->place;
  g_mutex_unlock (&reader.lock);
  if (c->place == IN_LOOP)
    gst_element_send_event (c->line->source,
        gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "", NULL)));
  if (c->place == AT_PAD || c->place == IN_PROBE)
    c->line->probe = gst_pad_add_probe (c->line->pad,
        GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, block, NULL, NULL);
}

static void
end_holding (Case *c)
{
  if (c->line->probe != 0)
    gst_pad_remove_probe (c->line->pad, c->line->probe);
  g_mutex_lock (&reader.lock);
  released = TRUE;
  g_cond_broadcast (&reader.changed);
  g_mutex_unlock (&reader.lock);
}

/* Two blocks are read at once: one is on its way, and one behind it. */
static void
test_handover (gconstpointer data)
{
  static const ReaderStep steps[] = { { "one", 1 }, { "two", 2 }, { "three", 2 }, { "four", 2 } };
  Case c = *(const Case *) data;
  GThread *thread;

  c.line = line_new (steps, "keep-listening=true");
  reader_let (1);
  wait_for_bytes (c.line, "01:one");
  wait_for (&reader.dry, 1);
  begin_holding (&c);
  if (c.place != NOWHERE)
    reader_let (3);
  wait_for (&held, c.place != NOWHERE);
  thread = g_thread_new ("act", act, &c);
  g_mutex_lock (&reader.lock);
  while (!is_under_way (&c))
    g_cond_wait_until (&reader.changed, &reader.lock,
        g_get_monotonic_time () + G_TIME_SPAN_MILLISECOND);
  g_mutex_unlock (&reader.lock);
  end_holding (&c);
  reader_let (3);
  g_thread_join (thread);
  if (c.act->then != NULL)
    c.act->then (c.line);
  reader_let (4);
  wait_for_bytes (c.line, "01:one 02:two 02:three 02:four");
  line_free (c.line);
}

/* --- the end ------------------------------------------------------------------------------ */

/* The stream ends while the receiver is paused: it ends when the receiver plays, and once. */
static void
test_end_in_pause (gconstpointer data)
{
  const ReaderStep *how = data;
  const ReaderStep steps[] = { { "one", 1 }, *how };
  Line *line = line_new (steps, "");
  g_autoptr (GstBus) bus = gst_element_get_bus (line->pipeline);
  gboolean ended = FALSE;
  guint errors = 0;

  reader_let (1);
  wait_for_bytes (line, "01:one");
  wait_for (&reader.dry, 1); /* nothing is read any more once it is paused */
  set_paused (line);
  reader_let (2);
  wait_for (&reader.done, 2);
  set_playing (line);
  while (!ended) {
    g_autoptr (GstMessage) message =
        gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

    g_assert_nonnull (message);
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    errors += !ended;
  }
  g_assert_cmpuint (errors, ==, how->result == FASP_IO_OK ? 0 : 1);
  line_free (line);
}

int
main (int argc, char **argv)
{
  static const ReaderStep end_of_stream = { "", 1, FASP_BLOCK_EOS };
  static const ReaderStep sender_gone = { "", 1, 0, FASP_IO_ENDED, .reason = FASP_REASON_SILENT,
    .final = TRUE };
  static const ReaderStep failure = { "", 1, 0, FASP_IO_FAILED, .reason = FASP_REASON_SILENT,
    .final = TRUE };

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_assert_true (GST_ELEMENT_REGISTER (faspsrc, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (acts); i++)
    for (guint j = 0; j < PLACES; j++) {
      g_autofree gchar *path = g_strdup_printf ("/handover/%s/%s", acts[i].name, places[j]);
      Case *c;

      if (!(acts[i].places & AT (j)))
        continue;
      c = g_new (Case, 1);
      *c = (Case) { &acts[i], j };
      g_test_add_data_func_full (path, c, test_handover, g_free);
    }
  g_test_add_data_func ("/handover/end-in-pause/stream", &end_of_stream, test_end_in_pause);
  g_test_add_data_func ("/handover/end-in-pause/sender", &sender_gone, test_end_in_pause);
  g_test_add_data_func ("/handover/end-in-pause/failure", &failure, test_end_in_pause);
  return g_test_run ();
}
