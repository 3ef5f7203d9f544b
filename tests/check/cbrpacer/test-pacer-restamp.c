/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: what an encoder of variable rate and a muxer make leaves with null
 * packets between, and each PCR says when its packet leaves.
 */
#include "restamped.h"

#define SECONDS 20
/* A noisy picture every second, else a grey one: the rate goes from 0.1 to 3 Mbit/s. */
#define ENCODER \
  "videotestsrc num-buffers=500 pattern=blink ! video/x-raw,format=I420,width=160,height=120,framerate=25/1 ! " \
  "x264enc speed-preset=ultrafast tune=zerolatency key-int-max=25 pass=quant quantizer=20 ! " \
  "video/x-h264,stream-format=byte-stream ! queue max-size-time=0 ! mux. " \
  "audiotestsrc num-buffers=862 samplesperbuffer=1024 ! audio/x-raw,rate=44100,channels=2 ! avenc_mp2 ! " \
  "queue max-size-time=0 ! mux. mpegtsmux name=mux ! appsink name=out sync=false"

/* Buffers of the muxer, with their times. */
static GPtrArray *
make_stream (void)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (ENCODER, &error);
  GPtrArray *stream = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  GstElement *sink;
  GstSample *sample;

  g_assert_no_error (error);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (;;) {
    g_signal_emit_by_name (sink, "pull-sample", &sample);
    if (sample == NULL)
      break;
    g_ptr_array_add (stream, gst_buffer_ref (gst_sample_get_buffer (sample)));
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_assert_cmpuint (stream->len, >, 100);
  return stream;
}

static void
test_stream (gconstpointer data)
{
  guint rate = GPOINTER_TO_UINT (data) * 1000;
  g_autoptr (GPtrArray) stream = make_stream ();
  TsLimits limits = { TS_LIMIT_PID, 40 * MS };
  Restamped out = { .rate = rate, .limits = &limits };

  restamped_run (&out, stream);
  /* a picture comes at once, and the muxer writes a PCR each 40 ms */
  g_assert_cmpint (out.least_early, >=, 0);
  g_assert_cmpint (out.most_early, <=, 75 * MS);
  g_assert_cmpint (out.most_waited, <=, 100 * MS);
  g_assert_cmpint (out.accuracy, ==, TS_STATE_GOOD);
  for (TsErrorKind kind = 0; kind < TS_ERRORS; kind++)
    if (out.errors[kind] > 0)
      g_error ("%" G_GUINT64_FORMAT " errors: %s", out.errors[kind], ts_error_rows[kind].name);
  g_assert_cmpuint (out.pcrs, >, SECONDS * 10);
  g_assert_cmpuint (out.restamped, ==, out.pcrs);
  g_assert_cmpuint (out.inserted, >, 0);
  g_assert_cmpuint (out.begun_anew, ==, 0);
}

/* --- what happens meanwhile ------------------------------------------------------------------- */

#define STEP (20 * MS)
#define PID 0x100
#define RATE 2000000 /* bit/s, without headers */

typedef struct
{
  Pacer *f;
  guint steps;      /* so many buffers were pushed */
  gint64 offset;    /* of the source's clock from that of the output, ns */
  gint64 time;      /* of the output, ns */
  gint64 last;      /* the last PCR that left, ns; -1: none */
  gint64 at;        /* when, ns */
  guint64 bit_rate; /* now */
  guint pcrs, announced, inserted;
} Run;

/* @n packets, the first of which has the PCR of this step. */
static GstBuffer *
make_packets (Run *run, guint n, gboolean with_pcr)
{
  GstBuffer *buffer = pacer_make_ts (n);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < n; i++) {
    guint8 *packet = map.data + i * TS_PACKET;

    packet[1] = PID >> 8;
    packet[2] = PID & 0xff;
    packet[3] = 0x10;
    if (i > 0 || !with_pcr)
      continue;
    packet[3] |= 0x20;
    packet[4] = 7;
    packet[5] = 0x10;
    ts_packet_write_pcr (packet, (10 * GST_SECOND + run->steps * STEP + run->offset) * 27 / 1000);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Unless another clock is announced, a PCR is as far from the one before it as its packet is. */
static void
take_pcr (Run *run, const TsPacket *packet, gint64 at)
{
  gint64 pcr = (gint64) packet->pcr * 1000 / 27;

  run->pcrs++;
  run->announced += packet->announced;
  run->inserted += packet->step == 0;
  if (run->last >= 0 && !packet->announced)
    g_assert_cmpint (ABS ((pcr - run->last) - (at - run->at)), <=, MS);
  run->last = pcr;
  run->at = at;
}

static void
take_buffers (Run *run)
{
  GstBuffer *buffer;

  while ((buffer = pacer_try_pull (run->f)) != NULL) {
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    for (gsize at = 0; at < map.size; at += TS_PACKET) {
      TsPacket packet;

      ts_packet_read (&packet, map.data + at, TS_PACKET);
      if (packet.has_pcr)
        take_pcr (run, &packet, run->time);
      g_assert_false (packet.has_pcr && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP));
      run->time += 8 * TS_PACKET * GST_SECOND / run->bit_rate;
    }
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
}

/* The time goes on to @until. */
static void
pass (Run *run, gint64 until)
{
  while (pacer_wait_for_sleep (run->f) <= until) {
    gst_test_clock_crank (run->f->clock);
    gst_test_clock_wait_for_next_pending_id (run->f->clock, NULL);
    take_buffers (run);
  }
  gst_test_clock_set_time (run->f->clock, until);
}

static gint64
get_now (Run *run)
{
  return (gint64) gst_clock_get_time (GST_CLOCK (run->f->clock));
}

static void
go_on (Run *run, guint steps)
{
  for (guint end = run->steps + steps; run->steps < end; run->steps++) {
    g_assert_cmpint (gst_harness_push (run->f->h, make_packets (run, 7, TRUE)), ==, GST_FLOW_OK);
    pass (run, get_now (run) + STEP);
  }
}

/* The sink holds a datagram while the pipeline pauses for less than a clock may be off. */
static void
pause_shortly (Run *run)
{
  PacerGate *gate = pacer_gate_close (run->f->src, DATA);

  gst_element_set_state (run->f->h->element, GST_STATE_PAUSED);
  gst_harness_push (run->f->h, make_packets (run, 7, TRUE));
  run->steps++;
  pacer_gate_reach (gate, run->f->clock);
  gst_test_clock_set_time (run->f->clock, get_now (run) + 400 * MS);
  gst_element_set_state (run->f->h->element, GST_STATE_PLAYING);
  pacer_gate_open (gate);
}

/* Its clock is off by less than would show that it is another one. */
static void
begin_another_stream (Run *run)
{
  pacer_begin_stream (run->f, GST_FORMAT_TIME);
  run->offset = -300 * MS;
}

static void
change_rate (Run *run)
{
  take_buffers (run);
  g_object_set (run->f->h->element, "bitrate", (guint64) 2 * RATE, NULL);
  run->bit_rate = 2 * RATE;
}

/* Buffers that others hold, too, and no PCR for as long as one has to be put in front of them. */
static void
share_buffers (Run *run)
{
  GstBuffer *kept[6];

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++, run->steps++) {
    kept[i] = make_packets (run, 6, FALSE);
    gst_harness_push (run->f->h, gst_buffer_ref (kept[i]));
    pass (run, get_now (run) + STEP);
  }
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    gst_buffer_unref (kept[i]);
  g_assert_cmpuint (run->inserted, >, 1);
}

static const struct
{
  const gchar *name;
  void (*happen) (Run *run);
  gboolean announced;
} events[] = {
  { "pause", pause_shortly, TRUE },
  { "another-stream", begin_another_stream, TRUE },
  { "rate", change_rate, TRUE },
  { "shared-buffers", share_buffers, FALSE },
};

/* Whatever happens, PCRs go on with the time, or say that they do not. */
static void
test_event (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree gchar *settings =
      g_strdup_printf ("bitrate=%u stuffing=null-ts max-delay=300000000", RATE);
  g_autoptr (Pacer) f = pacer_new (settings, TS);
  Run run = { .f = f, .last = -1, .bit_rate = RATE };

  go_on (&run, 5);
  g_assert_cmpuint (run.announced, ==, 0);
  events[i].happen (&run);
  go_on (&run, 10);
  g_assert_cmpuint (run.pcrs, >=, 10);
  g_assert_cmpuint (run.announced, ==, events[i].announced);
}

int
main (int argc, char *argv[])
{
  static const guint rates[] = { 3000, 6000, 20000 };

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    g_autofree gchar *path = g_strdup_printf ("/pacer/restamp/%u", rates[i]);

    g_test_add_data_func (path, GUINT_TO_POINTER (rates[i]), test_stream);
  }
  for (guint i = 0; i < G_N_ELEMENTS (events); i++) {
    g_autofree gchar *path = g_strconcat ("/pacer/restamp/", events[i].name, NULL);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_event);
  }
  return g_test_run ();
}
